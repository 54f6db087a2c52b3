//! Reading a run, torn ones included.

use super::shot_line::{Board, ShotLine};
use super::{CaptureError, RunRecord, Seal, names, seal};
use crate::plan::RunPlan;
use crate::signal::Shot;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A run folder, opened for reading only.
#[derive(Debug)]
pub struct Reader {
    folder: PathBuf,
    record: RunRecord,
}

/// A shot as it lies on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredShot {
    /// The shot.
    pub shot: Shot,
    /// What the board counted, and when.
    pub board: Board,
    /// Bytes of samples.
    pub bytes: u64,
}

impl Reader {
    /// Opens a run.
    ///
    /// # Errors
    /// When it is none, or was written by a newer major version.
    pub fn open(folder: &Path) -> Result<Reader, CaptureError> {
        let path = folder.join(names::RUN);
        let text = match fs::read_to_string(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Err(CaptureError::NoRun { path: folder.to_owned() });
            }
            other => other.map_err(CaptureError::file("read", &path))?,
        };
        Ok(Reader { folder: folder.to_owned(), record: RunRecord::parse(&text, &path)? })
    }

    /// What `run.toml` says.
    #[must_use]
    pub fn record(&self) -> &RunRecord {
        &self.record
    }

    /// The plan; `None` when the run failed before there was one.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn plan(&self) -> Result<Option<RunPlan>, CaptureError> {
        let path = self.folder.join(names::PLAN);
        match fs::read_to_string(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(CaptureError::file("read", &path)(e)),
            Ok(text) => {
                let plan = serde_json::from_str(&text);
                plan.map(Some).map_err(|e| CaptureError::content(&path, Some(e.line()), e))
            }
        }
    }

    /// The profile, verbatim.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn profile_text(&self) -> Result<String, CaptureError> {
        let path = self.folder.join(names::PROFILE);
        fs::read_to_string(&path).map_err(CaptureError::file("read", &path))
    }

    /// The calibration of skew, verbatim; `None` when the run had none.
    ///
    /// # Errors
    /// When it is there but cannot be read.
    pub fn calibration_text(&self) -> Result<Option<String>, CaptureError> {
        let path = self.folder.join(names::CALIBRATION);
        match fs::read_to_string(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            other => other.map(Some).map_err(CaptureError::file("read", &path)),
        }
    }

    /// Compares the run with its seal.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn seal(&self) -> Result<Seal, CaptureError> {
        seal::check(&self.folder)
    }

    /// The events, whole lines only.
    ///
    /// # Errors
    /// When the file is there but cannot be read.
    pub fn events(&self) -> Result<Vec<serde_json::Value>, CaptureError> {
        let path = self.folder.join(names::EVENTS);
        match fs::read_to_string(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(e) => Err(CaptureError::file("read", &path)(e)),
            Ok(text) => Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()),
        }
    }

    /// The shots of a configuration, one at a time; none when it was never started.
    ///
    /// # Errors
    /// When its files are there but cannot be opened.
    pub fn shots(&self, configuration: &str) -> Result<ShotReader, CaptureError> {
        ShotReader::open(&self.folder.join(configuration))
    }

    /// One shot of a configuration by its number; of the others only the index is read. `None` when it is not there.
    ///
    /// # Errors
    /// When its files are there but cannot be read.
    pub fn shot(&self, configuration: &str, number: u32) -> Result<Option<StoredShot>, CaptureError> {
        let mut shots = self.shots(configuration)?;
        while let Some(line) = shots.next_line()? {
            if line.shot == number {
                return shots.stored(line).map(Some);
            }
        }
        Ok(None)
    }
}

/// Reads shot by shot: memory does not grow with the length of a run.
#[derive(Debug)]
pub struct ShotReader {
    files: Option<(BufReader<File>, File)>,
    index_path: PathBuf,
    samples_path: PathBuf,
    line: usize,
}

impl ShotReader {
    fn open(folder: &Path) -> Result<ShotReader, CaptureError> {
        let (index_path, samples_path) = (folder.join(names::SHOTS), folder.join(names::SAMPLES));
        let files = match File::open(&index_path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
            other => {
                let index = other.map_err(CaptureError::file("open", &index_path))?;
                let samples = File::open(&samples_path).map_err(CaptureError::file("open", &samples_path))?;
                Some((BufReader::new(index), samples))
            }
        };
        Ok(ShotReader { files, index_path, samples_path, line: 0 })
    }

    /// The next whole line of the index; `None` at the end, or at the half line of a run that was cut off.
    fn next_line(&mut self) -> Result<Option<ShotLine>, CaptureError> {
        let Some((index, _)) = &mut self.files else { return Ok(None) };
        let mut text = String::new();
        index.read_line(&mut text).map_err(CaptureError::file("read", &self.index_path))?;
        self.line += 1;
        if !text.ends_with('\n') {
            self.files = None;
            return Ok(None);
        }
        serde_json::from_str(&text)
            .map(Some)
            .map_err(|e| CaptureError::content(&self.index_path, Some(self.line), e))
    }

    /// The shot that a line of the index names.
    fn stored(&mut self, line: ShotLine) -> Result<StoredShot, CaptureError> {
        let Some((_, samples)) = &mut self.files else {
            return Err(CaptureError::content(&self.samples_path, None, "the samples are closed"));
        };
        let bytes = read_span(samples, &line, &self.samples_path)?;
        let (board, length) = (line.board, line.length);
        let shot = line.assemble(&bytes, &self.samples_path)?;
        Ok(StoredShot { shot, board, bytes: length })
    }

    fn read_next(&mut self) -> Result<Option<StoredShot>, CaptureError> {
        self.next_line()?.map(|line| self.stored(line)).transpose()
    }
}

/// The bytes of a shot. The length is checked against the file before anything is allocated.
fn read_span(samples: &mut File, line: &ShotLine, path: &Path) -> Result<Vec<u8>, CaptureError> {
    let size = samples.metadata().map_err(CaptureError::file("read", path))?.len();
    let end = line.offset.checked_add(line.length).filter(|end| *end <= size);
    let length = end.and_then(|_| usize::try_from(line.length).ok());
    let length = length.ok_or_else(|| {
        CaptureError::content(path, None, format!("shot {} lies beyond its {size} bytes", line.shot))
    })?;
    samples.seek(SeekFrom::Start(line.offset)).map_err(CaptureError::file("read", path))?;
    let mut bytes = vec![0; length];
    samples.read_exact(&mut bytes).map_err(CaptureError::file("read", path))?;
    Ok(bytes)
}

impl Iterator for ShotReader {
    type Item = Result<StoredShot, CaptureError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.read_next().transpose();
        if matches!(next, Some(Err(_))) {
            self.files = None;
        }
        next
    }
}
