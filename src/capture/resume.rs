//! Taking up a run that was torn, failed or interrupted.
//!
//! A run that was killed may end in half a line, or in samples that no line names: both are cut off, back to the last
//! whole shot, so that the next one is appended where a reader expects it. It refuses a sealed run, one that another
//! process holds, and one that is damaged in its middle: what lies behind a bad line is measured, and is not thrown away.

use super::shot_line::ShotLine;
use super::{CaptureError, names};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Holds a run for one process. The system releases it when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
    path: PathBuf,
}

impl Lock {
    /// Takes the run, or says that somebody else has it.
    pub(super) fn take(folder: &Path) -> Result<Lock, CaptureError> {
        let path = folder.join(names::LOCK);
        let opened = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = opened.map_err(CaptureError::file("open", &path))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { _file: file, path }),
            Err(TryLockError::WouldBlock) => Err(CaptureError::Busy { path: folder.to_owned() }),
            Err(TryLockError::Error(source)) => Err(CaptureError::file("lock", &path)(source)),
        }
    }

    /// Gives the run back and leaves nothing behind. A file that cannot be removed harms nobody: it is not evidence.
    pub(super) fn release(self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Brings every file of a run back to its last whole entry.
pub(super) fn mend(folder: &Path) -> Result<(), CaptureError> {
    if folder.join(names::SUMS).exists() {
        return Err(CaptureError::Sealed { path: folder.to_owned() });
    }
    let entries = fs::read_dir(folder).map_err(CaptureError::file("list", folder))?;
    for entry in entries {
        let path = entry.map_err(CaptureError::file("list", folder))?.path();
        if path.is_dir() && path.join(names::SHOTS).exists() {
            mend_configuration(&path)?;
        } else if path.extension().is_some_and(|e| e == "part") {
            // Half of a file that was about to replace another one.
            fs::remove_file(&path).map_err(CaptureError::file("remove", &path))?;
        }
    }
    end_line(&folder.join(names::EVENTS))?;
    end_line(&folder.join(names::DIALOGUE))
}

/// Cuts index and samples behind the last shot that is whole.
fn mend_configuration(folder: &Path) -> Result<(), CaptureError> {
    let (index, samples) = (folder.join(names::SHOTS), folder.join(names::SAMPLES));
    let text = fs::read(&index).map_err(CaptureError::file("read", &index))?;
    let size = match fs::metadata(&samples) {
        Ok(metadata) => metadata.len(),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => 0,
        Err(e) => return Err(CaptureError::file("read", &samples)(e)),
    };
    let (mut whole, mut end, mut bad) = (0, 0, None);
    for (line, number) in text.split_inclusive(|b| *b == b'\n').zip(1..) {
        match span(line).filter(|end| *end <= size) {
            Some(_) if bad.is_some() => {
                let why = "this line is damaged, but whole shots lie behind it; restore the file, or start a new run";
                return Err(CaptureError::content(&index, bad, why));
            }
            Some(to) => (whole, end) = (whole + line.len() as u64, to),
            None => bad = bad.or(Some(number)),
        }
    }
    cut(&index, whole)?;
    if size > end { cut(&samples, end) } else { Ok(()) }
}

/// Where the samples of a whole line end; none for half a line.
fn span(line: &[u8]) -> Option<u64> {
    let line: ShotLine = serde_json::from_slice(line.strip_suffix(b"\n")?).ok()?;
    line.offset.checked_add(line.length)
}

fn cut(path: &Path, length: u64) -> Result<(), CaptureError> {
    let file = OpenOptions::new().write(true).open(path).map_err(CaptureError::file("open", path))?;
    file.set_len(length).and_then(|()| file.sync_data()).map_err(CaptureError::file("shorten", path))
}

/// Ends a half line, so that the next one stands alone. What is there stays: readers pass over what they cannot read.
fn end_line(path: &Path) -> Result<(), CaptureError> {
    let mut file = match OpenOptions::new().read(true).append(true).open(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        other => other.map_err(CaptureError::file("open", path))?,
    };
    let mut end = || -> std::io::Result<()> {
        if file.metadata()?.len() == 0 {
            return Ok(());
        }
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last == *b"\n" { Ok(()) } else { file.write_all(b"\n") }
    };
    end().map_err(CaptureError::file("mend", path))
}
