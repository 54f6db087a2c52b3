//! What makes a record unusable for timing. One enum for the room.

use super::shot::PreambleError;

/// Why no edges could be taken from a channel. Each text names the channel, what was found and the way out.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SignalError {
    /// The samples were made for the screen: interpolated or thinned out by the instrument (Q45).
    #[error(
        "{channel}: the record holds screen points, not memory; read it again with the source stopped and mode RAW"
    )]
    ScreenData {
        /// The instrument's name of the channel.
        channel: String,
    },
    /// The preamble cannot be read.
    #[error("{channel}: {source}")]
    Preamble {
        /// The instrument's name of the channel.
        channel: String,
        /// What is wrong with it.
        source: PreambleError,
    },
    /// No samples at all.
    #[error("{channel}: the record holds no samples; the channel may have been switched off")]
    Empty {
        /// The instrument's name of the channel.
        channel: String,
    },
    /// The channel never leaves one level.
    #[error(
        "{channel}: no signal, the codes span {amplitude:.1} where {needed:.1} are needed; check probe, pin and volts \
         per division"
    )]
    Flat {
        /// The instrument's name of the channel.
        channel: String,
        /// Distance of the two strongest levels, in codes.
        amplitude: f64,
        /// The smallest distance that counts as a signal, in codes.
        needed: f64,
    },
    /// Levels too close together for the noise on them.
    #[error(
        "{channel}: an amplitude of {amplitude:.1} codes is too small for a noise of {noise:.1} codes rms; use fewer \
         volts per division or a better ground lead"
    )]
    Noisy {
        /// The instrument's name of the channel.
        channel: String,
        /// Distance of the two levels, in codes.
        amplitude: f64,
        /// Noise on the levels, in codes rms.
        noise: f64,
    },
    /// A level lies outside the converter's range, so that the middle of the edge is unknown.
    #[error(
        "{channel}: the {level} level is clipped, the middle of the edge is unknown; change offset or volts per \
         division, or give a threshold in volts"
    )]
    Clipped {
        /// The instrument's name of the channel.
        channel: String,
        /// `low` or `high`.
        level: &'static str,
    },
    /// The threshold asked for is never crossed cleanly.
    #[error(
        "{channel}: the threshold {threshold} is code {code:.1}, outside the edge from {low:.1} to {high:.1}; choose \
         one nearer to the middle or leave it out"
    )]
    Threshold {
        /// The instrument's name of the channel.
        channel: String,
        /// As asked for.
        threshold: crate::units::Volts,
        /// The same as a code.
        code: f64,
        /// Low level in codes.
        low: f64,
        /// High level in codes.
        high: f64,
    },
    /// A segment that the record cannot contain, or segments that overlap or go backwards.
    #[error("{channel}: the segment at point {first} with {length} codes does not fit into {room}")]
    Segment {
        /// The instrument's name of the channel.
        channel: String,
        /// Index of its first point.
        first: u32,
        /// Number of its codes.
        length: usize,
        /// What it should have fitted into.
        room: String,
    },
}
