//! Writing a run.

use super::resume::{self, Lock};
use super::shot_line::{Board, ShotLine};
use super::{CaptureError, Outcome, Reader, RunRecord, names, seal};
use crate::plan::RunPlan;
use crate::signal::Shot;
use serde::Serialize;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A run folder that is being written. It exists before any instrument is touched, so that a failed handshake is
/// evidence too.
#[derive(Debug)]
pub struct Writer {
    folder: PathBuf,
    record: RunRecord,
    events: File,
    lock: Lock,
    open: Option<OpenConfiguration>,
}

#[derive(Debug)]
struct OpenConfiguration {
    name: String,
    samples: File,
    index: File,
    offset: u64,
    paths: (PathBuf, PathBuf),
}

impl Writer {
    /// Makes a new run folder under `parent`, named after the start time and the profile. A taken name gets a number
    /// behind it; nothing is ever overwritten.
    ///
    /// # Errors
    /// When the folder or its first files cannot be written.
    pub fn create(parent: &Path, mut record: RunRecord, profile_text: &str) -> Result<Writer, CaptureError> {
        fs::create_dir_all(parent).map_err(CaptureError::file("create", parent))?;
        let stem = format!("{}-{}", record.started.replace(':', "-"), record.profile);
        let (folder, name) = claim(parent, &stem)?;
        record.name = name;
        let lock = Lock::take(&folder)?;
        let path = folder.join(names::PROFILE);
        fs::write(&path, profile_text).map_err(CaptureError::file("write", &path))?;
        let events = append(&folder.join(names::EVENTS))?;
        let writer = Writer { folder, record, events, lock, open: None };
        writer.write_record()?;
        Ok(writer)
    }

    /// Takes up a run that has no seal, behind its last whole shot; `now` is RFC 3339 in UTC.
    ///
    /// # Errors
    /// When it is sealed, held by another process, of a newer format, damaged in its middle, or cannot be written.
    pub fn resume(folder: &Path, now: String) -> Result<Writer, CaptureError> {
        let mut record = Reader::open(folder)?.record().clone();
        let lock = Lock::take(folder)?;
        if let Err(error) = resume::mend(folder) {
            lock.release();
            return Err(error);
        }
        (record.outcome, record.finished, record.failure) = (Outcome::Open, None, None);
        record.resumed.push(now);
        let events = append(&folder.join(names::EVENTS))?;
        let writer = Writer { folder: folder.to_owned(), record, events, lock, open: None };
        writer.write_record()?;
        Ok(writer)
    }

    /// Where the run lies.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What `run.toml` says so far.
    #[must_use]
    pub fn record(&self) -> &RunRecord {
        &self.record
    }

    /// A stream into `dialogue.log`.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn dialogue(&self) -> Result<Box<dyn Write + Send>, CaptureError> {
        Ok(Box::new(append(&self.folder.join(names::DIALOGUE))?))
    }

    /// Changes `run.toml`, whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn describe(&mut self, change: impl FnOnce(&mut RunRecord)) -> Result<(), CaptureError> {
        change(&mut self.record);
        self.write_record()
    }

    /// Writes `plan.json`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn plan(&self, plan: &RunPlan) -> Result<(), CaptureError> {
        let path = self.folder.join(names::PLAN);
        let text = serde_json::to_string_pretty(plan).map_err(|e| CaptureError::content(&path, None, e))?;
        replace(&path, &(text + "\n"))
    }

    /// Keeps the calibration of skew, verbatim.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn calibration(&self, text: &str) -> Result<(), CaptureError> {
        replace(&self.folder.join(names::CALIBRATION), text)
    }

    /// Appends one event.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn event(&mut self, event: &impl Serialize) -> Result<(), CaptureError> {
        let path = self.folder.join(names::EVENTS);
        let mut line = serde_json::to_vec(event).map_err(|e| CaptureError::content(&path, None, e))?;
        line.push(b'\n');
        self.events.write_all(&line).map_err(CaptureError::file("append to", &path))
    }

    /// Appends a shot to a configuration: samples first, on disk, then the line that names them.
    ///
    /// # Errors
    /// When the disk is full or gone; what was whole before stays readable.
    pub fn append(&mut self, configuration: &str, shot: &Shot, board: Board) -> Result<(), CaptureError> {
        let open = self.configuration(configuration)?;
        let (samples_path, index_path) = &open.paths;
        let line = ShotLine::new(shot, board, open.offset);
        for segment in shot.stimulus.segments.iter().chain(&shot.response.segments) {
            open.samples.write_all(&segment.codes).map_err(CaptureError::file("append to", samples_path))?;
        }
        open.samples.sync_data().map_err(CaptureError::file("flush", samples_path))?;
        let mut text = serde_json::to_vec(&line).map_err(|e| CaptureError::content(index_path, None, e))?;
        text.push(b'\n');
        open.index.write_all(&text).map_err(CaptureError::file("append to", index_path))?;
        open.offset += line.length;
        Ok(())
    }

    /// Ends the run. One that went its whole way is sealed: sums of all files are written, last of all. One that was
    /// interrupted or failed stays open, so that it can be resumed.
    ///
    /// # Errors
    /// When the end cannot be written.
    pub fn finish(
        mut self,
        outcome: Outcome,
        finished: String,
        failure: Option<String>,
    ) -> Result<PathBuf, CaptureError> {
        self.describe(|record| {
            record.outcome = outcome;
            record.finished = Some(finished);
            record.failure = failure;
        })?;
        self.events.sync_data().map_err(CaptureError::file("flush", &self.folder.join(names::EVENTS)))?;
        if matches!(outcome, Outcome::Complete | Outcome::Incomplete) {
            seal::write(&self.folder)?;
        }
        self.lock.release();
        Ok(self.folder)
    }

    fn configuration(&mut self, name: &str) -> Result<&mut OpenConfiguration, CaptureError> {
        if self.open.as_ref().is_none_or(|open| open.name != name) {
            self.open = Some(OpenConfiguration::open(&self.folder, name)?);
        }
        self.open.as_mut().ok_or(CaptureError::NoRun { path: self.folder.clone() })
    }

    fn write_record(&self) -> Result<(), CaptureError> {
        let path = self.folder.join(names::RUN);
        let text = toml::to_string(&self.record).map_err(|e| CaptureError::content(&path, None, e))?;
        replace(&path, &text)
    }
}

impl OpenConfiguration {
    fn open(run: &Path, name: &str) -> Result<OpenConfiguration, CaptureError> {
        let folder = run.join(name);
        fs::create_dir_all(&folder).map_err(CaptureError::file("create", &folder))?;
        let paths = (folder.join(names::SAMPLES), folder.join(names::SHOTS));
        let samples = append(&paths.0)?;
        let offset = samples.metadata().map_err(CaptureError::file("read", &paths.0))?.len();
        Ok(OpenConfiguration { name: name.to_owned(), samples, index: append(&paths.1)?, offset, paths })
    }
}

/// Makes `parent/stem`, or `parent/stem-2` and so on when it is taken.
fn claim(parent: &Path, stem: &str) -> Result<(PathBuf, String), CaptureError> {
    for attempt in 1..1000 {
        let name = if attempt == 1 { stem.to_owned() } else { format!("{stem}-{attempt}") };
        let folder = parent.join(&name);
        match fs::create_dir(&folder) {
            Ok(()) => return Ok((folder, name)),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(CaptureError::file("create", &folder)(e)),
        }
    }
    let taken = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
    Err(CaptureError::file("create", &parent.join(stem))(taken))
}

fn append(path: &Path) -> Result<File, CaptureError> {
    OpenOptions::new().create(true).append(true).open(path).map_err(CaptureError::file("open", path))
}

/// Writes beside the file and renames over it: a reader sees the old or the new text, never half of one.
fn replace(path: &Path, text: &str) -> Result<(), CaptureError> {
    let part = path.with_extension("part");
    fs::write(&part, text).map_err(CaptureError::file("write", &part))?;
    fs::rename(&part, path).map_err(CaptureError::file("write", path))
}
