//! Has it become slower than the baseline, and is it within its limits? For CI.
//!
//! A stimulus without an answer is slower than any answer: it takes part as the slowest latency there is, so that a run
//! cannot pass by answering less often. Several configurations share `alpha` evenly, so that the whole gate raises a
//! false alarm at most that often.

mod junit;
mod render;

pub use junit::junit;
pub use render::{gate_json, gate_text};

use super::compare::relevance_of;
use super::metadata::{Difference, differences, matched};
use super::{Report, Row};
use crate::signal::Status;
use crate::stats::limit::{Bound, Figure, Outcome};
use crate::stats::{GateReport, GateRule, Limit, StatsError, gate};
use crate::units::Picos;

/// Stands for no answer at all: longer than any record.
pub(super) const NEVER: Picos = Picos::from_s(1_000_000);

/// What a gate asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct GateOptions {
    /// Probability of a false alarm over all configurations.
    pub alpha: f64,
    /// Slower by less is no regression; one hundredth of the baseline's typical latency, or what the measurement can
    /// tell apart, when absent.
    pub relevance: Option<Picos>,
    /// Limits on top of the profile's: for one configuration, or for each.
    pub limits: Vec<(Option<String>, Limit)>,
    /// Kinds of differences that are no hindrance.
    pub accept: Vec<String>,
}

/// A limit and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedLimit {
    /// The limit.
    pub limit: Limit,
    /// Kept or not.
    pub outcome: Outcome,
}

/// One configuration before the gate.
#[derive(Debug, Clone, PartialEq)]
pub struct GatedRow {
    /// Its name.
    pub name: String,
    /// Medians of baseline and run.
    pub typical: [Option<Picos>; 2],
    /// Unanswered stimuli of baseline and run.
    pub missed: [u64; 2],
    /// The tests; none without a baseline.
    pub tests: Option<GateReport>,
    /// Slower by less was no regression.
    pub relevance: Picos,
    /// The limits.
    pub limits: Vec<CheckedLimit>,
}

impl GatedRow {
    /// Slower, or over a limit.
    #[must_use]
    pub fn fails(&self) -> bool {
        let over = self.limits.iter().any(|l| l.outcome != Outcome::Met);
        over || self.tests.as_ref().is_some_and(GateReport::regressed)
    }
}

/// What the gate says.
#[derive(Debug, Clone, PartialEq)]
pub struct GateOutcome {
    /// Names of baseline, if there is one, and run.
    pub runs: (Option<String>, String),
    /// The sentence for simulated figures.
    pub banner: Option<&'static str>,
    /// Probability of a false alarm over all configurations.
    pub alpha: f64,
    /// What differs about the runs; none of it is a hindrance.
    pub differences: Vec<Difference>,
    /// One for each configuration.
    pub rows: Vec<GatedRow>,
}

impl GateOutcome {
    /// Everything passes.
    #[must_use]
    pub fn passes(&self) -> bool {
        !self.rows.iter().any(GatedRow::fails)
    }
}

/// Why there is no verdict.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoGate {
    /// The runs are not of the same thing.
    #[error(
        "baseline and run cannot be held against each other, they differ in more than the build: {}; measure again \
         under the baseline's conditions, take a new baseline, or accept the kind with --accept",
        .0.iter().map(Difference::to_string).collect::<Vec<_>>().join("; ")
    )]
    Mismatch(Vec<Difference>),
    /// A configuration has too few latencies.
    #[error("{configuration}: {source}")]
    TooFew {
        /// Which.
        configuration: String,
        /// How many it takes.
        source: StatsError,
    },
    /// There is nothing to hold the run against.
    #[error(
        "there is nothing to hold the run against: give --baseline RUN, --limit, or limits in its profile"
    )]
    Nothing,
    /// A limit is for a configuration that the run does not have.
    #[error("a limit is for `{0}`, which the run does not have")]
    Unknown(String),
}

/// Holds `run` against `baseline` and its limits.
///
/// # Errors
/// [`NoGate`]: no verdict is better than one about two different things.
pub fn gate_runs(
    baseline: Option<&Report>,
    run: &Report,
    options: &GateOptions,
) -> Result<GateOutcome, NoGate> {
    let differences = baseline.map(|b| differences(b, run)).unwrap_or_default();
    let hinders = |d: &&Difference| d.blocks() && !options.accept.iter().any(|kind| kind == d.kind);
    let hindrances: Vec<Difference> = differences.iter().filter(hinders).cloned().collect();
    if !hindrances.is_empty() {
        return Err(NoGate::Mismatch(hindrances));
    }
    let pairs = baseline.map(|b| matched(b, run)).unwrap_or_default();
    let rule = |relevance| GateRule { alpha: options.alpha / pairs.len().max(1) as f64, relevance };
    let mut rows = Vec::new();
    for row in &run.rows {
        let before = pairs.iter().find(|(_, r)| r.name == row.name).map(|(before, _)| *before);
        rows.push(gated(before, row, options, &differences, &rule)?);
    }
    check_names(run, options)?;
    if pairs.is_empty() && rows.iter().all(|r| r.limits.is_empty()) {
        return Err(NoGate::Nothing);
    }
    Ok(GateOutcome {
        runs: (baseline.map(|b| b.run.clone()), run.run.clone()),
        banner: run.banner().or_else(|| baseline.and_then(Report::banner)),
        alpha: options.alpha,
        differences,
        rows,
    })
}

fn gated(
    before: Option<&Row>,
    row: &Row,
    options: &GateOptions,
    differences: &[Difference],
    rule: &impl Fn(Picos) -> GateRule,
) -> Result<GatedRow, NoGate> {
    let relevance = before.map_or(Picos::ZERO, |before| {
        let preset = relevance_of(before, row, options.relevance, differences);
        options.relevance.unwrap_or(preset.threshold.max(preset.resolution))
    });
    let tests = before.map(|before| gate(&sample(before), &sample(row), &rule(relevance))).transpose();
    let named = |source| NoGate::TooFew { configuration: row.name.clone(), source };
    let typical = |r: &Row| r.summary.as_ref().map(|s| s.typical);
    Ok(GatedRow {
        name: row.name.clone(),
        typical: [before.and_then(typical), typical(row)],
        missed: [before.map_or(0, |r| r.counts.unanswered), row.counts.unanswered],
        tests: tests.map_err(named)?,
        relevance,
        limits: limits(row, options),
    })
}

/// Latencies in the order of time, and for each unanswered stimulus one that is longer than any.
fn sample(row: &Row) -> Vec<Picos> {
    let latency = |p: &super::ListedPair| match p.pair.status {
        Status::Unanswered => Some(NEVER),
        _ => p.pair.latency(),
    };
    row.pairs.iter().filter_map(latency).collect()
}

/// The profile's limits, then those asked for.
fn limits(row: &Row, options: &GateOptions) -> Vec<CheckedLimit> {
    let of = |figure, time: Option<Picos>| time.map(|t| Limit { figure, bound: Bound::Time(t) });
    let own = [of(Figure::Typical, row.limits.typical), of(Figure::Worst, row.limits.worst)];
    let meant = |name: &Option<String>| name.as_ref().is_none_or(|name| *name == row.name);
    let asked = options.limits.iter().filter(|(name, _)| meant(name)).map(|(_, limit)| *limit);
    let all = own.into_iter().flatten().chain(asked);
    let check =
        |limit: Limit| CheckedLimit { outcome: limit.check(row.summary.as_ref(), &row.counts), limit };
    all.map(check).collect()
}

fn check_names(run: &Report, options: &GateOptions) -> Result<(), NoGate> {
    let known = |name: &String| run.rows.iter().any(|r| r.name == *name);
    let stray = options.limits.iter().filter_map(|(name, _)| name.as_ref()).find(|name| !known(name));
    stray.map_or(Ok(()), |name| Err(NoGate::Unknown(name.clone())))
}
