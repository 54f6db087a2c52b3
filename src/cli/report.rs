//! `report`: the run as a page and pictures, from its evidence alone.

use super::args::ReportArgs;
use super::exit::{Exit, Failure};
use super::output;
use crate::capture::Reader;
use crate::report::{self, pictures};
use crate::session;
use anyhow::Context;
use std::fs;
use std::path::Path;

/// Runs the verb.
pub(super) fn run(args: &ReportArgs) -> Result<Exit, Failure> {
    let reader = Reader::open(&args.run)?;
    let analyzed = session::analyze(&reader)?;
    let worst = session::worst_waveforms(&reader, &analyzed)?;
    let pictures = pictures::all(&analyzed, &worst).map_err(Failure::usage)?;
    let folder = args.out.clone().unwrap_or_else(|| args.run.join("report"));
    write(&folder, "index.html", report::page(&analyzed, &pictures).as_bytes())?;
    for picture in &pictures {
        write(&folder, &format!("{}.svg", picture.name), picture.svg.as_bytes())?;
        if let Some(png) = &picture.png {
            write(&folder, &format!("{}.png", picture.name), png)?;
        }
    }
    output::print(&format!("{}\n", folder.join("index.html").display()))?;
    Ok(Exit::Complete)
}

/// The pictures are derived: they may be written again at any time.
fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Failure> {
    let path = folder.join(name);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, bytes));
    written.with_context(|| format!("cannot write {}", path.display())).map_err(Failure::usage)
}
