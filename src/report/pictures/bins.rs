//! Latencies sorted into drawers: bins of a histogram, columns along a sequence. Nothing is left out: the counts of all
//! drawers together are the number of latencies, and smallest and largest keep a drawer of their own reach.

use super::axis::{Axis, place, round_step};
use crate::units::Picos;

/// A histogram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bins {
    /// Rising; one more than counts. A bin holds its lower edge, the last one both.
    pub edges: Vec<Picos>,
    /// Latencies in each bin.
    pub counts: Vec<u64>,
}

impl Bins {
    /// Edges over the whole of `axis`: round ones on a straight axis, equal ratios on a logarithmic one.
    pub fn edges(axis: &Axis, most: u32) -> Vec<Picos> {
        let (low, high) = axis.ends();
        let mut edges = match axis.is_log() {
            true => ratios(low, high, most),
            false => round_edges(low, high, most),
        };
        edges.dedup();
        edges
    }

    /// Counts `latencies`. What lies beyond an end is counted in the bin at that end.
    pub fn of(latencies: &[Picos], edges: Vec<Picos>) -> Bins {
        let bins = edges.len().saturating_sub(1);
        let mut counts = vec![0; bins];
        for latency in latencies {
            let at =
                edges.partition_point(|edge| edge <= latency).saturating_sub(1).min(bins.saturating_sub(1));
            if let Some(count) = counts.get_mut(at) {
                *count += 1;
            }
        }
        Bins { edges, counts }
    }

    /// The fullest bin.
    pub fn highest(&self) -> u64 {
        self.counts.iter().copied().max().unwrap_or(0)
    }

    /// Lower edge, upper edge and count of each bin that holds something.
    pub fn filled(&self) -> impl Iterator<Item = (Picos, Picos, u64)> + '_ {
        let ends = self.edges.iter().zip(self.edges.iter().skip(1));
        ends.zip(&self.counts).filter(|(_, n)| **n > 0).map(|((a, b), n)| (*a, *b, *n))
    }
}

fn ratios(low: f64, high: f64, most: u32) -> Vec<Picos> {
    let step = (high / low).powf(1.0 / f64::from(most.max(1)));
    (0..=most.max(1)).map(|k| super::axis::picos(low * step.powf(f64::from(k)))).collect()
}

fn round_edges(low: f64, high: f64, most: u32) -> Vec<Picos> {
    let width = round_step((high - low) / f64::from(most.max(1))).max(1.0);
    let first = (low / width).floor();
    let bins = ((high / width).ceil() - first).clamp(1.0, f64::from(most.max(1)) + 2.0) as u32;
    (0..=bins).map(|k| super::axis::picos((first + f64::from(k)) * width)).collect()
}

/// Neighbours of a sequence, put together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    /// Middle of the places it covers.
    pub at: f64,
    /// Smallest latency.
    pub low: Picos,
    /// Lower median.
    pub middle: Picos,
    /// Largest latency.
    pub high: Picos,
    /// How many.
    pub n: usize,
}

/// At most `most` columns of equal reach over latencies at places from 1 to `last`; empty ones are left out.
pub(super) fn columns(items: &[(u64, Picos)], last: u64, most: u64) -> Vec<Column> {
    let reach = last.div_ceil(most.max(1)).max(1);
    let mut sorted: Vec<(u64, Picos)> =
        items.iter().map(|(at, t)| (at.saturating_sub(1) / reach, *t)).collect();
    sorted.sort_unstable();
    let groups = sorted.chunk_by(|a, b| a.0 == b.0);
    groups.filter_map(|group| column(group, reach, last)).collect()
}

fn column(group: &[(u64, Picos)], reach: u64, last: u64) -> Option<Column> {
    let (first, low) = *group.first()?;
    let from = first * reach + 1;
    let to = (from + reach - 1).min(last.max(from));
    Some(Column {
        at: (from as f64 + to as f64) / 2.0,
        low,
        middle: group.get((group.len() - 1) / 2)?.1,
        high: group.last()?.1,
        n: group.len(),
    })
}

/// Smallest and largest of all.
pub(super) fn extremes(latencies: impl IntoIterator<Item = Picos>) -> Option<(Picos, Picos)> {
    latencies.into_iter().fold(None, |range, t| {
        let (low, high) = range.unwrap_or((t, t));
        Some((low.min(t), high.max(t)))
    })
}

/// A staircase of `sorted` values: each kept value with how many are at most it. `worth` says, from the counts last kept
/// and now, whether the step is worth a corner; first and last always are.
pub(super) fn staircase(sorted: &[Picos], worth: impl Fn(usize, usize) -> bool) -> Vec<(f64, usize)> {
    let mut kept: Vec<(f64, usize)> = Vec::new();
    let mut upto = 0;
    for group in sorted.chunk_by(|a, b| a == b) {
        upto += group.len();
        let before = kept.last().map_or(0, |k| k.1);
        if kept.is_empty() || upto == sorted.len() || worth(before, upto) {
            kept.extend(group.first().map(|t| (place(*t), upto)));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bins_are_counted_as_by_hand() {
        let latencies = [100, 101, 109, 110, 125, 130].map(Picos);
        let bins = Bins::of(&latencies, [100, 110, 120, 130].map(Picos).to_vec());
        assert_eq!(bins.counts, [3, 1, 2]);
        assert_eq!(bins.highest(), 3);
    }

    #[test]
    fn edges_of_a_straight_axis_are_round() {
        let edges = Bins::edges(&Axis::time(Picos(1_850_000), Picos(2_420_000), 5), 100);
        assert!(edges.iter().all(|e| e.0 % 10_000 == 0), "{edges:?}");
        assert_eq!(edges[1] - edges[0], Picos(10_000));
    }

    #[test]
    fn columns_hold_the_extremes_of_their_places() {
        let items: Vec<(u64, Picos)> = (1..=10).map(|k| (k, Picos(100 * k as i64))).collect();
        let columns = columns(&items, 10, 5);
        let seen: Vec<_> = columns.iter().map(|c| (c.at, c.low.0, c.middle.0, c.high.0, c.n)).collect();
        assert_eq!(seen[0], (1.5, 100, 100, 200, 2));
        assert_eq!(seen[4], (9.5, 900, 900, 1000, 2));
        assert_eq!(seen.len(), 5);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(
            x in proptest::collection::vec(1i64..1_000_000_000, 1..500), most in 1u32..300, columns_wanted in 1u64..300
        ) {
            let latencies: Vec<Picos> = x.iter().map(|v| Picos(*v)).collect();
            let (low, high) = extremes(latencies.iter().copied()).unwrap();
            let edges = Bins::edges(&Axis::time(low, high, 5), most);
            prop_assert!(edges[0] <= low && high <= *edges.last().unwrap());
            prop_assert!(edges.len() <= most as usize + 3);
            prop_assert_eq!(Bins::of(&latencies, edges).counts.iter().sum::<u64>(), x.len() as u64);
            let items: Vec<(u64, Picos)> = (1..).zip(latencies.iter().copied()).collect();
            let columns = columns(&items, x.len() as u64, columns_wanted);
            prop_assert_eq!(columns.iter().map(|c| c.n).sum::<usize>(), x.len());
            prop_assert_eq!(columns.iter().map(|c| c.high).max(), Some(high));
            prop_assert!(columns.len() as u64 <= columns_wanted);
        }

        #[test]
        fn a_thinned_staircase_keeps_its_ends_and_its_place(
            mut x in proptest::collection::vec(0i64..1000, 1..500), every in 1usize..100
        ) {
            x.sort_unstable();
            let sorted: Vec<Picos> = x.iter().map(|v| Picos(*v)).collect();
            let steps = staircase(&sorted, |before, now| now - before >= every);
            prop_assert_eq!(steps[0].0, x[0] as f64);
            prop_assert_eq!(*steps.last().unwrap(), (x[x.len() - 1] as f64, x.len()));
            for (value, upto) in steps {
                prop_assert_eq!(upto, x.iter().filter(|v| **v as f64 <= value).count());
            }
        }
    }
}
