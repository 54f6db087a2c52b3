//! Pictures of a run that was measured: on the virtual bench, through the driver, out of the evidence.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a failing step is a failing test

use latency_cli::bench::{self, sim::Options};
use latency_cli::capture::{Outcome, Reader, RunRecord, Writer};
use latency_cli::profile::{self, Overrides};
use latency_cli::report::pictures::{self, Trace, Waveform};
use latency_cli::report::{Report, page};
use latency_cli::session::Recording;
use latency_cli::signal::Slope;
use latency_cli::{plan, session};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

/// Measures `direct` and `workqueue` and gives the report with the waveforms of the worst.
fn measured(count: u32) -> (Report, Vec<Waveform>) {
    let folder = TempDir::new().expect("folder");
    let modes = vec!["direct".to_owned(), "workqueue".to_owned()];
    let wanted = Overrides { modes, count: Some(count), ..Overrides::default() };
    let profile = profile::builtin("virtual").expect("built in").with(&wanted).expect("fits");
    let record = RunRecord::start(profile.bench.kind, &profile.name, "2026-01-31T14:05:09Z".to_owned());
    let text = profile::builtin_text("virtual").expect("built in");
    let mut writer = Writer::create(folder.path(), record, text).expect("created");
    let options = Options { simulation: profile.bench.simulation.clone(), ..Options::default() };
    let mut bench =
        bench::open_virtual(options, &profile.bench, writer.dialogue().expect("log")).expect("opened");
    let plan = plan::plan(&profile, bench.scope.capabilities()).expect("planned");
    writer.plan(&plan).expect("written");
    let mut recording = Recording {
        plan: &plan,
        bench: &mut bench,
        writer: &mut writer,
        observer: &mut |_| {},
        stop: &AtomicBool::new(false),
        flash: &BTreeMap::new(),
    };
    recording.run().expect("measured");
    let run = writer.finish(Outcome::Complete, "2026-01-31T14:06:00Z".to_owned(), None).expect("finished");
    let reader = Reader::open(&run).expect("opened");
    let report = session::analyze(&reader).expect("analyzed");
    let worst = session::worst_waveforms(&reader, &report).expect("read");
    (report, worst)
}

/// Where a straight line between the two samples around the threshold crosses it, in picoseconds; the samples nearest to
/// where the program says it is.
fn crossing_by_hand(trace: &Trace) -> f64 {
    let rising = trace.slope == Slope::Rising;
    let sides = trace.near.windows(2).filter(|w| {
        let (before, after) = (w[0].1.0, w[1].1.0);
        if rising {
            before < trace.threshold.0 && after >= trace.threshold.0
        } else {
            before > trace.threshold.0 && after <= trace.threshold.0
        }
    });
    let crossings = sides.map(|w| {
        let part = (trace.threshold.0 - w[0].1.0) / (w[1].1.0 - w[0].1.0);
        w[0].0.0 as f64 + part * (w[1].0 - w[0].0).0 as f64
    });
    let distance = |at: &f64| (at - trace.crossing.0 as f64).abs();
    crossings.min_by(|a, b| distance(a).total_cmp(&distance(b))).expect("the samples cross the threshold")
}

#[test]
fn the_worst_pair_is_found_again_in_the_evidence() {
    let (report, worst) = measured(200);
    assert_eq!(worst.len(), report.rows.len());
    for (row, wave) in report.rows.iter().zip(&worst) {
        let summary = row.summary.as_ref().expect("pairs");
        assert_eq!((&wave.configuration, wave.latency), (&row.name, summary.worst));
        assert!(
            row.pairs.iter().any(
                |p| (p.shot, p.number, p.pair.latency()) == (wave.shot, wave.number, Some(summary.worst))
            )
        );
        let by_hand = crossing_by_hand(&wave.response) - crossing_by_hand(&wave.stimulus);
        assert!(
            (by_hand - summary.worst.0 as f64).abs() < 5.0,
            "{}: {by_hand} ps by hand, {}",
            row.name,
            summary.worst
        );
    }
}

#[test]
fn all_pictures_of_a_measured_run_go_into_its_page() {
    let (report, worst) = measured(200);
    let pictures = pictures::all(&report, &worst).expect("drawn");
    let names: Vec<&str> = pictures.iter().map(|p| p.name.as_str()).collect();
    let expected = [
        "histogram",
        "cdf",
        "exceedance",
        "time",
        "position",
        "histogram-1",
        "waveform-1",
        "histogram-2",
        "waveform-2",
    ];
    assert_eq!(names, expected);
    let page = page(&report, &pictures);
    for picture in &pictures {
        assert!(page.contains(&format!("<figure id=\"{}\">", picture.name)));
        assert!(picture.svg.contains("VIRTUAL") && picture.png.is_some());
    }
}
