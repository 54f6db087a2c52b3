//! A capture of another program or instrument becomes a report of one row.

use super::scrutiny::Scrutiny;
use super::{Limits, ListedPair, Report, Row, Warning};
use crate::foreign::Capture;
use crate::profile::BenchKind;
use crate::signal::Pairing;
use crate::stats::{self, Channel, Conditions, Skew};
use crate::units::Picos;

/// The report of `capture`, whose pairs are `pairing`. There is no plan, no board and no scope to name, and no number of
/// pairs that was asked for: every one that is there counts.
#[must_use]
pub fn imported(name: &str, capture: &Capture, pairing: Pairing) -> Report {
    let row = row(name, capture, pairing);
    let warn = |code, message: String| Warning { code, configuration: None, message };
    let mut warnings: Vec<Warning> =
        capture.notes.iter().map(|note| warn("import", note.to_string())).collect();
    warnings.push(warn(
        "skew-not-calibrated",
        "skew: not calibrated; the delay between the two inputs and probes is part of every figure"
            .to_owned(),
    ));
    if row.counts.ambiguous > 0 {
        let message = format!(
            "{} stimuli have answers that may belong to another stimulus and are in no figure",
            row.counts.ambiguous
        );
        warnings.push(warn("ambiguous", message));
    }
    Report {
        bench: BenchKind::Hardware,
        run: name.to_owned(),
        started: String::new(),
        scope: None,
        dut: None,
        calibration: None,
        rows: vec![row],
        warnings,
    }
}

fn row(name: &str, capture: &Capture, pairing: Pairing) -> Row {
    let counts = pairing.counts();
    let latencies: Vec<Picos> = pairing.latencies().collect();
    let summary = stats::summarize(&latencies);
    let channels = Channel::of(&capture.stimulus).zip(Channel::of(&capture.response));
    let budget = |typical| {
        let (stimulus, response) = channels?;
        Some(stats::budget(
            typical,
            &Conditions { stimulus, response, skew: Skew::NotCalibrated, years: None },
        ))
    };
    Row {
        name: name.to_owned(),
        mode: "imported".to_owned(),
        loads: Vec::new(),
        wanted: u32::try_from(counts.paired.max(1)).unwrap_or(u32::MAX),
        uncertainty: summary.as_ref().and_then(|s| budget(s.typical)),
        summary,
        counts,
        interval: Some(capture.interval),
        shots: 1,
        elapsed: Picos::ZERO,
        predicted: Picos::ZERO,
        bytes: 0,
        reference: None,
        limits: Limits::default(),
        scrutiny: Scrutiny::default(),
        pairs: pairing
            .pairs
            .into_iter()
            .zip(1..)
            .map(|(pair, number)| ListedPair { shot: 1, number, pair })
            .collect(),
    }
}
