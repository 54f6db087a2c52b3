//! The instrument's settings: rows of a catalogue, a value for each row and channel.
//!
//! A row says header, kind of value and value after a reset. Reading, writing, saving and restoring are the same for
//! all; what depends on other settings stands in `rules`.

use super::catalogue::ROWS;
use super::language::{scientific, short, word};
use crate::units::Picos;

/// Analog channels.
pub(super) const CHANNELS: usize = 4;

/// Settings that others depend on. All the rest is [`Id::Plain`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Id {
    Plain,
    Bandwidth,
    Coupling,
    Display,
    Invert,
    Offset,
    Probe,
    Scale,
    DelayCalibration,
    Vernier,
    Timebase,
    TimeOffset,
    TimeMode,
    ZoomOn,
    Depth,
    TriggerMode,
    Sweep,
    EdgeSource,
    EdgeSlope,
    EdgeLevel,
    NoiseReject,
    WaveSource,
    WaveMode,
    WaveFormat,
    WaveStart,
    WaveStop,
    MeasureSource,
    Recording,
    LogicAnalyser,
}

/// What a row's value looks like.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// `0`, `1`, `ON`, `OFF`.
    Flag,
    /// One of some words.
    Choice(&'static [&'static str]),
    /// A whole number within limits.
    Whole(i64, i64),
    /// A real number within limits.
    Real(f64, f64),
    /// A time within limits.
    Span(Picos, Picos),
    /// `AUTO` or a number of points; held as the place in the table of depths, 0 for `AUTO`.
    Depth,
}

/// One setting.
pub(super) struct Row {
    pub(super) id: Id,
    pub(super) header: &'static str,
    pub(super) kind: Kind,
    /// Value after a reset, as it would be written.
    pub(super) initial: &'static str,
}

/// A value of any kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    Flag(bool),
    Choice(usize),
    Whole(i64),
    Real(f64),
    Span(Picos),
}

/// All values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Settings {
    values: Vec<[Value; CHANNELS]>,
}

impl Settings {
    /// As after `*RST`: channel 1 on, everything else off.
    pub(super) fn new() -> Settings {
        let first = |row: &Row| [parse(row.kind, row.initial).unwrap_or(Value::Whole(0)); CHANNELS];
        let mut settings = Settings { values: ROWS.iter().map(first).collect() };
        settings.put(Id::Display, 1, Value::Flag(true));
        settings
    }

    /// Value of a row; channels count from 1, 0 for rows without channels.
    pub(super) fn get(&self, row: usize, channel: u8) -> Option<Value> {
        self.values.get(row)?.get(slot(channel)).copied()
    }
    /// Replaces a value.
    pub(super) fn set(&mut self, row: usize, channel: u8, value: Value) {
        if let Some(place) = self.values.get_mut(row).and_then(|v| v.get_mut(slot(channel))) {
            *place = value;
        }
    }
    /// Replaces a value by name.
    pub(super) fn put(&mut self, id: Id, channel: u8, value: Value) {
        self.set(place(id), channel, value);
    }
    /// A switch.
    pub(super) fn flag(&self, id: Id, channel: u8) -> bool {
        self.get(place(id), channel) == Some(Value::Flag(true))
    }
    /// A choice, in its short form.
    pub(super) fn choice(&self, id: Id, channel: u8) -> String {
        let row = place(id);
        self.get(row, channel).map(|v| self.show_value(row, v)).unwrap_or_default()
    }
    /// A whole number.
    pub(super) fn whole(&self, id: Id) -> i64 {
        match self.get(place(id), 0) {
            Some(Value::Whole(n)) => n,
            _ => 0,
        }
    }
    /// A real number.
    pub(super) fn real(&self, id: Id, channel: u8) -> f64 {
        match self.get(place(id), channel) {
            Some(Value::Real(v)) => v,
            _ => 0.0,
        }
    }
    /// A time.
    pub(super) fn span(&self, id: Id, channel: u8) -> Picos {
        match self.get(place(id), channel) {
            Some(Value::Span(t)) => t,
            _ => Picos::ZERO,
        }
    }
    /// Number of the channel that a source setting names; `None` for other sources.
    pub(super) fn source(&self, id: Id) -> Option<u8> {
        self.choice(id, 0).strip_prefix("CHAN").and_then(|n| n.parse().ok())
    }
    /// Channels that take part in an acquisition, the trigger source included (Q08).
    pub(super) fn channels_used(&self) -> usize {
        let trigger = self.source(Id::EdgeSource);
        (1..=4).filter(|c| self.flag(Id::Display, *c) || trigger == Some(*c)).count().max(1)
    }

    /// The reply to a row's query.
    pub(super) fn show(&self, row: usize, channel: u8) -> String {
        self.get(row, channel).map(|v| self.show_value(row, v)).unwrap_or_default()
    }
    fn show_value(&self, row: usize, value: Value) -> String {
        let kind = ROWS.get(row).map(|r| r.kind);
        match (value, kind) {
            (Value::Flag(on), _) => u8::from(on).to_string(),
            (Value::Choice(n), Some(Kind::Choice(words))) => {
                words.get(n).map(|w| short(w)).unwrap_or_default()
            }
            (Value::Whole(n), Some(Kind::Depth)) => {
                depth_points(n, self.channels_used()).map_or_else(|| "AUTO".to_owned(), |d| d.to_string())
            }
            (Value::Whole(n), _) => n.to_string(),
            (Value::Real(v), _) => scientific(v),
            (Value::Span(t), _) => scientific(t.as_seconds()),
            (Value::Choice(_), _) => String::new(),
        }
    }

    /// Every value that is not the one after a reset: row, channel slot, value. For the setup block and for tests.
    pub(super) fn changes(&self) -> Vec<(usize, u8, Value)> {
        let fresh = Settings::new();
        let rows = self.values.iter().zip(&fresh.values).enumerate();
        rows.flat_map(|(row, (now, then))| {
            let both = now.iter().zip(then).enumerate();
            both.filter(|(_, (a, b))| a != b).map(move |(i, (a, _))| (row, i as u8 + 1, *a))
        })
        .collect()
    }
}

fn slot(channel: u8) -> usize {
    usize::from(channel.max(1)) - 1
}

fn place(id: Id) -> usize {
    ROWS.iter().position(|r| r.id == id).unwrap_or(usize::MAX)
}

/// Points of a depth setting with so many channels in use: 12 M, 6 M or 3 M by powers of ten (guide 2-5); `None` for
/// AUTO. The fifth depth is the 24 M option, which this unit does not have.
pub(super) fn depth_points(index: i64, channels: usize) -> Option<i64> {
    let base = match channels {
        0 | 1 => 12_000,
        2 => 6_000,
        _ => 3_000,
    };
    let power = u32::try_from(index.checked_sub(1)?).ok()?;
    Some(base * 10_i64.checked_pow(power)?)
}

/// Reads an argument; `None` when it is not one of this kind, or outside the limits.
pub(super) fn parse(kind: Kind, text: &str) -> Option<Value> {
    match kind {
        Kind::Flag => match text.to_ascii_uppercase().as_str() {
            "0" | "OFF" => Some(Value::Flag(false)),
            "1" | "ON" => Some(Value::Flag(true)),
            _ => None,
        },
        Kind::Choice(words) => words.iter().position(|w| word(w, text)).map(Value::Choice),
        Kind::Whole(low, high) => {
            let n = text.parse::<f64>().ok().filter(|v| v.is_finite())?.round() as i64;
            (low..=high).contains(&n).then_some(Value::Whole(n))
        }
        Kind::Real(low, high) => {
            text.parse().ok().filter(|v: &f64| v.is_finite() && (low..=high).contains(v)).map(Value::Real)
        }
        Kind::Span(low, high) => {
            Picos::from_scpi_seconds(text).ok().filter(|t| (low..=high).contains(t)).map(Value::Span)
        }
        Kind::Depth if text.eq_ignore_ascii_case("AUTO") => Some(Value::Whole(0)),
        Kind::Depth => {
            let points = text.parse::<f64>().ok().filter(|v| v.is_finite())?.round() as i64;
            (points > 0).then(|| Value::Whole(-points))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_unit_is_as_the_guide_says() {
        let s = Settings::new();
        assert!(s.flag(Id::Display, 1) && !s.flag(Id::Display, 2));
        assert_eq!(s.span(Id::Timebase, 0), Picos::from_us(1));
        assert_eq!(s.choice(Id::Sweep, 0), "AUTO");
        assert_eq!(s.choice(Id::Coupling, 3), "DC");
        assert_eq!(s.choice(Id::WaveMode, 0), "NORM");
        assert_eq!((s.whole(Id::WaveStart), s.whole(Id::WaveStop)), (1, 1200));
        assert!(s.changes().is_empty());
    }

    #[test]
    fn values_outside_the_limits_and_of_other_kinds_are_not_read() {
        assert_eq!(parse(Kind::Flag, "on"), Some(Value::Flag(true)));
        assert_eq!(parse(Kind::Flag, "2"), None);
        assert_eq!(parse(Kind::Choice(&["POSitive", "NEGative"]), "neg"), Some(Value::Choice(1)));
        assert_eq!(parse(Kind::Real(0.0, 1.0), "nan"), None);
        assert_eq!(parse(Kind::Whole(0, 100), "1e400"), None);
        assert_eq!(parse(Kind::Span(Picos(0), Picos::from_s(1)), "2"), None);
    }

    /// Guide 2-5.
    #[test]
    fn depths_depend_on_the_number_of_channels() {
        let tops = [1, 2, 3, 4].map(|n| depth_points(4, n));
        assert_eq!(tops, [Some(12_000_000), Some(6_000_000), Some(3_000_000), Some(3_000_000)]);
        assert_eq!(depth_points(0, 2), None);
    }
}
