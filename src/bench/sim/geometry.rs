//! How a record lies in time: rate, points, place of the trigger.
//!
//! `rate = min(highest rate of the channels in use, depth / (12 divisions x time base))` (guide 2-5, user's guide 4-6).
//! The trigger lies in the middle of the record at time offset 0; a positive offset shows, and records, more after it.

use super::settings::{Id, Settings, depth_points};
use crate::units::Picos;

/// Horizontal divisions.
pub(super) const DIVISIONS: i64 = 12;
/// Points of a screen record.
pub(super) const SCREEN_POINTS: i64 = 1200;

/// The stretch of time that one acquisition covers, in samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Geometry {
    /// Nominal time between samples.
    pub(super) interval: Picos,
    /// Samples taken.
    pub(super) depth: i64,
    /// Samples that can be read; a few less than taken (Q09).
    pub(super) points: i64,
    /// Index of the first sample after the trigger; outside the record where the offset moves the trigger out.
    pub(super) before: i64,
}

impl Geometry {
    /// What the settings in force give.
    pub(super) fn new(s: &Settings) -> Geometry {
        let used = s.channels_used();
        let fastest = Picos::from_ns([1, 1, 2].get(used).copied().unwrap_or(4));
        let screen = s.span(Id::Timebase, 0) * DIVISIONS;
        let (interval, depth) = match depth_points(s.whole(Id::Depth), used) {
            Some(depth) => (longer(screen / depth, fastest), depth),
            None => automatic(screen, fastest, used),
        };
        let offset = s.span(Id::TimeOffset, 0).0.saturating_add(interval.0 / 2).div_euclid(interval.0);
        Geometry { interval, depth, points: depth - lost(depth), before: depth / 2 - offset }
    }

    /// Samples a second.
    pub(super) fn rate(&self) -> f64 {
        1e12 / self.interval.0 as f64
    }
    /// Time from the arming until the part before the trigger is filled.
    pub(super) fn fill(&self) -> Picos {
        self.interval * self.before.max(0)
    }
    /// Time from the trigger until the record is complete.
    pub(super) fn rest(&self) -> Picos {
        self.interval * (self.depth - self.before).max(0)
    }
    /// Time of the first sample, seen from the trigger.
    pub(super) fn start(&self) -> Picos {
        self.interval * -self.before
    }
    /// Index of the sample at `t` after the trigger, inside the record or not.
    pub(super) fn index(&self, t: Picos) -> i64 {
        self.before + t.0.div_euclid(self.interval.0)
    }
    /// What `:TRIGger:POSition?` says once triggered: -1 for outside the memory.
    pub(super) fn position(&self) -> i64 {
        if (0..self.depth).contains(&self.before) { self.before } else { -1 }
    }
}

fn longer(a: Picos, b: Picos) -> Picos {
    if a > b { a } else { b }
}

/// AUTO: the screen's worth of samples, as many as the memory holds.
fn automatic(screen: Picos, fastest: Picos, used: usize) -> (Picos, i64) {
    let most = depth_points(4, used).unwrap_or(3_000_000);
    let interval = longer(screen / most, fastest);
    (interval, (screen.0 / interval.0).max(1))
}

/// Samples at the end that cannot be read: 32 of 6 M were seen on a real unit (Q09), none of short records.
fn lost(depth: i64) -> i64 {
    if depth >= 1_000_000 { 32 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::super::settings::Value;
    use super::*;

    fn geometry(channels: &[u8], timebase: Picos, depth: i64, offset: Picos) -> Geometry {
        let mut s = Settings::new();
        for c in channels {
            s.put(Id::Display, *c, Value::Flag(true));
        }
        s.put(Id::Timebase, 0, Value::Span(timebase));
        s.put(Id::TimeOffset, 0, Value::Span(offset));
        s.put(Id::Depth, 0, Value::Whole(depth));
        Geometry::new(&s)
    }

    /// Guide: 6 M on two channels is 500 MSa/s up to 1 ms/div and 12 ms of record; then 250, 100 and 50 MSa/s.
    #[test]
    fn rates_are_those_of_the_guide() {
        for (timebase, interval) in [(1, 2), (2, 4), (5, 10), (10, 20), (20, 40)] {
            let g = geometry(&[2], Picos::from_ms(timebase), 4, Picos::ZERO);
            assert_eq!((g.interval, g.depth), (Picos::from_ns(interval), 6_000_000));
        }
        let fast = [(1, 1), (2, 2), (3, 4), (4, 4)];
        for (n, ns) in fast {
            let g = geometry(&[1, 2, 3, 4][..n], Picos::from_ns(5), 1, Picos::ZERO);
            assert_eq!(g.interval, Picos::from_ns(ns), "{n} channels");
        }
    }

    #[test]
    fn the_trigger_is_mid_record_and_moves_left_with_a_positive_offset() {
        let g = geometry(&[2], Picos::from_ms(1), 4, Picos::ZERO);
        assert_eq!((g.before, g.start()), (3_000_000, Picos::from_ms(-6)));
        let g = geometry(&[2], Picos::from_ms(1), 4, Picos::from_ms(5));
        assert_eq!((g.start(), g.rest()), (Picos::from_ms(-1), Picos::from_ms(11)));
        let g = geometry(&[2], Picos::from_us(1), 1, Picos::from_us(60));
        assert_eq!((g.position(), g.fill()), (-1, Picos::ZERO));
    }

    #[test]
    fn auto_depth_is_the_screen_at_the_highest_rate() {
        let g = geometry(&[2], Picos::from_us(1), 0, Picos::ZERO);
        assert_eq!((g.interval, g.depth), (Picos::from_ns(2), 6_000));
        let g = geometry(&[2], Picos::from_s(1), 0, Picos::ZERO);
        assert_eq!((g.interval, g.depth), (Picos::from_us(2), 6_000_000));
    }
}
