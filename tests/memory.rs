//! A run of any length is analysed in the memory of one shot.
//!
//! The samples of a hundred shots of 24 M points a channel would fill 5 GB of disk, so the hundred lines of the index name
//! one shot's bytes. The reader cannot know that: it reads, checks and scans them a hundred times.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a failing step is a failing test

use latency_cli::capture::{Board, Reader, RunRecord, Writer};
use latency_cli::plan::{self, assumed_capabilities};
use latency_cli::profile::{self, BenchKind, Overrides};
use latency_cli::session;
use latency_cli::signal::{RawTrace, Role, Segment, Shot};
use latency_cli::units::Picos;
use std::fs;
use std::io::Write;
use std::path::Path;

const POINTS: usize = 24_000_000;
/// Stimuli in a shot.
const STIMULI: usize = 500;

/// Peak of this process in bytes, where the system says it.
fn peak() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok().map(|kb| kb * 1024)
}

/// Pulses of 2 us, each `late` samples behind its place; edges of three samples.
fn trace(role: Role, late: usize) -> RawTrace {
    let mut codes = vec![45u8; POINTS];
    for start in (0..STIMULI).map(|n| n * (POINTS / STIMULI) + 5_000 + late) {
        codes[start..start + 1_000].fill(210);
        (codes[start - 1], codes[start], codes[start + 1_000]) = (86, 169, 127);
    }
    // Half a code of noise, so that no level is a single code; the same for both channels.
    codes.iter_mut().step_by(3).for_each(|c| *c += 1);
    RawTrace {
        role,
        channel: if role == Role::Stimulus { "CHAN1" } else { "CHAN2" }.to_owned(),
        preamble: format!("0,2,{POINTS},1,2.000000e-09,0.000000e+00,0,2.000000e-02,-75,122"),
        segments: vec![Segment { first: 0, codes }],
    }
}

/// A run whose index has so many lines for the one shot that it holds.
fn run_of(shots: u32, parent: &Path) -> Reader {
    let overrides = Overrides { modes: vec!["direct".into()], ..Overrides::default() };
    let profile = profile::builtin("virtual").unwrap().with(&overrides).unwrap();
    let record = RunRecord::start(BenchKind::Virtual, &profile.name, "2026-01-31T14:05:09Z".to_owned());
    let mut writer = Writer::create(parent, record, profile::builtin_text("virtual").unwrap()).unwrap();
    writer.plan(&plan::plan(&profile, &assumed_capabilities()).unwrap()).unwrap();
    let (stimulus, response) = (trace(Role::Stimulus, 0), trace(Role::Response, 951));
    let shot = Shot { number: 1, stimulus, response, statuses: Vec::new(), seen_waiting: true };
    writer.append("direct", &shot, Board::default()).unwrap();
    let index = writer.folder().join("direct").join("shots.jsonl");
    let line: serde_json::Value = serde_json::from_str(&fs::read_to_string(&index).unwrap()).unwrap();
    let mut file = fs::OpenOptions::new().append(true).open(&index).unwrap();
    for number in 2..=shots {
        let mut line = line.clone();
        line["shot"] = number.into();
        writeln!(file, "{line}").unwrap();
    }
    Reader::open(writer.folder()).unwrap()
}

#[test]
fn a_hundred_deep_shots_need_the_memory_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let analyzed = |shots: u32| {
        let report = session::analyze(&run_of(shots, folder.path())).unwrap();
        let row = &report.rows[0];
        assert_eq!((row.shots, row.counts.paired), (shots, u64::from(shots) * STIMULI as u64));
        assert!(row.pairs.iter().all(|p| p.pair.latency() == Some(Picos::from_ns(1_902))));
        peak()
    };
    let (Some(two), Some(hundred)) = (analyzed(2), analyzed(100)) else {
        let _ = writeln!(std::io::stderr(), "SKIPPED memory: this system does not say what its peak was");
        return;
    };
    // The pairs stay, 50 000 of them; of the samples not even one shot's.
    let shot = 2 * POINTS;
    assert!(hundred < two + shot, "2 shots: {two} bytes, 100 shots: {hundred} bytes");
    assert!(two < 5 * shot, "{two} bytes for shots of {shot}");
}
