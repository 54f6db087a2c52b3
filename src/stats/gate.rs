//! Has it become slower? A test for CI, against a baseline run.
//!
//! Two questions, each with half of `alpha`, so that both together raise a false alarm on an unchanged system at most
//! with probability `alpha`:
//!
//! * the tail: how many latencies of the run exceed the r-th largest of the baseline, r about 1 % of it? Under one law
//!   that number is negative hypergeometric, exactly and whatever the law (precedence test, Balakrishnan & Ng 2006).
//!   The maximum alone would be no test: it is exceeded every second time.
//! * the bulk: is the run shifted (one-sided rank test)?
//!
//! Both ask whether it is slower by *more than* `relevance`. Values that are equal count for the run.

use super::compare::{Relevance, Shift, compare};
use super::error::StatsError;
use super::ranks::{Standing, sorted};
use crate::units::Picos;

/// Pairs of either run below which no gate is held.
const SMALLEST: usize = 50;
/// The tail begins at this share of the baseline, but not with fewer than [`FEWEST_IN_TAIL`].
const TAIL_SHARE: usize = 100;
const FEWEST_IN_TAIL: usize = 5;

/// What counts as a regression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GateRule {
    /// Probability of an alarm where nothing changed; 0.05 unless said otherwise.
    pub alpha: f64,
    /// Slower by less is no regression.
    pub relevance: Picos,
}

/// The count of the tail.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TailCount {
    /// The latency of the baseline that was counted against, relevance included.
    pub threshold: Picos,
    /// Its rank from the top of the baseline.
    pub rank: u64,
    /// Latencies of the run above it.
    pub above: u64,
    /// What an unchanged system gives on average.
    pub expected: f64,
    /// Probability of at least as many on an unchanged system.
    pub p: f64,
}

/// What the gate found.
#[derive(Debug, Clone, PartialEq)]
pub struct GateReport {
    /// Latencies of baseline and run.
    pub n: [u64; 2],
    /// The tail.
    pub tail: TailCount,
    /// The bulk; positive: slower.
    pub shift: Shift,
    /// Probability of at least such a shift beyond the relevance on an unchanged system.
    pub p_shift: f64,
    /// The tail has become worse.
    pub tail_regressed: bool,
    /// The bulk has become worse.
    pub shift_regressed: bool,
}

impl GateReport {
    /// Either has become worse.
    #[must_use]
    pub fn regressed(&self) -> bool {
        self.tail_regressed || self.shift_regressed
    }
}

/// Holds `run` against `baseline`.
///
/// # Errors
/// [`StatsError::TooFew`] with fewer than 50 latencies on either side.
pub fn gate(baseline: &[Picos], run: &[Picos], rule: &GateRule) -> Result<GateReport, StatsError> {
    let n = baseline.len().min(run.len());
    if n < SMALLEST {
        return Err(StatsError::TooFew { what: "a gate", n: n as u64, needed: SMALLEST as u64 });
    }
    let before = sorted(baseline);
    // Relevance is taken off the run: an unchanged system then alarms more rarely, never more often.
    let after: Vec<Picos> = sorted(run).into_iter().map(|x| x - rule.relevance).collect();
    let relevance = Relevance { resolution: Picos::ZERO, threshold: rule.relevance };
    let shift = compare(&[(baseline, run)], relevance)?.first().map(|c| c.shift);
    let tail = tail_count(&before, &after, rule.relevance);
    let p_shift = Standing::of(&before, &after).p_above();
    let half = rule.alpha / 2.0;
    Ok(GateReport {
        n: [before.len() as u64, after.len() as u64],
        tail,
        shift: shift.unwrap_or(Shift { value: Picos::ZERO, low: Picos::ZERO, high: Picos::ZERO }),
        p_shift,
        tail_regressed: tail.p <= half,
        shift_regressed: p_shift <= half,
    })
}

fn tail_count(before: &[Picos], after: &[Picos], relevance: Picos) -> TailCount {
    let (m, n) = (before.len(), after.len());
    let rank = m.div_ceil(TAIL_SHARE).max(FEWEST_IN_TAIL);
    let threshold = m.checked_sub(rank).and_then(|k| before.get(k)).copied().unwrap_or(Picos::MAX);
    let above = after.len() - after.partition_point(|x| *x <= threshold);
    TailCount {
        threshold: threshold + relevance,
        rank: rank as u64,
        above: above as u64,
        expected: rank as f64 * n as f64 / (m as f64 + 1.0),
        p: p_exceedances(m as u64, n as u64, rank as u64, above as u64),
    }
}

/// Probability that at least `above` of `n` values exceed the `rank`-th largest of `m` values of the same law:
/// `P(j) = C(j + r - 1, j) C(n - j + m - r, n - j) / C(m + n, n)`, summed from its own ratios.
#[must_use]
pub fn p_exceedances(m: u64, n: u64, rank: u64, above: u64) -> f64 {
    if above == 0 {
        return 1.0;
    }
    let (m, n, r) = (m as f64, n as f64, rank as f64);
    // In logarithms: the first term may be smaller than a number can be.
    let mut log_p: f64 = (0..rank).map(|i| ((m - i as f64) / (m + n - i as f64)).ln()).sum();
    let mut below = 0.0;
    for j in 0..above {
        below += log_p.exp();
        let j = j as f64;
        log_p += ((j + r) / (j + 1.0) * (n - j) / (n - j + m - r)).ln();
    }
    let mut tail = 0.0;
    let mut j = above as f64;
    while j <= n && (log_p > -745.0 || below < 0.5) {
        tail += log_p.exp();
        log_p += ((j + r) / (j + 1.0) * (n - j) / (n - j + m - r)).ln();
        j += 1.0;
    }
    tail.clamp(0.0, 1.0)
}
