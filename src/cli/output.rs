//! Results go to stdout. A reader that has gone (`| head`) is no error.

use super::args::{DetailArgs, Format};
use super::exit::Failure;
use crate::report::{self, Report, Style};
use std::io::{ErrorKind, IsTerminal, Write};

/// Prints a text that is the result.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::usage(anyhow::Error::from(error).context("cannot write to stdout")))
        }
        _ => Ok(()),
    }
}

/// Prints a report in the format asked for.
pub(super) fn print_report(report: &Report, format: Format) -> Result<(), Failure> {
    print(&match format {
        Format::Table => report::table(report, width()),
        Format::Markdown => report::markdown(report),
        Format::Csv => report::csv(report),
        Format::Json => report::json(report),
    })
}

/// Prints a report and what was asked for beside it.
pub(super) fn print_detailed(report: &mut Report, format: Format, detail: DetailArgs) -> Result<(), Failure> {
    if detail.tail {
        report.look_at_tails();
    }
    print_report(report, format)?;
    match format {
        Format::Table if detail.explain => print(&report::explain(report, Style::Terminal(width()))),
        Format::Markdown if detail.explain => print(&report::explain(report, Style::Markdown)),
        _ => Ok(()),
    }
}

/// The terminal's width; none when stdout is a file or a pipe, whose text must not depend on a window.
pub(super) fn width() -> Option<u16> {
    let stdout = std::io::stdout();
    stdout.is_terminal().then(|| terminal_size::terminal_size_of(stdout)).flatten().map(|(width, _)| width.0)
}
