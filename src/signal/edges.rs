//! The instants at which a channel crosses the middle of its swing.
//!
//! An edge counts once its samples have gone from one side of the hysteresis to the other; its instant is the crossing
//! of the middle, on the straight line between the two samples around it. Where noise makes a slow edge cross more than
//! once, the mean of first and last crossing is taken, which leans to neither side. Times of samples are exact whole
//! picoseconds; the fraction within a sample interval is the only floating time of the program, and lives here.
//!
//! Edges in progress at the ends of a segment are not reported: their crossing may lie outside.

use super::error::SignalError;
use super::shot::{Preamble, RawTrace, Slope};
use super::survey::{BLOCK, Survey};
use super::trace::{Levels, Record, Thresholds};
use crate::units::{Picos, Volts};

/// One edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// When the middle is crossed; 0 is the trigger.
    pub at: Picos,
    /// Its direction.
    pub slope: Slope,
    /// 0-based index in the record of the last sample before the crossing.
    pub index: u64,
    /// A sample lies within the transition (10 % to 90 %): the sampling is finer than the edge. Where false, the
    /// crossing is known to one sample interval and no better.
    pub resolved: bool,
}

/// The edges of one channel of one record, in the order of time, and what they were found with.
#[derive(Debug, Clone, PartialEq)]
pub struct Edges {
    /// In the order of time.
    pub list: Vec<Edge>,
    /// Levels in codes.
    pub levels: Levels,
    /// Thresholds in codes.
    pub thresholds: Thresholds,
    /// Time between samples.
    pub interval: Picos,
    /// First and last sample of each segment, in time.
    pub spans: Vec<(Picos, Picos)>,
    /// Samples at the converter's limits.
    pub clipped: u64,
    /// Mean step between the two samples around a crossing, in codes; 0 without edges. The mean, because it still tells
    /// an edge of a fifth of a sample interval from a vertical one, where the median is the amplitude for both.
    pub slope_codes_per_sample: f64,
}

impl Edges {
    /// Share of edges between whose plateaus no sample fell; 0 without edges.
    #[must_use]
    pub fn unresolved_share(&self) -> f64 {
        let unresolved = self.list.iter().filter(|e| !e.resolved).count();
        if self.list.is_empty() { 0.0 } else { unresolved as f64 / self.list.len() as f64 }
    }
}

/// Finds the edges of `trace`, at the middle of its levels or at `threshold`.
///
/// # Errors
/// [`SignalError`] says why the channel cannot be timed. A channel without a signal is [`SignalError::Flat`]; where
/// silence is a finding, as on the response channel of a board that never answered, see [`edges_or_silence`].
pub fn edges(trace: &RawTrace, threshold: Option<Volts>) -> Result<Edges, SignalError> {
    let record = Record::of(trace)?;
    let levels = record.levels()?;
    let thresholds = record.thresholds(&levels, threshold)?;
    let mut found = Vec::new();
    for survey in &record.surveys {
        Scan::new(survey, &thresholds).run(&mut found);
    }
    let steps: f64 = found.iter().map(Crossing::step).sum();
    let slope_codes_per_sample = steps / found.len().max(1) as f64;
    let list = found.iter().map(|c| c.edge(&record.preamble, &levels)).collect();
    Ok(Edges { list, levels, thresholds, slope_codes_per_sample, ..silence(&record) })
}

/// As [`edges`], but a channel without a signal has no edges instead of being an error: all stimuli of such a record
/// are unanswered, which is a result.
///
/// # Errors
/// All of [`edges`] but [`SignalError::Flat`].
pub fn edges_or_silence(trace: &RawTrace, threshold: Option<Volts>) -> Result<Edges, SignalError> {
    match edges(trace, threshold) {
        Err(SignalError::Flat { .. }) => Record::of(trace).map(|record| silence(&record)),
        other => other,
    }
}

/// What is known of a record before any edge.
fn silence(record: &Record) -> Edges {
    let interval = record.preamble.x_increment;
    let spans = record.surveys.iter().filter_map(|s| span(s, &record.preamble)).collect();
    Edges {
        list: Vec::new(),
        levels: Levels { low: 0.0, high: 0.0, noise: 0.0 },
        thresholds: Thresholds { middle: 0.0, lower: 0.0, upper: 0.0 },
        interval,
        spans,
        clipped: record.clipped,
        slope_codes_per_sample: 0.0,
    }
}

fn span(survey: &Survey, preamble: &Preamble) -> Option<(Picos, Picos)> {
    let first = u64::from(survey.segment.first);
    let last = first + (survey.segment.codes.len() as u64).checked_sub(1)?;
    Some((time_of(preamble, first), time_of(preamble, last)))
}

/// `t(i) = x_origin + (i - x_reference) * x_increment`, exact.
fn time_of(preamble: &Preamble, index: u64) -> Picos {
    let steps = i64::try_from(index).unwrap_or(i64::MAX).saturating_sub(preamble.x_reference);
    preamble.x_origin + preamble.x_increment * steps
}

/// A completed edge: the samples around its crossing of the middle.
struct Crossing {
    slope: Slope,
    /// Index in the record of the sample before the first crossing.
    index: u64,
    /// Fraction of a sample interval from there to the crossing; over 1 where the crossing is a mean of several.
    fraction: f64,
    /// Codes before and after.
    before: u8,
    after: u8,
}

impl Crossing {
    fn step(&self) -> f64 {
        f64::from(self.after.abs_diff(self.before))
    }

    fn edge(&self, preamble: &Preamble, levels: &Levels) -> Edge {
        let interval = preamble.x_increment.0 as f64;
        let whole = self.fraction.floor();
        let index = self.index + whole as u64;
        let within = Picos(((self.fraction - whole) * interval).round() as i64);
        let tenth = levels.amplitude() / 10.0;
        let inside = |code: u8| {
            let code = f64::from(code);
            code > levels.low + tenth && code < levels.high - tenth
        };
        Edge {
            at: time_of(preamble, index) + within,
            slope: self.slope,
            index,
            resolved: inside(self.before) || inside(self.after),
        }
    }
}

/// Which side of the hysteresis the last decisive sample was on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Unknown,
    Low,
    High,
}

/// The walk over one segment. Blocks that cannot change the side are skipped by their range.
struct Scan<'a> {
    survey: &'a Survey<'a>,
    middle: f64,
    /// At or above it a sample is high.
    upper: u8,
    /// At or below it a sample is low.
    lower: u8,
    side: Side,
    /// Position of the last sample seen on the side left behind; the transition begins there at the earliest.
    position: usize,
}

impl<'a> Scan<'a> {
    fn new(survey: &'a Survey<'a>, thresholds: &Thresholds) -> Scan<'a> {
        Scan {
            survey,
            middle: thresholds.middle,
            upper: thresholds.upper.ceil().clamp(0.0, 255.0) as u8,
            lower: thresholds.lower.floor().clamp(0.0, 255.0) as u8,
            side: Side::Unknown,
            position: 0,
        }
    }

    fn run(mut self, found: &mut Vec<Crossing>) {
        while let Some(at) = self.next_change() {
            let was = self.side;
            let code = self.survey.segment.codes.get(at).copied().unwrap_or_default();
            self.side = if code >= self.upper { Side::High } else { Side::Low };
            if was != Side::Unknown {
                found.extend(self.crossing(at));
            }
            self.position = at + 1;
        }
    }

    /// Position of the next sample that changes the side.
    fn next_change(&self) -> Option<usize> {
        let mut from = self.position;
        while from < self.survey.segment.codes.len() {
            let block = from / BLOCK;
            let end = (block + 1) * BLOCK;
            let range = self.survey.ranges.get(block)?;
            let high = self.side != Side::High && range.max >= self.upper;
            let low = self.side != Side::Low && range.min <= self.lower;
            if high || low {
                let codes = self.survey.segment.codes.get(from..end.min(self.survey.segment.codes.len()))?;
                if let Some(n) = codes.iter().position(|&c| self.changes(c)) {
                    return Some(from + n);
                }
            }
            from = end;
        }
        None
    }

    fn changes(&self, code: u8) -> bool {
        (self.side != Side::High && code >= self.upper) || (self.side != Side::Low && code <= self.lower)
    }

    /// The crossing that was completed by the sample at `done`: first and last passage of the middle since the last
    /// sample that was still on the old side.
    fn crossing(&self, done: usize) -> Option<Crossing> {
        let slope = if self.side == Side::High { Slope::Rising } else { Slope::Falling };
        let codes = self.survey.segment.codes.get(..=done)?;
        let start = self.transition_start(codes, slope);
        let mut passages = codes.get(start..)?.windows(2).enumerate().filter_map(|(n, w)| match *w {
            [a, b] if self.passes(a, b, slope) => Some((start + n, a, b)),
            _ => None,
        });
        let first = passages.next()?;
        let last = passages.next_back().unwrap_or(first);
        let mean = (self.instant(first) + self.instant(last)) / 2.0;
        let index = u64::from(self.survey.segment.first) + first.0 as u64;
        Some(Crossing {
            slope,
            index,
            fraction: mean - first.0 as f64,
            before: first.1,
            after: if first.0 == last.0 { first.2 } else { last.2 },
        })
    }

    /// Position of the last sample before `codes`' end that was decisively on the old side.
    fn transition_start(&self, codes: &[u8], slope: Slope) -> usize {
        let old = |c: &u8| match slope {
            Slope::Rising => *c <= self.lower,
            Slope::Falling => *c >= self.upper,
        };
        codes.iter().rposition(old).unwrap_or(0)
    }

    fn passes(&self, a: u8, b: u8, slope: Slope) -> bool {
        let (a, b) = (f64::from(a), f64::from(b));
        match slope {
            Slope::Rising => a < self.middle && b >= self.middle,
            Slope::Falling => a > self.middle && b <= self.middle,
        }
    }

    /// Position of a passage in samples, with its fraction.
    fn instant(&self, (position, a, b): (usize, u8, u8)) -> f64 {
        let (a, b) = (f64::from(a), f64::from(b));
        position as f64 + (self.middle - a) / (b - a)
    }
}
