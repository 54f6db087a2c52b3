//! Quantiles with intervals that assume no distribution.
//!
//! The number of sample values below the p-quantile is binomial whatever the law of the values, so that two order
//! statistics enclose the quantile with a probability known exactly (David & Nagaraja, Order Statistics, 3rd ed.,
//! 7.1). Ranks are the shortest choice with at least the confidence asked for. Where not even smallest and largest
//! value enclose it, there is no answer, and none is made up.

use crate::units::Picos;
use statrs::distribution::{Binomial, Discrete};

/// A share of all events in parts per million, such as 999 000 for p99.9. Whole numbers, because the rank of p99.9 in
/// 1000 values is 999 and must not become 1000 by a rounding error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Share(u32);

impl Share {
    /// Half of all events.
    pub const MEDIAN: Share = Share(500_000);
    /// 90 %.
    pub const P90: Share = Share(900_000);
    /// 99 %.
    pub const P99: Share = Share(990_000);
    /// 99.9 %.
    pub const P999: Share = Share(999_000);
    /// 99.99 %.
    pub const P9999: Share = Share(999_900);

    /// A share strictly between none and all.
    #[must_use]
    pub fn from_ppm(ppm: u32) -> Option<Share> {
        (1..1_000_000).contains(&ppm).then_some(Share(ppm))
    }
    /// Parts per million.
    #[must_use]
    pub fn ppm(self) -> u32 {
        self.0
    }
    /// As a fraction of 1.
    #[must_use]
    pub fn fraction(self) -> f64 {
        f64::from(self.0) / 1e6
    }
    /// In per cent, as people write it: `99.9`.
    #[must_use]
    pub fn percent(self) -> String {
        let text = format!("{}.{:04}", self.0 / 10_000, self.0 % 10_000);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
    /// 1-based rank of the quantile among `n` values: the smallest value that at least this share does not exceed.
    #[must_use]
    pub fn rank(self, n: usize) -> usize {
        let parts = (n as u128 * u128::from(self.0)).div_ceil(1_000_000);
        usize::try_from(parts).unwrap_or(n).clamp(1, n.max(1))
    }
}

/// A quantile and the interval that holds the true one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantile {
    /// The sample's.
    pub value: Picos,
    /// Lower end of the interval.
    pub low: Picos,
    /// Upper end of the interval.
    pub high: Picos,
}

/// 1-based ranks of the two order statistics that enclose the quantile of `share` in a sample of `n` with at least
/// `confidence`; `None` when no two do.
#[must_use]
pub fn ranks(n: usize, share: Share, confidence: f64) -> Option<(usize, usize)> {
    let last = n.checked_sub(1).filter(|last| *last >= 1)? as u64;
    let below = Binomial::new(share.fraction(), n as u64).ok()?;
    let odds = share.fraction() / (1.0 - share.fraction());
    let mode = (((n + 1) as f64 * share.fraction()).floor() as u64).clamp(1, last);
    // Values below the quantile: `from..=to`, grown towards the likelier neighbour.
    let (mut from, mut to) = (mode, mode);
    let (mut at_from, mut at_to) = (below.pmf(mode), below.pmf(mode));
    let mut covered = at_from;
    while covered < confidence {
        let lower =
            if from > 1 { at_from * from as f64 / ((n as u64 - from + 1) as f64 * odds) } else { 0.0 };
        let upper = if to < last { at_to * (n as u64 - to) as f64 * odds / (to + 1) as f64 } else { 0.0 };
        if lower <= 0.0 && upper <= 0.0 {
            return None;
        }
        // Neighbours that are equal but for rounding: the lower one, so that ties fall the same way everywhere.
        if lower >= upper * (1.0 - 1e-9) {
            (from, at_from, covered) = (from - 1, lower, covered + lower);
        } else {
            (to, at_to, covered) = (to + 1, upper, covered + upper);
        }
    }
    Some((from as usize, to as usize + 1))
}

/// The quantile of `share` of values in rising order, with its interval; `None` when `sorted` is too small for one.
#[must_use]
pub fn quantile(sorted: &[Picos], share: Share, confidence: f64) -> Option<Quantile> {
    let (low, high) = ranks(sorted.len(), share, confidence)?;
    let at = |rank: usize| sorted.get(rank.checked_sub(1)?).copied();
    Some(Quantile { value: at(share.rank(sorted.len()))?, low: at(low)?, high: at(high)? })
}

/// The median of values in rising order: the middle one, or the mean of the middle two (rounded down).
#[must_use]
pub fn median(sorted: &[Picos]) -> Option<Picos> {
    let half = sorted.len() / 2;
    let upper = sorted.get(half)?;
    if sorted.len() % 2 == 1 {
        return Some(*upper);
    }
    let lower = sorted.get(half.checked_sub(1)?)?;
    Some(Picos(i64::midpoint(lower.0, upper.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks by brute force over scipy's binomial:
    /// `import scipy.stats as s`
    /// `min(((u-l, -(s.binom.cdf(u-1,n,p)-s.binom.cdf(l-1,n,p)), l, u) for l in L for u in U if
    ///   s.binom.cdf(u-1,n,p)-s.binom.cdf(l-1,n,p) >= .95))`, scipy 1.17.1.
    #[test]
    fn ranks_are_those_of_the_binomial() {
        let cases = [
            (6, Share::MEDIAN, Some((1, 6))),
            (10, Share::MEDIAN, Some((2, 9))),
            (100, Share::MEDIAN, Some((40, 60))),
            (1_000, Share::MEDIAN, Some((469, 531))),
            (1_000, Share::P90, Some((881, 919))),
            (1_000, Share::P99, Some((984, 997))),
            (2_994, Share::P999, None),
            (2_995, Share::P999, Some((2_983, 2_995))),
            (5_000, Share::P999, Some((4_991, 5_000))),
            (30_000, Share::P9999, Some((29_989, 30_000))),
            (1_000_000, Share::MEDIAN, Some((499_020, 500_980))),
            (1_000_000, Share::P999, Some((998_938, 999_062))),
        ];
        for (n, share, expected) in cases {
            assert_eq!(ranks(n, share, 0.95), expected, "{n} {share:?}");
        }
    }

    #[test]
    fn an_interval_exists_from_the_sample_size_of_the_textbook() {
        // ln 0.05 / ln 0.999 = 2994.2, ln 0.05 / ln 0.9999 = 29 955.8; median: 1 - 2 / 2^n >= 0.95 from 6.
        for (share, needed) in [(Share::MEDIAN, 6), (Share::P90, 29), (Share::P99, 299), (Share::P999, 2_995)]
        {
            assert!(
                ranks(needed, share, 0.95).is_some() && ranks(needed - 1, share, 0.95).is_none(),
                "{needed}"
            );
        }
        assert!(ranks(29_956, Share::P9999, 0.95).is_some() && ranks(29_955, Share::P9999, 0.95).is_none());
        assert_eq!([ranks(0, Share::P90, 0.95), ranks(1, Share::P90, 0.95)], [None, None]);
    }

    #[test]
    fn ranks_of_shares_are_exact() {
        assert_eq!([Share::P999.rank(1000), Share::P99.rank(1000), Share::P90.rank(7)], [999, 990, 7]);
        assert_eq!([Share::MEDIAN.rank(5), Share::from_ppm(1).unwrap().rank(5)], [3, 1]);
    }

    #[test]
    fn the_median_of_an_even_sample_lies_between() {
        let values = [3, 5, 8, 100].map(Picos);
        assert_eq!(median(&values), Some(Picos(6)));
        assert_eq!(median(&values[..3]), Some(Picos(5)));
        assert_eq!(median(&[]), None);
    }
}
