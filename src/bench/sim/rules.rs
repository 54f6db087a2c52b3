//! What the instrument makes of a setting: snapping, limits, silent refusal, and settings that move others.
//!
//! | rule | source |
//! |---|---|
//! | scales snap up to the 1-2-5 series, offsets, levels and delays to a fiftieth of a division | Q48 |
//! | depths only while running, only those of the channels in use; else ignored without an error | Q06, Q07, Q08 |
//! | probe moves scale, offset and level; scale keeps the offset's place in divisions | Q49 |
//! | trigger modes, recording and logic analyser that need an option stay as they are | Q54 |
//! | time bases of the roll range are refused in STOP | guide 2-208 |

use super::settings::{Id, Settings, Value, depth_points};
use crate::units::Picos;

/// Steps a division of offsets, levels and delays.
const STEPS: f64 = 50.0;
/// Slowest time base that is no roll.
const ROLL: Picos = Picos::from_ms(200);
/// Trigger modes that come with an option.
const OPTIONAL_MODES: [&str; 9] = ["RUNT", "WIND", "NEDG", "DEL", "TIM", "SHOL", "RS232", "IIC", "SPI"];

/// The value that is stored for `value`, or `None` when the instrument ignores it.
pub(super) fn admit(s: &Settings, id: Id, channel: u8, value: Value, running: bool) -> Option<Value> {
    match (id, value) {
        (Id::Scale, Value::Real(v)) => Some(Value::Real(scale(s, channel, v))),
        (Id::Offset, Value::Real(v)) => Some(Value::Real(offset(s, channel, v))),
        (Id::Probe, Value::Real(v)) => probe(v).map(Value::Real),
        (Id::EdgeLevel, Value::Real(v)) => Some(Value::Real(level(s, v))),
        (Id::Timebase, Value::Span(t)) => {
            let snapped = timebase(t);
            (running || snapped < ROLL).then_some(Value::Span(snapped))
        }
        (Id::TimeOffset, Value::Span(t)) => Some(Value::Span(time_offset(s, t))),
        (Id::DelayCalibration, Value::Span(t)) => Some(Value::Span(delay_calibration(s, t))),
        (Id::Depth, Value::Whole(asked)) => depth(s, asked).filter(|_| running).map(Value::Whole),
        (Id::TriggerMode, Value::Choice(_)) => Some(value).filter(|v| !optional(s, *v)),
        (Id::Recording | Id::LogicAnalyser, Value::Flag(on)) => (!on).then_some(value),
        _ => Some(value),
    }
}

/// Moves what depends on a setting that went from `old` to `new`.
pub(super) fn couple(s: &mut Settings, id: Id, channel: u8, old: Value, new: Value) {
    let (Value::Real(old_value), Value::Real(new_value)) = (old, new) else {
        if id == Id::Timebase {
            refit_times(s);
        }
        return;
    };
    let ratio = new_value / old_value;
    match id {
        Id::Probe => {
            let moved = |v: f64| Value::Real(v * ratio);
            s.put(Id::Scale, channel, moved(s.real(Id::Scale, channel)));
            s.put(Id::Offset, channel, moved(s.real(Id::Offset, channel)));
            if s.source(Id::EdgeSource) == Some(channel) {
                s.put(Id::EdgeLevel, 0, moved(s.real(Id::EdgeLevel, 0)));
            }
        }
        Id::Scale => {
            let kept = offset(s, channel, s.real(Id::Offset, channel) * ratio);
            s.put(Id::Offset, channel, Value::Real(kept));
        }
        _ => {}
    }
}

/// True for settings that make a running acquisition start again.
pub(super) fn restarts(id: Id) -> bool {
    !matches!(
        id,
        Id::Plain
            | Id::WaveSource
            | Id::WaveMode
            | Id::WaveFormat
            | Id::WaveStart
            | Id::WaveStop
            | Id::MeasureSource
    )
}

/// The smallest step of the 1-2-5 series that is not below `value`.
fn series(value: f64) -> f64 {
    let decade = 10_f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    steps.into_iter().map(|m| m * decade).find(|step| *step >= value * (1.0 - 1e-9)).unwrap_or(value)
}

fn scale(s: &Settings, channel: u8, asked: f64) -> f64 {
    let probe = s.real(Id::Probe, channel);
    let at_input = (asked / probe).clamp(1e-3, 10.0);
    let snapped = if s.flag(Id::Vernier, channel) { at_input } else { series(at_input) };
    snapped * probe
}

fn offset(s: &Settings, channel: u8, asked: f64) -> f64 {
    let (probe, scale) = (s.real(Id::Probe, channel), s.real(Id::Scale, channel));
    let limit = if scale / probe >= 0.499 { 100.0 } else { 2.0 } * probe;
    snap(asked.clamp(-limit, limit), scale / STEPS)
}

fn level(s: &Settings, asked: f64) -> f64 {
    let channel = s.source(Id::EdgeSource).unwrap_or(1);
    let (scale, offset) = (s.real(Id::Scale, channel), s.real(Id::Offset, channel));
    snap(asked.clamp(-5.0 * scale - offset, 5.0 * scale - offset), scale / STEPS)
}

fn snap(value: f64, step: f64) -> f64 {
    (value / step).round() * step
}

fn probe(asked: f64) -> Option<f64> {
    let listed = series(asked);
    ((listed / asked - 1.0).abs() < 1e-6).then_some(listed)
}

/// 5 ns to 50 s in the 1-2-5 series, upwards.
fn timebase(asked: Picos) -> Picos {
    let mut decade = Picos::from_ns(1);
    loop {
        for step in [1, 2, 5].map(|m| decade * m) {
            if (step >= asked && step >= Picos::from_ns(5)) || step >= Picos::from_s(50) {
                return step;
            }
        }
        decade = decade * 10;
    }
}

fn time_offset(s: &Settings, asked: Picos) -> Picos {
    let scale = s.span(Id::Timebase, 0);
    let latest = Picos((scale * 100).0.max(Picos::from_s(1).0));
    snap_time(Picos(asked.0.clamp((scale * -6).0, latest.0)), scale / 50)
}

fn snap_time(value: Picos, step: Picos) -> Picos {
    let step = step.0.max(1);
    Picos((value.0 + step / 2).div_euclid(step) * step)
}

/// A fiftieth of the time base a step; nothing but 0 fits above 5 us a division.
fn delay_calibration(s: &Settings, asked: Picos) -> Picos {
    let scale = s.span(Id::Timebase, 0);
    if scale > Picos::from_us(5) { Picos::ZERO } else { snap_time(asked, scale / 50) }
}

fn refit_times(s: &mut Settings) {
    s.put(Id::TimeOffset, 0, Value::Span(time_offset(s, s.span(Id::TimeOffset, 0))));
    for channel in 1..=4 {
        let kept = delay_calibration(s, s.span(Id::DelayCalibration, channel));
        s.put(Id::DelayCalibration, channel, Value::Span(kept));
    }
}

/// Place in the table of depths; a request for points comes in as their negative number.
fn depth(s: &Settings, asked: i64) -> Option<i64> {
    let used = s.channels_used();
    if asked == 0 { Some(0) } else { (1..=4).find(|i| depth_points(*i, used) == Some(-asked)) }
}

fn optional(s: &Settings, mode: Value) -> bool {
    let mut probe = s.clone();
    probe.put(Id::TriggerMode, 0, mode);
    OPTIONAL_MODES.contains(&probe.choice(Id::TriggerMode, 0).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(s: &mut Settings, id: Id, channel: u8, value: Value, running: bool) -> bool {
        let Some(new) = admit(s, id, channel, value, running) else { return false };
        let row = super::super::catalogue::ROWS.iter().position(|r| r.id == id).unwrap();
        let old = s.get(row, channel).unwrap();
        s.put(id, channel, new);
        couple(s, id, channel, old, new);
        true
    }

    /// Q48: 30 ns/div becomes 50 ns/div.
    #[test]
    fn scales_snap_upwards() {
        let mut s = Settings::new();
        assert!(write(&mut s, Id::Timebase, 0, Value::Span(Picos::from_ns(30)), true));
        assert_eq!(s.span(Id::Timebase, 0), Picos::from_ns(50));
        assert!(write(&mut s, Id::Scale, 1, Value::Real(0.3), true));
        assert!((s.real(Id::Scale, 1) - 0.5).abs() < 1e-12);
        assert!(write(&mut s, Id::Scale, 1, Value::Real(0.2), true));
        assert!((s.real(Id::Scale, 1) - 0.2).abs() < 1e-12);
        assert_eq!(timebase(Picos::from_s(49)), Picos::from_s(50));
        assert_eq!(timebase(Picos(1)), Picos::from_ns(5));
    }

    /// Q06, Q07, Q08.
    #[test]
    fn depths_are_ignored_in_stop_and_when_they_do_not_fit_the_channels() {
        let mut s = Settings::new();
        assert!(write(&mut s, Id::Depth, 0, Value::Whole(-12_000_000), true));
        assert!(!write(&mut s, Id::Depth, 0, Value::Whole(-6_000_000), true));
        assert!(!write(&mut s, Id::Depth, 0, Value::Whole(-12_000), false));
        s.put(Id::Display, 2, Value::Flag(true));
        assert!(write(&mut s, Id::Depth, 0, Value::Whole(-6_000_000), true));
        assert!(!write(&mut s, Id::Depth, 0, Value::Whole(-24_000_000), true), "needs the memory option");
        s.put(Id::Display, 2, Value::Flag(false));
        s.put(Id::EdgeSource, 0, Value::Choice(1));
        assert!(write(&mut s, Id::Depth, 0, Value::Whole(-600_000), true), "the trigger source counts");
    }

    /// Q49.
    #[test]
    fn probe_moves_scale_offset_and_level_and_scale_moves_offset() {
        let mut s = Settings::new();
        for (id, v) in [(Id::Offset, -1.0), (Id::EdgeLevel, 2.0)] {
            assert!(write(&mut s, id, 1, Value::Real(v), true));
        }
        assert!(write(&mut s, Id::Probe, 1, Value::Real(1.0), true));
        assert!((s.real(Id::Scale, 1) - 0.1).abs() < 1e-12);
        assert!((s.real(Id::Offset, 1) + 0.1).abs() < 1e-12);
        assert!((s.real(Id::EdgeLevel, 0) - 0.2).abs() < 1e-12);
        assert!(write(&mut s, Id::Scale, 1, Value::Real(0.5), true));
        assert!((s.real(Id::Offset, 1) + 0.5).abs() < 1e-12);
        assert!(!write(&mut s, Id::Probe, 1, Value::Real(3.0), true));
    }

    /// Q54.
    #[test]
    fn optional_trigger_modes_stay_what_they_are() {
        let mut s = Settings::new();
        assert!(!write(&mut s, Id::TriggerMode, 0, Value::Choice(8), true), "DELay is an option");
        assert!(write(&mut s, Id::TriggerMode, 0, Value::Choice(1), true), "PULSe is not");
        assert!(!write(&mut s, Id::Recording, 0, Value::Flag(true), true));
    }

    #[test]
    fn the_level_stays_within_five_divisions() {
        let mut s = Settings::new();
        assert!(write(&mut s, Id::EdgeLevel, 0, Value::Real(99.0), true));
        assert!((s.real(Id::EdgeLevel, 0) - 5.0).abs() < 1e-12);
    }
}
