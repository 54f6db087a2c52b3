//! What one acquisition left behind, verbatim: the codes the instrument sent and how it says to read them.

use crate::units::{Picos, UnitError, Volts};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What a channel shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The edge that goes into the board.
    Stimulus,
    /// The edge that the interrupt's code sends out.
    Response,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Stimulus => "stimulus",
            Role::Response => "response",
        })
    }
}

/// Direction of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Slope {
    /// Low to high.
    Rising,
    /// High to low.
    Falling,
}

impl fmt::Display for Slope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Slope::Rising => "rising",
            Slope::Falling => "falling",
        })
    }
}

/// Where the samples of a record come from (field 2 of the preamble).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RecordKind {
    /// 0, NORM: 1200 points made for the screen. Refused for measuring.
    Screen,
    /// 1, MAX.
    Maximum,
    /// 2, RAW: the memory as it was sampled.
    Memory,
}

/// A preamble that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PreambleError {
    /// Not ten fields.
    #[error("the preamble `{text}` has {found} fields instead of 10")]
    Fields {
        /// The whole reply.
        text: String,
        /// Number of fields.
        found: usize,
    },
    /// A field is no number, not finite, or makes no sense (zero increment, word format ...).
    #[error("field {index} (`{value}`) of the preamble `{text}` is no usable {name}")]
    Field {
        /// The whole reply.
        text: String,
        /// 1-based position.
        index: usize,
        /// The field as it came.
        value: String,
        /// What it should be.
        name: &'static str,
    },
}

/// How to read the codes of a record: `V = (code - y_origin - y_reference) * y_increment`,
/// `t(i) = x_origin + (i - x_reference) * x_increment`, `i` from 0 at the record's first point, `t = 0` at the trigger
/// (programming guide 2-242; formula agreed by five clients, see quirk Q13).
#[derive(Debug, Clone, PartialEq)]
pub struct Preamble {
    /// Source of the samples.
    pub kind: RecordKind,
    /// Points in the record; not the memory depth (Q09).
    pub points: u32,
    /// Time between two points, positive.
    pub x_increment: Picos,
    /// Time of the first point.
    pub x_origin: Picos,
    /// Index that `x_origin` belongs to, 0 on this family.
    pub x_reference: i64,
    /// Volts a code, positive.
    pub y_increment: Volts,
    /// In codes.
    pub y_origin: f64,
    /// In codes; not always 127 (Q11).
    pub y_reference: f64,
}

impl FromStr for Preamble {
    type Err = PreambleError;

    /// Reads the ten comma-separated fields of `:WAVeform:PREamble?`.
    fn from_str(text: &str) -> Result<Preamble, PreambleError> {
        let fields: Vec<&str> = text.trim().split(',').map(str::trim).collect();
        let reader = FieldReader { text, fields: &fields };
        if fields.len() != 10 {
            return Err(PreambleError::Fields { text: text.to_owned(), found: fields.len() });
        }
        reader.integer(1, "byte format", 0..=0)?;
        let kind = match reader.integer(2, "record type", 0..=2)? {
            0 => RecordKind::Screen,
            1 => RecordKind::Maximum,
            _ => RecordKind::Memory,
        };
        Ok(Preamble {
            kind,
            points: u32::try_from(reader.integer(3, "point count", 0..=i64::from(u32::MAX))?).unwrap_or(0),
            x_increment: reader.time(5, "x increment", |t| t.0 > 0)?,
            x_origin: reader.time(6, "x origin", |_| true)?,
            x_reference: reader.integer(7, "x reference", -1_000_000_000..=1_000_000_000)?,
            y_increment: Volts(reader.real(8, "y increment", |v| v > 0.0)?),
            y_origin: reader.real(9, "y origin", |_| true)?,
            y_reference: reader.real(10, "y reference", |_| true)?,
        })
    }
}

struct FieldReader<'a> {
    text: &'a str,
    fields: &'a [&'a str],
}

impl FieldReader<'_> {
    fn raw(&self, index: usize) -> &str {
        self.fields.get(index.wrapping_sub(1)).copied().unwrap_or_default()
    }
    fn bad(&self, index: usize, name: &'static str) -> PreambleError {
        PreambleError::Field { text: self.text.to_owned(), index, value: self.raw(index).to_owned(), name }
    }
    fn integer(
        &self,
        index: usize,
        name: &'static str,
        range: std::ops::RangeInclusive<i64>,
    ) -> Result<i64, PreambleError> {
        self.raw(index).parse().ok().filter(|v| range.contains(v)).ok_or_else(|| self.bad(index, name))
    }
    fn real(
        &self,
        index: usize,
        name: &'static str,
        sound: impl Fn(f64) -> bool,
    ) -> Result<f64, PreambleError> {
        let value = self.raw(index).parse::<f64>().ok().filter(|v| v.is_finite() && sound(*v));
        value.ok_or_else(|| self.bad(index, name))
    }
    fn time(
        &self,
        index: usize,
        name: &'static str,
        sound: impl Fn(Picos) -> bool,
    ) -> Result<Picos, PreambleError> {
        let value: Result<Picos, UnitError> = Picos::from_scpi_seconds(self.raw(index));
        value.ok().filter(|t| sound(*t)).ok_or_else(|| self.bad(index, name))
    }
}

/// A run of consecutive points of a record. A whole read is one segment; windowed reads leave several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// 0-based index in the record of the first code.
    pub first: u32,
    /// One byte a sample, untouched.
    pub codes: Vec<u8>,
}

/// One channel of one acquisition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawTrace {
    /// What the channel shows.
    pub role: Role,
    /// The instrument's name of the channel, such as `CHAN1`.
    pub channel: String,
    /// The preamble as it came.
    pub preamble: String,
    /// The codes that were read, in rising order, not overlapping.
    pub segments: Vec<Segment>,
}

/// One acquisition: both channels of one stopped record. Holds one pair or a thousand; never edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shot {
    /// Counted from 1 within its configuration.
    pub number: u32,
    /// The stimulus channel.
    pub stimulus: RawTrace,
    /// The response channel.
    pub response: RawTrace,
    /// Every status seen from arming to fetching, in order, repeats folded.
    pub statuses: Vec<String>,
    /// The scope was seen waiting for its trigger before the stimulus could come. False is a shot whose freshness
    /// rests on the settle time and the comparison with the record before (Q01, Q03).
    pub seen_waiting: bool,
}
