//! Runs on disk: what a torn, damaged, newer or foreign run folder does, and that the figures of a kept run stay.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a failing step is a failing test

mod stored_run;

use latency_cli::capture::{Board, CaptureError, Outcome, Reader, RunRecord, Seal, Writer};
use latency_cli::profile::BenchKind;
use latency_cli::signal::Shot;
use std::fs;
use std::path::{Path, PathBuf};
use stored_run::shot;
use tempfile::TempDir;

const PROFILE: &str = include_str!("../profiles/virtual.toml");

/// A run with `n` shots that was not ended.
fn open_run(parent: &Path, n: u32) -> (Writer, PathBuf) {
    let record = RunRecord::start(BenchKind::Virtual, "virtual", "2026-01-31T14:05:09Z".to_owned());
    let mut writer = Writer::create(parent, record, PROFILE).expect("created");
    for number in 1..=n {
        writer.append("direct", &shot(number), Board::default()).expect("appended");
    }
    let folder = writer.folder().to_owned();
    (writer, folder)
}

fn shots(folder: &Path) -> Result<Vec<Shot>, CaptureError> {
    Reader::open(folder)?.shots("direct")?.map(|s| s.map(|s| s.shot)).collect()
}

#[test]
fn shots_come_back_as_they_were() {
    let parent = TempDir::new().expect("folder");
    let (writer, folder) = open_run(parent.path(), 3);
    writer.finish(Outcome::Complete, "2026-01-31T14:06:00Z".to_owned(), None).expect("finished");
    assert_eq!(shots(&folder).expect("read"), [shot(1), shot(2), shot(3)]);
    let reader = Reader::open(&folder).expect("opened");
    assert_eq!(reader.seal().expect("checked"), Seal::Intact);
    assert_eq!(reader.record().outcome, Outcome::Complete);
    assert_eq!(reader.profile_text().expect("read"), PROFILE);
}

/// The samples of the first shot, by the layout that captures/README.md promises, read without this program's reader.
#[test]
fn a_stranger_can_read_the_samples() {
    let parent = TempDir::new().expect("folder");
    let (_writer, folder) = open_run(parent.path(), 2);
    let bytes = fs::read(folder.join("direct/samples.bin")).expect("samples");
    assert_eq!(bytes.len(), 2 * 13);
    assert_eq!(bytes[..6], [1, 10, 200, 200, 0, b'\n']);
    let line = fs::read_to_string(folder.join("direct/shots.jsonl")).expect("index");
    let second: serde_json::Value =
        serde_json::from_str(line.lines().nth(1).expect("two lines")).expect("json");
    assert_eq!(second["offset"], 13);
    assert_eq!(second["traces"][1]["segments"][0], serde_json::json!([3, 7]));
}

#[test]
fn a_run_cut_at_any_byte_reads_up_to_its_last_whole_shot() {
    let parent = TempDir::new().expect("folder");
    let (_writer, folder) = open_run(parent.path(), 3);
    let (index, samples) = (folder.join("direct/shots.jsonl"), folder.join("direct/samples.bin"));
    let (lines, bytes) = (fs::read(&index).expect("index"), fs::read(&samples).expect("samples"));
    for cut in 0..=lines.len() {
        // Samples are written before their line, so any cut of the index has at least the samples it names.
        fs::write(&index, &lines[..cut]).expect("cut");
        let whole = lines[..cut].iter().filter(|b| **b == b'\n').count();
        assert_eq!(shots(&folder).expect("readable").len(), whole, "cut at {cut}");
    }
    fs::write(&index, &lines).expect("whole again");
    fs::write(&samples, &bytes[..bytes.len() - 1]).expect("cut");
    let read: Vec<_> = Reader::open(&folder).expect("opened").shots("direct").expect("opened").collect();
    assert_eq!(read.iter().filter(|s| s.is_ok()).count(), 2);
    assert!(read.last().expect("an error").is_err());
}

#[test]
fn a_changed_sample_is_noticed() {
    let parent = TempDir::new().expect("folder");
    let (writer, folder) = open_run(parent.path(), 2);
    writer.finish(Outcome::Complete, "2026-01-31T14:06:00Z".to_owned(), None).expect("finished");
    let path = folder.join("direct/samples.bin");
    let mut bytes = fs::read(&path).expect("samples");
    bytes[15] ^= 1;
    fs::write(&path, bytes).expect("changed");
    assert!(matches!(shots(&folder), Err(CaptureError::Damaged { shot: 2, .. })));
    let seal = Reader::open(&folder).expect("opened").seal().expect("checked");
    assert_eq!(seal, Seal::Broken(vec!["direct/samples.bin".to_owned()]));
}

#[test]
fn nothing_is_overwritten() {
    let parent = TempDir::new().expect("folder");
    let (_first, a) = open_run(parent.path(), 1);
    let (_second, b) = open_run(parent.path(), 1);
    assert_ne!(a, b);
    assert_eq!(b.file_name().expect("name").to_string_lossy(), "2026-01-31T14-05-09Z-virtual-2");
}

#[test]
fn an_interrupted_run_is_readable_and_not_sealed() {
    let parent = TempDir::new().expect("folder");
    let (writer, folder) = open_run(parent.path(), 1);
    writer.finish(Outcome::Interrupted, "2026-01-31T14:06:00Z".to_owned(), None).expect("finished");
    assert_eq!(Reader::open(&folder).expect("opened").seal().expect("checked"), Seal::Open);
    assert_eq!(shots(&folder).expect("read"), [shot(1)]);
}

#[test]
fn a_newer_major_version_is_refused_by_name_and_a_newer_minor_is_read() {
    let parent = TempDir::new().expect("folder");
    let (_writer, folder) = open_run(parent.path(), 1);
    let path = folder.join("run.toml");
    let text = fs::read_to_string(&path).expect("run.toml");
    fs::write(&path, text.replace("format = \"1.0\"", "format = \"1.7\"\nlater = true")).expect("written");
    assert_eq!(shots(&folder).expect("a newer minor version reads"), [shot(1)]);
    fs::write(&path, text.replace("format = \"1.0\"", "format = \"2.0\"")).expect("written");
    let message = Reader::open(&folder).expect_err("refused").to_string();
    assert!(message.contains("2.0") && message.contains("newer latency-cli"), "{message}");
}

/// A line that claims more bytes than there are must not make the reader allocate them.
#[test]
fn a_claim_of_gigabytes_is_an_error() {
    let parent = TempDir::new().expect("folder");
    let (_writer, folder) = open_run(parent.path(), 1);
    let index = folder.join("direct/shots.jsonl");
    let line = fs::read_to_string(&index).expect("index");
    fs::write(&index, line.replace("\"length\":13", "\"length\":18446744073709551000")).expect("written");
    let message = shots(&folder).expect_err("refused").to_string();
    assert!(message.contains("beyond"), "{message}");
}
