//! The same figure, in the same words, in every format meant for people.

use super::Row;
use crate::units::Picos;

/// What stands where there is no figure.
pub(super) const NONE: &str = "-";

/// A time or a dash.
pub(super) fn time(value: Option<Picos>) -> String {
    value.map_or_else(|| NONE.to_owned(), |t| t.to_string())
}

/// `1.9 us`.
pub(super) fn typical(row: &Row) -> String {
    time(row.summary.as_ref().map(|s| s.typical))
}

/// `2.4 us (1000)`: the largest observed of n.
pub(super) fn worst(row: &Row) -> String {
    match &row.summary {
        Some(s) => format!("{} ({})", s.worst, s.n),
        None => format!("{NONE} (0)"),
    }
}

/// The 99th percentile, or why there is none.
pub(super) fn p99(row: &Row) -> String {
    match &row.summary {
        Some(s) => s.p99.as_ref().map_or_else(|| "not resolvable".to_owned(), |q| q.value.to_string()),
        None => NONE.to_owned(),
    }
}

/// Largest minus smallest.
pub(super) fn jitter(row: &Row) -> String {
    time(row.summary.as_ref().map(|s| s.jitter))
}

/// `3 of 1000`, and what else could not be attributed.
pub(super) fn missed(row: &Row) -> String {
    let c = &row.counts;
    let mut text = format!("{} of {}", c.unanswered, c.stimuli);
    for (n, what) in [(c.ambiguous, "ambiguous"), (c.spurious, "spurious"), (c.cut_off, "cut off")] {
        if n > 0 {
            text += &format!(", {n} {what}");
        }
    }
    text
}

/// Expanded uncertainty, k = 2.
pub(super) fn uncertainty(row: &Row) -> String {
    time(row.uncertainty.as_ref().map(|u| u.expanded))
}

/// `0.995 x 1.9 us`: the measured figure in units of the published one, and the published one.
pub(super) fn against(measured: Option<Picos>, published: Option<Picos>) -> String {
    match (measured, published) {
        (Some(m), Some(p)) if p.0 > 0 => format!("{:.2} x {p}", m.0 as f64 / p.0 as f64),
        (None, Some(p)) => p.to_string(),
        _ => NONE.to_owned(),
    }
}

/// Chance that the next event is slower than the worst seen, as text: `0.30 %`.
pub(super) fn exceedance(row: &Row) -> Option<String> {
    row.summary.as_ref().map(|s| format!("{:.2} %", s.exceedance_bound_95 * 100.0))
}
