//! The report for programs; the keys are stable.

use super::{Asked, Report, Row, explain};
use crate::stats::{Budget, Quantile, StatsError, Summary, Tail};
use crate::units::Picos;
use serde_json::{Value, json};

/// The report as JSON, `format: "latency-cli/report/1"`.
#[must_use]
pub fn json(report: &Report) -> String {
    let value = json!({
        "format": "latency-cli/report/1",
        "bench": report.bench,
        "mark": report.mark(),
        "run": report.run,
        "started": report.started,
        "scope": report.scope,
        "dut": report.dut,
        "calibration": report.calibration,
        "configurations": report.rows.iter().map(configuration).collect::<Vec<_>>(),
        "warnings": report.warnings.iter().map(|w| json!({
            "code": w.code,
            "configuration": w.configuration,
            "message": w.message,
        })).collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}

fn configuration(row: &Row) -> Value {
    let s = row.summary.as_ref();
    let c = &row.counts;
    let quantile = |pick: fn(&Summary) -> Option<Quantile>| s.and_then(pick).map(|q| q.value);
    let interval = |pick: fn(&Summary) -> Option<Quantile>| s.and_then(pick).map(|q| [q.low, q.high]);
    json!({
        "name": row.name,
        "mode": row.mode,
        "loads": row.loads,
        "wanted": row.wanted,
        "count": row.count(),
        "stimuli": c.stimuli,
        "paired": c.paired,
        "unanswered": c.unanswered,
        "spurious": c.spurious,
        "ambiguous": c.ambiguous,
        "cut_off": c.cut_off,
        "typical_ps": s.map(|s| s.typical),
        "typical_ci95_ps": s.and_then(|s| s.typical_ci95),
        "worst_ps": s.map(|s| s.worst),
        "exceedance_bound_95": s.map(|s| s.exceedance_bound_95),
        "min_ps": s.map(|s| s.min),
        "mean_ps": s.map(|s| s.mean),
        "sd_ps": s.map(|s| s.sd),
        "p90_ps": quantile(|s| s.p90),
        "p90_ci95_ps": interval(|s| s.p90),
        "p99_ps": quantile(|s| s.p99),
        "p99_ci95_ps": interval(|s| s.p99),
        "p999_ps": quantile(|s| s.p999),
        "p999_ci95_ps": interval(|s| s.p999),
        "jitter_ps": s.map(|s| s.jitter),
        "uncertainty_k2_ps": row.uncertainty.as_ref().map(|u| u.expanded),
        "uncertainty": row.uncertainty.as_ref().map(budget),
        "asked": row.scrutiny.asked.as_ref().map(asked),
        "checks": checks(row),
        "tail": row.scrutiny.tail.as_ref().map(tail),
        "sample_interval_ps": row.interval,
        "shots": row.shots,
        "elapsed_s": seconds(row.elapsed),
        "predicted_s": seconds(row.predicted),
        "bytes_read": row.bytes,
        "reference": row.reference.as_ref().map(|r| json!({
            "typical_ps": r.typical, "worst_ps": r.worst, "source": r.source,
        })),
    })
}

/// Seconds to the microsecond, so that the text is short and the same everywhere.
fn seconds(time: Picos) -> f64 {
    (time.0 / 1_000_000) as f64 / 1e6
}

/// Every term with its source; times are standard uncertainties but for the expanded one.
fn budget(budget: &Budget) -> Value {
    let terms = budget.terms.iter().map(|t| {
        json!({
            "influence": explain::influence(t.influence),
            "standard_ps": t.standard,
            "source": t.source,
        })
    });
    json!({
        "terms": terms.collect::<Vec<_>>(),
        "combined_ps": budget.combined,
        "expanded_k2_ps": budget.expanded,
        "bound_ps": budget.bound,
    })
}

fn asked(asked: &Asked) -> Value {
    json!({
        "until": asked.until.to_string(),
        "needed": asked.until.needed(),
        "value_ps": asked.quantile.map(|q| q.value),
        "ci95_ps": asked.quantile.map(|q| [q.low, q.high]),
    })
}

/// What the checks of the sample gave; probabilities to four digits, which is as far as they mean anything.
fn checks(row: &Row) -> Value {
    let s = &row.scrutiny;
    let brief = |s: &Summary| json!({ "count": s.n, "typical_ps": s.typical, "worst_ps": s.worst });
    let positions = s.positions.as_ref();
    json!({
        "floor_ps": s.below_floor.map(|(floor, _)| floor),
        "below_floor": s.below_floor.map(|(_, n)| n),
        "quantum_ps": s.quantum.as_ref().map(|q| q.period),
        "order": s.order.iter().map(|f| json!({
            "check": format!("{:?}", f.check).to_lowercase(),
            "p_adjusted": four_digits(f.adjusted),
        })).collect::<Vec<_>>(),
        "cold_ps": positions.and_then(|p| p.cold),
        "first_in_train": positions.and_then(|p| p.first_in_train.as_ref()).map(brief),
        "others": positions.and_then(|p| p.rest.as_ref()).map(brief),
        "tick_gap": s.phase.as_ref().map(|(p, _)| four_digits(p.largest_gap)),
    })
}

/// Rounded, so that machines agree on the text.
pub(in crate::report) fn four_digits(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}

fn tail(tail: &Result<Tail, StatsError>) -> Value {
    match tail {
        Err(reason) => json!({ "refused": reason.to_string() }),
        Ok(t) => json!({
            "threshold_ps": t.threshold,
            "excesses": t.excesses,
            "shape": four_digits(t.shape),
            "shape_ci95": t.shape_interval.map(four_digits),
            "p_fit": four_digits(t.p_fit),
            "quantiles": t.quantiles.iter().map(|q| json!({
                "quantile": format!("p{}", q.share.percent()),
                "value_ps": q.value,
                "ci95_ps": [q.low, q.high],
            })).collect::<Vec<_>>(),
        }),
    }
}
