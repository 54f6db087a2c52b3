//! Axes with ticks at round values, straight or logarithmic.
//!
//! An axis always covers the values it was made for, ends included: an axis that cut off the worst would be a lie. Places
//! on paper are floating numbers; times come in as whole picoseconds.

use crate::units::Picos;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// Largest over smallest from which times are drawn on a logarithmic axis.
const LOG_FROM: f64 = 10.0;

/// One axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    log: bool,
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Times from `low` to `high`, with some room around them, and about `most` ticks.
    pub fn time(low: Picos, high: Picos, most: usize) -> Axis {
        let (a, b) = (place(low.min(high)), place(high.max(low)));
        if a > 0.0 && b / a >= LOG_FROM {
            let (low, high) = (a / 1.15, b * 1.15);
            return Axis {
                low,
                high,
                log: true,
                ticks: log_ticks(low, high, most, |v| picos(v).to_string()),
            };
        }
        Axis::straight_time(low, high, most)
    }

    /// Times from `low` to `high` on a straight axis.
    pub fn straight_time(low: Picos, high: Picos, most: usize) -> Axis {
        let (a, b) = (place(low.min(high)), place(high.max(low)));
        let room = ((b - a) * 0.04).max(b.abs().max(a.abs()) * 1e-9).max(1.0);
        Axis::straight(a - room, b + room, most, label)
    }

    /// Voltages from `low` to `high`.
    pub fn volts(low: f64, high: f64) -> Axis {
        let room = ((high - low) * 0.12).max(1e-3);
        Axis::straight(low - room, high + room, 4, |v, step| format!("{v:.*} V", decimals(step)))
    }

    /// Places in a sequence from 1 to `last`.
    pub fn places(last: u64) -> Axis {
        let last = last.max(2) as f64;
        let room = last * 0.01;
        let mut axis = Axis::straight(1.0 - room, last + room, 6, |v, _| format!("{v:.0}"));
        axis.ticks.retain(|(v, _)| *v >= 1.0 && v.fract() == 0.0);
        axis
    }

    /// Counts up to `most` on a logarithmic axis. It begins at one half, so that a single count stands up from it.
    pub fn counts(most: u64) -> Axis {
        let high = most.max(1) as f64 * 1.8;
        Axis { low: 0.5, high, log: true, ticks: decades(0, high.log10() as i32, |v| format!("{v:.0}")) }
    }

    /// Shares from none to all.
    pub fn shares() -> Axis {
        Axis::straight(0.0, 1.0, 5, |v, _| format!("{:.0} %", v * 100.0))
    }

    /// Shares down to one of `n` on a logarithmic axis.
    pub fn rare_shares(n: u64) -> Axis {
        let low = 0.5 / n.max(2) as f64;
        let ticks = decades(low.log10().ceil() as i32, 0, |v| format!("{} %", v * 100.0));
        Axis { low, high: 1.0, log: true, ticks }
    }

    fn straight(low: f64, high: f64, most: usize, label: impl Fn(f64, f64) -> String) -> Axis {
        let step = round_step((high - low) / most.max(1) as f64);
        let first = (low / step).ceil();
        let count = ((high / step).floor() - first).clamp(-1.0, 100.0) as i32 + 1;
        let ticks = (0..count).map(|k| (first + f64::from(k)) * step).map(|v| (v, label(v, step))).collect();
        Axis { low, high, log: false, ticks }
    }

    /// Is the axis logarithmic?
    pub fn is_log(&self) -> bool {
        self.log
    }

    /// The ends.
    pub fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Place on the axis, 0 at its start and 1 at its end; what lies outside sits at the end.
    pub fn share_of(&self, value: f64) -> f64 {
        let share = match self.log {
            true => (value.max(f64::MIN_POSITIVE) / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        from + (f64::from(to.saturating_sub(from)) * self.share_of(*value)).round() as i32
    }

    /// Light lines between the ticks are not drawn: a hint that allows them gets none.
    fn key_points<H: KeyPointHint>(&self, hint: H) -> Vec<f64> {
        let wanted = !hint.weight().allow_light_points();
        self.ticks.iter().filter(|_| wanted).map(|(value, _)| *value).collect()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        self.ticks.iter().find(|(tick, _)| tick == value).map(|(_, label)| label.clone()).unwrap_or_default()
    }
}

/// Where a time lies on paper.
pub(super) fn place(time: Picos) -> f64 {
    time.0 as f64
}

/// The time at a place.
pub(super) fn picos(value: f64) -> Picos {
    Picos(value.round() as i64)
}

/// 1, 2 or 5 times a power of ten, not below `least`.
pub(super) fn round_step(least: f64) -> f64 {
    if least.is_nan() || least <= 0.0 || least.is_infinite() {
        return 1.0;
    }
    let power = 10f64.powi(least.log10().floor() as i32);
    let factor = [1.0, 2.0, 5.0].into_iter().find(|f| f * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// Decimals that tell two values a `step` apart.
fn decimals(step: f64) -> usize {
    (-(step * 1.000_001).log10().floor()).clamp(0.0, 9.0) as usize
}

/// A time with as many decimals as its step needs, so that neighbours never read alike.
pub(super) fn label(value: f64, step: f64) -> String {
    let (unit, name) = match value.abs() {
        v if v >= 1e12 => (1e12, "s"),
        v if v >= 1e9 => (1e9, "ms"),
        v if v >= 1e6 => (1e6, "us"),
        v if v >= 1e3 => (1e3, "ns"),
        _ => (1.0, "ps"),
    };
    if value.abs() < step / 2.0 {
        return "0".to_owned();
    }
    format!("{:.*} {name}", decimals(step / unit), value / unit)
}

fn decades(from: i32, to: i32, label: impl Fn(f64) -> String) -> Vec<(f64, String)> {
    let exact = |power: i32| format!("1e{power}").parse::<f64>().unwrap_or(1.0);
    (from..=to).map(exact).map(|v| (v, label(v))).collect()
}

/// Ticks between `low` and `high`: within each decade as many round values as leave at most about `most` in all.
fn log_ticks(low: f64, high: f64, most: usize, label: impl Fn(f64) -> String) -> Vec<(f64, String)> {
    let (first, last) = (low.log10().floor() as i32, high.log10().floor() as i32);
    let within = |factors: &'static [f64]| {
        let all = (first..=last).flat_map(|p| factors.iter().map(move |f| f * 10f64.powi(p)));
        all.filter(|v| (low..=high).contains(v)).collect::<Vec<f64>>()
    };
    let choices = [within(&[1.0, 2.0, 5.0]), within(&[1.0, 3.0]), within(&[1.0])];
    let fitting = choices.iter().find(|ticks| ticks.len() <= most + 1);
    let chosen = fitting.or(choices.last()).cloned().unwrap_or_default();
    chosen.into_iter().map(|v| (v, label(v))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_and_read_as_in_the_table() {
        let axis = Axis::time(Picos(1_850_000), Picos(2_420_000), 5);
        assert_eq!(labels(&axis), ["2.0 us", "2.2 us", "2.4 us"]);
        let wide = Axis::time(Picos(400_000), Picos(230_000_000), 5);
        assert!(wide.is_log());
        assert_eq!(labels(&wide), ["1 us", "3 us", "10 us", "30 us", "100 us"]);
        assert_eq!(labels(&Axis::counts(12_000)), ["1", "10", "100", "1000", "10000"]);
        assert_eq!(labels(&Axis::rare_shares(1000)), ["0.1 %", "1 %", "10 %", "100 %"]);
        assert_eq!(labels(&Axis::shares()), ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]);
    }

    #[test]
    fn ticks_a_few_picoseconds_apart_still_differ() {
        let axis = Axis::time(Picos(1_900_000), Picos(1_900_040), 5);
        let mut seen = labels(&axis);
        assert!(seen.len() >= 2, "{seen:?}");
        seen.dedup();
        assert_eq!(seen.len(), axis.ticks.len());
    }

    proptest! {
        #[test]
        fn both_ends_lie_on_the_axis(a: i64, b: i64) {
            let axis = Axis::time(Picos(a), Picos(b), 5);
            let (low, high) = axis.ends();
            prop_assert!(low < high);
            prop_assert!(low <= place(Picos(a.min(b))) && place(Picos(a.max(b))) <= high);
            prop_assert!(axis.ticks.iter().all(|(v, _)| (low..=high).contains(v)));
            prop_assert!(axis.ticks.len() <= 12);
        }

        #[test]
        fn paper_keeps_the_order(a in 0i64..10_000_000, b in 0i64..10_000_000) {
            let axis = Axis::time(Picos(a), Picos(b), 5);
            let at = |v: i64| axis.map(&place(Picos(v)), (100, 900));
            prop_assert!((100..=900).contains(&at(a)) && at(a.min(b)) <= at(a.max(b)));
        }
    }
}
