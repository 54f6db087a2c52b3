//! A table that reads in a README as it stands.

use super::{Report, phrase, table};
use std::fmt::Write as _;

/// The report as markdown.
#[must_use]
pub fn markdown(report: &Report) -> String {
    let mut text = String::new();
    if let Some(banner) = report.banner() {
        let _ = writeln!(text, "> **{banner}**\n");
    }
    let _ = writeln!(text, "| Configuration | Typical | Worst (n) | p99 | Jitter | Missed | ± (k=2) |");
    let _ = writeln!(text, "|---|---:|---:|---:|---:|---:|---:|");
    for row in &report.rows {
        let cells = [
            row.name.replace('|', "\\|"),
            phrase::typical(row),
            phrase::worst(row),
            phrase::p99(row),
            phrase::jitter(row),
            phrase::missed(row),
            phrase::uncertainty(row),
        ];
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    published(report, &mut text);
    let _ = writeln!(text, "\n{}", table::notes(report).lines().map(note).collect::<Vec<_>>().join("\n"));
    text
}

/// Rows under a header, for the tables beside the main one.
pub(super) fn grid(header: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = format!("| {} |\n|{}\n", header.join(" | "), "---|".repeat(header.len()));
    for row in rows {
        text += &line(&row.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>());
    }
    text
}

/// A note as a list item; indented ones become items of their own.
fn note(line: &str) -> String {
    match line.strip_prefix("  ") {
        Some(inner) => format!("  - {inner}"),
        None => format!("- {line}"),
    }
}

fn published(report: &Report, text: &mut String) {
    if report.rows.iter().all(|r| r.reference.is_none()) {
        return;
    }
    let _ = writeln!(text, "\n| Configuration | Typical / published | Worst / published |\n|---|---:|---:|");
    for row in &report.rows {
        let Some(reference) = &row.reference else { continue };
        let summary = row.summary.as_ref();
        let typical = phrase::against(summary.map(|s| s.typical), reference.typical);
        let worst = phrase::against(summary.map(|s| s.worst), reference.worst);
        let _ = writeln!(text, "| {} | {typical} | {worst} |", row.name.replace('|', "\\|"));
    }
}
