//! What can go wrong with evidence on disk.

use std::path::{Path, PathBuf};

/// A failure of the run folder. Each message names the file and the way out.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The system refused a file operation.
    #[error("cannot {doing} {path}: {source}")]
    File {
        /// What was attempted.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The folder is no run.
    #[error(
        "{path} is no run folder: it has no run.toml; name a folder such as captures/2026-01-31T14-05-09Z-virtual"
    )]
    NoRun {
        /// The folder.
        path: PathBuf,
    },
    /// Written by a newer program.
    #[error("{path} has format {found}, this program reads {major}.x: use a newer latency-cli")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: String,
        /// What can be read.
        major: u32,
    },
    /// A whole run is never changed.
    #[error("{path} is sealed: it went its whole way and is never changed; start a new run")]
    Sealed {
        /// The run.
        path: PathBuf,
    },
    /// Another process writes the run.
    #[error(
        "{path} is being written by another process; wait for it to end, or measure into a run of its own"
    )]
    Busy {
        /// The run.
        path: PathBuf,
    },
    /// A file does not say what it should.
    #[error("{path}{at} cannot be read: {why}")]
    Content {
        /// The file.
        path: PathBuf,
        /// `:line`, or empty.
        at: String,
        /// What is wrong.
        why: String,
    },
    /// The samples of a shot are not those that were written.
    #[error(
        "{path}: the samples of shot {shot} have crc {found:08x} instead of {stated:08x}: the evidence was changed or damaged"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The shot.
        shot: u32,
        /// As computed.
        found: u32,
        /// As recorded.
        stated: u32,
    },
}

impl CaptureError {
    /// Turns an I/O error into a capture error that names the file.
    pub(crate) fn file(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> CaptureError {
        let path = path.to_owned();
        move |source| CaptureError::File { doing, path, source }
    }

    /// Something in a file that cannot be.
    pub(crate) fn content(path: &Path, line: Option<usize>, why: impl ToString) -> CaptureError {
        let at = line.map(|n| format!(", line {n},")).unwrap_or_default();
        CaptureError::Content { path: path.to_owned(), at, why: why.to_string() }
    }
}
