//! Why a file gave no edges. One enum for the room.

use super::kind::Kind;
use crate::units::{Picos, Volts};

/// What is wrong with a file, a channel or the choice of it. Each text names the thing, what was found and the way out.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ForeignError {
    /// The file is something else, and known.
    #[error("{name}: {}", kind.refusal())]
    NotACapture {
        /// The file, as the caller calls it.
        name: String,
        /// What it is.
        kind: Kind,
    },
    /// The bytes could not be had.
    #[error("{name}: reading stopped: {reason}")]
    Read {
        /// The file.
        name: String,
        /// What the source said.
        reason: String,
    },
    /// The header of the format is incomplete or contradicts itself.
    #[error("{name}: the header {problem}")]
    Header {
        /// The file.
        name: String,
        /// What is wrong, as the rest of a sentence.
        problem: String,
    },
    /// A row or a token in the data cannot be read.
    #[error("{name}: byte {offset} (line or sample {row} of the data): {problem}")]
    Row {
        /// The file.
        name: String,
        /// Where in the file.
        offset: u64,
        /// Counted from 0 behind the header.
        row: u64,
        /// What is wrong.
        problem: String,
    },
    /// Time does not advance evenly, or runs backwards.
    #[error("{name}: {problem}; export the record whole and unedited")]
    Gap {
        /// The file.
        name: String,
        /// Where, and what was expected there.
        problem: String,
    },
    /// No such channel, or more than one.
    #[error("{name}: no channel `{wanted}`; there {}", listed(channels))]
    Channel {
        /// The file.
        name: String,
        /// As asked for.
        wanted: String,
        /// The channels that exist.
        channels: Vec<String>,
    },
    /// The channel is a bus.
    #[error("{name}: `{channel}` is {width} bits wide; choose one of them, such as `{channel}[0]`")]
    Wide {
        /// The file.
        name: String,
        /// The channel.
        channel: String,
        /// Its bits.
        width: u32,
    },
    /// The points were made for a screen.
    #[error(
        "{name}: {points} points are what this instrument draws on its screen, not what it sampled; save the memory \
         (on a DS1000Z: Storage, CSV, Depth: Memory) or read it with mode RAW"
    )]
    ScreenData {
        /// The file.
        name: String,
        /// Number of points.
        points: u64,
    },
    /// Finer than the instrument can sample.
    #[error(
        "{name}: points {interval} apart are closer than such an instrument samples ({fastest}): they are \
         interpolated; save the memory instead of the screen"
    )]
    Interpolated {
        /// The file.
        name: String,
        /// Distance of the points.
        interval: Picos,
        /// Shortest sample interval of the family.
        fastest: Picos,
    },
    /// Pairs of extremes instead of samples.
    #[error(
        "{name}: the points are an envelope (smallest and largest of many samples); acquire in sample mode"
    )]
    Envelope {
        /// The file.
        name: String,
    },
    /// Nothing says how fast the samples came.
    #[error("{name}: the file states no sample rate; {way_out}")]
    NoSampleRate {
        /// The file.
        name: String,
        /// What the user can do.
        way_out: &'static str,
    },
    /// No samples or changes.
    #[error("{name}: there is no sample behind the header")]
    Empty {
        /// The file.
        name: String,
    },
    /// A channel that stays on one level.
    #[error("{name}: {channel} carries no signal (it spans {span}); check the choice of channels")]
    Flat {
        /// The file.
        name: String,
        /// The channel.
        channel: String,
        /// Largest minus smallest value.
        span: Volts,
    },
    /// Levels too close together for their noise.
    #[error("{name}: {channel}: a swing of {amplitude} is too small for a noise of {noise} rms")]
    Noisy {
        /// The file.
        name: String,
        /// The channel.
        channel: String,
        /// Distance of the levels.
        amplitude: Volts,
        /// Root mean square noise on them.
        noise: Volts,
    },
    /// A threshold that the edges do not cross cleanly.
    #[error("{name}: {channel}: the threshold {threshold} is outside the edge from {low} to {high}")]
    Threshold {
        /// The file.
        name: String,
        /// The channel.
        channel: String,
        /// As asked for.
        threshold: Volts,
        /// Low level.
        low: Volts,
        /// High level.
        high: Volts,
    },
}

fn listed(channels: &[String]) -> String {
    match channels {
        [] => "is none at all".to_owned(),
        [one] => format!("is only `{one}`"),
        many => format!("are `{}`", many.join("`, `")),
    }
}

/// The name of the file, for messages. Keeps the calls that build errors short.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named<'a>(pub &'a str);

impl Named<'_> {
    fn owned(self) -> String {
        self.0.to_owned()
    }
    pub fn not(self, kind: Kind) -> ForeignError {
        ForeignError::NotACapture { name: self.owned(), kind }
    }
    pub fn read(self, error: impl std::fmt::Display) -> ForeignError {
        ForeignError::Read { name: self.owned(), reason: error.to_string() }
    }
    pub fn header(self, problem: impl Into<String>) -> ForeignError {
        ForeignError::Header { name: self.owned(), problem: problem.into() }
    }
    pub fn row(self, offset: u64, row: u64, problem: impl Into<String>) -> ForeignError {
        ForeignError::Row { name: self.owned(), offset, row, problem: problem.into() }
    }
    pub fn gap(self, problem: impl Into<String>) -> ForeignError {
        ForeignError::Gap { name: self.owned(), problem: problem.into() }
    }
    pub fn empty(self) -> ForeignError {
        ForeignError::Empty { name: self.owned() }
    }
    pub fn no_rate(self, way_out: &'static str) -> ForeignError {
        ForeignError::NoSampleRate { name: self.owned(), way_out }
    }
}
