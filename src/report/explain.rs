//! The budget of uncertainty behind `± (k=2)`, a table a row, each term with its source; and the hard bound where edges
//! fall between samples.

use super::style::Style;
use super::{Report, Row};
use crate::stats::uncertainty::Influence;
use std::fmt::Write as _;

const HEADER: [&str; 3] = ["Influence", "u (k=1)", "Source"];

/// The budgets of all rows.
#[must_use]
pub fn explain(report: &Report, style: Style) -> String {
    let mut text = String::new();
    for row in &report.rows {
        let Some(budget) = &row.uncertainty else {
            let _ = writeln!(text, "\nUncertainty of {}: no latency, no budget", row.name);
            continue;
        };
        let _ = writeln!(text, "\nUncertainty of one latency of {} (GUM, JCGM 100:2008):\n", row.name);
        let terms = budget.terms.iter();
        let mut lines: Vec<Vec<String>> = terms
            .map(|t| vec![influence(t.influence).to_owned(), t.standard.to_string(), t.source.clone()])
            .collect();
        lines.push(vec![
            "combined".to_owned(),
            budget.combined.to_string(),
            format!("root of the sum of squares; expanded (k = 2): {}", budget.expanded),
        ]);
        text += &style.grid(&HEADER, &lines);
        text += &bound(row);
    }
    text
}

/// Where the sampling is coarser than the edges, k = 2 is an expectation and the interval the promise.
fn bound(row: &Row) -> String {
    let bound = row.uncertainty.as_ref().and_then(|b| b.bound);
    bound.map_or_else(String::new, |interval| {
        format!("bound: one sample interval, {interval}: edges fall between samples, no error of sampling is larger\n")
    })
}

/// An influence as people and programs read it.
pub(super) fn influence(influence: Influence) -> &'static str {
    match influence {
        Influence::Sampling => "sampling",
        Influence::Noise => "noise",
        Influence::Threshold => "threshold",
        Influence::Skew => "skew",
        Influence::TimeBase => "time base",
    }
}
