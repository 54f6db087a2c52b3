//! What the program measures against what the simulated bench knows to be true.
//!
//! The truth is written by the simulator, in the time of the board, without skew, clock error or sampling; the driver,
//! the analysis and the report never see it.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a failing step is a failing test

use latency_cli::bench::{self, sim::Options};
use latency_cli::capture::{Outcome, Reader, RunRecord, Writer};
use latency_cli::plan;
use latency_cli::profile::{self, Overrides, Profile, Simulation, StrategyChoice};
use latency_cli::report::Report;
use latency_cli::session::{self, Recording, SessionError};
use latency_cli::signal::Status;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// A picosecond is the unit of everything here.
const NS: i64 = 1_000;

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("not poisoned").extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// One line of the truth.
#[derive(Debug, Clone, Copy)]
struct True {
    shot: u32,
    stimulus: Option<i64>,
    latency: Option<i64>,
}

fn truth(text: &str) -> Vec<True> {
    let rows = text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    rows.map(|f| True {
        shot: f[0].parse().expect("shot"),
        stimulus: f[2].parse().ok(),
        latency: f[4].parse().ok(),
    })
    .collect()
}

fn profile(change: impl Fn(&mut Simulation), overrides: &Overrides) -> Profile {
    let mut profile = profile::builtin("virtual").expect("built in").with(overrides).expect("fits");
    change(&mut profile.bench.simulation);
    profile
}

fn one(mode: &str, count: u32) -> Overrides {
    Overrides { modes: vec![mode.to_owned()], count: Some(count), ..Overrides::default() }
}

/// Measures in a folder of its own, and gives the report of the evidence with the truth.
fn measure(profile: &Profile) -> (Report, Vec<True>) {
    let (report, truth, outcome) = try_measure(profile);
    outcome.expect("measured");
    (report, truth)
}

fn try_measure(profile: &Profile) -> (Report, Vec<True>, Result<bool, SessionError>) {
    let folder = TempDir::new().expect("folder");
    let sink = Sink::default();
    let record = RunRecord::start(profile.bench.kind, &profile.name, "2026-01-31T14:05:09Z".to_owned());
    let text = profile::builtin_text("virtual").expect("built in");
    let mut writer = Writer::create(folder.path(), record, text).expect("created");
    let options = Options {
        simulation: profile.bench.simulation.clone(),
        free_running: profile.bench.dut == "none",
        truth: Some(Box::new(sink.clone())),
        ..Options::default()
    };
    let mut bench =
        bench::open_virtual(options, &profile.bench, writer.dialogue().expect("log")).expect("opened");
    let plan = plan::plan(profile, bench.scope.capabilities()).expect("planned");
    writer.plan(&plan).expect("written");
    let mut recording = Recording {
        plan: &plan,
        bench: &mut bench,
        writer: &mut writer,
        observer: &mut |_| {},
        stop: &AtomicBool::new(false),
        flash: &BTreeMap::new(),
    };
    let outcome = recording.run();
    let run = writer.finish(Outcome::Complete, "2026-01-31T14:06:00Z".to_owned(), None).expect("finished");
    let report = session::analyze(&Reader::open(&run).expect("opened")).expect("analyzed");
    let text = String::from_utf8(sink.0.lock().expect("not poisoned").clone()).expect("text");
    (report, truth(&text), outcome)
}

/// Differences measured minus true, of every pair that counts. Each shot must be one true acquisition, whole, and no
/// acquisition may serve for two shots: that would be a stale record, counted again.
fn errors(report: &Report, truth: &[True], reach: i64) -> Vec<i64> {
    let row = &report.rows[0];
    let mut used = Vec::new();
    let mut errors = Vec::new();
    for shot in 1..=row.pairs.iter().map(|p| p.shot).max().unwrap_or(0) {
        let counted = row.pairs.iter().filter(|p| p.shot == shot && p.pair.status == Status::Paired);
        let pairs: Vec<(i64, i64)> = counted
            .map(|p| (p.pair.stimulus.expect("paired").0, p.pair.latency().expect("paired").0))
            .collect();
        // The scope may have triggered more often than shots were kept, so the number is only the first guess.
        let last = truth.iter().map(|t| t.shot).max().unwrap_or(0);
        let candidates =
            std::iter::once(shot).chain(1..=last).filter(|n| !used.contains(n)).collect::<Vec<_>>();
        let found = candidates.into_iter().find_map(|n| Some((n, compared(&pairs, truth, n, reach)?)));
        let (number, differences) =
            found.unwrap_or_else(|| panic!("shot {shot} is no acquisition that happened"));
        used.push(number);
        errors.extend(differences);
    }
    errors
}

/// Differences of a shot's pairs to those of a true acquisition; none when a stimulus is not in it.
fn compared(pairs: &[(i64, i64)], truth: &[True], number: u32, reach: i64) -> Option<Vec<i64>> {
    let of_shot: Vec<&True> = truth.iter().filter(|t| t.shot == number).collect();
    let difference = |(seen, latency): &(i64, i64)| {
        let same = of_shot.iter().find(|t| t.stimulus.is_some_and(|s| (s - seen).abs() <= reach));
        Some(latency - same?.latency?)
    };
    pairs.iter().map(difference).collect()
}

fn median(values: &[i64]) -> i64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() / 2]
}

/// The trigger's own place is only known to the level and the sample, hence the reach; clock error moves late edges.
const REACH: i64 = 500 * NS;

#[test]
fn every_pair_is_within_a_nanosecond_and_the_median_within_a_tenth() {
    for mode in ["bare-metal", "direct", "freertos"] {
        let ideal = |s: &mut Simulation| {
            (s.skew.0, s.clock_error_ppm, s.noise_codes) = (0, 0.0, 1.0);
        };
        let (report, truth) = measure(&profile(ideal, &one(mode, 1000)));
        let row = &report.rows[0];
        assert_eq!((row.counts.paired, row.interval.expect("sampled").0), (1000, 2 * NS), "{mode}");
        let errors = errors(&report, &truth, REACH);
        assert!(
            errors.iter().all(|e| e.abs() <= NS),
            "{mode}: worst error {:?} ps",
            errors.iter().map(|e| e.abs()).max()
        );
        let latencies: Vec<i64> = truth.iter().filter_map(|t| t.latency).collect();
        let bias = row.summary.as_ref().expect("figures").typical.0 - median(&latencies);
        assert!(bias.abs() <= NS / 10, "{mode}: median off by {bias} ps");
    }
}

#[test]
fn the_worst_that_is_printed_is_the_worst_that_happened() {
    let (report, truth) = measure(&profile(|s| s.skew.0 = 0, &one("direct", 1000)));
    let worst = truth.iter().filter_map(|t| t.latency).max().expect("latencies");
    let printed = report.rows[0].summary.as_ref().expect("figures").worst.0;
    assert!((printed - worst).abs() <= NS, "{printed} {worst}");
}

#[test]
fn skew_that_nobody_calibrated_is_the_bias() {
    for skew in [-1500, 400, 2300] {
        let (report, truth) =
            measure(&profile(|s| (s.skew.0, s.clock_error_ppm) = (skew, 0.0), &one("direct", 400)));
        let bias = median(&errors(&report, &truth, REACH));
        assert!((bias - skew).abs() <= 50, "skew {skew} ps seen as {bias} ps");
        assert!(report.warnings.iter().any(|w| w.code == "skew-not-calibrated"));
    }
}

#[test]
fn missing_double_and_late_answers_come_out_as_that_many() {
    let spoil = |miss: f64, double: f64, late: f64| {
        move |s: &mut Simulation| {
            (s.miss_rate, s.double_rate, s.late_rate) = (Some(miss), Some(double), Some(late));
        }
    };
    // Missing and double answers. A second answer that no stimulus caused has a truth row without a stimulus.
    let (report, truth) = measure(&profile(spoil(0.03, 0.03, 0.0), &one("direct", 1000)));
    let missing = truth.iter().filter(|t| t.stimulus.is_some() && t.latency.is_none()).count() as u64;
    let double = truth.iter().filter(|t| t.stimulus.is_none()).count() as u64;
    assert!(missing > 10 && double > 10, "the spoiling must be there: {missing} {double}");
    let counts = report.rows[0].counts;
    assert_eq!((counts.unanswered, counts.spurious, counts.ambiguous), (missing, double, 0));

    // Late answers: each makes two stimuli ambiguous, its own and the one it falls behind.
    let (report, truth) = measure(&profile(spoil(0.0, 0.0, 0.01), &one("direct", 1000)));
    let doubtful = late_and_victims(&truth);
    assert!(doubtful > 4, "{doubtful}");
    let counts = report.rows[0].counts;
    assert_eq!((counts.ambiguous, counts.unanswered), (doubtful, 0));
    assert!(
        errors(&report, &truth, REACH).iter().all(|e| e.abs() <= 2 * NS),
        "a late answer passed for a short latency"
    );
}

/// Stimuli whose answer came after the next stimulus, and those next stimuli, each counted once.
fn late_and_victims(truth: &[True]) -> u64 {
    let mut doubtful = vec![false; truth.len()];
    for (i, pair) in truth.windows(2).enumerate() {
        let [a, b] = pair else { continue };
        let (Some(stimulus), Some(next)) = (a.stimulus, b.stimulus) else { continue };
        if a.shot == b.shot && a.latency.is_some_and(|l| stimulus + l > next) {
            (doubtful[i], doubtful[i + 1]) = (true, true);
        }
    }
    doubtful.iter().filter(|d| **d).count() as u64
}

#[test]
fn a_board_that_never_answers_ends_and_is_all_misses() {
    let (report, truth) = measure(&profile(|s| s.miss_rate = Some(1.0), &one("direct", 50)));
    let counts = report.rows[0].counts;
    assert_eq!(counts.paired, 0);
    assert_eq!(counts.unanswered, truth.iter().filter(|t| t.stimulus.is_some()).count() as u64);
    assert!(!report.passes());
}

#[test]
fn single_shots_and_trains_tell_the_same() {
    let single =
        Overrides { strategy: Some(StrategyChoice::Fixed(profile::Strategy::Single)), ..one("direct", 60) };
    let (report, truth) = measure(&profile(|s| s.skew.0 = 0, &single));
    assert_eq!((report.rows[0].shots, report.rows[0].counts.paired), (60, 60));
    assert!(errors(&report, &truth, REACH).iter().all(|e| e.abs() <= NS));
}

#[test]
fn a_free_running_stimulus_of_unknown_spacing_is_measured_without_a_board() {
    for (spacing_us, seed) in [(37, 1), (100, 2), (700, 3)] {
        let free = Overrides { dut: Some("none".to_owned()), seed: Some(seed), ..one("direct", 300) };
        let change = move |s: &mut Simulation| {
            s.spacing = latency_cli::units::Picos::from_us(spacing_us);
            s.skew.0 = 0;
        };
        let (report, truth) = measure(&profile(change, &free));
        let row = &report.rows[0];
        assert!(row.counts.paired >= 300, "{spacing_us} us: {:?}", row.counts);
        let errors = errors(&report, &truth, REACH);
        assert!(
            errors.iter().all(|e| e.abs() <= 2 * NS),
            "{spacing_us} us: {:?}",
            errors.iter().map(|e| e.abs()).max()
        );
    }
}

#[test]
fn a_stale_record_is_never_counted() {
    for (fault, link) in [
        ("stale-stop", "virtual"),
        ("stale-stop", "none"),
        ("stale-stop%20", "none"),
        ("stale-stop@2", "none"),
    ] {
        let free = Overrides { dut: Some(link.to_owned()), ..one("direct", 200) };
        let change = |s: &mut Simulation| {
            s.faults = vec![fault.to_owned()];
            s.skew.0 = 0;
        };
        // Ending with an error is as good as the right figures; wrong figures are not.
        let (report, truth, outcome) = try_measure(&profile(change, &free));
        assert!(outcome.is_ok() || report.rows[0].counts.paired < 200, "{fault} {link}: {outcome:?}");
        errors(&report, &truth, REACH);
    }
}
