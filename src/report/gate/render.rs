//! A gate's outcome for people and programs.

use super::{CheckedLimit, GateOutcome, GatedRow, NEVER};
use crate::report::json::four_digits;
use crate::report::scrutiny::probability;
use crate::report::style::Style;
use crate::report::{metadata, phrase};
use crate::stats::GateReport;
use crate::stats::limit::{Bound, Outcome};
use crate::units::Picos;
use serde_json::{Value, json};

/// As text: what differs, a line a configuration, and what each test counted.
#[must_use]
pub fn gate_text(outcome: &GateOutcome, style: Style) -> String {
    let mut text = outcome.banner.map(|b| style.banner(b)).unwrap_or_default();
    if let Some(baseline) = &outcome.runs.0 {
        text += &style.line(&format!("Baseline: {baseline}"));
    }
    text += &style.line(&format!("Run: {}", outcome.runs.1));
    if outcome.runs.0.is_some() {
        text += &metadata::text(&outcome.differences, ["Baseline", "Run"], style);
    }
    text += "\n";
    let header = ["Configuration", "Baseline", "Run", "Shift (95 %)", "Tail", "Limits", "Verdict"];
    text += &style.grid(&header, &outcome.rows.iter().map(cells).collect::<Vec<_>>());
    for line in outcome.rows.iter().flat_map(failures) {
        text += &style.line(&line);
    }
    if outcome.runs.0.is_some() {
        text += &style.line(&format!(
            "Tail: latencies of the run above the baseline's threshold; unanswered stimuli count as slower than any. An \
             unchanged system fails with probability {} at most, over all configurations.",
            outcome.alpha
        ));
    }
    text + &style.line(if outcome.passes() { "PASS" } else { "FAIL" })
}

fn cells(row: &GatedRow) -> Vec<String> {
    let [before, now] = row.typical.map(phrase::time);
    let tests = row.tests.as_ref();
    let kept = row.limits.iter().filter(|l| l.outcome == Outcome::Met).count();
    vec![
        row.name.clone(),
        before,
        now,
        tests.map_or("-".to_owned(), shift),
        tests.map_or("-".to_owned(), tail),
        if row.limits.is_empty() { "-".to_owned() } else { format!("{kept} of {} kept", row.limits.len()) },
        if row.fails() { "FAIL" } else { "pass" }.to_owned(),
    ]
}

fn shift(t: &GateReport) -> String {
    let end = |time: Picos| if time.abs() > NEVER / 2 { "no answer".to_owned() } else { time.to_string() };
    let s = t.shift;
    format!("{} ({} .. {})", end(s.value), end(s.low), end(s.high))
}

/// `3 above 2.4 us, 10 expected`.
pub(super) fn tail(t: &GateReport) -> String {
    let c = &t.tail;
    let threshold = if c.threshold >= NEVER { "no answer".to_owned() } else { c.threshold.to_string() };
    format!("{} above {threshold}, {:.0} expected", c.above, c.expected)
}

/// Why a row fails, a sentence each.
pub(super) fn failures(row: &GatedRow) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(t) = &row.tests {
        if t.tail_regressed {
            found.push(format!("{}: the tail is slower: {}, {}", row.name, tail(t), probability(t.tail.p)));
        }
        if t.shift_regressed {
            let (shift, relevance, p) = (shift(t), row.relevance, probability(t.p_shift));
            found.push(format!("{}: typically slower by {shift}, more than {relevance}, {p}", row.name));
        }
        if row.missed[1] > row.missed[0] && t.regressed() {
            let [before, now] = row.missed;
            found.push(format!("{}: unanswered {now}, in the baseline {before}", row.name));
        }
    }
    found.extend(row.limits.iter().filter_map(|l| Some(format!("{}: {}", row.name, breach(l)?))));
    found
}

/// What is wrong with a limit; none where it is kept.
pub(super) fn breach(checked: &CheckedLimit) -> Option<String> {
    let limit = checked.limit;
    match checked.outcome {
        Outcome::Met => None,
        Outcome::Exceeded { value } => Some(format!("limit {limit} exceeded: {} is {value}", limit.figure)),
        Outcome::NotResolvable { n } => Some(format!(
            "limit {limit} cannot be shown to hold: {} not resolvable with n = {n}",
            limit.figure
        )),
    }
}

/// As JSON, `format: "latency-cli/gate/1"`.
#[must_use]
pub fn gate_json(outcome: &GateOutcome) -> String {
    let value = json!({
        "format": "latency-cli/gate/1",
        "mark": outcome.banner.map(|_| "VIRTUAL"),
        "baseline": outcome.runs.0,
        "run": outcome.runs.1,
        "alpha": outcome.alpha,
        "passes": outcome.passes(),
        "differences": outcome.differences,
        "configurations": outcome.rows.iter().map(row).collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}

fn row(row: &GatedRow) -> Value {
    json!({
        "name": row.name,
        "passes": !row.fails(),
        "typical_ps": row.typical,
        "missed": row.missed,
        "relevance_ps": row.relevance,
        "tests": row.tests.as_ref().map(tests),
        "limits": row.limits.iter().map(|l| json!({
            "limit": l.limit.to_string(),
            "met": l.outcome == Outcome::Met,
            "value": match l.outcome {
                Outcome::Exceeded { value: Bound::Time(t) } => json!(t),
                Outcome::Exceeded { value: Bound::Count(n) } => json!(n),
                _ => Value::Null,
            },
            "message": breach(l),
        })).collect::<Vec<_>>(),
        "failures": failures(row),
    })
}

fn tests(t: &GateReport) -> Value {
    json!({
        "n": t.n,
        "shift_ps": t.shift.value,
        "shift_ci95_ps": [t.shift.low, t.shift.high],
        "shift_p": four_digits(t.p_shift),
        "shift_regressed": t.shift_regressed,
        "tail_threshold_ps": t.tail.threshold,
        "tail_above": t.tail.above,
        "tail_expected": four_digits(t.tail.expected),
        "tail_p": four_digits(t.tail.p),
        "tail_regressed": t.tail_regressed,
    })
}
