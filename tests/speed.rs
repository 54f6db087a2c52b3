//! What a run costs against what the plan said, and windows against whole records. Time is the virtual bench's own, which
//! advances with the exchanges only, so nothing here depends on the machine.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a failing step is a failing test

mod virtual_run;

use latency_cli::profile::{Overrides, Profile, Spacing, Strategy, StrategyChoice};
use latency_cli::signal::Status;
use latency_cli::units::Picos;
use virtual_run::{Outcomes, measure, profile};

const NS: i64 = 1_000;

/// Every pair that counts is a true one of its shot within a nanosecond; how many there are.
fn true_pairs(outcome: &Outcomes) -> usize {
    let pairs = outcome.report.rows[0].pairs.iter().filter(|p| p.pair.status == Status::Paired);
    pairs
        .map(|p| {
            let (stimulus, latency) = (p.pair.stimulus.unwrap().0, p.pair.latency().unwrap().0);
            // The trigger is known to a sample; the clocks are 3 ppm apart, 72 ns in 24 ms.
            let near =
                outcome.truth.iter().filter(|(n, s, _)| *n == p.shot && (s - stimulus).abs() <= 200 * NS);
            let error = near.map(|(_, _, l)| (l - latency).abs()).min().expect("no such stimulus");
            assert!(error <= NS, "shot {}: {latency} ps is off by {error} ps", p.shot);
        })
        .count()
}

/// Stimuli far apart at fine sampling, as a slow mode under a strict resolution has them.
fn sparse(profile: &mut Profile) {
    let row = &mut profile.configurations[0];
    row.spacing = Some(Spacing { min: Picos::from_us(500), max: Picos::from_us(900) });
    row.window = Some(Picos::from_us(20));
    row.resolution = Picos::from_ns(2);
}

#[test]
fn windows_tell_the_same_as_whole_records_with_a_fraction_of_the_bytes() {
    let fixed = |strategy| measure(&profile("direct", 60, StrategyChoice::Fixed(strategy), sparse));
    let (burst, windowed) = (fixed(Strategy::Burst), fixed(Strategy::Windowed));
    assert_eq!((true_pairs(&burst), true_pairs(&windowed)), (60, 60));
    let row = |outcome: &Outcomes| outcome.report.rows[0].clone();
    assert_eq!(row(&windowed).counts, row(&burst).counts);
    assert!(row(&windowed).bytes * 5 < row(&burst).bytes, "{} {}", row(&windowed).bytes, row(&burst).bytes);
    assert!(windowed.times[0].1 < burst.times[0].1, "and less time");
    assert!(windowed.blocks > 60, "each window is a request of its own");
    // Two windows an answer at the most, each rounded outwards to whole points on both sides.
    let predicted = windowed.plan.configurations[0].prediction.bytes;
    assert!(row(&windowed).bytes.abs_diff(predicted) <= 60 * 2 * 2, "{} {predicted}", row(&windowed).bytes);
}

#[test]
fn auto_takes_windows_where_they_are_quicker_and_whole_records_elsewhere() {
    let outcome = measure(&profile("direct", 30, StrategyChoice::Auto, sparse));
    assert_eq!(outcome.plan.configurations[0].strategy, Strategy::Windowed);
    assert_eq!(true_pairs(&outcome), 30);
    let dense = measure(&profile("direct", 200, StrategyChoice::Auto, |_| {}));
    assert_eq!(dense.plan.configurations[0].strategy, Strategy::Burst);
    assert_eq!(true_pairs(&dense), 200);
}

#[test]
fn misses_are_counted_in_windows_as_in_whole_records() {
    let missing = |profile: &mut Profile| {
        sparse(profile);
        profile.bench.simulation.miss_rate = Some(0.2);
    };
    let windowed = StrategyChoice::Fixed(Strategy::Windowed);
    let outcome = measure(&profile("direct", 60, windowed, missing));
    let counts = outcome.report.rows[0].counts;
    assert!(counts.unanswered > 3, "{counts:?}");
    assert_eq!((counts.cut_off, counts.ambiguous), (0, 0), "{counts:?}");
    assert_eq!(counts.paired as usize, true_pairs(&outcome));
    assert!(outcome.report.warnings.iter().all(|w| w.code != "board-disagrees"), "a stimulus was not read");
}

/// Nobody says when the stimuli come: they are found on the first channel.
#[test]
fn an_external_stimulus_is_followed_on_the_other_channel() {
    let free = |profile: &mut Profile| {
        *profile =
            profile.clone().with(&Overrides { dut: Some("none".into()), ..Overrides::default() }).unwrap();
        profile.bench.simulation.spacing = Picos::from_us(700);
        profile.configurations[0].window = Some(Picos::from_us(20));
    };
    let outcome = measure(&profile("direct", 40, StrategyChoice::Fixed(Strategy::Windowed), free));
    let row = &outcome.report.rows[0];
    assert!(row.counts.paired >= 40, "{:?}", row.counts);
    let extent = outcome.plan.configurations[0].extent.points(Picos::from_ns(2));
    let whole = 2 * u64::from(extent) * u64::from(row.shots);
    assert!(row.bytes * 10 < whole * 6, "{} of {whole}", row.bytes);
}

/// The target of the plan: 15 % over the rates and round trips that were reported of real units.
#[test]
fn the_plan_says_beforehand_what_a_run_takes() {
    let cases = [
        ("direct", 1000, StrategyChoice::Auto),
        ("thread", 300, StrategyChoice::Auto),
        ("direct", 25, StrategyChoice::Fixed(Strategy::Single)),
    ];
    for rate in [0.4e6, 1.0e6, 1.7e6] {
        for latency in [3, 5, 10] {
            for (mode, count, strategy) in cases {
                let outcome = measure(&profile(mode, count, strategy, |p| {
                    p.bench.simulation.bytes_per_second = rate;
                    p.bench.simulation.command_latency = Picos::from_ms(latency);
                }));
                let (predicted, elapsed) = outcome.times[0];
                let error = predicted.as_seconds() / elapsed.as_seconds() - 1.0;
                let link = outcome.plan.link;
                assert!(link.gauged && (link.bytes_per_second / rate - 1.0).abs() < 0.05, "{link:?}");
                assert!(
                    error.abs() <= 0.15,
                    "{mode} at {rate:.1e} B/s and {latency} ms: predicted {predicted}, took {elapsed}"
                );
                let row = &outcome.report.rows[0];
                assert_eq!(row.predicted, outcome.plan.configurations[0].prediction.duration);
                if count == 1000 {
                    let error = row.predicted.as_seconds() / row.elapsed.as_seconds() - 1.0;
                    assert!(error.abs() <= 0.15, "without the setting up: {error}");
                }
            }
        }
    }
}

/// What goes wrong while the link is measured costs figures, never pairs.
#[test]
fn a_link_that_cannot_be_measured_is_assumed() {
    let faults =
        ["wrong-depth@1", "lost-setting%5", "few-points@2", "short-block@2", "empty-block@3", "silent@40"];
    for fault in
        faults.into_iter().chain(["bad-header@1", "bad-preamble@1", "no-newline@4", "late-answer@30"])
    {
        let outcome = measure(&profile("direct", 30, StrategyChoice::Auto, |p| {
            p.bench.scope_timeout = Picos::from_ms(300);
            p.bench.simulation.faults = vec![fault.to_owned()];
        }));
        assert_eq!(true_pairs(&outcome), 30, "{fault}");
    }
}
