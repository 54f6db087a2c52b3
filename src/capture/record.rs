//! `run.toml`: what a run was.

use super::CaptureError;
use crate::plan::{Hello, Identity};
use crate::profile::BenchKind;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Readers refuse another major version.
pub const FORMAT_MAJOR: u32 = 1;
/// Readers ignore a higher minor version's extra keys.
pub const FORMAT_MINOR: u32 = 0;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Not ended: still running, or killed.
    Open,
    /// Everything the plan asked for.
    Complete,
    /// Less than the plan asked for.
    Incomplete,
    /// Stopped by the user.
    Interrupted,
    /// The bench failed.
    Failed,
}

/// The content of `run.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// `major.minor`.
    pub format: String,
    /// Name of the run's folder.
    pub name: String,
    /// Program and version that wrote it.
    pub tool: String,
    /// Virtual or hardware.
    pub bench: BenchKind,
    /// Name of the profile.
    pub profile: String,
    /// Start, RFC 3339 in UTC.
    pub started: String,
    /// End; absent in a run that was killed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished: Option<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it failed, when it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// When the run was taken up again, each time, RFC 3339 in UTC.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub resumed: Vec<String>,
    /// The scope; absent when it was never reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Identity>,
    /// The board; absent without a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dut: Option<Hello>,
    /// The behaviour rows in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behaviour: Option<toml::Value>,
    /// Where the bench was found, command line included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Links>,
}

/// The way to the instruments of a run, so that it can be taken up again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Links {
    /// Scope resource.
    pub scope: String,
    /// DUT link.
    pub dut: String,
    /// Seed of the virtual bench; absent on hardware.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
}

impl RunRecord {
    /// The record of a run that starts now.
    #[must_use]
    pub fn start(bench: BenchKind, profile: &str, started: String) -> RunRecord {
        RunRecord {
            format: format!("{FORMAT_MAJOR}.{FORMAT_MINOR}"),
            name: String::new(),
            tool: concat!("latency-cli ", env!("CARGO_PKG_VERSION")).to_owned(),
            bench,
            profile: profile.to_owned(),
            started,
            finished: None,
            outcome: Outcome::Open,
            failure: None,
            resumed: Vec::new(),
            scope: None,
            dut: None,
            behaviour: None,
            links: None,
        }
    }

    /// Reads `run.toml`, refusing a newer major version before anything else is looked at.
    pub(super) fn parse(text: &str, path: &Path) -> Result<RunRecord, CaptureError> {
        #[derive(Deserialize)]
        struct Version {
            format: String,
        }
        let version: Version =
            toml::from_str(text).map_err(|e| CaptureError::content(path, None, e.message()))?;
        let major = version.format.split('.').next().and_then(|m| m.parse::<u32>().ok());
        match major {
            Some(FORMAT_MAJOR) => {
                toml::from_str(text).map_err(|e| CaptureError::content(path, None, e.message()))
            }
            Some(other) if other > FORMAT_MAJOR => {
                Err(CaptureError::Newer { path: path.to_owned(), found: version.format, major: FORMAT_MAJOR })
            }
            _ => Err(CaptureError::content(path, None, format!("format `{}` is no version", version.format))),
        }
    }
}
