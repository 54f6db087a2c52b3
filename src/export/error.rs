//! Why nothing, or only a part, was written. One enum for the room.

use crate::signal::SignalError;

/// What stopped an export.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ExportError {
    /// The target took no more bytes.
    #[error("writing {format} stopped: {reason}")]
    Write {
        /// What was being written.
        format: &'static str,
        /// What the target said.
        reason: String,
    },
    /// A channel whose samples mean nothing.
    #[error("the shot cannot be exported: {0}")]
    Signal(#[from] SignalError),
    /// The two channels are not of one record.
    #[error("shot {shot}: the two channels differ in their times, so they cannot share a file")]
    Unaligned {
        /// Number of the shot.
        shot: u32,
    },
    /// The format has no place for a gap.
    #[error(
        "shot {shot} was read in {windows} windows and {format} cannot show the gaps; export it as npy or vcd"
    )]
    Windowed {
        /// Number of the shot.
        shot: u32,
        /// Number of windows.
        windows: usize,
        /// What was to be written.
        format: &'static str,
    },
}

/// Turns what a target says into an error of a format.
pub(super) fn writing<E: std::fmt::Display>(format: &'static str) -> impl Fn(E) -> ExportError + Copy {
    move |error| ExportError::Write { format, reason: error.to_string() }
}
