//! The file of edges: CSV, one row an edge, written as far as virtual time has come.

use super::ServeError;
use crate::{Edge, Emulator};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A row without its line feed.
pub(super) fn row(edge: &Edge) -> String {
    format!("{},{},{},{}", edge.at.0, edge.at.picos(), edge.pin, u8::from(edge.high))
}

/// The file, if one is wanted, and how far it has come.
#[derive(Debug)]
pub(super) struct EdgeLog {
    file: Option<(PathBuf, BufWriter<File>)>,
    written: usize,
}

impl EdgeLog {
    /// Creates the file with its header line.
    pub(super) fn create(path: Option<&Path>) -> Result<EdgeLog, ServeError> {
        let Some(path) = path else { return Ok(EdgeLog { file: None, written: 0 }) };
        let created = File::create(path).and_then(|file| {
            let mut out = BufWriter::new(file);
            writeln!(out, "cycle,ps,pin,level").map(|()| out)
        });
        let out = created.map_err(|error| ServeError::Edges { path: path.to_owned(), error })?;
        Ok(EdgeLog { file: Some((path.to_owned(), out)), written: 0 })
    }

    /// The mark up to which no reader needs the edges any more.
    pub(super) fn written(&self) -> usize {
        self.written
    }

    /// Adds what is new and hands it to the system.
    pub(super) fn append(&mut self, emulator: &Emulator) -> Result<(), ServeError> {
        let edges = emulator.edges_since(self.written);
        self.written = emulator.edge_mark();
        let Some((path, out)) = self.file.as_mut() else { return Ok(()) };
        write(out, &edges).map_err(|error| ServeError::Edges { path: path.clone(), error })
    }
}

fn write(out: &mut BufWriter<File>, edges: &[Edge]) -> io::Result<()> {
    for edge in edges {
        writeln!(out, "{}", row(edge))?;
    }
    out.flush()
}
