//! `export`: pairs and shots of a run as files of other programs.

use super::args::{ExportArgs, ExportFormat};
use super::exit::{Exit, Failure};
use crate::capture::{CaptureError, Reader};
use crate::export;
use crate::report::{self, Report};
use crate::session;
use crate::signal::Shot;
use anyhow::{Context, anyhow};
use std::fs::OpenOptions;
use std::io::{BufWriter, Write};

/// Runs the verb.
pub(super) fn run(args: &ExportArgs) -> Result<Exit, Failure> {
    let reader = Reader::open(&args.run)?;
    let report = session::analyze(&reader)?;
    let mut target = create(args)?;
    write(args, &reader, &report, &mut target)?;
    target
        .flush()
        .with_context(|| format!("cannot write {}", args.file.display()))
        .map_err(Failure::usage)?;
    Ok(Exit::Complete)
}

/// A file that must not exist yet.
fn create(args: &ExportArgs) -> Result<BufWriter<std::fs::File>, Failure> {
    let file = OpenOptions::new().write(true).create_new(true).open(&args.file).with_context(|| {
        format!("cannot create {}; an existing file is not overwritten, name another", args.file.display())
    });
    file.map(BufWriter::new).map_err(Failure::usage)
}

fn write(
    args: &ExportArgs,
    reader: &Reader,
    report: &Report,
    target: &mut impl Write,
) -> Result<(), Failure> {
    let names = report::marked_names(report);
    let rows = || report::pair_rows(report, &names);
    let shot = || one_shot(args, reader, report);
    let written = match args.format {
        ExportFormat::Csv => export::csv(rows(), target),
        ExportFormat::Parquet => export::parquet(rows(), target),
        ExportFormat::Sr => export::sigrok(&shot()?, target),
        ExportFormat::Vcd => export::vcd(&shot()?, target),
        ExportFormat::Npy => export::npy(&shot()?, target),
    };
    written.map_err(Failure::usage)
}

/// The shot asked for: by default the first of the first configuration.
fn one_shot(args: &ExportArgs, reader: &Reader, report: &Report) -> Result<Shot, Failure> {
    let first = report.rows.first().map(|row| row.name.clone());
    let name = args.configuration.clone().or(first).unwrap_or_default();
    let found = reader.shots(&name)?.find(|s| !matches!(s, Ok(stored) if stored.shot.number != args.shot));
    let stored = found.transpose().map_err(|e: CaptureError| Failure::from(e))?;
    stored.map(|s| s.shot).ok_or_else(|| {
        let known = report.rows.iter().map(|r| format!("{} (1 to {})", r.name, r.shots)).collect::<Vec<_>>();
        Failure::usage(anyhow!("there is no shot {} of `{name}`; there is {}", args.shot, known.join(", ")))
    })
}
