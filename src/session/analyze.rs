//! A run folder becomes a report: the only way to a number, for `measure` as for a reader years later.

use super::SessionError;
use crate::capture::{Reader, Seal};
use crate::plan::{Calibration, ConfigurationPlan, Purpose};
use crate::profile::{self, Profile, StimulusSource};
use crate::report::{Collector, Report, Row, Surroundings, Taken, Warning};
use crate::units::Hertz;

/// Computes the report of a run.
///
/// # Errors
/// When the evidence cannot be read, or was changed.
pub fn analyze(reader: &Reader) -> Result<Report, SessionError> {
    let record = reader.record();
    let profile = profile::parse(&reader.profile_text()?, "profile.toml")
        .map_err(|e| SessionError::Profile(e.to_string()))?;
    let plan = reader.plan()?.map(|p| p.configurations).unwrap_or_default();
    let calibration = calibration(reader)?;
    let mut warnings = whole_run(reader, &plan)?;
    warnings.extend(skew(reader, &profile, &plan, calibration.as_ref()));
    let surroundings = surroundings(reader, &profile);
    let mut rows = Vec::new();
    for configuration in &plan {
        let mut collector = Collector::new(configuration).knowing(surroundings);
        for stored in reader.shots(&configuration.name)? {
            let stored = stored?;
            let board = stored.board;
            collector.add(
                &stored.shot,
                Taken {
                    armed: board.armed_ps,
                    fetched: board.fetched_ps,
                    bytes: stored.bytes,
                    fired: board.fired,
                    stimuli: board.stimuli,
                    lost: board.lost,
                },
            );
        }
        let (row, found) = collector.finish(published(&profile, &configuration.name));
        rows.push(row);
        warnings.extend(found);
    }
    warnings.extend(unmeasured(reader, &rows)?);
    Ok(Report {
        bench: record.bench,
        run: record.name.clone(),
        started: record.started.clone(),
        scope: record.scope.clone(),
        dut: record.dut.clone(),
        calibration: calibration.filter(|_| plan.iter().all(|c| c.correction.is_some())),
        rows,
        warnings,
    })
}

/// The row of the profile that a configuration came from.
fn published<'a>(profile: &'a Profile, name: &str) -> Option<&'a profile::Configuration> {
    profile.configurations.iter().find(|c| c.name == name)
}

/// Findings that concern the run as a whole.
fn whole_run(reader: &Reader, plan: &[ConfigurationPlan]) -> Result<Vec<Warning>, SessionError> {
    let mut found = Vec::new();
    let mut warn = |code, message: String| found.push(Warning { code, configuration: None, message });
    match reader.seal()? {
        Seal::Intact => {}
        Seal::Open => warn("unsealed", "the run has no SHA256SUMS: it was interrupted or failed; figures are of the whole shots it holds".to_owned()),
        Seal::Broken(files) => warn("evidence-changed", format!("changed since the run was sealed: {}", files.join(", "))),
    }
    if let Some(failure) = &reader.record().failure {
        warn("failed", format!("the run ended early: {failure}"));
    }
    if plan.iter().any(|c| c.source == StimulusSource::External) {
        warn("free-running", "the stimulus ran free: freshness of each record rests on settle time and comparison, not on having seen the scope wait".to_owned());
    }
    Ok(found)
}

fn calibration(reader: &Reader) -> Result<Option<Calibration>, SessionError> {
    let text = reader.calibration_text()?;
    let read = text.map(|text| Calibration::parse(&text, "calibration.toml")).transpose();
    read.map_err(|e| SessionError::Profile(e.to_string()))
}

/// Whether the delay between the channels was taken out, and if not, why not.
fn skew(
    reader: &Reader,
    profile: &Profile,
    plan: &[ConfigurationPlan],
    calibration: Option<&Calibration>,
) -> Vec<Warning> {
    let raw: Vec<&ConfigurationPlan> =
        plan.iter().filter(|c| c.purpose == Purpose::Latency && c.correction.is_none()).collect();
    let Some(first) = raw.first() else { return Vec::new() };
    let record = reader.record();
    let probes = [profile.stimulus.probe_label(), profile.response.probe_label()];
    let misfits = calibration.zip(record.scope.as_ref()).map(|(calibration, scope)| {
        calibration.misfits(record.bench, scope, &first.setup, &probes).join("; ")
    });
    let refused = misfits.map(|why| Warning {
        code: "calibration-refused",
        configuration: None,
        message: format!("the calibration of skew is of another bench: {why}"),
    });
    let message = "skew: not calibrated; the delay between the two inputs and probes is part of every figure";
    let raw = Warning { code: "skew-not-calibrated", configuration: None, message: message.to_owned() };
    refused.into_iter().chain([raw]).collect()
}

/// The clock that the firmware states, or else the profile; the tick of either.
fn surroundings(reader: &Reader, profile: &Profile) -> Surroundings {
    let conditions = reader.record().dut.iter().flat_map(|dut| &dut.conditions);
    let mut stated = conditions.filter(|(key, _)| key == "clock_hz").filter_map(|(_, v)| v.parse().ok());
    Surroundings { clock: stated.next().map(Hertz).or(profile.clock), tick: profile.tick }
}

/// Configurations that the board could not run, from the events of the run.
fn unmeasured(reader: &Reader, rows: &[Row]) -> Result<Vec<Warning>, SessionError> {
    let text =
        |event: &serde_json::Value, key: &str| event.get(key).and_then(|v| v.as_str()).map(str::to_owned);
    let mut found = Vec::new();
    for event in reader.events()? {
        if text(&event, "event").as_deref() == Some("skipped") {
            let configuration = text(&event, "configuration");
            let why = text(&event, "why").unwrap_or_default();
            found.push(Warning {
                code: "not-measured",
                configuration,
                message: format!("not measured: {why}"),
            });
        }
    }
    found.retain(|w| rows.iter().any(|r| Some(&r.name) == w.configuration.as_ref() && r.shots == 0));
    Ok(found)
}
