//! The budget of uncertainty behind `± (k=2)`, a table a row, each term with its source; and the hard bound where edges
//! fall between samples.

use super::{Report, Row, table};
use crate::stats::uncertainty::Influence;
use std::fmt::Write as _;

/// The budgets of all rows. `width` is the terminal's; `None` draws for a file.
#[must_use]
pub fn explain(report: &Report, width: Option<u16>) -> String {
    budgets(report, |rows| format!("{}\n", table::grid(&HEADER, rows, width)))
}

/// The same in markdown.
#[must_use]
pub fn explain_markdown(report: &Report) -> String {
    budgets(report, |rows| super::markdown::grid(&HEADER, rows))
}

const HEADER: [&str; 3] = ["Influence", "u (k=1)", "Source"];

fn budgets(report: &Report, grid: impl Fn(&[Vec<String>]) -> String) -> String {
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
        text += &grid(&lines);
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
