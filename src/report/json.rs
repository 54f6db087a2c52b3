//! The report for programs; the keys are stable.

use super::{Report, Row};
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
    let quantile = |pick: fn(&crate::stats::Summary) -> &Option<crate::stats::Quantile>| {
        s.and_then(|s| pick(s).as_ref()).map(|q| q.value)
    };
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
        "p90_ps": quantile(|s| &s.p90),
        "p99_ps": quantile(|s| &s.p99),
        "p999_ps": quantile(|s| &s.p999),
        "jitter_ps": s.map(|s| s.jitter),
        "uncertainty_k2_ps": row.uncertainty.as_ref().map(|u| u.expanded),
        "sample_interval_ps": row.interval,
        "shots": row.shots,
        "elapsed_s": seconds(row.elapsed),
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
