//! Do two runs differ, and by how much?
//!
//! A difference is called one only when it is significant after Holm's correction over every test made *and* larger
//! than both the resolution of the measurement and what its reader calls relevant: with thousands of pairs any two
//! boards differ significantly by something that matters to nobody. What is reported is the size with its interval
//! (Hodges-Lehmann shift; probability that a latency of B exceeds one of A), the p-values only behind it.

use super::error::StatsError;
use super::ranks::{Standing, Z975, largest_distance, nth_difference, p_distance, run, sorted};
use crate::units::Picos;

/// Smallest sample for the approximations in use here.
const SMALLEST: usize = 20;
/// Probability of calling any difference where there is none, over the whole comparison.
const ALPHA: f64 = 0.05;

/// Shift of B against A: the median of all differences b - a (Hodges & Lehmann 1963), with the 95 % interval that
/// belongs to the rank test. Positive: B is slower.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shift {
    /// Estimate.
    pub value: Picos,
    /// Lower end.
    pub low: Picos,
    /// Upper end.
    pub high: Picos,
}

/// Probability that a latency of B exceeds one of A, ties half, with its 95 % interval. 0.5: neither.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Superiority {
    /// Estimate.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Differences smaller than these are not called differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relevance {
    /// What the measurement can tell apart: the k = 2 uncertainty that the two runs do not share.
    pub resolution: Picos,
    /// What the reader cares about.
    pub threshold: Picos,
}

/// What a comparison comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// B is slower.
    Slower,
    /// B is faster.
    Faster,
    /// The typical latency is the same within relevance, the distribution is not: look at the tails.
    Shape,
    /// Significant, but smaller than the resolution or the relevance.
    Negligible,
    /// No significant difference; not the same as none.
    Undecided,
}

/// Two configurations compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Latencies of A and B.
    pub n: [u64; 2],
    /// Size of the difference.
    pub shift: Shift,
    /// Size of the difference, without a unit.
    pub superiority: Superiority,
    /// Mann-Whitney, two-sided, tie-corrected normal approximation.
    pub p_shift: f64,
    /// Kolmogorov-Smirnov distance.
    pub distance: f64,
    /// Its probability under one law.
    pub p_distance: f64,
    /// [`Comparison::p_shift`] after Holm.
    pub p_shift_adjusted: f64,
    /// [`Comparison::p_distance`] after Holm.
    pub p_distance_adjusted: f64,
    /// In words.
    pub verdict: Verdict,
}

/// Compares every pair of samples (A, B) of a comparison at once: the correction needs all of them.
///
/// # Errors
/// [`StatsError::TooFew`] when a sample has fewer than 20 latencies.
pub fn compare(
    samples: &[(&[Picos], &[Picos])],
    relevance: Relevance,
) -> Result<Vec<Comparison>, StatsError> {
    let each: Vec<_> = samples.iter().map(|(a, b)| (*a, *b, relevance)).collect();
    compare_each(&each)
}

/// As [`compare`], each pair of samples with what is relevant to it.
///
/// # Errors
/// As [`compare`].
pub fn compare_each(samples: &[(&[Picos], &[Picos], Relevance)]) -> Result<Vec<Comparison>, StatsError> {
    let mut all = samples.iter().map(|(a, b, _)| raw(a, b)).collect::<Result<Vec<_>, _>>()?;
    let p: Vec<f64> = all.iter().flat_map(|c| [c.p_shift, c.p_distance]).collect();
    for ((comparison, adjusted), sample) in all.iter_mut().zip(holm(&p).as_chunks::<2>().0).zip(samples) {
        [comparison.p_shift_adjusted, comparison.p_distance_adjusted] = *adjusted;
        comparison.verdict = verdict(comparison, sample.2);
    }
    Ok(all)
}

fn verdict(c: &Comparison, relevance: Relevance) -> Verdict {
    let relevant = c.shift.value.abs() > relevance.resolution.max(relevance.threshold);
    let (shifted, shaped) = (c.p_shift_adjusted <= ALPHA, c.p_distance_adjusted <= ALPHA);
    match (shifted, relevant, shaped) {
        (true, true, _) if c.shift.value > Picos::ZERO => Verdict::Slower,
        (true, true, _) => Verdict::Faster,
        (false, _, true) => Verdict::Shape,
        (true, false, _) => Verdict::Negligible,
        (false, _, false) => Verdict::Undecided,
    }
}

fn raw(a: &[Picos], b: &[Picos]) -> Result<Comparison, StatsError> {
    let n = a.len().min(b.len());
    if n < SMALLEST {
        return Err(StatsError::TooFew { what: "a comparison", n: n as u64, needed: SMALLEST as u64 });
    }
    let (a, b) = (sorted(a), sorted(b));
    let standing = Standing::of(&a, &b);
    let distance = largest_distance(&a, &b);
    let too_few = StatsError::TooFew { what: "a shift", n: n as u64, needed: SMALLEST as u64 };
    Ok(Comparison {
        n: [a.len() as u64, b.len() as u64],
        shift: shift(&a, &b, &standing).ok_or(too_few)?,
        superiority: superiority(&a, &b, &standing),
        p_shift: standing.p_different(),
        distance,
        p_distance: p_distance(distance, a.len(), b.len()),
        p_shift_adjusted: 1.0,
        p_distance_adjusted: 1.0,
        verdict: Verdict::Undecided,
    })
}

fn shift(a: &[Picos], b: &[Picos], standing: &Standing) -> Option<Shift> {
    let pairs = a.len() as u128 * b.len() as u128;
    let outside = (standing.pairs / 2.0 - Z975 * standing.sd).floor().max(1.0) as u128;
    let nth = |k| nth_difference(a, b, k);
    let value = match pairs % 2 {
        1 => nth(pairs / 2 + 1)?,
        _ => Picos(i64::midpoint(nth(pairs / 2)?.0, nth(pairs / 2 + 1)?.0)),
    };
    Some(Shift { value, low: nth(outside)?, high: nth(pairs + 1 - outside)? })
}

/// Interval from the spread of the placements (Brunner & Munzel 2000). Where the samples do not overlap that spread is
/// nought; then as many disjoint pairs as the smaller sample has have all gone one way, which bounds the probability.
fn superiority(a: &[Picos], b: &[Picos], standing: &Standing) -> Superiority {
    let value = standing.u / standing.pairs;
    let (m, n) = (a.len() as f64, b.len() as f64);
    let variance = placement_variance(a, b) / (m * n * n) + placement_variance(b, a) / (n * m * m);
    let reach = Z975 * variance.sqrt();
    let all_one_way = 0.025f64.powf(1.0 / m.min(n));
    let low = if value >= 1.0 { all_one_way } else { value - reach };
    let high = if value <= 0.0 { 1.0 - all_one_way } else { value + reach };
    Superiority { value, low: low.max(0.0), high: high.min(1.0) }
}

/// Variance over `of` of the number of values of `among` below each (ties half).
fn placement_variance(of: &[Picos], among: &[Picos]) -> f64 {
    let mut below = 0;
    let (mut sum, mut squares) = (0.0, 0.0);
    for value in of {
        while among.get(below).is_some_and(|v| v < value) {
            below += 1;
        }
        let place = below as f64 + run(among, below, *value) as f64 / 2.0;
        sum += place;
        squares += place * place;
    }
    let n = of.len() as f64;
    ((squares - sum * sum / n) / (n - 1.0).max(1.0)).max(0.0)
}

/// Holm's step-down correction (Holm 1979), in the order given.
#[must_use]
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<(usize, f64)> = p.iter().copied().enumerate().collect();
    order.sort_by(|x, y| x.1.total_cmp(&y.1));
    let mut adjusted = vec![1.0; p.len()];
    let mut largest = 0f64;
    for (rank, (place, p)) in order.iter().enumerate() {
        largest = largest.max(p * (order.len() - rank) as f64).min(1.0);
        if let Some(slot) = adjusted.get_mut(*place) {
            *slot = largest;
        }
    }
    adjusted
}
