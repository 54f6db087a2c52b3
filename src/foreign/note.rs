//! What a reader should know about an accepted file: findings as values, worded in one place.

use crate::units::{Picos, Volts};
use std::fmt;

/// A finding that is no error, but belongs beside the numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Note {
    /// Only every n-th sample is there.
    Thinned {
        /// Interval at which the instrument sampled.
        sampled: Picos,
        /// Interval of the points in the file, which is the true resolution.
        kept: Picos,
    },
    /// There are more points than samples: the values change every n-th point only.
    Held {
        /// Interval of the points.
        points: Picos,
        /// Interval of the changes, which is the true resolution.
        changes: Picos,
    },
    /// The points are closer than the instrument says it sampled.
    Filled {
        /// Interval of the points.
        points: Picos,
        /// Interval at which the instrument sampled, which is the true resolution.
        sampled: Picos,
    },
    /// Times are written with more digits than the sampling has.
    CoarseTicks {
        /// Unit of the written times.
        tick: Picos,
        /// Largest common step of all times, which is taken as the resolution.
        step: Picos,
    },
    /// The file does not say how the instrument sampled; the points are taken as samples.
    UnstatedSampling,
    /// The file has another number of points than its header says.
    PointCount {
        /// By the header.
        stated: u64,
        /// In the file.
        found: u64,
    },
    /// The last row or sample was cut short and left out.
    Truncated,
    /// The response channel never leaves one level: every stimulus is unanswered.
    SilentResponse {
        /// The channel.
        channel: String,
        /// Largest minus smallest value.
        span: Volts,
    },
    /// One channel swings less than a tenth of the other: it may be crosstalk.
    SmallSwing {
        /// The channel.
        channel: String,
        /// Its swing.
        swing: Volts,
        /// The swing of the other.
        other: Volts,
    },
    /// Values between the changes are held, so that edges are known to a step, without interpolation.
    Stepwise {
        /// The channel.
        channel: String,
    },
}

impl Note {
    /// Stable name for machines.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Note::Thinned { .. } => "thinned",
            Note::Held { .. } => "held",
            Note::Filled { .. } => "filled",
            Note::CoarseTicks { .. } => "coarse-ticks",
            Note::UnstatedSampling => "unstated-sampling",
            Note::PointCount { .. } => "point-count",
            Note::Truncated => "truncated",
            Note::SilentResponse { .. } => "silent-response",
            Note::SmallSwing { .. } => "small-swing",
            Note::Stepwise { .. } => "stepwise",
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Thinned { sampled, kept } => {
                write!(
                    f,
                    "sampled every {sampled}, but only every {kept} is in the file: that is the resolution"
                )
            }
            Note::Held { points, changes } => {
                write!(
                    f,
                    "points every {points}, but values change every {changes} only: that is the resolution"
                )
            }
            Note::Filled { points, sampled } => {
                write!(f, "points every {points}, but sampled every {sampled}: that is the resolution")
            }
            Note::CoarseTicks { tick, step } => {
                write!(
                    f,
                    "times are written in steps of {tick}, but all fall on steps of {step}: that is the resolution"
                )
            }
            Note::UnstatedSampling => f.write_str(
                "the file does not say how it was sampled; a thinned-out export would look the same",
            ),
            Note::PointCount { stated, found } => {
                write!(f, "the header says {stated} points, there are {found}")
            }
            Note::Truncated => f.write_str("the file ends in the middle of a row, which was left out"),
            Note::SilentResponse { channel, span } => {
                write!(
                    f,
                    "{channel} carries no signal (it spans {span}): every stimulus counts as unanswered"
                )
            }
            Note::SmallSwing { channel, swing, other } => {
                write!(f, "{channel} swings {swing} where the other channel swings {other}: is it crosstalk?")
            }
            Note::Stepwise { channel } => {
                write!(
                    f,
                    "{channel} is written as changes: edges are taken at the change, without interpolation"
                )
            }
        }
    }
}
