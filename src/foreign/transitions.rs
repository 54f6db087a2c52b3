//! Edges of channels that are written as changes with their times.
//!
//! An edge stands where the file says that the state changed; there is nothing to interpolate. The first state of a
//! channel, and the first after an unknown one, is a state and no edge. Where all times fall on a coarser step than the
//! unit they are written in, that step is how finely the instrument looked.

use super::error::{ForeignError, Named};
use super::grid::to_picos;
use super::levels::without_edges;
use super::note::Note;
use crate::signal::edges::{Edge, Edges};
use crate::signal::shot::Slope;
use crate::signal::trace::{Levels, Thresholds};
use crate::units::{Picos, Volts};

/// Times that are needed to take their common step for the sampling interval.
const ENOUGH_STAMPS: u64 = 32;

/// Times in ticks, and their largest common step.
#[derive(Debug, Clone, Default)]
struct Steps {
    /// The first time after the first: the first may be the trigger, off the grid of the samples.
    origin: Option<i64>,
    /// The time before; the last of all may be the end of the record and is never counted.
    pending: Option<i64>,
    divisor: u64,
    stamps: u64,
}

impl Steps {
    fn add(&mut self, ticks: i64) {
        if let Some(pending) = self.pending.replace(ticks) {
            self.stamps += 1;
            match self.origin {
                _ if self.stamps == 1 => {}
                None => self.origin = Some(pending),
                Some(origin) => self.divide(pending.abs_diff(origin)),
            }
        }
    }

    fn divide(&mut self, distance: u64) {
        if self.divisor != 1 && (self.divisor == 0 || !distance.is_multiple_of(self.divisor)) {
            self.divisor = super::sampled::greatest_common_divisor(self.divisor, distance);
        }
    }

    fn common(&self) -> Option<u64> {
        (self.stamps >= ENOUGH_STAMPS && self.divisor > 1).then_some(self.divisor)
    }
}

/// One channel.
#[derive(Debug, Clone, Default)]
struct Track {
    state: Option<bool>,
    list: Vec<Edge>,
    comparator: Option<Comparator>,
}

/// Turns held values into states, with hysteresis.
#[derive(Debug, Clone)]
struct Comparator {
    levels: Levels,
    thresholds: Thresholds,
    /// Is the value above the middle?
    above: Option<bool>,
    /// First and last passage of the middle since the last settled value.
    passages: Option<(i64, i64)>,
}

/// What the walk over the changes collects.
#[derive(Debug, Clone)]
pub(super) struct Transitions<'a> {
    named: Named<'a>,
    /// Attoseconds in a tick.
    tick: i128,
    /// What one step of the last written digit is worth.
    written: Picos,
    now: Option<i64>,
    first: Option<i64>,
    stamps: u64,
    steps: Steps,
    tracks: Vec<Track>,
}

impl<'a> Transitions<'a> {
    /// For `channels` channels with times in ticks of so many attoseconds.
    pub fn new(named: Named<'a>, tick: i128, channels: usize) -> Transitions<'a> {
        let tracks = vec![Track::default(); channels];
        let written = to_picos(tick).max(Picos(1));
        Transitions {
            named,
            tick,
            written,
            now: None,
            first: None,
            stamps: 0,
            steps: Steps::default(),
            tracks,
        }
    }

    /// Times are written no finer than this.
    pub fn written(&mut self, unit: Picos) {
        self.written = unit.max(Picos(1));
    }

    /// Gives channel `n` levels: it carries values instead of states.
    pub fn compare(&mut self, n: usize, levels: Levels, thresholds: Thresholds) {
        if let Some(track) = self.tracks.get_mut(n) {
            track.comparator = Some(Comparator { levels, thresholds, above: None, passages: None });
        }
    }

    /// Time advances.
    #[inline]
    pub fn stamp(&mut self, ticks: i64) -> Result<(), ForeignError> {
        match self.now {
            Some(now) if now > ticks => {
                let (from, to) = (self.instant(now), self.instant(ticks));
                return Err(self.named.gap(format!("time runs back from {from} to {to}")));
            }
            Some(now) if now == ticks => return Ok(()),
            None => self.first = Some(ticks),
            _ => {}
        }
        self.now = Some(ticks);
        self.stamps += 1;
        self.steps.add(ticks);
        Ok(())
    }

    /// Channel `n` is in a state; `None` is neither high nor low.
    #[inline]
    pub fn state(&mut self, n: usize, state: Option<bool>) {
        let Some(track) = self.tracks.get_mut(n) else { return };
        let was = std::mem::replace(&mut track.state, state);
        if let (Some(was), Some(now)) = (was, state)
            && was != now
        {
            self.edge(n, now);
        }
    }

    fn edge(&mut self, n: usize, high: bool) {
        // Before the first time there are only initial states.
        let Some(ticks) = self.now else { return };
        let (at, index) = (self.instant(ticks), self.stamps.saturating_sub(1));
        let slope = if high { Slope::Rising } else { Slope::Falling };
        if let Some(track) = self.tracks.get_mut(n) {
            track.list.push(Edge { at, slope, index, resolved: false });
        }
    }

    /// Channel `n` takes a value that it holds until the next.
    pub fn value(&mut self, n: usize, value: f64) {
        let now = self.now.unwrap_or_default();
        let tick = self.tick;
        let Some(track) = self.tracks.get_mut(n) else { return };
        let Some(comparator) = track.comparator.as_mut() else { return };
        let Some((state, passage)) = comparator.take(now, value) else { return };
        let was = track.state.replace(state);
        if let (Some(was), Some((first, last))) = (was, passage)
            && was != state
        {
            let slope = if state { Slope::Rising } else { Slope::Falling };
            let at = to_picos((i128::from(first) + i128::from(last)) * tick / 2);
            let index = self.stamps.saturating_sub(1);
            track.list.push(Edge { at, slope, index, resolved: false });
        }
    }

    fn instant(&self, ticks: i64) -> Picos {
        to_picos(i128::from(ticks).saturating_mul(self.tick))
    }

    /// The edges of all channels, in the order of their numbers.
    pub fn finished(self, notes: &mut Vec<Note>) -> Result<Vec<Edges>, ForeignError> {
        let (Some(first), Some(last)) = (self.first, self.now) else { return Err(self.named.empty()) };
        let step = self.steps.common().and_then(|n| i64::try_from(n).ok()).map(|n| self.instant(n));
        let coarse = step.filter(|step| *step > self.written);
        notes.extend(coarse.map(|step| Note::CoarseTicks { tick: self.written, step }));
        let interval = coarse.unwrap_or(self.written);
        let spans = vec![(self.instant(first), self.instant(last))];
        Ok(self.tracks.into_iter().map(|t| t.edges(without_edges(interval, spans.clone()))).collect())
    }
}

impl Track {
    fn edges(self, none: Edges) -> Edges {
        let (levels, thresholds) = match &self.comparator {
            Some(c) => (c.levels, c.thresholds),
            None => (
                Levels { low: 0.0, high: 1.0, noise: 0.0 },
                Thresholds { middle: 0.5, lower: 0.3, upper: 0.7 },
            ),
        };
        Edges { list: self.list, slope_codes_per_sample: levels.amplitude(), levels, thresholds, ..none }
    }
}

impl Comparator {
    /// The state that the value settles in, with the passages of the middle on the way there.
    fn take(&mut self, now: i64, value: f64) -> Option<(bool, Option<(i64, i64)>)> {
        let above = value >= self.thresholds.middle;
        if self.above.replace(above).is_some_and(|was| was != above) {
            let first = self.passages.map_or(now, |(first, _)| first);
            self.passages = Some((first, now));
        }
        let settled = match value {
            v if v >= self.thresholds.upper => true,
            v if v <= self.thresholds.lower => false,
            _ => return None,
        };
        Some((settled, self.passages.take()))
    }
}

/// A stimulus without edges is refused, a response without any is noted. For channels of states, which have no levels
/// that could tell.
pub(super) fn check_silence(
    named: Named,
    channels: [&str; 2],
    edges: &[Edges],
    notes: &mut Vec<Note>,
) -> Result<(), ForeignError> {
    let silent = |n: usize| edges.get(n).is_none_or(|e| e.list.is_empty());
    let [stimulus, response] = channels;
    if silent(0) {
        let (name, channel) = (named.0.to_owned(), stimulus.to_owned());
        return Err(ForeignError::Flat { name, channel, span: Volts(0.0) });
    }
    let known = notes.iter().any(|n| matches!(n, Note::SilentResponse { .. }));
    if silent(1) && !known {
        notes.push(Note::SilentResponse { channel: response.to_owned(), span: Volts(0.0) });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(changes: &[(i64, Option<bool>)]) -> (Vec<(i64, Slope)>, Picos) {
        let mut transitions = Transitions::new(Named("t"), 1_000_000_000, 1);
        for (ticks, state) in changes {
            transitions.stamp(*ticks).unwrap();
            transitions.state(0, *state);
        }
        let found = transitions.finished(&mut Vec::new()).unwrap().remove(0);
        (found.list.iter().map(|e| (e.at.0, e.slope)).collect(), found.interval)
    }

    #[test]
    fn the_first_state_and_one_after_an_unknown_are_no_edges() {
        let changes = [(0, Some(true)), (5, Some(false)), (7, None), (9, Some(true)), (12, Some(false))];
        assert_eq!(edges(&changes).0, [(5_000, Slope::Falling), (12_000, Slope::Falling)]);
    }

    #[test]
    fn the_common_step_of_many_times_is_the_resolution() {
        // Times in nanoseconds, sampled every 125 ns; the first (the trigger) and the last (the end) are off the grid.
        let mut changes: Vec<(i64, Option<bool>)> =
            (0..40).map(|n| (30 + n * 125 * (1 + n % 3), Some(n % 2 == 0))).collect();
        changes.sort_unstable();
        changes.insert(0, (0, Some(true)));
        changes.push((99_999, Some(true)));
        assert_eq!(edges(&changes).1, Picos(125_000));
        assert_eq!(edges(&changes[..20]).1, Picos(1_000));
    }

    #[test]
    fn time_must_not_run_back() {
        let mut transitions = Transitions::new(Named("t"), 1_000_000, 1);
        transitions.stamp(5).unwrap();
        assert!(matches!(transitions.stamp(4), Err(ForeignError::Gap { .. })));
    }
}
