//! Why a run ended before its plan.

use crate::bench::BenchError;
use crate::capture::CaptureError;

/// A failure of a run. The evidence up to it is kept.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The bench failed.
    #[error("configuration `{configuration}`: {source}")]
    Bench {
        /// Where it happened.
        configuration: String,
        /// What happened.
        source: Box<BenchError>,
    },
    /// The bench failed before the first configuration.
    #[error(transparent)]
    Handshake(#[from] BenchError),
    /// The evidence could not be written or read.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The profile kept in a run cannot be read any more.
    #[error("the profile kept in the run cannot be read: {0}")]
    Profile(String),
    /// No configuration of the plan can run on this bench.
    #[error("nothing was measured: {0}")]
    Nothing(String),
}

impl SessionError {
    /// The user stopped the run.
    #[must_use]
    pub fn is_interruption(&self) -> bool {
        match self {
            SessionError::Bench { source, .. } => matches!(**source, BenchError::Interrupted),
            other => matches!(other, SessionError::Handshake(BenchError::Interrupted)),
        }
    }
}
