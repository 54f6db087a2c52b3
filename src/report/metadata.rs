//! What is not the same about two runs: the first thing to know before their figures are held against each other.

use super::style::Style;
use super::{Report, Row};
use crate::plan::{Calibration, Hello};
use crate::units::Picos;
use serde::Serialize;

/// What may differ, as it is called on the command line. `build` and `version` are what a gate is there to compare.
pub const KINDS: [&str; 11] = [
    "bench",
    "scope",
    "board",
    "runtime",
    "version",
    "build",
    "conditions",
    "calibration",
    "configurations",
    "mode",
    "sampling",
];
/// Differences that a gate is held across: a new image is the reason to hold it.
const EXPECTED: [&str; 2] = ["version", "build"];

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// One of [`KINDS`].
    pub kind: &'static str,
    /// The configuration it belongs to; none for the whole run.
    pub configuration: Option<String>,
    /// What it is, more closely.
    pub what: String,
    /// In the first run.
    pub a: String,
    /// In the second.
    pub b: String,
}

impl Difference {
    /// Latencies of the two runs are not of the same thing.
    #[must_use]
    pub fn blocks(&self) -> bool {
        !EXPECTED.contains(&self.kind)
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = self.configuration.as_deref().map(|c| format!("{c}: ")).unwrap_or_default();
        write!(f, "{place}{} `{}` against `{}` [{}]", self.what, self.a, self.b, self.kind)
    }
}

/// What a board says about one part of itself.
type Part = fn(&Hello) -> &String;

/// Everything that differs, the whole run first.
#[must_use]
pub fn differences(a: &Report, b: &Report) -> Vec<Difference> {
    let mut found = Found(Vec::new());
    found.note("bench", None, "bench", bench(a), bench(b));
    found.note("scope", None, "scope", scope(a), scope(b));
    let board = |pick: Part, r: &Report| r.dut.as_ref().map_or("none".to_owned(), |d| pick(d).clone());
    let parts: [(&'static str, Part); 4] = [
        ("board", |h| &h.board),
        ("runtime", |h| &h.runtime),
        ("version", |h| &h.version),
        ("build", |h| &h.build),
    ];
    for (kind, pick) in parts {
        found.note(kind, None, kind, board(pick, a), board(pick, b));
    }
    found.conditions(a, b);
    if !same_skew(a.calibration.as_ref(), b.calibration.as_ref()) {
        found.note("calibration", None, "skew", skew(a), skew(b));
    }
    found.rows(a, b);
    found.0
}

/// Configurations of the same name in both; where each run has a single one, these two whatever their names.
pub(super) fn matched<'r>(a: &'r Report, b: &'r Report) -> Vec<(&'r Row, &'r Row)> {
    if let ([one], [other]) = (a.rows.as_slice(), b.rows.as_slice()) {
        return vec![(one, other)];
    }
    let same = |row: &'r Row| Some((row, b.rows.iter().find(|other| other.name == row.name)?));
    a.rows.iter().filter_map(same).collect()
}

struct Found(Vec<Difference>);

impl Found {
    fn note(&mut self, kind: &'static str, configuration: Option<&str>, what: &str, a: String, b: String) {
        if a != b {
            let (configuration, what) = (configuration.map(str::to_owned), what.to_owned());
            self.0.push(Difference { kind, configuration, what, a, b });
        }
    }

    /// What the firmware says of clock, cache, priority and so on.
    fn conditions(&mut self, a: &Report, b: &Report) {
        let (one, other) = (conditions(a), conditions(b));
        let mut keys: Vec<&String> = one.iter().chain(other).map(|(key, _)| key).collect();
        keys.sort();
        keys.dedup();
        for key in keys {
            self.note("conditions", None, key, value(one, key), value(other, key));
        }
    }

    fn rows(&mut self, a: &Report, b: &Report) {
        let pairs = matched(a, b);
        for row in a.rows.iter().filter(|r| !pairs.iter().any(|(one, _)| one.name == r.name)) {
            self.note("configurations", Some(&row.name), "configuration", "there".into(), "missing".into());
        }
        for row in b.rows.iter().filter(|r| !pairs.iter().any(|(_, other)| other.name == r.name)) {
            self.note("configurations", Some(&row.name), "configuration", "missing".into(), "there".into());
        }
        for (one, other) in pairs {
            let name = Some(one.name.as_str());
            self.note("configurations", name, "name", one.name.clone(), other.name.clone());
            self.note("mode", name, "mode and loads", mode(one), mode(other));
            self.note("sampling", name, "sample interval", interval(one), interval(other));
        }
    }
}

fn bench(r: &Report) -> String {
    r.mark().unwrap_or("hardware").to_owned()
}

fn scope(r: &Report) -> String {
    r.scope.as_ref().map_or("none".to_owned(), |s| format!("{} {} fw {}", s.model, s.serial, s.firmware))
}

fn conditions(r: &Report) -> &[(String, String)] {
    r.dut.as_ref().map_or(&[], |dut| &dut.conditions)
}

fn value(conditions: &[(String, String)], key: &str) -> String {
    conditions.iter().find(|(k, _)| k == key).map_or("not stated".to_owned(), |(_, v)| v.clone())
}

fn skew(r: &Report) -> String {
    r.calibration.as_ref().map_or("not calibrated".to_owned(), |c| format!("{} of {}", c.skew_ps, c.date))
}

/// Two calibrations that agree within their uncertainty are one.
fn same_skew(a: Option<&Calibration>, b: Option<&Calibration>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => {
            let apart = (a.skew_ps - b.skew_ps).abs();
            apart <= (a.standard_uncertainty_ps + b.standard_uncertainty_ps) * 2
        }
        _ => false,
    }
}

fn mode(row: &Row) -> String {
    row.loads.iter().fold(row.mode.clone(), |text, load| format!("{text}+{load}"))
}

fn interval(row: &Row) -> String {
    row.interval.map_or("none".to_owned(), |t: Picos| t.to_string())
}

/// The differences as a table, or a line that there are none.
pub(super) fn text(differences: &[Difference], names: [&str; 2], style: Style) -> String {
    if differences.is_empty() {
        return style
            .line("No difference in bench, scope, board, build, conditions, calibration and settings.");
    }
    let rows: Vec<Vec<String>> = differences
        .iter()
        .map(|d| {
            let what = d.configuration.as_deref().map_or(d.what.clone(), |c| format!("{c}: {}", d.what));
            vec![what, d.a.clone(), d.b.clone()]
        })
        .collect();
    let [a, b] = names;
    style.line("What differs besides the latencies:") + "\n" + &style.grid(&["", a, b], &rows)
}
