//! From evenly sampled values to edges in two walks over the source and constant memory.
//!
//! The first walk counts values for the levels and notes the extent of every block; the second reads again only the
//! blocks in which something can happen. A record of a gigabyte whose edges are rare is parsed once.

use super::error::{ForeignError, Named};
use super::grid::{Grid, to_picos};
use super::levels::{Histogram, Subject, without_edges};
use super::note::Note;
use super::scan::{Extent, Scan};
use crate::signal::edges::Edges;
use crate::units::{Picos, Volts};

/// Samples that a source hands over at a time.
pub(super) const BLOCK: usize = 1024;
/// Blocks that are remembered; where there are more, two become one.
const MARKS: usize = 16_384;
/// Changes of the noise that are needed to say that values are held over several points.
const ENOUGH_CHANGES: u32 = 64;

/// Where a block begins: in the file and in samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    pub offset: u64,
    pub sample: u64,
}

/// Consecutive samples of the chosen columns.
#[derive(Default)]
pub(super) struct Block {
    pub place: Place,
    /// Index of the first sample on the grid; jumps where samples are missing.
    pub first: u64,
    /// As many values in each.
    pub columns: Vec<Vec<f64>>,
}

impl Block {
    pub fn of(columns: usize) -> Block {
        Block { columns: (0..columns).map(|_| Vec::with_capacity(BLOCK)).collect(), ..Block::default() }
    }
    pub fn clear(&mut self) {
        self.columns.iter_mut().for_each(Vec::clear);
    }
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }
}

/// Something that can be read twice.
pub(super) trait Source {
    /// Fills `block` with what comes next, [`BLOCK`] samples at most; leaves it empty at the end.
    fn next(&mut self, block: &mut Block) -> Result<(), ForeignError>;
    /// Goes back (or on) to a place that a block had.
    fn seek(&mut self, place: Place) -> Result<(), ForeignError>;
    /// The instants of the samples; asked after the first walk.
    fn grid(&self) -> Result<Grid, ForeignError>;
}

/// A channel to be read.
pub(super) struct Wanted<'a> {
    pub channel: &'a str,
    pub threshold: Option<Volts>,
    /// No signal is a result, not an error.
    pub may_be_silent: bool,
}

struct Mark {
    place: Place,
    first: u64,
    count: u64,
    extents: Vec<Extent>,
}

/// What the first walk found.
struct Survey {
    marks: Vec<Mark>,
    /// Blocks in each mark.
    blocks_per_mark: usize,
    blocks_in_last: usize,
    histograms: Vec<Histogram>,
    helds: Vec<Held>,
    spans: Vec<(u64, u64)>,
}

/// The edges of the columns of `source`, in the order of `wanted`, with what is remarkable.
pub(super) fn edges(
    source: &mut impl Source,
    named: Named,
    wanted: &[Wanted],
) -> Result<(Vec<Edges>, Vec<Note>), ForeignError> {
    let survey = Survey::of(source, wanted.len())?;
    if survey.spans.is_empty() {
        return Err(named.empty());
    }
    let grid = source.grid()?;
    let mut notes = Vec::new();
    let interval = survey.resolution(&grid, &mut notes);
    let mut scans = Vec::new();
    for (wanted, histogram) in wanted.iter().zip(&survey.histograms) {
        scans.push(scan_of(wanted, named, histogram, grid, &mut notes)?);
    }
    survey.walk(source, named, &mut scans)?;
    let spans: Vec<(Picos, Picos)> =
        survey.spans.iter().map(|(a, b)| (grid.at(*a, 0), grid.at(*b, 0))).collect();
    let edges = scans.into_iter().map(|scan| finished(scan, interval, spans.clone())).collect();
    Ok((edges, notes))
}

/// The walk for one channel; `None` for a silent one.
fn scan_of(
    wanted: &Wanted,
    named: Named,
    histogram: &Histogram,
    grid: Grid,
    notes: &mut Vec<Note>,
) -> Result<Option<Scan>, ForeignError> {
    let plateaus = histogram.plateaus();
    let subject = Subject { named, channel: wanted.channel };
    match plateaus.thresholds(&subject, wanted.threshold) {
        Ok(thresholds) => Ok(Some(Scan::new(grid, plateaus.levels, thresholds))),
        Err(ForeignError::Flat { channel, span, .. }) if wanted.may_be_silent => {
            notes.push(Note::SilentResponse { channel, span });
            Ok(None)
        }
        Err(other) => Err(other),
    }
}

fn finished(scan: Option<Scan>, interval: Picos, spans: Vec<(Picos, Picos)>) -> Edges {
    let none = without_edges(interval, spans);
    let Some(scan) = scan else { return none };
    let (levels, thresholds) = scan.scale();
    Edges { levels, thresholds, slope_codes_per_sample: median(scan.steps), list: scan.list, ..none }
}

impl Survey {
    fn of(source: &mut impl Source, columns: usize) -> Result<Survey, ForeignError> {
        let mut survey = Survey {
            marks: Vec::new(),
            blocks_per_mark: 1,
            blocks_in_last: 0,
            histograms: (0..columns).map(|_| Histogram::new()).collect(),
            helds: vec![Held::default(); columns],
            spans: Vec::new(),
        };
        let mut block = Block::of(columns);
        loop {
            block.clear();
            source.next(&mut block)?;
            if block.len() == 0 {
                return Ok(survey);
            }
            survey.add(&block);
        }
    }

    fn add(&mut self, block: &Block) {
        let jump = self.extend_span(block.first, block.len() as u64);
        for ((column, histogram), held) in block.columns.iter().zip(&mut self.histograms).zip(&mut self.helds)
        {
            histogram.add(column);
            held.add(block.first, column, jump);
        }
        let extents: Vec<Extent> = block.columns.iter().filter_map(|c| Extent::of(c)).collect();
        match self.marks.last_mut() {
            Some(last) if self.blocks_in_last < self.blocks_per_mark && !jump => {
                last.extend(block.len() as u64, &extents);
                self.blocks_in_last += 1;
            }
            _ => {
                self.blocks_in_last = 1;
                let (place, first, count) = (block.place, block.first, block.len() as u64);
                self.marks.push(Mark { place, first, count, extents });
            }
        }
        if self.marks.len() > MARKS {
            self.merge_marks();
        }
    }

    /// Lengthens the span under way or begins the next. True at a jump.
    fn extend_span(&mut self, first: u64, count: u64) -> bool {
        let end = first + count.saturating_sub(1);
        match self.spans.last_mut() {
            Some(span) if span.1 + 1 == first => {
                span.1 = end;
                false
            }
            _ => {
                self.spans.push((first, end));
                true
            }
        }
    }

    /// Halves the number of marks. Marks on the two sides of a jump stay apart.
    fn merge_marks(&mut self) {
        let mut merged: Vec<Mark> = Vec::with_capacity(MARKS);
        let mut open = false;
        for mark in self.marks.drain(..) {
            match merged.last_mut() {
                Some(last) if open && last.first + last.count == mark.first => {
                    last.extend(mark.count, &mark.extents);
                    open = false;
                }
                _ => {
                    merged.push(mark);
                    open = true;
                }
            }
        }
        self.marks = merged;
        self.blocks_per_mark *= 2;
        self.blocks_in_last = self.blocks_per_mark;
    }

    /// Second walk: reads what may hold an edge.
    fn walk(
        &self,
        source: &mut impl Source,
        named: Named,
        scans: &mut [Option<Scan>],
    ) -> Result<(), ForeignError> {
        let mut block = Block::of(scans.len());
        let mut at = u64::MAX;
        for mark in &self.marks {
            if quiet(scans, mark) {
                for (scan, extent) in scans.iter_mut().zip(&mark.extents) {
                    scan.iter_mut().for_each(|s| s.pass(mark.first, mark.count, extent));
                }
                continue;
            }
            if at != mark.first {
                source.seek(mark.place)?;
            }
            at = mark.first;
            let end = mark.first + mark.count;
            while at < end {
                block.clear();
                source.next(&mut block)?;
                if block.len() == 0 {
                    return Err(named.read("the file became shorter while it was read"));
                }
                at = block.first + block.len() as u64;
                for (scan, column) in scans.iter_mut().zip(&block.columns) {
                    scan.iter_mut().for_each(|s| s.feed(block.first, column));
                }
            }
        }
        Ok(())
    }

    /// The interval, or that of the changes where values are held.
    fn resolution(&self, grid: &Grid, notes: &mut Vec<Note>) -> Picos {
        let factor = self.helds.iter().filter_map(Held::factor).max().unwrap_or(1);
        if factor > 1 {
            notes.push(Note::Held { points: grid.interval(), changes: grid.intervals(factor) });
        }
        grid.intervals(factor)
    }
}

fn quiet(scans: &[Option<Scan>], mark: &Mark) -> bool {
    scans.iter().zip(&mark.extents).all(|(scan, extent)| scan.as_ref().is_none_or(|s| s.is_quiet(extent)))
}

impl Mark {
    fn extend(&mut self, count: u64, extents: &[Extent]) {
        self.count += count;
        for (mine, next) in self.extents.iter_mut().zip(extents) {
            *mine = mine.then(*next);
        }
    }
}

/// Do the values change at every point, or are several points copies of one sample? Told by the noise: the largest
/// number that divides the distances of all small changes.
#[derive(Debug, Clone, Default)]
struct Held {
    divisor: u64,
    changes: u32,
    last_change: Option<u64>,
    previous: Option<f64>,
    min: f64,
    max: f64,
}

impl Held {
    fn add(&mut self, first: u64, values: &[f64], jump: bool) {
        if self.divisor == 1 {
            return;
        }
        if jump {
            self.last_change = None;
            self.previous = None;
        }
        for (n, &value) in values.iter().enumerate() {
            let Some(previous) = self.previous.replace(value) else {
                (self.min, self.max) = (value, value);
                continue;
            };
            self.min = self.min.min(value);
            self.max = self.max.max(value);
            let step = (value - previous).abs();
            if step > 0.0 && step * 4.0 < self.max - self.min && self.change(first + n as u64) {
                return;
            }
        }
    }

    /// Notes a change at `index`; true once every point is known to count.
    fn change(&mut self, index: u64) -> bool {
        if let Some(last) = self.last_change.replace(index) {
            self.divisor = greatest_common_divisor(self.divisor, index - last);
            self.changes += 1;
        }
        self.divisor == 1
    }

    fn factor(&self) -> Option<u64> {
        (self.changes >= ENOUGH_CHANGES && self.divisor > 1).then_some(self.divisor)
    }
}

/// `gcd(0, n)` is `n`.
pub(super) fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Of nothing it is 0.
fn median(mut values: Vec<f64>) -> f64 {
    let half = values.len() / 2;
    if values.is_empty() {
        return 0.0;
    }
    *values.select_nth_unstable_by(half, f64::total_cmp).1
}

/// An interval that the header states, against the one of the points: which one is the resolution, and why.
pub(super) fn compare_intervals(stated: i128, points: Picos, notes: &mut Vec<Note>) -> Picos {
    let sampled = to_picos(stated);
    let apart = (sampled - points).abs();
    // Headers are rounded to a few digits.
    if apart.saturating_mul(100) <= points.max(sampled) {
        return points;
    }
    if points > sampled {
        notes.push(Note::Thinned { sampled, kept: points });
    } else {
        notes.push(Note::Filled { points, sampled });
    }
    points.max(sampled)
}
