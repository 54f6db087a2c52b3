//! What the statistics refuse, and why. One enum for the room.

/// Why a figure is not given.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StatsError {
    /// A sample is too small for what was asked.
    #[error("{what} needs {needed} latencies, there are {n}; measure more pairs")]
    TooFew {
        /// What was asked for.
        what: &'static str,
        /// What there is.
        n: u64,
        /// What it takes.
        needed: u64,
    },
    /// A rule of stopping that cannot be read.
    #[error(
        "`{0}` is no rule of stopping; write a quantile and a confidence in per cent, such as \"p99.9@95\" (2995 pairs)"
    )]
    Stop(String),
    /// A rule of stopping that would bend the result.
    #[error(
        "`{0}` would stop a run because of what it has seen so far, which makes the largest value too small; ask for a \
         quantile instead, such as \"p99.9@95\""
    )]
    Peeking(String),
    /// A limit that cannot be read.
    #[error(
        "`{text}` is no limit: {reason}; write it as \"worst <= 3 us\", \"p99 <= 2.5 us\" or \"missed <= 0\""
    )]
    Limit {
        /// As it was written.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Edges that are not what a calibration needs.
    #[error("no calibration: {0}")]
    Calibration(String),
    /// The tail cannot be described by the law of extremes.
    #[error("no tail estimate: {0}")]
    Tail(String),
}
