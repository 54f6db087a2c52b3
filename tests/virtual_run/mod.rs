//! One run of the virtual bench in a folder of its own, in its own time.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a failing step is a failing test

use latency_cli::bench::{self, sim::Options};
use latency_cli::capture::{Outcome, Reader, RunRecord, Writer};
use latency_cli::plan::{self, RunPlan};
use latency_cli::profile::{self, Overrides, Profile, Simulation, StrategyChoice};
use latency_cli::report::Report;
use latency_cli::session::{self, Event, Recording};
use latency_cli::units::Picos;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What came of a run.
pub struct Outcomes {
    /// As it was before the first shot.
    pub plan: RunPlan,
    /// Of its evidence.
    pub report: Report,
    /// Shot, time after the trigger and latency of every stimulus that was answered.
    pub truth: Vec<(u32, i64, i64)>,
    /// Blocks that the shots were read in.
    pub blocks: usize,
    /// Predicted and real time of each configuration, setting up included.
    pub times: Vec<(Picos, Picos)>,
}

/// The built-in profile, one mode of it.
pub fn profile(mode: &str, count: u32, strategy: StrategyChoice, change: impl Fn(&mut Profile)) -> Profile {
    let overrides = Overrides {
        modes: vec![mode.to_owned()],
        count: Some(count),
        strategy: Some(strategy),
        ..Overrides::default()
    };
    let mut profile = profile::builtin("virtual").unwrap().with(&overrides).unwrap();
    profile.bench.simulation = Simulation { skew: Picos::ZERO, ..profile.bench.simulation.clone() };
    change(&mut profile);
    profile
}

/// Gauges, plans, measures, and analyses the evidence.
pub fn measure(profile: &Profile) -> Outcomes {
    let folder = TempDir::new().unwrap();
    let sink = Sink::default();
    let record = RunRecord::start(profile.bench.kind, &profile.name, "2026-01-31T14:05:09Z".to_owned());
    let mut writer =
        Writer::create(folder.path(), record, profile::builtin_text("virtual").unwrap()).unwrap();
    let options = Options {
        simulation: profile.bench.simulation.clone(),
        free_running: profile.bench.dut == "none",
        truth: Some(Box::new(sink.clone())),
        ..Options::default()
    };
    let mut bench = bench::open_virtual(options, &profile.bench, writer.dialogue().unwrap()).unwrap();
    bench.scope.gauge().unwrap();
    let plan = plan::plan(profile, bench.scope.capabilities()).unwrap();
    writer.plan(&plan).unwrap();
    let mut times = Vec::new();
    let mut observer = |event: &Event| {
        if let Event::Finished { elapsed, predicted, .. } = event {
            times.push((*predicted, *elapsed));
        }
    };
    let mut recording = Recording {
        plan: &plan,
        bench: &mut bench,
        writer: &mut writer,
        observer: &mut observer,
        stop: &AtomicBool::new(false),
        flash: &BTreeMap::new(),
    };
    recording.run().unwrap();
    let run = writer.finish(Outcome::Complete, "2026-01-31T14:06:00Z".to_owned(), None).unwrap();
    let report = session::analyze(&Reader::open(&run).unwrap()).unwrap();
    let text = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
    let fields = text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    let answered = |f: Vec<&str>| Some((f[0].parse().unwrap(), f[2].parse().ok()?, f[4].parse().ok()?));
    let truth = fields.filter_map(answered).collect();
    let dialogue = std::fs::read_to_string(run.join("dialogue.log")).unwrap();
    let shots = dialogue.split_once(":SINGle").map_or("", |(_, shots)| shots);
    let blocks = shots.matches("#block").count();
    Outcomes { plan, report, truth, blocks, times }
}
