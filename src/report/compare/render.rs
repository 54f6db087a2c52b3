//! A comparison for people and programs.

use super::{ComparedRow, ComparisonReport};
use crate::report::json::four_digits;
use crate::report::metadata;
use crate::report::phrase;
use crate::report::scrutiny::probability;
use crate::report::style::Style;
use crate::stats::Verdict;
use serde_json::{Value, json};

/// As text: what differs about the runs, the table, and how to read it.
#[must_use]
pub fn comparison_text(report: &ComparisonReport, style: Style) -> String {
    let mut text = report.banner.map(|b| style.banner(b)).unwrap_or_default();
    let [a, b] = &report.runs;
    text += &style.line(&format!("A: {a}"));
    text += &style.line(&format!("B: {b}"));
    text += &metadata::text(&report.differences, ["A", "B"], style);
    text += "\n";
    let header = [
        "Configuration",
        "Typical A",
        "Typical B",
        "Shift (95 %)",
        "P(B > A) (95 %)",
        "Mann-Whitney",
        "Kolmogorov-Smirnov",
        "B is",
    ];
    text += &style.grid(&header, &report.rows.iter().map(cells).collect::<Vec<_>>());
    text += &style.line(
        "Shift: Hodges-Lehmann estimate of B - A. P(B > A): chance that a latency of B exceeds one of A, 0.5 is neither. \
         Probabilities are after Holm over all tests of this comparison.",
    );
    for row in &report.rows {
        text += &style.line(&threshold(row));
    }
    for row in report.rows.iter().filter(|r| r.missed.iter().any(|(missed, _)| *missed > 0)) {
        let [(a, of_a), (b, of_b)] = row.missed;
        text += &style.line(&format!(
            "{}: unanswered {a} of {of_a} in A, {b} of {of_b} in B; no latency stands for them here",
            name(row)
        ));
    }
    text
}

fn name(row: &ComparedRow) -> String {
    let [a, b] = &row.names;
    if a == b { a.clone() } else { format!("{a} / {b}") }
}

fn cells(row: &ComparedRow) -> Vec<String> {
    let c = &row.comparison;
    let [a, b] = row.typical.map(phrase::time);
    vec![
        name(row),
        a,
        b,
        format!("{} ({} .. {})", c.shift.value, c.shift.low, c.shift.high),
        format!("{:.3} ({:.3} .. {:.3})", c.superiority.value, c.superiority.low, c.superiority.high),
        probability(c.p_shift_adjusted),
        format!("D = {:.3}, {}", c.distance, probability(c.p_distance_adjusted)),
        verdict(c.verdict).to_owned(),
    ]
}

fn threshold(row: &ComparedRow) -> String {
    let r = row.relevance;
    format!(
        "{}: a shift counts from {}, the larger of the resolution {} and the relevance {}",
        name(row),
        r.resolution.max(r.threshold),
        r.resolution,
        r.threshold
    )
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Slower => "slower",
        Verdict::Faster => "faster",
        Verdict::Shape => "of another shape",
        Verdict::Negligible => "not relevantly different",
        Verdict::Undecided => "not shown to differ",
    }
}

/// As JSON, `format: "latency-cli/comparison/1"`.
#[must_use]
pub fn comparison_json(report: &ComparisonReport) -> String {
    let value = json!({
        "format": "latency-cli/comparison/1",
        "mark": report.banner.map(|_| "VIRTUAL"),
        "a": report.runs[0],
        "b": report.runs[1],
        "differences": report.differences,
        "configurations": report.rows.iter().map(row).collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}

fn row(row: &ComparedRow) -> Value {
    let c = &row.comparison;
    json!({
        "names": row.names,
        "n": c.n,
        "typical_ps": row.typical,
        "missed": row.missed.map(|(missed, _)| missed),
        "shift_ps": c.shift.value,
        "shift_ci95_ps": [c.shift.low, c.shift.high],
        "superiority": four_digits(c.superiority.value),
        "superiority_ci95": [four_digits(c.superiority.low), four_digits(c.superiority.high)],
        "mann_whitney_p": four_digits(c.p_shift),
        "mann_whitney_p_adjusted": four_digits(c.p_shift_adjusted),
        "kolmogorov_smirnov_d": four_digits(c.distance),
        "kolmogorov_smirnov_p": four_digits(c.p_distance),
        "kolmogorov_smirnov_p_adjusted": four_digits(c.p_distance_adjusted),
        "resolution_ps": row.relevance.resolution,
        "relevance_ps": row.relevance.threshold,
        "verdict": format!("{:?}", c.verdict).to_lowercase(),
    })
}
