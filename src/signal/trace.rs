//! The two logic levels of a channel and the thresholds between them, in codes of the converter.
//!
//! Levels are the modes of the two halves of the histogram (IEEE Std 181-2011, 5.2, histogram mode method), refined to
//! the mean of the codes around each mode; overshoot, ringing and the edges themselves fall outside. A channel without
//! two levels, or with one outside the converter's range, is refused: the middle of an edge would be a guess.

use super::error::SignalError;
use super::shot::{Preamble, RawTrace, RecordKind};
use super::survey::{Histogram, Range, Survey, clipped, quiet_noise, telling, total_range};
use crate::units::Volts;

/// One division of 25 codes: far above the crosstalk of an edge on the other channel, which must not pass for a signal
/// on a channel that is silent.
const SMALLEST_AMPLITUDE: f64 = 25.0;
/// Amplitude over noise below which hysteresis can no longer keep noise from making edges.
const SMALLEST_RATIO: f64 = 12.0;
/// Half of the hysteresis as a share of the amplitude: 40 % of it in all, where 20 % are required.
const HALF_HYSTERESIS: f64 = 0.2;
/// Points of a record that was made for the screen (programming guide 2-218).
const SCREEN_POINTS: u32 = 1200;

/// Levels of one channel, in codes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Levels {
    /// Mean of the low plateau.
    pub low: f64,
    /// Mean of the high plateau.
    pub high: f64,
    /// Root mean square noise on the plateaus, quantisation included.
    pub noise: f64,
}

impl Levels {
    /// Distance of the two levels in codes.
    #[must_use]
    pub fn amplitude(&self) -> f64 {
        self.high - self.low
    }
}

/// Where an edge begins, counts and ends, in codes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// The level whose crossing is the edge's instant.
    pub middle: f64,
    /// A falling edge is complete at or below it.
    pub lower: f64,
    /// A rising edge is complete at or above it.
    pub upper: f64,
}

/// A record that may be measured: preamble read, segments inside it and in order.
pub(super) struct Record<'a> {
    pub channel: &'a str,
    pub preamble: Preamble,
    pub surveys: Vec<Survey<'a>>,
    pub clipped: u64,
    range: Range,
}

impl<'a> Record<'a> {
    /// Checks and surveys `trace`.
    pub fn of(trace: &'a RawTrace) -> Result<Record<'a>, SignalError> {
        let channel = trace.channel.as_str();
        let named = |source| SignalError::Preamble { channel: channel.to_owned(), source };
        let preamble: Preamble = trace.preamble.parse().map_err(named)?;
        if is_screen(&preamble) {
            return Err(SignalError::ScreenData { channel: channel.to_owned() });
        }
        check_segments(trace, preamble.points)?;
        let surveys: Vec<Survey> = trace.segments.iter().map(Survey::of).collect();
        let range =
            total_range(&surveys).ok_or_else(|| SignalError::Empty { channel: channel.to_owned() })?;
        let clipped = clipped(&surveys);
        Ok(Record { channel, preamble, surveys, clipped, range })
    }

    /// The two levels, or why there are none.
    pub fn levels(&self) -> Result<Levels, SignalError> {
        self.flat_unless(f64::from(self.range.width()))?;
        let blocks = telling(&self.surveys, self.range);
        let histogram = Histogram::of(&blocks);
        let split = self.range.min + self.range.width() / 2;
        let reach = f64::from(self.range.width()) / 8.0;
        let low = Plateau::of(&histogram, self.range.min, split, reach);
        let high = Plateau::of(&histogram, split.saturating_add(1), self.range.max, reach);
        // The histogram sees the tails of slow edges as noise, the runs do not; with few samples there is no other.
        let spread = pooled(&low, &high);
        let noise = quiet_noise(&blocks).map_or(spread, |n| n.min(spread));
        let levels = Levels { low: low.mean, high: high.mean, noise };
        self.flat_unless(levels.amplitude())?;
        if levels.amplitude() < SMALLEST_RATIO * levels.noise {
            let (channel, amplitude, noise) = (self.channel.to_owned(), levels.amplitude(), levels.noise);
            return Err(SignalError::Noisy { channel, amplitude, noise });
        }
        Ok(levels)
    }

    fn flat_unless(&self, amplitude: f64) -> Result<(), SignalError> {
        match amplitude >= SMALLEST_AMPLITUDE {
            true => Ok(()),
            false => Err(SignalError::Flat {
                channel: self.channel.to_owned(),
                amplitude,
                needed: SMALLEST_AMPLITUDE,
            }),
        }
    }

    /// The thresholds: in the middle of the levels, or at `wanted`.
    pub fn thresholds(&self, levels: &Levels, wanted: Option<Volts>) -> Result<Thresholds, SignalError> {
        let middle = match wanted {
            Some(volts) => self.code_of(levels, volts)?,
            None => self.middle(levels)?,
        };
        let room = 0.8 * (middle - levels.low).min(levels.high - middle);
        let half = (HALF_HYSTERESIS * levels.amplitude()).max(3.0 * levels.noise + 1.0).min(room);
        Ok(Thresholds { middle, lower: middle - half, upper: middle + half })
    }

    fn middle(&self, levels: &Levels) -> Result<f64, SignalError> {
        let clipped = |level| SignalError::Clipped { channel: self.channel.to_owned(), level };
        if levels.low < 0.5 {
            return Err(clipped("low"));
        }
        if levels.high > 254.5 {
            return Err(clipped("high"));
        }
        Ok((levels.low + levels.high) / 2.0)
    }

    /// The code of a voltage; the edge must still cross it with a tenth of its amplitude to spare.
    fn code_of(&self, levels: &Levels, threshold: Volts) -> Result<f64, SignalError> {
        let p = &self.preamble;
        let code = threshold.0 / p.y_increment.0 + p.y_origin + p.y_reference;
        let margin = levels.amplitude() / 10.0;
        let reachable = code > levels.low + margin && code < levels.high - margin;
        match reachable {
            true => Ok(code),
            false => Err(SignalError::Threshold {
                channel: self.channel.to_owned(),
                threshold,
                code,
                low: levels.low,
                high: levels.high,
            }),
        }
    }
}

/// Screen records, and those of mode MAX that cannot be told from them.
fn is_screen(preamble: &Preamble) -> bool {
    match preamble.kind {
        RecordKind::Screen => true,
        RecordKind::Maximum => preamble.points <= SCREEN_POINTS,
        RecordKind::Memory => false,
    }
}

fn check_segments(trace: &RawTrace, points: u32) -> Result<(), SignalError> {
    let mut free_from = 0u64;
    for segment in &trace.segments {
        let end = u64::from(segment.first) + segment.codes.len() as u64;
        let complaint = |room: String| SignalError::Segment {
            channel: trace.channel.clone(),
            first: segment.first,
            length: segment.codes.len(),
            room,
        };
        if end > u64::from(points) {
            return Err(complaint(format!("a record of {points} points")));
        }
        if u64::from(segment.first) < free_from {
            return Err(complaint(format!(
                "the order of segments, the one before ends at point {free_from}"
            )));
        }
        free_from = end;
    }
    Ok(())
}

/// The codes around a mode.
struct Plateau {
    mean: f64,
    variance: f64,
    count: f64,
}

impl Plateau {
    /// Starts `reach` codes around the mode of the codes `from..=to`, then narrows to four standard deviations until
    /// nothing changes.
    fn of(histogram: &Histogram, from: u8, to: u8, reach: f64) -> Plateau {
        let mode =
            histogram.between(from, to).fold((from, 0), |best, it| if it.1 > best.1 { it } else { best }).0;
        let mut plateau = Plateau::around(histogram, f64::from(mode), reach.max(1.0));
        for _ in 0..8 {
            let reach = (4.0 * plateau.variance.sqrt() + 1.0).min(reach.max(1.0));
            let next = Plateau::around(histogram, plateau.mean, reach);
            let settled = next.count == plateau.count;
            plateau = next;
            if settled {
                break;
            }
        }
        plateau
    }

    fn around(histogram: &Histogram, centre: f64, reach: f64) -> Plateau {
        let from = (centre - reach).ceil().clamp(0.0, 255.0) as u8;
        let to = (centre + reach).floor().clamp(0.0, 255.0) as u8;
        let (mut n, mut sum, mut squares) = (0u64, 0u64, 0u64);
        for (code, count) in histogram.between(from, to) {
            n += count;
            sum += count * u64::from(code);
            squares += count * u64::from(code) * u64::from(code);
        }
        if n == 0 {
            return Plateau { mean: centre, variance: 0.0, count: 0.0 };
        }
        let mean = sum as f64 / n as f64;
        Plateau { mean, variance: (squares as f64 / n as f64 - mean * mean).max(0.0), count: n as f64 }
    }
}

fn pooled(a: &Plateau, b: &Plateau) -> f64 {
    let count = a.count + b.count;
    if count == 0.0 { 0.0 } else { ((a.variance * a.count + b.variance * b.count) / count).sqrt() }
}
