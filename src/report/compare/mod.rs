//! Two runs against each other: what differs about them first, then by how much each configuration does.

mod render;

pub use render::{comparison_json, comparison_text};

use super::metadata::{Difference, differences, matched};
use super::{Report, Row};
use crate::stats::uncertainty::Influence;
use crate::stats::{Comparison, Relevance, StatsError, compare_each};
use crate::units::Picos;

/// A shift below this share of the typical latency matters to nobody, unless said otherwise: one in a hundred.
const RELEVANT: i64 = 100;

/// A configuration of either run.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedRow {
    /// Names in A and B.
    pub names: [String; 2],
    /// Medians.
    pub typical: [Option<Picos>; 2],
    /// Stimuli without an answer, and stimuli.
    pub missed: [(u64, u64); 2],
    /// Smaller shifts are no differences.
    pub relevance: Relevance,
    /// The tests.
    pub comparison: Comparison,
}

/// What comparing two runs gave.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonReport {
    /// Names of the runs.
    pub runs: [String; 2],
    /// The sentence for simulated figures.
    pub banner: Option<&'static str>,
    /// What differs about the runs.
    pub differences: Vec<Difference>,
    /// One for each configuration that both have.
    pub rows: Vec<ComparedRow>,
}

/// Compares run `b` with run `a`; `relevance` overrides one hundredth of A's typical latency.
///
/// # Errors
/// [`StatsError::TooFew`] when a configuration has fewer than 20 latencies.
pub fn compare_runs(
    a: &Report,
    b: &Report,
    relevance: Option<Picos>,
) -> Result<ComparisonReport, StatsError> {
    let differences = differences(a, b);
    let pairs = matched(a, b);
    let latencies = |row: &Row| row.pairs.iter().filter_map(|p| p.pair.latency()).collect::<Vec<_>>();
    let samples: Vec<(Vec<Picos>, Vec<Picos>, Relevance)> = pairs
        .iter()
        .map(|(one, other)| {
            (latencies(one), latencies(other), relevance_of(one, other, relevance, &differences))
        })
        .collect();
    let borrowed: Vec<_> = samples.iter().map(|(a, b, r)| (a.as_slice(), b.as_slice(), *r)).collect();
    let compared = compare_each(&borrowed)?;
    let rows = pairs.iter().zip(compared).zip(&samples);
    Ok(ComparisonReport {
        runs: [a.run.clone(), b.run.clone()],
        banner: a.banner().or(b.banner()),
        rows: rows.map(|(((a, b), c), (_, _, r))| ComparedRow::new(a, b, *r, c)).collect(),
        differences,
    })
}

impl ComparedRow {
    fn new(a: &Row, b: &Row, relevance: Relevance, comparison: Comparison) -> ComparedRow {
        let both = [a, b];
        ComparedRow {
            names: both.map(|r| r.name.clone()),
            typical: both.map(|r| r.summary.as_ref().map(|s| s.typical)),
            missed: both.map(|r| (r.counts.unanswered, r.counts.stimuli)),
            relevance,
            comparison,
        }
    }
}

/// What a shift of these two must exceed.
pub(super) fn relevance_of(a: &Row, b: &Row, wanted: Option<Picos>, differences: &[Difference]) -> Relevance {
    let preset = a.summary.as_ref().map_or(Picos::ZERO, |s| s.typical / RELEVANT);
    Relevance { resolution: resolution(a, b, differences), threshold: wanted.unwrap_or(preset) }
}

/// The k = 2 uncertainty that the two rows do not share: on one scope with one calibration (or none), skew and time base
/// shift both alike.
fn resolution(a: &Row, b: &Row, differences: &[Difference]) -> Picos {
    let one_bench = !differences.iter().any(|d| ["bench", "scope", "calibration"].contains(&d.kind));
    let shared = |influence| one_bench && matches!(influence, Influence::Skew | Influence::TimeBase);
    let terms = [a, b].into_iter().filter_map(|r| r.uncertainty.as_ref()).flat_map(|budget| &budget.terms);
    let squares: f64 = terms.filter(|t| !shared(t.influence)).map(|t| (t.standard.0 as f64).powi(2)).sum();
    Picos((2.0 * squares.sqrt()).round() as i64)
}
