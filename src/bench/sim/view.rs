//! What `:WAVeform` reads: screen or memory, preamble and data.
//!
//! | mode | running | stopped |
//! |---|---|---|
//! | NORM | 1200 points of the screen | the same |
//! | MAX | as NORM | the memory points on the screen |
//! | RAW | 1200 points of the screen, no error (Q20) | the memory |
//!
//! `STARt` and `STOP` are kept as written and cut to what there is at the read (Q21). More points than the limit of the
//! format in one read give an empty block (Q15), as does a channel that was off (Q22).

use super::geometry::{Geometry, SCREEN_POINTS};
use super::language::scientific;
use super::record::{Record, memory_scaling, screen_scaling};
use super::settings::{Id, Settings};
use super::waveform::{Scaling, Trace};
use crate::units::Picos;

/// How points are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Byte,
    Word,
    Ascii,
}

impl Format {
    fn new(s: &Settings) -> Format {
        match s.choice(Id::WaveFormat, 0).as_str() {
            "WORD" => Format::Word,
            "ASC" => Format::Ascii,
            _ => Format::Byte,
        }
    }
    /// Most points of one read (guide 2-219).
    fn limit(self) -> i64 {
        match self {
            Format::Byte => 250_000,
            Format::Word => 125_000,
            Format::Ascii => 15_625,
        }
    }
    fn number(self) -> u8 {
        match self {
            Format::Byte => 0,
            Format::Word => 1,
            Format::Ascii => 2,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Screen,
    /// First index and number of points of the memory.
    Memory(i64, i64),
}

/// A channel of a record as the waveform settings show it.
pub(super) struct View<'a> {
    record: &'a Record,
    trace: Option<&'a Trace>,
    part: Part,
    mode: u8,
    format: Format,
    scaling: Scaling,
    /// Time of the first screen point and between two of them.
    screen: (Picos, Picos),
}

impl<'a> View<'a> {
    /// The view that the settings in force give of `record`. `rescaled` is the habit of Q12.
    pub(super) fn new(s: &Settings, record: &'a Record, running: bool, rescaled: bool) -> View<'a> {
        let channel = s.source(Id::WaveSource).unwrap_or(0);
        let mode = match s.choice(Id::WaveMode, 0).as_str() {
            "MAX" => 1,
            "RAW" => 2,
            _ => 0,
        };
        let screen = screen(s);
        let geometry = &record.geometry;
        let part = match (mode, running) {
            (0, _) | (_, true) => Part::Screen,
            (1, false) => on_screen(geometry, screen),
            _ => Part::Memory(0, geometry.points),
        };
        let trace = record.trace(channel).filter(|_| s.flag(Id::Display, channel));
        let scaling = match (part, trace) {
            (Part::Memory(..), Some(trace)) if !rescaled => trace.scaling,
            (Part::Memory(..), _) => memory_scaling(s, channel, false),
            (Part::Screen, _) => screen_scaling(s, channel.max(1)),
        };
        View { record, trace, part, mode, format: Format::new(s), scaling, screen }
    }

    /// Points that can be read.
    pub(super) fn points(&self) -> i64 {
        match self.part {
            Part::Screen => SCREEN_POINTS,
            Part::Memory(_, points) => points,
        }
    }
    /// Time between two points.
    pub(super) fn increment(&self) -> Picos {
        if self.part == Part::Screen { self.screen.1 } else { self.record.geometry.interval }
    }
    /// Time of the first point, seen from the trigger.
    pub(super) fn origin(&self) -> Picos {
        match self.part {
            Part::Screen => self.screen.0,
            Part::Memory(first, _) => self.record.geometry.start() + self.record.geometry.interval * first,
        }
    }
    /// Codes and volts.
    pub(super) fn scaling(&self) -> Scaling {
        self.scaling
    }

    /// The ten fields (guide 2-242). `points` replaces the number of points.
    pub(super) fn preamble(&self, points: Option<i64>) -> String {
        format!(
            "{},{},{},1,{},{},0,{},{},{}",
            self.format.number(),
            self.mode,
            points.unwrap_or_else(|| self.points()),
            scientific(self.increment().as_seconds()),
            scientific(self.origin().as_seconds()),
            scientific(self.scaling.increment),
            self.scaling.offset.round() as i64,
            self.scaling.reference as i64,
        )
    }

    /// Data of the points `start..=stop`, counted from 1. `odd` is the habit of Q41.
    pub(super) fn data(&self, start: i64, stop: i64, odd: bool) -> Vec<u8> {
        let (from, to) = (start - 1, stop.min(self.points()));
        if to - from > self.format.limit() || to <= from {
            return Vec::new();
        }
        self.encode(&self.codes(from, to), odd)
    }

    fn encode(&self, codes: &[u8], odd: bool) -> Vec<u8> {
        match self.format {
            Format::Byte => codes.to_vec(),
            Format::Word => codes.iter().flat_map(|c| [*c, 0]).collect(),
            Format::Ascii => {
                let origin = self.scaling.offset.round() + self.scaling.reference;
                let volts = |c: &u8| scientific((f64::from(*c) - origin) * self.scaling.increment);
                let text = codes.iter().map(volts).collect::<Vec<_>>().join(",");
                if odd { text.replace("e-", "e-0").replace("e+", "e+0") } else { text }.into_bytes()
            }
        }
    }

    /// Codes of the points `from..to`, counted from 0.
    pub(super) fn codes(&self, from: i64, to: i64) -> Vec<u8> {
        let Some(trace) = self.trace else { return Vec::new() };
        match self.part {
            Part::Memory(first, _) => trace.codes(first + from, first + to),
            Part::Screen => (from..to).map(|point| self.screen_code(trace, point)).collect(),
        }
    }

    /// A screen point: the sample under it, or a point between two where the screen is finer than the samples.
    fn screen_code(&self, trace: &Trace, point: i64) -> u8 {
        let geometry = &self.record.geometry;
        let t = self.screen.0 + self.screen.1 * point;
        let last = geometry.points - 1;
        let index = geometry.index(t).clamp(0, last);
        let mut code = f64::from(trace.code(index));
        if self.screen.1 < geometry.interval && index < last {
            let part = t.0.rem_euclid(geometry.interval.0) as f64 / geometry.interval.0 as f64;
            code += (f64::from(trace.code(index + 1)) - code) * part;
        }
        (self.scaling.code(trace.scaling.volts(code)) + 0.5) as u8
    }
}

/// Time of the first screen point and between two of them: a hundredth of a division (guide 2-240).
fn screen(s: &Settings) -> (Picos, Picos) {
    let scale = s.span(Id::Timebase, 0);
    (s.span(Id::TimeOffset, 0) - scale * 6, scale / 100)
}

fn on_screen(geometry: &Geometry, screen: (Picos, Picos)) -> Part {
    let place = |t: Picos| geometry.index(t).clamp(0, geometry.points);
    let (first, end) = (place(screen.0), place(screen.0 + screen.1 * SCREEN_POINTS));
    Part::Memory(first, end - first)
}
