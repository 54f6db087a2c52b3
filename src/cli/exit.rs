//! Exit codes, and which error gets which.

use crate::bench::BenchError;
use crate::capture::CaptureError;
use crate::session::SessionError;

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: everything that was asked for.
    Complete,
    /// 1: measured, but incomplete or over a limit.
    Incomplete,
    /// 2: usage, profile or plan error; nothing was measured.
    Usage,
    /// 3: the bench failed; the evidence so far is kept.
    Bench,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> std::process::ExitCode {
        std::process::ExitCode::from(match exit {
            Exit::Complete => 0,
            Exit::Incomplete => 1,
            Exit::Usage => 2,
            Exit::Bench => 3,
        })
    }
}

/// An error with its exit code.
#[derive(Debug)]
pub(super) struct Failure {
    pub exit: Exit,
    pub error: anyhow::Error,
}

impl Failure {
    /// A usage, profile or plan error.
    pub fn usage(error: impl Into<anyhow::Error>) -> Failure {
        Failure { exit: Exit::Usage, error: error.into() }
    }
}

impl From<BenchError> for Failure {
    fn from(error: BenchError) -> Failure {
        let exit = match error {
            BenchError::Resource { .. } | BenchError::Unsupported(_) => Exit::Usage,
            _ => Exit::Bench,
        };
        Failure { exit, error: error.into() }
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Failure {
        match error {
            SessionError::Handshake(bench) => bench.into(),
            SessionError::Capture(capture) => capture.into(),
            SessionError::Profile(_) => Failure::usage(error),
            other => Failure { exit: Exit::Bench, error: other.into() },
        }
    }
}

impl From<CaptureError> for Failure {
    /// A folder that is no run is a usage error; a disk that fails is a failure of the bench.
    fn from(error: CaptureError) -> Failure {
        let exit = match error {
            CaptureError::NoRun { .. }
            | CaptureError::Newer { .. }
            | CaptureError::Sealed { .. }
            | CaptureError::Busy { .. } => Exit::Usage,
            _ => Exit::Bench,
        };
        Failure { exit, error: error.into() }
    }
}
