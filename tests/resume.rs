//! A run that was killed, at any byte, is taken up again and finished.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a failing step is a failing test

use assert_cmd::Command;
mod stored_run;

use latency_cli::capture::{Board, CaptureError, Outcome, Reader, RunRecord, Seal, Writer};
use latency_cli::profile::BenchKind;
use latency_cli::signal::Shot;
use predicates::prelude::*;
use predicates::str::contains;
use std::fs;
use std::path::{Path, PathBuf};
use stored_run::shot;
use tempfile::TempDir;

const PROFILE: &str = include_str!("../profiles/virtual.toml");
const NOW: &str = "2026-01-31T14:06:00Z";

/// A run of three shots whose process is gone.
fn killed(parent: &Path) -> PathBuf {
    let record = RunRecord::start(BenchKind::Virtual, "virtual", "2026-01-31T14:05:09Z".to_owned());
    let mut writer = Writer::create(parent, record, PROFILE).expect("created");
    (1..=3).for_each(|n| writer.append("direct", &shot(n), Board::default()).expect("appended"));
    writer.folder().to_owned()
}

fn shots(folder: &Path) -> Vec<Shot> {
    let reader = Reader::open(folder).expect("opened");
    reader.shots("direct").expect("opened").map(|s| s.expect("whole").shot).collect()
}

#[test]
fn a_run_killed_at_any_byte_goes_on_behind_its_last_whole_shot() {
    let parent = TempDir::new().expect("folder");
    let folder = killed(parent.path());
    let (index, samples) = (folder.join("direct/shots.jsonl"), folder.join("direct/samples.bin"));
    let (lines, bytes) = (fs::read(&index).expect("index"), fs::read(&samples).expect("samples"));
    for cut in 0..=lines.len() {
        let whole = lines[..cut].iter().filter(|b| **b == b'\n').count();
        // Samples come first: those of the shot whose line is being written are there, whole or in part.
        for torn in 0..=13.min(bytes.len() - whole * 13) {
            if torn < 13 && cut > 0 && lines[cut - 1] != b'\n' {
                continue;
            }
            fs::write(&index, &lines[..cut]).expect("cut");
            fs::write(&samples, &bytes[..whole * 13 + torn]).expect("cut");
            let mut writer = Writer::resume(&folder, NOW.to_owned()).expect("resumed");
            let next = whole as u32 + 1;
            writer.append("direct", &shot(next), Board::default()).expect("appended");
            drop(writer);
            let expected: Vec<Shot> = (1..=next).map(shot).collect();
            assert_eq!(shots(&folder), expected, "index cut at {cut}, {torn} bytes of samples behind it");
        }
    }
}

#[test]
fn half_lines_of_events_and_dialogue_and_half_files_do_no_harm() {
    let parent = TempDir::new().expect("folder");
    let folder = killed(parent.path());
    fs::write(folder.join("events.jsonl"), "{\"event\":\"a\"}\n{\"eve").expect("written");
    fs::write(folder.join("dialogue.log"), "half").expect("written");
    fs::write(folder.join("run.part"), "format = ").expect("written");
    let mut writer = Writer::resume(&folder, NOW.to_owned()).expect("resumed");
    writer.event(&serde_json::json!({ "event": "b" })).expect("appended");
    writer.finish(Outcome::Complete, NOW.to_owned(), None).expect("finished");
    let reader = Reader::open(&folder).expect("opened");
    let events: Vec<String> = reader.events().expect("read").iter().map(|e| e["event"].to_string()).collect();
    assert_eq!(events, ["\"a\"", "\"b\""]);
    assert_eq!(reader.seal().expect("checked"), Seal::Intact);
    assert!(!folder.join("run.part").exists() && !folder.join("run.lock").exists());
}

#[test]
fn damage_in_the_middle_is_not_cut_off() {
    let parent = TempDir::new().expect("folder");
    let folder = killed(parent.path());
    let index = folder.join("direct/shots.jsonl");
    let text = fs::read_to_string(&index).expect("index");
    let damaged = text.replacen("\"offset\":13", "\"offset\":xx", 1);
    fs::write(&index, &damaged).expect("written");
    let error = Writer::resume(&folder, NOW.to_owned()).expect_err("refused").to_string();
    assert!(error.contains("line 2") && error.contains("whole shots lie behind"), "{error}");
    assert_eq!(fs::read_to_string(&index).expect("index"), damaged);
}

#[test]
fn sealed_held_and_newer_runs_are_refused_by_name() {
    let parent = TempDir::new().expect("folder");
    let folder = killed(parent.path());
    let held = Writer::resume(&folder, NOW.to_owned()).expect("resumed");
    assert!(matches!(Writer::resume(&folder, NOW.to_owned()), Err(CaptureError::Busy { .. })));
    held.finish(Outcome::Complete, NOW.to_owned(), None).expect("finished");
    let error = Writer::resume(&folder, NOW.to_owned()).expect_err("refused");
    assert!(matches!(error, CaptureError::Sealed { .. }), "{error}");
    let path = folder.join("run.toml");
    let text = fs::read_to_string(&path).expect("run.toml").replace("format = \"1.", "format = \"2.");
    fs::write(&path, text).expect("written");
    assert!(matches!(Writer::resume(&folder, NOW.to_owned()), Err(CaptureError::Newer { .. })));
}

fn program(folder: &TempDir, args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("latency-cli").expect("built");
    command.env_remove("LATENCY_SCOPE").env_remove("LATENCY_DUT").current_dir(folder.path()).args(args);
    command
}

fn json(bytes: &[u8]) -> serde_json::Value {
    serde_json::from_slice(bytes).expect("a report")
}

/// A whole run, torn down to half of its index as a killed process leaves it, is finished to as many pairs; what was
/// measured before is in it, byte for byte, and the elapsed time does not go back with the clock.
#[test]
fn a_torn_run_is_finished_to_the_same_count() {
    let folder = TempDir::new().expect("folder");
    let args = ["measure", "--mode", "direct", "--count", "40", "--strategy", "single", "--format", "json"];
    let before = json(&program(&folder, &args).output().expect("runs").stdout);
    let run = fs::read_dir(folder.path().join("captures")).expect("captures").flatten().next().expect("run");
    let (run, index) = (run.path(), run.path().join("direct/shots.jsonl"));
    let name = run.to_string_lossy().into_owned();
    program(&folder, &["measure", "--resume", &name]).assert().code(2).stderr(contains("is sealed"));

    fs::remove_file(run.join("SHA256SUMS")).expect("unsealed");
    let (lines, samples) =
        (fs::read(&index).expect("index"), fs::read(run.join("direct/samples.bin")).expect("samples"));
    fs::write(&index, &lines[..lines.len() / 2]).expect("torn");
    let kept = lines[..lines.len() / 2].iter().rposition(|b| *b == b'\n').expect("a line") + 1;
    let output =
        program(&folder, &["measure", "--resume", &name, "--format", "json"]).output().expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let after = json(&output.stdout);
    let row = |report: &serde_json::Value| report["configurations"][0].clone();
    for key in ["paired", "shots", "bytes_read", "sample_interval_ps"] {
        assert_eq!(row(&before)[key], row(&after)[key], "{key}");
    }
    assert!(row(&after)["elapsed_s"].as_f64().expect("seconds") > 0.0);
    let (now, bytes) =
        (fs::read(&index).expect("index"), fs::read(run.join("direct/samples.bin")).expect("samples"));
    assert_eq!(now[..kept], lines[..kept]);
    let whole = bytes.len() / 40 * lines[..kept].iter().filter(|b| **b == b'\n').count();
    assert_eq!(bytes[..whole], samples[..whole]);
    assert_ne!(bytes[whole..], samples[whole..], "a bench that starts anew must not repeat itself");
    assert_eq!(Reader::open(&run).expect("opened").seal().expect("checked"), Seal::Intact);
}

#[test]
fn another_scope_is_not_taken_for_the_first() {
    let folder = TempDir::new().expect("folder");
    let args = ["measure", "--mode", "direct", "--count", "5", "-q"];
    program(&folder, &args).assert().success();
    let run =
        fs::read_dir(folder.path().join("captures")).expect("captures").flatten().next().expect("run").path();
    fs::remove_file(run.join("SHA256SUMS")).expect("unsealed");
    let path = run.join("run.toml");
    let text = fs::read_to_string(&path).expect("run.toml");
    let firmware = text.lines().find(|l| l.starts_with("firmware")).expect("firmware").to_owned();
    fs::write(&path, text.replacen(&firmware, "firmware = \"00.04.03.SP1\"", 1)).expect("written");
    let name = run.to_string_lossy().into_owned();
    program(&folder, &["measure", "--resume", &name])
        .assert()
        .code(2)
        .stderr(contains("not the bench the run was begun on").and(contains("00.04.03.SP1")));
}
