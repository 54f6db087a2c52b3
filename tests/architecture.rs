//! The dependency rule of `src/lib.rs`, run on the sources: imports point down, and some things happen in one room only.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a failing step is a failing test

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms, lowest first. A room may import those before it.
const ROOMS: [&str; 12] = [
    "units", "signal", "foreign", "export", "stats", "profile", "plan", "report", "bench", "capture",
    "session", "cli",
];

/// What may stand in some places only: (pattern, rooms or files that may have it, why).
const ONLY: &[(&str, &[&str], &str)] = &[
    ("anyhow", &["src/cli/", "src/main.rs"], "libraries have typed errors"),
    ("std::net", &["src/bench/", "src/cli/args.rs"], "only the bench speaks to instruments"),
    ("serialport", &["src/bench/"], "only the bench speaks to instruments"),
    ("std::fs", &["src/capture/", "src/cli/"], "only capture and cli touch files"),
    ("fs::File", &["src/capture/", "src/cli/"], "only capture and cli touch files"),
    ("Instant::now", &["src/bench/clock.rs"], "time comes from the clock"),
    ("thread::sleep", &["src/bench/clock.rs"], "time comes from the clock"),
    ("SystemTime", &["src/bench/clock.rs"], "time comes from the clock"),
    ("println!", &["src/cli/"], "only cli prints"),
    ("print!(", &["src/cli/"], "only cli prints"),
    ("ds1000z::", &["src/bench/ds1000z/", "src/bench/open.rs"], "only open.rs names a driver"),
    (
        "sim::",
        &["src/bench/sim/", "src/bench/open.rs", "src/bench/mod.rs", "src/cli/simulate.rs"],
        "only open.rs names a driver",
    ),
    ("dut::", &["src/bench/dut/", "src/bench/open.rs"], "only open.rs names a driver"),
    (
        "DS1054Z",
        &["src/bench/ds1000z/models.rs", "src/bench/sim/", "src/plan/assumed.rs"],
        "behaviour, not model names",
    ),
    ("_s: f64", &[], "a time is Picos, not f64"),
    ("_ns: f64", &["src/signal/edges.rs"], "a time is Picos, not f64"),
    ("_ps: f64", &["src/signal/edges.rs"], "a time is Picos, not f64"),
    ("seconds: f64", &[], "a time is Picos, not f64"),
];

/// Names that say nothing.
const NAMELESS: [&str; 6] = ["utils", "util", "helpers", "helper", "common", "manager"];

#[test]
fn imports_point_down() {
    let mut faults = Vec::new();
    for file in sources() {
        let Some(room) = room_of(&file.name) else { continue };
        for (number, line) in file.code() {
            for imported in ROOMS.iter().filter(|r| imports(line, r)) {
                if rank(imported) > rank(room) {
                    faults.push(format!(
                        "{}:{number}: `{room}` imports `{imported}`, which lies above it",
                        file.name
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn drivers_do_not_know_each_other() {
    let mut faults = Vec::new();
    let drivers = [("ds1000z", ["sim", "dut"]), ("sim", ["ds1000z", "dut"]), ("dut", ["ds1000z", "sim"])];
    for file in sources() {
        for (driver, others) in drivers {
            if !file.name.starts_with(&format!("src/bench/{driver}/")) {
                continue;
            }
            for (number, line) in file.code() {
                let other = others
                    .iter()
                    .find(|o| line.contains(&format!("bench::{o}")) || line.contains(&format!("super::{o}")));
                faults.extend(other.map(|o| format!("{}:{number}: `{driver}` imports `{o}`", file.name)));
                if driver == "sim" && (line.contains("bench::scpi") || line.contains("super::scpi")) {
                    faults.push(format!(
                        "{}:{number}: the simulator must not share the driver's SCPI code",
                        file.name
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn some_things_happen_in_one_place_only() {
    let mut faults = Vec::new();
    for file in sources() {
        for (number, line) in file.code() {
            for (pattern, places, why) in ONLY {
                if line.contains(pattern) && !places.iter().any(|p| file.name.starts_with(p)) {
                    faults.push(format!("{}:{number}: `{pattern}` does not belong here: {why}", file.name));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn files_have_names_and_bounds() {
    let mut faults = Vec::new();
    for file in sources() {
        let stem =
            Path::new(&file.name).file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        if NAMELESS.contains(&stem.as_str()) {
            faults.push(format!("{}: the name says nothing", file.name));
        }
        let most = if file.name == "src/main.rs" { 30 } else { 450 };
        let length = file.without_tests().count();
        if length > most {
            faults.push(format!("{}: {length} lines, at most {most}", file.name));
        }
        if !file.text.starts_with("//!") {
            faults.push(format!("{}: does not open with what it is for", file.name));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_rules_would_notice() {
    assert!(imports("use crate::bench::Bench;", "bench"));
    assert!(imports("    crate::cli::run()", "cli"));
    assert!(!imports("use crate::benchmark;", "bench"));
    assert!(rank("cli") > rank("units"));
    assert!(sources().len() > 30, "the sources were not found");
}

struct Source {
    name: String,
    text: String,
}

impl Source {
    /// Numbered lines outside comments and unit tests.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.without_tests().filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    fn without_tests(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(i, line)| (i + 1, line));
        lines.take_while(|(_, line)| line.trim() != "#[cfg(test)]")
    }
}

fn imports(line: &str, room: &str) -> bool {
    line.split("crate::").skip(1).any(|rest| {
        let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next();
        name == Some(room)
    })
}

fn rank(room: &str) -> usize {
    ROOMS.iter().position(|r| *r == room).expect("a known room")
}

fn room_of(file: &str) -> Option<&'static str> {
    let inside = file.strip_prefix("src/")?;
    ROOMS.into_iter().find(|room| inside.starts_with(&format!("{room}/")) || inside == format!("{room}.rs"))
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    walk(&root.join("src"), &mut found);
    let name =
        |path: &Path| path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
    found
        .iter()
        .map(|path| Source { name: name(path), text: fs::read_to_string(path).expect("readable") })
        .collect()
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        // Unit tests in files of their own are tests, not sources.
        if path.file_stem().is_some_and(|stem| stem == "tests") {
            continue;
        }
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}
