//! A gate's outcome as JUnit XML, the form that CI servers show: a suite a configuration, a case a test or limit.

use super::render::{breach, tail};
use super::{GateOutcome, GatedRow};
use crate::report::scrutiny::probability;
use std::fmt::Write as _;

/// One case: name, and what failed.
type Case = (String, Option<String>);

/// The XML text.
#[must_use]
pub fn junit(outcome: &GateOutcome) -> String {
    let suites: Vec<(&str, Vec<Case>)> = outcome.rows.iter().map(|r| (r.name.as_str(), cases(r))).collect();
    let all = suites.iter().flat_map(|(_, cases)| cases);
    let (tests, failed) = (all.clone().count(), all.filter(|(_, failure)| failure.is_some()).count());
    let mark = outcome.banner.map_or("", |_| "VIRTUAL ");
    let name = escaped(&format!("{mark}latency {}", outcome.runs.1));
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let _ = writeln!(text, "<testsuites name=\"{name}\" tests=\"{tests}\" failures=\"{failed}\">");
    for (name, cases) in &suites {
        text += &suite(name, cases);
    }
    text + "</testsuites>\n"
}

fn suite(name: &str, cases: &[Case]) -> String {
    let name = escaped(name);
    let failed = cases.iter().filter(|(_, failure)| failure.is_some()).count();
    let mut text = format!("  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{failed}\">\n", cases.len());
    for (case, failure) in cases {
        let case = escaped(case);
        let _ = match failure {
            None => writeln!(text, "    <testcase classname=\"latency.{name}\" name=\"{case}\"/>"),
            Some(why) => writeln!(
                text,
                "    <testcase classname=\"latency.{name}\" name=\"{case}\"><failure message=\"{}\"/></testcase>",
                escaped(why)
            ),
        };
    }
    text + "  </testsuite>\n"
}

fn cases(row: &GatedRow) -> Vec<Case> {
    let mut found = Vec::new();
    if let Some(t) = &row.tests {
        let tail = format!("{}, {}", tail(t), probability(t.tail.p));
        let shift = format!("slower by {}, {}", t.shift.value, probability(t.p_shift));
        found.push(("tail against baseline".to_owned(), t.tail_regressed.then_some(tail)));
        found.push(("typical against baseline".to_owned(), t.shift_regressed.then_some(shift)));
    }
    found.extend(row.limits.iter().map(|l| (l.limit.to_string(), breach(l))));
    found
}

/// For attribute values: the five characters of XML, and no control characters, which XML cannot hold.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
