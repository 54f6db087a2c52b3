//! The run folder: evidence on disk, written so that a torn run stays readable, and read back.
//!
//! ```text
//! run.toml       format version, tool, bench, scope and board, start, end, outcome      profile.toml  verbatim
//! calibration.toml  verbatim, where there is one
//! plan.json      resolved plan      events.jsonl  append-only      dialogue.log  every exchange
//! CONFIGURATION/samples.bin   the scope's bytes, concatenated, untouched
//! CONFIGURATION/shots.jsonl   a line a shot: offset, length, preambles verbatim, statuses, crc
//! SHA256SUMS     written last: its presence means complete
//! ```
//!
//! Bytes are on disk before the line that names them, so a run torn anywhere reads up to its last whole shot.
//! It refuses to overwrite a run, to change a sealed one, and to read a newer major format version.

mod error;
mod reader;
mod record;
mod resume;
mod seal;
mod shot_line;
mod writer;

pub use error::CaptureError;
pub use reader::{Reader, ShotReader, StoredShot};
pub use record::{FORMAT_MAJOR, FORMAT_MINOR, Links, Outcome, RunRecord};
pub use seal::Seal;
pub use shot_line::Board;
pub use writer::Writer;

/// Names inside the run folder.
mod names {
    pub const RUN: &str = "run.toml";
    pub const PROFILE: &str = "profile.toml";
    pub const CALIBRATION: &str = "calibration.toml";
    pub const PLAN: &str = "plan.json";
    pub const EVENTS: &str = "events.jsonl";
    pub const DIALOGUE: &str = "dialogue.log";
    pub const SAMPLES: &str = "samples.bin";
    pub const SHOTS: &str = "shots.jsonl";
    pub const SUMS: &str = "SHA256SUMS";
    /// Locked while a process writes; not evidence.
    pub const LOCK: &str = "run.lock";
}
