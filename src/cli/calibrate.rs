//! `calibrate`: the delay between the two inputs with their probes, and the scope's clock against a known period.
//!
//! A calibration is a run like any other, with its evidence; the file beside the profile is what `measure` reads. It asks
//! nothing: the second half, with the probes exchanged, is a call of its own. On the virtual bench the probes are
//! where the call needs them.

use super::args::{CalibrateArgs, SelectionArgs};
use super::exit::{Exit, Failure};
use super::profiles::{self, Loaded};
use super::progress::Progress;
use super::{measure, output, skew};
use crate::capture::{Reader, RunRecord, Writer};
use crate::plan::calibration::{FORMAT, FrontEnd, Swapped};
use crate::plan::{Calibration, Purpose, RunPlan, SkewCorrection};
use crate::profile::{Configuration, Probes, Profile, Spacing, StimulusSource, Strategy, StrategyChoice};
use crate::report::Report;
use crate::session;
use crate::stats::calibration::{ClockError, SkewFit, SkewParts, clock_error, skew as skew_of};
use crate::units::Picos;
use anyhow::{Context, anyhow};
use std::path::{Path, PathBuf};

/// Sampling of two channels at its finest.
const FINEST: Picos = Picos::from_ns(2);
/// A check of the clock lasts so long, where that is between [`FEWEST`] and [`MOST`] periods.
const SPAN: Picos = Picos::from_ms(3);
const FEWEST: u32 = 30;
const MOST: u32 = 1_000;
/// Samples that a check of the clock is spread over.
const POINTS: i64 = 1_500_000;
/// What the data sheet allows a clock of three years, in parts per million.
const ALLOWED_PPM: f64 = 40.0;

/// Runs the verb.
pub(super) fn run(args: &CalibrateArgs) -> Result<Exit, Failure> {
    let selection = SelectionArgs { mode: args.mode.clone(), seed: args.seed, ..SelectionArgs::default() };
    let mut loaded = profiles::load(&args.bench, &selection)?;
    let path = args.calibration.clone().unwrap_or_else(|| loaded.calibration.clone());
    let first_half = args.swapped.then(|| first_half(&path)).transpose()?;
    check(args, &loaded.profile)?;
    let run = match args.period {
        Some(period) => {
            record(args, &mut loaded, &|profile| period_only(profile, period), &|plan, profile| {
                time_periods(plan, profile, period);
                Ok(())
            })?
        }
        None => record(args, &mut loaded, &|profile| one_edge(profile, args), &|plan, _| {
            take_as_skew(plan);
            Ok(())
        })?,
    };
    match (args.period, first_half) {
        (Some(period), _) => run.clock(period),
        (None, None) => run.first_half(&path, &loaded.profile),
        (None, Some(before)) => run.second_half(before, &path, &loaded.profile),
    }
}

fn first_half(path: &Path) -> Result<Calibration, Failure> {
    if !path.is_file() {
        return Err(Failure::usage(anyhow!(
            "there is no {} to complete: run `latency-cli calibrate` first, both probes on one edge, then exchange \
             the probes",
            path.display()
        )));
    }
    skew::read(path).map(|(_, calibration)| calibration)
}

/// Arguments that cannot work on this profile.
fn check(args: &CalibrateArgs, profile: &Profile) -> Result<(), Failure> {
    let us = Picos::from_us(1);
    if args.period.is_some_and(|p| p < us * 3 || p.0 % us.0 != 0) {
        return Err(Failure::usage(anyhow!("the period must be 3 us or more, in whole microseconds")));
    }
    let (a, b) = (profile.stimulus.probe, profile.response.probe);
    if args.swapped && a != b {
        return Err(Failure::usage(anyhow!("probes of x{a} and x{b} cannot be exchanged")));
    }
    Ok(())
}

/// The profile for one edge on both channels, at the vertical settings of a measurement.
fn one_edge(profile: &mut Profile, args: &CalibrateArgs) {
    let probes = if args.swapped { Probes::Swapped } else { Probes::OneEdge };
    profile.bench.simulation.probes = probes;
    only(profile, |c| Configuration {
        name: "skew".to_owned(),
        count: args.count,
        resolution: c.resolution.min(FINEST),
        ..c
    });
}

/// The profile for a known period on the stimulus channel, as long as is useful.
fn period_only(profile: &mut Profile, period: Picos) {
    let count = u32::try_from(SPAN.0 / period.0).unwrap_or(MOST).clamp(FEWEST, MOST);
    profile.source = StimulusSource::External;
    only(profile, |c| Configuration {
        name: "period".to_owned(),
        count,
        expected_typical: period / 3,
        expected_worst: period / 3,
        spacing: None,
        resolution: (period * i64::from(count) / POINTS).max(FINEST),
        strategy: StrategyChoice::Fixed(Strategy::Burst),
        ..c
    });
}

/// Keeps the first configuration, without what only a latency has.
fn only(profile: &mut Profile, change: impl FnOnce(Configuration) -> Configuration) {
    profile.configurations.truncate(1);
    let first = profile.configurations.pop();
    profile.configurations.extend(first.map(|c| {
        change(Configuration {
            loads: Vec::new(),
            until: None,
            limit_worst: None,
            limit_typical: None,
            window: None,
            floor: Picos::ZERO,
            reference: None,
            ..c
        })
    }));
}

fn take_as_skew(plan: &mut RunPlan) {
    for c in &mut plan.configurations {
        c.purpose = Purpose::Skew;
        // The response's probe sees the stimulus.
        c.response_threshold = c.stimulus_threshold;
    }
}

/// A board with a link fires the period itself; else it is there already.
fn time_periods(plan: &mut RunPlan, profile: &Profile, period: Picos) {
    for c in &mut plan.configurations {
        c.purpose = Purpose::Period;
        let end = period * (i64::from(c.count) + 1);
        c.extent.to = c.extent.to.min(c.setup.interval * (end.0 / c.setup.interval.0.max(1)));
        if profile.bench.dut != "none" {
            (c.source, c.burst) = (StimulusSource::Firmware, c.count);
            c.spacing = Some(Spacing { min: period, max: period });
        }
    }
}

/// A run that was taken for a calibration.
struct Run {
    folder: PathBuf,
    report: Report,
    plan: RunPlan,
    date: String,
}

type Change<'a> = &'a dyn Fn(&mut Profile);
type Plan<'a> = &'a dyn Fn(&mut RunPlan, &Profile) -> Result<(), Failure>;

fn record(
    args: &CalibrateArgs,
    loaded: &mut Loaded,
    change: Change<'_>,
    plan: Plan<'_>,
) -> Result<Run, Failure> {
    change(&mut loaded.profile);
    let stop = measure::stop_on_signal()?;
    let mut progress = Progress::new(args.quiet, args.verbose);
    let date = measure::now();
    let name = format!("{}-calibration", loaded.profile.name);
    let record = RunRecord::start(loaded.profile.bench.kind, &name, date.clone());
    let mut writer = Writer::create(&args.out, record, &loaded.text)?;
    let folder = writer.folder().to_owned();
    let prepare = |p: &mut RunPlan, _: &Writer| plan(p, &loaded.profile);
    let result = measure::record(loaded, &mut writer, &mut progress, &stop, &prepare);
    progress.finish();
    measure::seal(writer, &result)?;
    if !args.quiet {
        eprintln!("evidence: {}", folder.display());
    }
    result?;
    let reader = Reader::open(&folder)?;
    let (report, plan) = (session::analyze(&reader)?, reader.plan()?);
    let plan = plan.ok_or_else(|| failed("the run has no plan"))?;
    Ok(Run { folder, report, plan, date })
}

fn failed(why: impl Into<String>) -> Failure {
    Failure { exit: Exit::Bench, error: anyhow!(why.into()) }
}

impl Run {
    fn name(&self) -> String {
        self.folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
    }

    fn banner(&self) -> String {
        self.report.banner().map(|b| format!("{b}\n")).unwrap_or_default()
    }

    fn fit(&self) -> Result<(SkewFit, Picos), Failure> {
        let row = self.report.rows.first().ok_or_else(|| failed("the run has no edges"))?;
        let differences: Vec<Picos> = row.pairs.iter().filter_map(|p| p.pair.latency()).collect();
        let interval = row.interval.unwrap_or_default();
        let fit = skew_of(&differences, None, interval).map_err(|error| {
            let advice = "put both probes on the stimulus, on one point with short ground leads";
            Failure { exit: Exit::Bench, error: anyhow::Error::from(error).context(advice) }
        })?;
        Ok((fit, interval))
    }

    fn first_half(&self, path: &Path, profile: &Profile) -> Result<Exit, Failure> {
        let (fit, interval) = self.fit()?;
        let calibration = self.calibration(&fit, interval, profile)?;
        store(path, &calibration)?;
        let mut text = format!("{}{}\n", self.banner(), found(&fit, interval));
        text += &format!("stored in {}; measure takes it out of every latency\n", path.display());
        text += "to tell inputs from probes: exchange the probes at the inputs, both on the same edge, and run \
                 `latency-cli calibrate --swapped`\n";
        output::print(&text)?;
        Ok(Exit::Complete)
    }

    fn calibration(&self, fit: &SkewFit, interval: Picos, profile: &Profile) -> Result<Calibration, Failure> {
        let scope = self.report.scope.as_ref().ok_or_else(|| failed("the scope did not say who it is"))?;
        let setup = &self.plan.configurations.first().ok_or_else(|| failed("the plan is empty"))?.setup;
        Ok(Calibration {
            format: FORMAT.to_owned(),
            bench: self.report.bench,
            date: self.date.clone(),
            run: self.name(),
            scope_model: scope.model.clone(),
            scope_serial: scope.serial.clone(),
            skew_ps: fit.offset,
            standard_uncertainty_ps: fit.standard,
            pairs: fit.n,
            sample_interval_ps: interval,
            stimulus: FrontEnd::of(&setup.stimulus, profile.stimulus.probe_label()),
            response: FrontEnd::of(&setup.response, profile.response.probe_label()),
            swapped: None,
        })
    }

    fn second_half(&self, before: Calibration, path: &Path, profile: &Profile) -> Result<Exit, Failure> {
        let (fit, interval) = self.fit()?;
        let now = self.calibration(&fit, interval, profile)?;
        let same = (&before.scope_serial, &before.stimulus, &before.response)
            == (&now.scope_serial, &now.stimulus, &now.response);
        if !same {
            return Err(Failure::usage(anyhow!(
                "{} is of another scope, other probes or another scale; run the first half again",
                path.display()
            )));
        }
        let SkewCorrection { offset, standard } = before.correction();
        let parts = SkewParts { inputs: (offset + fit.offset).half(), probes: (offset - fit.offset).half() };
        let swapped = Swapped {
            run: self.name(),
            skew_ps: fit.offset,
            standard_uncertainty_ps: fit.standard,
            pairs: fit.n,
            inputs_ps: parts.inputs,
            probes_ps: parts.probes,
        };
        store(path, &Calibration { swapped: Some(swapped), ..before })?;
        // Both halves of the sum and of the difference: the same uncertainty for either part.
        let either = Picos(((standard.0 as f64).hypot(fit.standard.0 as f64) / 2.0).ceil() as i64);
        output::print(&format!(
            "{}exchanged, {}\ninputs {} and probes {} (each ± {}, k = 2) of the {offset} in {}\n",
            self.banner(),
            found(&fit, interval),
            parts.inputs,
            parts.probes,
            either * 2,
            path.display()
        ))?;
        Ok(Exit::Complete)
    }

    fn clock(&self, period: Picos) -> Result<Exit, Failure> {
        let row = self.report.rows.first().ok_or_else(|| failed("the run has no edges"))?;
        let shots = row.pairs.chunk_by(|a, b| a.shot == b.shot);
        let edges = shots.map(|s| s.iter().filter_map(|p| p.pair.stimulus).collect::<Vec<_>>());
        let longest = edges.max_by_key(Vec::len).unwrap_or_default();
        let error = clock_error(&longest, period).map_err(|error| {
            let advice = format!("is the stimulus channel on a signal of period {period}?");
            Failure { exit: Exit::Bench, error: anyhow::Error::from(error).context(advice) }
        })?;
        output::print(&format!("{}{}\n", self.banner(), self.clock_text(&error, period)))?;
        let sound = error.ppm.abs() - 2.0 * error.standard_ppm <= ALLOWED_PPM;
        Ok(if sound { Exit::Complete } else { Exit::Incomplete })
    }

    fn clock_text(&self, e: &ClockError, period: Picos) -> String {
        let reference = match &self.report.dut {
            Some(dut) => format!("fired by {}, whose crystal's own error comes on top", dut.board),
            None => "of the generator, whose own error comes on top".to_owned(),
        };
        format!(
            "time base: {:+.2} ppm ± {:.2} ppm (k = 2) over {} periods of {period} {reference}; the data sheet allows \
             25 ppm + 5 ppm a year",
            e.ppm,
            2.0 * e.standard_ppm,
            e.periods
        )
    }
}

fn found(fit: &SkewFit, interval: Picos) -> String {
    format!(
        "skew: the response channel is {} behind, ± {} (k = 2), from {} pairs sampled every {interval}",
        fit.offset,
        fit.standard * 2,
        fit.n
    )
}

fn store(path: &Path, calibration: &Calibration) -> Result<(), Failure> {
    let text = calibration.text().map_err(Failure::usage)?;
    let written = std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()));
    written.map_err(|error| Failure { exit: Exit::Bench, error })
}
