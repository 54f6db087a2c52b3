//! Edges of a channel of real values, one block after the other: the rule of `signal::edges`, without the record.
//!
//! An edge counts once the samples have gone from one side of the hysteresis to the other. Its instant is the mean of
//! the first and the last passage of the middle since the last sample on the old side, each on the straight line
//! between two samples.

use super::grid::Grid;
use crate::signal::edges::Edge;
use crate::signal::shot::Slope;
use crate::signal::trace::{Levels, Thresholds};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Unknown,
    Low,
    High,
}

/// The line between two samples that crosses the middle.
#[derive(Clone, Copy)]
struct Passage {
    /// Index of the first of the two.
    index: u64,
    before: f64,
    after: f64,
}

/// What is remembered of a block that need not be read again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extent {
    pub min: f64,
    pub max: f64,
    pub last: f64,
}

impl Extent {
    /// `None` without values.
    pub fn of(values: &[f64]) -> Option<Extent> {
        let last = *values.last()?;
        let (min, max) = values.iter().fold((last, last), |(lo, hi), &v| (lo.min(v), hi.max(v)));
        Some(Extent { min, max, last })
    }
    /// Of this block and the next as one.
    pub fn then(self, next: Extent) -> Extent {
        Extent { min: self.min.min(next.min), max: self.max.max(next.max), last: next.last }
    }
}

/// The walk over one channel.
pub(super) struct Scan {
    grid: Grid,
    levels: Levels,
    thresholds: Thresholds,
    side: Side,
    /// The sample before, where there is one that the next can be compared with.
    previous: Option<f64>,
    first: Option<Passage>,
    last: Option<Passage>,
    /// Index of the sample that comes next.
    next: u64,
    pub list: Vec<Edge>,
    pub steps: Vec<f64>,
}

impl Scan {
    pub fn new(grid: Grid, levels: Levels, thresholds: Thresholds) -> Scan {
        Scan {
            grid,
            levels,
            thresholds,
            side: Side::Unknown,
            previous: None,
            first: None,
            last: None,
            next: 0,
            list: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// What the edges were found with.
    pub fn scale(&self) -> (Levels, Thresholds) {
        (self.levels, self.thresholds)
    }

    /// Can nothing happen in a block of this extent?
    pub fn is_quiet(&self, extent: &Extent) -> bool {
        match self.side {
            Side::Low => extent.max <= self.thresholds.lower,
            Side::High => extent.min >= self.thresholds.upper,
            Side::Unknown => false,
        }
    }

    /// Passes over a quiet block of `count` samples that begins at `first`.
    pub fn pass(&mut self, first: u64, count: u64, extent: &Extent) {
        self.continue_at(first);
        if self.side != Side::Unknown {
            self.forget_passages();
            self.previous = Some(extent.last);
        }
        self.next = first + count;
    }

    /// Reads on. `first` is the index of the first value; a jump begins anew, as edges across it are unknown.
    pub fn feed(&mut self, first: u64, values: &[f64]) {
        self.continue_at(first);
        let mut rest = values;
        while let Some(quiet) = rest.iter().position(|v| !self.is_settled(*v)) {
            let (settled, unsettled) = rest.split_at(quiet);
            self.rest_on(settled);
            let Some((&value, after)) = unsettled.split_first() else { break };
            self.step(value);
            rest = after;
        }
        self.rest_on(rest);
    }

    fn continue_at(&mut self, first: u64) {
        if first != self.next {
            self.side = Side::Unknown;
            self.previous = None;
            self.forget_passages();
            self.next = first;
        }
    }

    /// Decisively on the side where the channel already is.
    #[inline]
    fn is_settled(&self, value: f64) -> bool {
        match self.side {
            Side::Low => value <= self.thresholds.lower,
            Side::High => value >= self.thresholds.upper,
            Side::Unknown => false,
        }
    }

    fn rest_on(&mut self, settled: &[f64]) {
        if let Some(last) = settled.last() {
            self.forget_passages();
            self.previous = Some(*last);
            self.next += settled.len() as u64;
        }
    }

    fn forget_passages(&mut self) {
        self.first = None;
        self.last = None;
    }

    /// A sample that is not settled: somewhere in an edge, or the end of one.
    fn step(&mut self, value: f64) {
        if let Some(before) = self.previous
            && self.passes(before, value)
        {
            let passage = Passage { index: self.next - 1, before, after: value };
            self.first = self.first.or(Some(passage));
            self.last = Some(passage);
        }
        let now = if value >= self.thresholds.upper {
            Side::High
        } else if value <= self.thresholds.lower {
            Side::Low
        } else {
            self.side
        };
        if now != self.side {
            self.complete(now);
        }
        self.previous = Some(value);
        self.next += 1;
    }

    /// Does the line go through the middle, away from the side where the channel is?
    fn passes(&self, before: f64, after: f64) -> bool {
        let middle = self.thresholds.middle;
        match self.side {
            Side::Low => before < middle && after >= middle,
            Side::High => before > middle && after <= middle,
            Side::Unknown => false,
        }
    }

    fn complete(&mut self, now: Side) {
        let was = std::mem::replace(&mut self.side, now);
        if let (true, Some(first), Some(last)) = (was != Side::Unknown, self.first, self.last) {
            let slope = if now == Side::High { Slope::Rising } else { Slope::Falling };
            let edge = self.edge(slope, first, last);
            self.list.push(edge);
            let after = if first.index == last.index { first.after } else { last.after };
            self.steps.push((after - first.before).abs());
        }
        self.forget_passages();
    }

    fn edge(&self, slope: Slope, first: Passage, last: Passage) -> Edge {
        let fraction = |p: Passage| (self.thresholds.middle - p.before) / (p.after - p.before);
        let distance = (last.index - first.index) as f64;
        let mean = (fraction(first) + distance + fraction(last)) / 2.0;
        let whole = mean.floor();
        let index = first.index + whole as u64;
        let within = ((mean - whole) * 4_294_967_296.0).round().min(4_294_967_295.0) as u32;
        let tenth = self.levels.amplitude() / 10.0;
        let inside = |v: f64| v > self.levels.low + tenth && v < self.levels.high - tenth;
        let after = if first.index == last.index { first.after } else { last.after };
        Edge {
            at: self.grid.at(index, within),
            slope,
            index,
            resolved: inside(first.before) || inside(after),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Picos;

    fn scan() -> Scan {
        let levels = Levels { low: 0.0, high: 4.0, noise: 0.0 };
        let thresholds = Thresholds { middle: 2.0, lower: 1.2, upper: 2.8 };
        // 1 ns between samples, the first at 0.
        Scan::new(Grid::every(0, 1_000_000_000).unwrap(), levels, thresholds)
    }

    fn times(values: &[f64], block: usize) -> Vec<(i64, Slope)> {
        let mut scan = scan();
        for (n, part) in values.chunks(block).enumerate() {
            scan.feed((n * block) as u64, part);
        }
        scan.list.iter().map(|e| (e.at.0, e.slope)).collect()
    }

    #[test]
    fn an_edge_is_interpolated_wherever_the_block_ends() {
        // Up between samples 2 (1.0) and 3 (3.0): half way, 2.5 ns. Down between 5 (4.0) and 6 (0.0): 5.5 ns.
        let values = [0.0, 0.0, 1.0, 3.0, 4.0, 4.0, 0.0, 0.0];
        let expected = [(2_500, Slope::Rising), (5_500, Slope::Falling)];
        for block in 1..=8 {
            assert_eq!(times(&values, block), expected, "{block}");
        }
    }

    #[test]
    fn noise_on_a_slow_edge_makes_one_edge_at_the_mean_of_its_passages() {
        // Up through 2.0 between samples 1 and 2 (1.5 ns: 1.6 -> 2.4), back, and again between 3 and 4 (1.8 -> 2.2:
        // 3.5 ns); the mean is 2.5 ns.
        assert_eq!(times(&[0.0, 1.6, 2.4, 1.8, 2.2, 3.0], 2), [(2_500, Slope::Rising)]);
        // Touching the hysteresis without leaving it is no edge.
        assert_eq!(times(&[0.0, 2.7, 0.0, 2.7, 0.0], 5), []);
    }

    #[test]
    fn edges_under_way_at_the_ends_and_across_a_gap_are_no_edges() {
        assert_eq!(times(&[2.0, 3.0, 4.0, 4.0, 2.5], 5), []);
        let mut scan = scan();
        scan.feed(0, &[0.0, 0.0]);
        scan.feed(10, &[4.0, 4.0, 0.0]);
        assert_eq!(scan.list.iter().map(|e| e.at).collect::<Vec<_>>(), [Picos(11_500)]);
    }

    #[test]
    fn a_quiet_block_may_be_passed_over() {
        let mut scan = scan();
        scan.feed(0, &[0.0, 1.9, 0.0]);
        let extent = Extent { min: 0.0, max: 0.4, last: 0.4 };
        assert!(scan.is_quiet(&extent));
        scan.pass(3, 100, &extent);
        // From 0.4 at sample 102 to 4.0 at 103: 2.0 is reached at 16/36 of the step.
        scan.feed(103, &[4.0]);
        assert_eq!(scan.list.iter().map(|e| e.at.0).collect::<Vec<_>>(), [102_444]);
    }
}
