//! `compare A B`: do two runs differ, and by how much?

use super::args::{CompareArgs, TextFormat};
use super::exit::{Exit, Failure};
use super::output;
use crate::capture::Reader;
use crate::report::{self, Report, Style};
use crate::session;
use anyhow::anyhow;
use std::path::Path;

/// Runs the verb.
pub(super) fn run(args: &CompareArgs) -> Result<Exit, Failure> {
    let (a, b) = (read(&args.a)?, read(&args.b)?);
    let compared = report::compare_runs(&a, &b, args.relevance).map_err(Failure::usage)?;
    if compared.rows.is_empty() {
        let names = |r: &Report| r.rows.iter().map(|r| r.name.clone()).collect::<Vec<_>>().join(", ");
        return Err(Failure::usage(anyhow!(
            "the runs have no configuration in common: {} in A, {} in B; two runs of a single configuration each are \
             compared whatever its name",
            names(&a),
            names(&b)
        )));
    }
    output::print(&match args.format {
        TextFormat::Json => report::comparison_json(&compared),
        other => report::comparison_text(&compared, style(other)),
    })?;
    Ok(Exit::Complete)
}

/// Findings of a run that matter to whoever holds it against another.
const DOUBTS: [&str; 5] = ["evidence-changed", "unsealed", "failed", "incomplete", "not-stationary"];

/// The report of a run; what is doubtful about it goes to stderr.
pub(super) fn read(folder: &Path) -> Result<Report, Failure> {
    let report = session::analyze(&Reader::open(folder)?)?;
    for doubt in report.warnings.iter().filter(|w| DOUBTS.contains(&w.code)) {
        let place = doubt.configuration.as_deref().map(|c| format!("{c}: ")).unwrap_or_default();
        eprintln!("warning: {}: {place}{} [{}]", report.run, doubt.message, doubt.code);
    }
    Ok(report)
}

pub(super) fn style(format: TextFormat) -> Style {
    match format {
        TextFormat::Markdown => Style::Markdown,
        _ => Style::Terminal(output::width()),
    }
}
