//! The table on a terminal.

use super::{Report, Row, phrase};
use comfy_table::{CellAlignment, ContentArrangement, Table};
use std::fmt::Write as _;

/// Draws the report as a table with its notes beneath. `width` is the terminal's, if there is one.
#[must_use]
pub fn table(report: &Report, width: Option<u16>) -> String {
    let mut table = empty(width);
    let published = report.rows.iter().any(|r| r.reference.is_some());
    table.set_header(header(published));
    for row in &report.rows {
        table.add_row(cells(row, published));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut text = String::new();
    if let Some(banner) = report.banner() {
        let _ = writeln!(text, "{banner}");
    }
    let _ = writeln!(text, "{table}");
    text + &notes(report)
}

/// Rows under a header, for the tables beside the main one.
pub(super) fn grid(header: &[&str], rows: &[Vec<String>], width: Option<u16>) -> Table {
    let mut table = empty(width);
    table.set_header(header.to_vec());
    for row in rows {
        table.add_row(row.clone());
    }
    table
}

fn empty(width: Option<u16>) -> Table {
    let mut table = Table::new();
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(width.unwrap_or(200).max(60));
    table.load_style(comfy_table::presets::UTF8_FULL_CONDENSED);
    table
}

pub(super) fn header(published: bool) -> Vec<&'static str> {
    let mut names = vec!["Configuration", "Typical", "Worst (n)", "p99", "Jitter", "Missed", "± (k=2)"];
    if published {
        names.extend(["Typical / published", "Worst / published"]);
    }
    names
}

pub(super) fn cells(row: &Row, published: bool) -> Vec<String> {
    let mut cells = vec![
        row.name.clone(),
        phrase::typical(row),
        phrase::worst(row),
        phrase::p99(row),
        phrase::jitter(row),
        phrase::missed(row),
        phrase::uncertainty(row),
    ];
    if published {
        let (summary, reference) = (row.summary.as_ref(), row.reference.as_ref());
        cells.push(phrase::against(summary.map(|s| s.typical), reference.and_then(|r| r.typical)));
        cells.push(phrase::against(summary.map(|s| s.worst), reference.and_then(|r| r.worst)));
    }
    cells
}

/// What the figures mean, who measured, and what to beware of.
pub(super) fn notes(report: &Report) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "Typical = median. Worst = largest of the n pairs measured, not a bound: with 95 % confidence at most this share of events exceeds it:"
    );
    for row in &report.rows {
        if let Some(share) = phrase::exceedance(row) {
            let _ = writeln!(text, "  {}: {share}{}", row.name, phrase::quantiles(row));
        }
    }
    for line in report.rows.iter().flat_map(phrase::apart) {
        let _ = writeln!(text, "{line}");
    }
    if let Some(calibration) = &report.calibration {
        let _ = writeln!(text, "{}", phrase::calibration(calibration));
    }
    let sources: std::collections::BTreeSet<&str> =
        report.rows.iter().filter_map(|r| r.reference.as_ref()).map(|r| r.source.as_str()).collect();
    for source in sources {
        let _ = writeln!(text, "Published figures: {source}");
    }
    let _ = writeln!(text, "{}", provenance(report));
    for warning in &report.warnings {
        let place = warning.configuration.as_deref().map(|c| format!("{c}: ")).unwrap_or_default();
        let _ = writeln!(text, "warning: {place}{} [{}]", warning.message, warning.code);
    }
    text
}

/// Run, scope and board in one line.
pub(super) fn provenance(report: &Report) -> String {
    let scope = report.scope.as_ref();
    let scope =
        scope.map_or("no scope".to_owned(), |s| format!("{} {} fw {}", s.model, s.serial, s.firmware));
    let dut = report.dut.as_ref();
    let dut = dut.map_or("no board link".to_owned(), |d| {
        format!("{} {} {} ({})", d.board, d.runtime, d.version, d.build)
    });
    format!("Run {} | scope {scope} | board {dut}", report.run)
}
