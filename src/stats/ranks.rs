//! Two samples against each other by rank alone: no law assumed, and one outlier counts as one.

use crate::units::Picos;
use statrs::function::erf::erfc;

/// 97.5 % quantile of the normal distribution.
pub(super) const Z975: f64 = 1.959_963_984_540_054;

/// A sample in rising order.
pub(super) fn sorted(sample: &[Picos]) -> Vec<Picos> {
    let mut sorted = sample.to_vec();
    sorted.sort_unstable();
    sorted
}

/// Probability of a normal deviate above `z`.
pub(super) fn upper_tail(z: f64) -> f64 {
    0.5 * erfc(z / std::f64::consts::SQRT_2)
}

/// How often values of `b` are above (or equal to) values of `a`, both in rising order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Standing {
    /// Pairs with b above a, ties half.
    pub u: f64,
    /// Standard deviation of `u` when both come from one law, corrected for ties.
    pub sd: f64,
    /// Number of pairs.
    pub pairs: f64,
}

impl Standing {
    /// Counts by merging; O(m + n).
    pub fn of(a: &[Picos], b: &[Picos]) -> Standing {
        let mut twice_u = 0u128;
        let mut ties = 0.0;
        let (mut i, mut j) = (0, 0);
        while let Some(value) = lower(a.get(i), b.get(j)) {
            let in_a = run(a, i, value);
            let in_b = run(b, j, value);
            twice_u += in_b as u128 * (2 * i + in_a) as u128;
            let t = (in_a + in_b) as f64;
            ties += t * (t * t - 1.0);
            (i, j) = (i + in_a, j + in_b);
        }
        let (m, n) = (a.len() as f64, b.len() as f64);
        let all = m + n;
        let tied = if all > 1.0 { ties / (all * (all - 1.0)) } else { 0.0 };
        Standing {
            u: twice_u as f64 / 2.0,
            sd: (m * n / 12.0 * (all + 1.0 - tied)).max(0.0).sqrt(),
            pairs: m * n,
        }
    }

    /// Probability of `u` at least this large when both come from one law; normal approximation with continuity.
    pub fn p_above(&self) -> f64 {
        if self.sd == 0.0 { 1.0 } else { upper_tail((self.u - self.pairs / 2.0 - 0.5) / self.sd) }
    }

    /// Two-sided.
    pub fn p_different(&self) -> f64 {
        let distance = (self.u - self.pairs / 2.0).abs();
        if self.sd == 0.0 { 1.0 } else { (2.0 * upper_tail((distance - 0.5) / self.sd)).min(1.0) }
    }
}

fn lower(a: Option<&Picos>, b: Option<&Picos>) -> Option<Picos> {
    match (a, b) {
        (Some(a), Some(b)) => Some(*a.min(b)),
        (Some(one), None) | (None, Some(one)) => Some(*one),
        (None, None) => None,
    }
}

/// Length of the run of `value` that starts at `from`.
pub(super) fn run(sorted: &[Picos], from: usize, value: Picos) -> usize {
    sorted.iter().skip(from).take_while(|x| **x == value).count()
}

/// The k-th smallest (from 1) of all differences b - a, without forming them: a search over values, each step a merge.
pub(super) fn nth_difference(a: &[Picos], b: &[Picos], k: u128) -> Option<Picos> {
    let mut low = *b.first()? - *a.last()?;
    let mut high = *b.last()? - *a.first()?;
    while low < high {
        let middle = Picos(i64::midpoint(low.0, high.0).min(high.0 - 1));
        if differences_up_to(a, b, middle) >= k { high = middle } else { low = middle + Picos(1) }
    }
    Some(low)
}

/// Number of pairs with b - a <= x.
fn differences_up_to(a: &[Picos], b: &[Picos], x: Picos) -> u128 {
    let mut below = 0;
    let mut count = 0u128;
    for value in b {
        // a >= value - x, that is all but the `below` smallest.
        while a.get(below).is_some_and(|v| *v < *value - x) {
            below += 1;
        }
        count += (a.len() - below) as u128;
    }
    count
}

/// Largest distance of the two empirical distribution functions.
pub(super) fn largest_distance(a: &[Picos], b: &[Picos]) -> f64 {
    let (mut i, mut j) = (0, 0);
    let mut largest = 0f64;
    while let Some(value) = lower(a.get(i), b.get(j)) {
        i += run(a, i, value);
        j += run(b, j, value);
        largest = largest.max((i as f64 / a.len() as f64 - j as f64 / b.len() as f64).abs());
    }
    largest
}

/// Probability of a larger distance when both come from one continuous law, by Kolmogorov's limit; with ties the true
/// probability is smaller.
pub(super) fn p_distance(distance: f64, m: usize, n: usize) -> f64 {
    let effective = m as f64 * n as f64 / (m + n) as f64;
    let lambda = distance * effective.sqrt();
    if lambda < 0.2 {
        return 1.0;
    }
    let term = |k: f64| (-2.0 * k * k * lambda * lambda).exp();
    let sum: f64 =
        (1..=100i32).map(|k| if k % 2 == 1 { term(f64::from(k)) } else { -term(f64::from(k)) }).sum();
    (2.0 * sum).clamp(0.0, 1.0)
}
