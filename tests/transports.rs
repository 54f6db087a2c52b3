//! The same virtual bench over every transport: equal settings, equal records, equal reports.
//!
//! VISA is the fault-injecting library of this tree, so that the path through a C library runs everywhere; a real one is
//! the business of the member `visa-e2e`.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a failing step is a failing test

use latency_cli::bench::sim::{Options, VirtualBench};
use latency_cli::bench::{self, scpi};
use latency_cli::capture::{Outcome, Reader, RunRecord, Writer};
use latency_cli::plan;
use latency_cli::profile::{self, Overrides, Profile};
use latency_cli::session::{self, Recording};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

/// The library of the tree, which cargo builds beside the tests.
fn shim() -> PathBuf {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let (head, tail) = (format!("{}visa_shim", std::env::consts::DLL_PREFIX), std::env::consts::DLL_SUFFIX);
    let is_it = |name: &str| name.starts_with(&head) && name.ends_with(tail);
    let mut found: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().is_some_and(|n| is_it(&n.to_string_lossy())))
        .collect();
    found.sort_by_key(|path| fs::metadata(path).and_then(|m| m.modified()).unwrap());
    found.pop().unwrap_or_else(|| panic!("no {head}*{tail} in {}", folder.display()))
}

fn profile(faults: &[&str]) -> Profile {
    let overrides = Overrides { modes: vec!["direct".to_owned()], count: Some(60), ..Overrides::default() };
    let mut profile = profile::builtin("virtual").unwrap().with(&overrides).unwrap();
    profile.bench.simulation.faults = faults.iter().map(|f| (*f).to_owned()).collect();
    profile
}

type Route = fn(&VirtualBench) -> Option<String>;

fn socket(bench: &VirtualBench) -> Option<String> {
    Some(bench.scope_address().to_string())
}
fn vxi11(bench: &VirtualBench) -> Option<String> {
    bench.vxi11_address().map(|a| format!("TCPIP0::{},{}::inst0::INSTR", a.ip(), a.port()))
}
fn visa_socket(bench: &VirtualBench) -> Option<String> {
    let a = bench.scope_address();
    Some(format!("visa:TCPIP0::{}::{}::SOCKET", a.ip(), a.port()))
}
/// Messages with ends, in pieces of no more than 3001 bytes, behind a name that only the library knows.
fn visa_messages(bench: &VirtualBench) -> Option<String> {
    let a = bench.scope_address();
    Some(format!("visa:shim/INSTR/chunk=3001/{}/{}", a.ip(), a.port()))
}

/// Everything of a run that must not depend on the transport.
#[derive(Debug, PartialEq)]
struct Run {
    /// Identity, behaviour, plan.
    plan: String,
    behaviour: String,
    /// Digest of the scope's bytes.
    samples: (usize, u32),
    shots: String,
    report: String,
}

fn measure(profile: &Profile, route: Route) -> Run {
    let folder = TempDir::new().unwrap();
    let record = RunRecord::start(profile.bench.kind, &profile.name, "2026-01-31T14:05:09Z".to_owned());
    let text = profile::builtin_text("virtual").unwrap();
    let mut writer = Writer::create(folder.path(), record, text).unwrap();
    let options =
        Options { simulation: profile.bench.simulation.clone(), vxi11_port: Some(0), ..Options::default() };
    let log = writer.dialogue().unwrap();
    let mut bench = bench::open_virtual_by(options, &profile.bench, log, route).unwrap();
    let behaviour = bench.scope.behaviour().to_string();
    let plan = plan::plan(profile, bench.scope.capabilities()).unwrap();
    writer.plan(&plan).unwrap();
    let mut recording = Recording {
        plan: &plan,
        bench: &mut bench,
        writer: &mut writer,
        observer: &mut |_| {},
        stop: &AtomicBool::new(false),
        flash: &BTreeMap::new(),
    };
    assert!(recording.run().unwrap(), "complete");
    let run = writer.finish(Outcome::Complete, "2026-01-31T14:06:00Z".to_owned(), None).unwrap();
    evidence(&run, behaviour)
}

fn evidence(run: &Path, behaviour: String) -> Run {
    let of = |name: &str| fs::read(run.join("direct").join(name)).unwrap();
    let samples = of("samples.bin");
    let report = session::analyze(&Reader::open(run).unwrap()).unwrap();
    Run {
        plan: fs::read_to_string(run.join("plan.json")).unwrap(),
        behaviour,
        samples: (samples.len(), crc32fast::hash(&samples)),
        shots: String::from_utf8(of("shots.jsonl")).unwrap(),
        report: format!("{:?}", report.rows),
    }
}

#[test]
fn every_transport_gives_the_same_run() {
    scpi::visa::choose(shim().as_os_str()).unwrap();
    let profile = profile(&[]);
    let expected = measure(&profile, socket);
    assert!(expected.samples.0 > 100_000, "a record was read: {} bytes", expected.samples.0);
    let routes: [(&str, Route); 3] =
        [("VXI-11", vxi11), ("VISA, socket", visa_socket), ("VISA, messages", visa_messages)];
    for (name, route) in routes {
        let run = measure(&profile, route);
        assert_eq!(run.samples, expected.samples, "{name}");
        assert_eq!(run, expected, "{name}");
    }
}

/// Q33: the mark of the end is lost on every answer; lines and lengths are enough.
#[test]
fn vxi11_without_the_mark_of_the_end_gives_the_same_run() {
    let expected = measure(&profile(&[]), socket);
    let run = measure(&profile(&["lost-end"]), vxi11);
    assert_eq!((run.samples, run.report), (expected.samples, expected.report));
}

/// An answer that never comes and a connection that breaks, over each transport: made anew, the run goes on.
#[test]
fn a_broken_exchange_is_survived_over_each_transport() {
    scpi::visa::choose(shim().as_os_str()).unwrap();
    for fault in ["silent@150", "drop@170"] {
        let mut profile = profile(&[fault]);
        profile.bench.scope_timeout = latency_cli::units::Picos::from_ms(300);
        for (name, route) in [("VXI-11", vxi11 as Route), ("VISA", visa_socket), ("VISA", visa_messages)] {
            let run = measure(&profile, route);
            assert!(run.samples.0 > 100_000, "{name} {fault}");
        }
    }
}
