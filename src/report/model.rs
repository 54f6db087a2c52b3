//! What a report says, before it is written in any format.

use super::scrutiny::Scrutiny;
use crate::plan::{Calibration, Hello, Identity};
use crate::profile::{BenchKind, Reference};
use crate::signal::{Counts, Pair};
use crate::stats::{Budget, Summary};
use crate::units::Picos;

/// A finding that a reader must see beside the numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Stable, for programs.
    pub code: &'static str,
    /// The configuration it belongs to; none for the whole run.
    pub configuration: Option<String>,
    /// For people: what, and the way out.
    pub message: String,
}

/// A pair with its place in the evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedPair {
    /// Shot it was captured in.
    pub shot: u32,
    /// 1-based place within the shot.
    pub number: u32,
    /// The pair.
    pub pair: Pair,
}

/// Limits of a configuration and whether it keeps them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Largest allowed typical latency.
    pub typical: Option<Picos>,
    /// Largest allowed worst latency.
    pub worst: Option<Picos>,
}

/// One configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Name of the configuration.
    pub name: String,
    /// ISR mode.
    pub mode: String,
    /// Background loads.
    pub loads: Vec<String>,
    /// Pairs asked for.
    pub wanted: u32,
    /// Every stimulus and response accounted for.
    pub counts: Counts,
    /// The figures; none without a single pair.
    pub summary: Option<Summary>,
    /// What each of them may be off by.
    pub uncertainty: Option<Budget>,
    /// Time between two samples.
    pub interval: Option<Picos>,
    /// Shots in the evidence.
    pub shots: u32,
    /// From the first arming to the last byte.
    pub elapsed: Picos,
    /// What the plan had said to that.
    pub predicted: Picos,
    /// Bytes of waveform data.
    pub bytes: u64,
    /// Published figures.
    pub reference: Option<Reference>,
    /// Limits of the profile.
    pub limits: Limits,
    /// Every pair, in the order captured.
    pub pairs: Vec<ListedPair>,
    /// What the sample looks like beyond its figures.
    pub scrutiny: Scrutiny,
}

impl Row {
    /// Pairs that count.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.paired
    }

    /// As many pairs as asked for.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.counts.paired >= u64::from(self.wanted)
    }

    /// Figures over a limit, as (name, figure, limit).
    pub fn over_limit(&self) -> impl Iterator<Item = (&'static str, Picos, Picos)> {
        let of = |figure: Option<Picos>, limit: Option<Picos>| figure.zip(limit).filter(|(f, l)| f > l);
        let typical = of(self.summary.as_ref().map(|s| s.typical), self.limits.typical);
        let worst = of(self.summary.as_ref().map(|s| s.worst), self.limits.worst);
        let named = |name| move |(figure, limit)| (name, figure, limit);
        typical.map(named("typical")).into_iter().chain(worst.map(named("worst")))
    }
}

/// A whole report.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Virtual or hardware.
    pub bench: BenchKind,
    /// Name of the run.
    pub run: String,
    /// Start, RFC 3339.
    pub started: String,
    /// The scope; none when it was never reached.
    pub scope: Option<Identity>,
    /// The board; none without a link.
    pub dut: Option<Hello>,
    /// The calibration that was taken out of every latency.
    pub calibration: Option<Calibration>,
    /// One row a configuration, in the order of the plan.
    pub rows: Vec<Row>,
    /// Findings.
    pub warnings: Vec<Warning>,
}

impl Report {
    /// The mark that every rendering of a simulated run carries.
    #[must_use]
    pub fn mark(&self) -> Option<&'static str> {
        match self.bench {
            BenchKind::Virtual => Some("VIRTUAL"),
            BenchKind::Hardware => None,
        }
    }

    /// A configuration's name as files carry it: with the mark in front, so that no line can be taken for a measurement.
    #[must_use]
    pub fn marked(&self, name: &str) -> String {
        self.mark().map_or_else(|| name.to_owned(), |mark| format!("{mark}:{name}"))
    }

    /// The sentence that goes with the mark.
    #[must_use]
    pub fn banner(&self) -> Option<&'static str> {
        self.mark().map(|_| "VIRTUAL bench: simulated figures, no instrument was involved; they say nothing about any real board.")
    }

    /// Estimates the tail of every configuration.
    pub fn look_at_tails(&mut self) {
        for row in &mut self.rows {
            let latencies: Vec<Picos> = row.pairs.iter().filter_map(|p| p.pair.latency()).collect();
            row.scrutiny.look_at_tail(&latencies);
        }
    }

    /// Every configuration has its pairs, and no limit is exceeded.
    #[must_use]
    pub fn passes(&self) -> bool {
        !self.rows.is_empty() && self.rows.iter().all(|r| r.complete() && r.over_limit().next().is_none())
    }
}
