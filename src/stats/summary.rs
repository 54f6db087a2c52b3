//! One row of the report from the latencies of a configuration.
//!
//! Sums are whole numbers, so a summary is the same on every machine and for every order of the sample. `worst` is the
//! largest value observed, whatever it looks like: in latency the outlier is the result. Next to it stands what n
//! values can say about the ones not seen: with 95 % confidence no more than `exceedance_bound_95` of all events are
//! worse.

use super::order::{Quantile, Share, median, quantile};
use crate::units::Picos;

/// Confidence of every interval of the report.
pub const CONFIDENCE: f64 = 0.95;

/// What n latencies say.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Number of latencies.
    pub n: u64,
    /// The median.
    pub typical: Picos,
    /// Interval of the median; `None` with fewer than 6 values.
    pub typical_ci95: Option<[Picos; 2]>,
    /// The largest observed.
    pub worst: Picos,
    /// Upper 95 % bound of the share of events worse than `worst`: `1 - 0.05^(1/n)`.
    pub exceedance_bound_95: f64,
    /// The smallest observed.
    pub min: Picos,
    /// The mean.
    pub mean: Picos,
    /// Standard deviation of the sample (n - 1); 0 for a single value.
    pub sd: Picos,
    /// 90 % are at most this; `None`: not resolvable with n.
    pub p90: Option<Quantile>,
    /// 99 % are at most this; `None`: not resolvable with n.
    pub p99: Option<Quantile>,
    /// 99.9 % are at most this; `None`: not resolvable with n.
    pub p999: Option<Quantile>,
    /// Largest minus smallest.
    pub jitter: Picos,
}

/// Summarises latencies in any order; `None` when there are none.
#[must_use]
pub fn summarize(latencies: &[Picos]) -> Option<Summary> {
    let mut sorted = latencies.to_vec();
    sorted.sort_unstable();
    let (min, worst) = (*sorted.first()?, *sorted.last()?);
    let (mean, sd) = moments(&sorted, min);
    Some(Summary {
        n: sorted.len() as u64,
        typical: median(&sorted)?,
        typical_ci95: quantile(&sorted, Share::MEDIAN, CONFIDENCE).map(|q| [q.low, q.high]),
        worst,
        exceedance_bound_95: exceedance_bound(sorted.len() as u64),
        min,
        mean,
        sd,
        p90: quantile(&sorted, Share::P90, CONFIDENCE),
        p99: quantile(&sorted, Share::P99, CONFIDENCE),
        p999: quantile(&sorted, Share::P999, CONFIDENCE),
        jitter: worst - min,
    })
}

/// Upper 95 % bound of the probability to exceed the largest of `n` values, `1 - 0.05^(1/n)`; 1 for none. Rounded to
/// twelve decimals, which is where libraries of different machines part.
#[must_use]
pub fn exceedance_bound(n: u64) -> f64 {
    if n == 0 {
        return 1.0;
    }
    let bound = -((1.0 - CONFIDENCE).ln() / n as f64).exp_m1();
    (bound * 1e12).round() / 1e12
}

/// Mean and standard deviation, from whole sums of the distances to `min`.
fn moments(sorted: &[Picos], min: Picos) -> (Picos, Picos) {
    let n = sorted.len() as u128;
    let distance = |x: &Picos| u128::from(x.0.abs_diff(min.0));
    let sum: u128 = sorted.iter().map(distance).sum();
    let mean = (sum + n / 2) / n;
    let squares = sorted.iter().try_fold(0u128, |s, x| s.checked_add(distance(x).checked_pow(2)?));
    let sd = squares.and_then(|squares| exact_sd(n, sum, squares)).unwrap_or_else(|| {
        let centre = sum as f64 / n as f64;
        let squares: f64 = sorted.iter().map(|x| (distance(x) as f64 - centre).powi(2)).sum();
        (squares / (n.max(2) - 1) as f64).sqrt().round() as u128
    });
    (Picos(min.0.saturating_add(i64::try_from(mean).unwrap_or(i64::MAX))), to_picos(sd))
}

/// `sqrt((n * squares - sum^2) / (n (n - 1)))` to the nearest whole number; `None` when it does not fit.
fn exact_sd(n: u128, sum: u128, squares: u128) -> Option<u128> {
    if n < 2 {
        return Some(0);
    }
    let numerator = n.checked_mul(squares)?.checked_sub(sum.checked_mul(sum)?)?;
    let twice = numerator.checked_mul(4)?.checked_div(n.checked_mul(n - 1)?)?.isqrt();
    Some(twice.div_ceil(2))
}

fn to_picos(value: u128) -> Picos {
    Picos(i64::try_from(value).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// numpy 2: `x = np.array([1900000 + ((7919*k) % 1009)*500 for k in range(1000)])`, `np.mean(x)`,
    /// `np.std(x, ddof=1)`, `np.median(x)`, `y = sorted(x)`, `y[468], y[530]`, `y[989], y[983], y[996]` with the ranks
    /// of the binomial (see `order`).
    #[test]
    fn figures_of_an_independent_calculation() {
        let x: Vec<Picos> = (0..1000i64).map(|k| Picos(1_900_000 + (7919 * k) % 1009 * 500)).collect();
        let s = summarize(&x).unwrap();
        assert_eq!((s.n, s.mean, s.sd), (1000, Picos(2_152_339), Picos(145_752)));
        assert_eq!(
            (s.typical, s.typical_ci95),
            (Picos(2_152_750), Some([Picos(2_137_000), Picos(2_168_000)]))
        );
        let p99 = Quantile { value: Picos(2_399_000), low: Picos(2_396_000), high: Picos(2_402_500) };
        assert_eq!((s.p99, s.p999), (Some(p99), None));
        assert_eq!((s.min, s.worst, s.jitter), (Picos(1_900_000), Picos(2_404_000), Picos(504_000)));
        // 1 - 0.05**(1/1000) = 0.0029912496...
        assert!((s.exceedance_bound_95 - 0.002_991_249_6).abs() < 1e-9, "{}", s.exceedance_bound_95);
    }

    #[test]
    fn one_value_is_a_summary_and_none_is_not() {
        let s = summarize(&[Picos(5)]).unwrap();
        assert_eq!(
            (s.typical, s.worst, s.sd, s.jitter, s.typical_ci95),
            (Picos(5), Picos(5), Picos(0), Picos(0), None)
        );
        assert!((s.exceedance_bound_95 - 0.95).abs() < 1e-12);
        assert_eq!(summarize(&[]), None);
    }

    #[test]
    fn extremes_do_not_overflow() {
        let s = summarize(&[Picos(i64::MIN), Picos(0), Picos(i64::MAX)]).unwrap();
        assert_eq!((s.min, s.worst), (Picos(i64::MIN), Picos(i64::MAX)));
        // Distances to the mean are +-2^63 and 0: sd = 2^63.
        assert_eq!(s.sd, Picos(i64::MAX));
    }

    proptest! {
        #[test]
        fn order_does_not_matter_and_a_shift_shifts(
            mut x in proptest::collection::vec(0i64..1_000_000_000, 1..400), shift in -1_000_000i64..1_000_000
        ) {
            let before = summarize(&x.iter().map(|v| Picos(*v)).collect::<Vec<_>>()).unwrap();
            x.reverse();
            let third = x.len() / 3;
            x.rotate_left(third);
            prop_assert_eq!(&before, &summarize(&x.iter().map(|v| Picos(*v)).collect::<Vec<_>>()).unwrap());
            let moved = summarize(&x.iter().map(|v| Picos(v + shift)).collect::<Vec<_>>()).unwrap();
            prop_assert_eq!(moved.worst - before.worst, Picos(shift));
            prop_assert_eq!((moved.sd, moved.jitter), (before.sd, before.jitter));
            prop_assert_eq!(moved.mean - before.mean, Picos(shift));
            prop_assert!(before.min <= before.typical && before.typical <= before.worst);
        }
    }
}
