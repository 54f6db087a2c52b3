//! `SHA256SUMS`: written last, in the format of `sha256sum`, so that anybody can check a run without this program.

use super::{CaptureError, names};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Whether a run is sealed, and whether it is still what was sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seal {
    /// No seal: the run was torn, or still runs.
    Open,
    /// Sealed, and every file is as it was.
    Intact,
    /// Sealed, but these files changed, vanished or appeared since.
    Broken(Vec<String>),
}

/// Folder that holds derived files and is not part of the evidence.
const DERIVED: &str = "report";

/// Hashes every file of the run and writes the sums.
pub(super) fn write(folder: &Path) -> Result<(), CaptureError> {
    let mut text = String::new();
    for name in evidence(folder)? {
        let _ = writeln!(text, "{}  {name}", digest(&folder.join(&name))?);
    }
    let path = folder.join(names::SUMS);
    let part = folder.join("SHA256SUMS.part");
    fs::write(&part, text).map_err(CaptureError::file("write", &part))?;
    fs::rename(&part, &path).map_err(CaptureError::file("write", &path))
}

/// Compares the run with its sums.
pub(super) fn check(folder: &Path) -> Result<Seal, CaptureError> {
    let path = folder.join(names::SUMS);
    let text = match fs::read_to_string(&path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Seal::Open),
        other => other.map_err(CaptureError::file("read", &path))?,
    };
    let stated: Vec<(&str, &str)> = text.lines().filter_map(|l| l.split_once("  ")).collect();
    let mut changed = Vec::new();
    for (sum, name) in &stated {
        if digest(&folder.join(name)).ok().as_deref() != Some(*sum) {
            changed.push((*name).to_owned());
        }
    }
    let known = |name: &String| stated.iter().any(|(_, n)| n == name);
    changed.extend(evidence(folder)?.into_iter().filter(|n| !known(n)));
    Ok(if changed.is_empty() { Seal::Intact } else { Seal::Broken(changed) })
}

/// Every file of the run but the sums and what is derived, sorted, with `/` between folders.
fn evidence(folder: &Path) -> Result<Vec<String>, CaptureError> {
    let mut found = Vec::new();
    for entry in entries(folder)? {
        if entry.is_dir() && entry.file_name().is_some_and(|n| n != DERIVED) {
            found.extend(entries(&entry)?.iter().filter_map(|file| relative(folder, file)));
        } else if entry.is_file() {
            found.extend(relative(folder, &entry));
        }
    }
    found.retain(|name| !name.starts_with(names::SUMS) && name != names::LOCK);
    found.sort();
    Ok(found)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, CaptureError> {
    let list = fs::read_dir(folder).map_err(CaptureError::file("list", folder))?;
    list.map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()
        .map_err(CaptureError::file("list", folder))
}

fn relative(folder: &Path, file: &Path) -> Option<String> {
    let parts = file.strip_prefix(folder).ok()?.components();
    Some(parts.map(|c| c.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>().join("/"))
}

fn digest(path: &Path) -> Result<String, CaptureError> {
    let mut file = File::open(path).map_err(CaptureError::file("read", path))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).map_err(CaptureError::file("read", path))? {
            0 => break,
            n => hasher.update(buffer.get(..n).unwrap_or_default()),
        }
    }
    Ok(hasher.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}
