//! The same figure, in the same words, in every format meant for people.

use super::Row;
use super::scrutiny::{pairs_for, probability};
use crate::plan::Calibration;
use crate::stats::order::{Quantile, Share};
use crate::stats::{StatsError, Tail};
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
        Some(s) => {
            s.p99.as_ref().map_or_else(|| format!("not resolvable with n = {}", s.n), |q| q.value.to_string())
        }
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

/// `; typical 1.89 us .. 1.91 us, p90 2 us (1.99 us .. 2.01 us), ... (95 %)`: what n can say, and what it cannot.
pub(super) fn quantiles(row: &Row) -> String {
    let Some(s) = &row.summary else { return String::new() };
    let typical = s.typical_ci95.map_or_else(
        || missing("typical", Share::MEDIAN, s.n),
        |[low, high]| format!("typical {low} .. {high}"),
    );
    let mut parts = vec![typical];
    for (name, share, value) in
        [("p90", Share::P90, s.p90), ("p99", Share::P99, s.p99), ("p99.9", Share::P999, s.p999)]
    {
        parts.push(value.map_or_else(|| missing(name, share, s.n), |q| interval(name, q)));
    }
    if let Some(asked) = row.scrutiny.asked.as_ref().filter(|a| !is_listed(a.until.share())) {
        let name = format!("p{}", asked.until.share().percent());
        let share = asked.until.share();
        parts.push(asked.quantile.map_or_else(|| missing(&name, share, s.n), |q| interval(&name, q)));
    }
    format!("; {} (95 %)", parts.join(", "))
}

fn is_listed(share: Share) -> bool {
    [Share::MEDIAN, Share::P90, Share::P99, Share::P999].contains(&share)
}

fn interval(name: &str, q: Quantile) -> String {
    format!("{name} {} ({} .. {})", q.value, q.low, q.high)
}

fn missing(name: &str, share: Share, n: u64) -> String {
    format!("{name} not resolvable with n = {n} (takes {})", pairs_for(share))
}

/// What is listed apart: the cold first latency, the first of each train, the tail.
pub(super) fn apart(row: &Row) -> Vec<String> {
    let positions = row.scrutiny.positions.as_ref();
    let mut lines = Vec::new();
    if let Some(cold) = positions.and_then(|p| p.cold) {
        let first = positions.and_then(|p| p.first_in_train.as_ref());
        let first =
            first.map(|s| format!("; first of a train: typical {}, worst {} ({})", s.typical, s.worst, s.n));
        lines.push(format!("{}: cold first latency {cold}{}", row.name, first.unwrap_or_default()));
    }
    lines.extend(row.scrutiny.tail.as_ref().map(|tail| format!("{}: {}", row.name, tail_text(tail))));
    lines
}

fn tail_text(tail: &Result<Tail, StatsError>) -> String {
    match tail {
        Err(reason) => reason.to_string(),
        Ok(t) => {
            let [low, high] = t.shape_interval;
            let values: Vec<String> = t
                .quantiles
                .iter()
                .map(|q| format!("p{} {} ({} .. {})", q.share.percent(), q.value, q.low, q.high))
                .collect();
            format!(
                "tail {} (95 %); generalised Pareto over {}, {} excesses, shape {:.2} ({low:.2} .. {high:.2}), fit {}",
                values.join(", "),
                t.threshold,
                t.excesses,
                t.shape,
                probability(t.p_fit)
            )
        }
    }
}

/// `Skew: 400 ps +- 6 ps (k=2) taken out, calibrated 2026-...`.
pub(super) fn calibration(c: &Calibration) -> String {
    format!(
        "Skew: {} ± {} (k=2) taken out of every latency, calibrated {} with {} pairs (run {})",
        c.skew_ps,
        c.standard_uncertainty_ps * 2,
        c.date,
        c.pairs,
        c.run
    )
}
