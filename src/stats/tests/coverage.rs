//! Nominal 95 % intervals hold the truth 93 % to 97 % of the time, and the gate keeps its word. Seeds are fixed.

use crate::signal::synthetic::Random;
use crate::stats::order::{Share, quantile};
use crate::stats::{GateRule, Relevance, compare, gate};
use crate::units::Picos;

const REPEATS: usize = 2_000;

/// A latency law with a wide right flank: 1.8 us and an exponential of 100 ns.
fn latency(random: &mut Random) -> Picos {
    Picos(1_800_000 + (-100_000.0 * random.uniform().ln()) as i64)
}

fn sample(random: &mut Random, n: usize) -> Vec<Picos> {
    (0..n).map(|_| latency(random)).collect()
}

#[track_caller]
fn nominal(hits: usize, repeats: usize) {
    let share = hits as f64 / repeats as f64;
    assert!((0.93..=0.97).contains(&share), "{share}");
}

#[test]
fn intervals_of_quantiles_cover() {
    for (share, n, seed) in [
        (Share::MEDIAN, 100, 1),
        (Share::MEDIAN, 1_000, 2),
        (Share::P90, 300, 3),
        (Share::P99, 1_000, 4),
        (Share::P999, 3_000, 5),
    ] {
        let mut random = Random(seed);
        let truth = Picos(1_800_000 + (-100_000.0 * (1.0 - share.fraction()).ln()) as i64);
        let repeats = if n > 1_000 { 1_000 } else { REPEATS };
        let hits = (0..repeats).filter(|_| {
            let mut values = sample(&mut random, n);
            values.sort_unstable();
            let q = quantile(&values, share, 0.95).unwrap();
            q.low <= truth && truth <= q.high
        });
        nominal(hits.count(), repeats);
    }
}

#[test]
fn intervals_of_shift_and_superiority_cover() {
    let mut random = Random(6);
    let relevance = Relevance { resolution: Picos(1), threshold: Picos(1) };
    let (mut shifts, mut superiorities) = (0, 0);
    for _ in 0..REPEATS {
        let a = sample(&mut random, 60);
        let b: Vec<Picos> = sample(&mut random, 50).into_iter().map(|x| x + Picos(50_000)).collect();
        let c = compare(&[(&a, &b)], relevance).unwrap().remove(0);
        shifts += usize::from(c.shift.low <= Picos(50_000) && Picos(50_000) <= c.shift.high);
        // P(b + d > a) for two exponentials of one mean m: 1 - exp(-d / m) / 2, d / m = 1/2.
        let truth = 1.0 - (-0.5f64).exp() / 2.0;
        superiorities += usize::from(c.superiority.low <= truth && truth <= c.superiority.high);
    }
    nominal(shifts, REPEATS);
    nominal(superiorities, REPEATS);
}

#[test]
fn false_differences_stay_within_alpha() {
    let mut random = Random(7);
    let relevance = Relevance { resolution: Picos::ZERO, threshold: Picos::ZERO };
    let called = (0..REPEATS).filter(|_| {
        let runs: Vec<Vec<Picos>> = (0..6).map(|_| sample(&mut random, 40)).collect();
        let pairs: Vec<(&[Picos], &[Picos])> = runs.chunks(2).map(|w| (&w[0][..], &w[1][..])).collect();
        let all = compare(&pairs, relevance).unwrap();
        all.iter().any(|c| c.p_shift_adjusted <= 0.05 || c.p_distance_adjusted <= 0.05)
    });
    // 5 % and three standard deviations of 2000 repeats.
    let share = called.count() as f64 / REPEATS as f64;
    assert!(share <= 0.05 + 3.0 * (0.05f64 * 0.95 / REPEATS as f64).sqrt(), "{share}");
}

#[test]
fn the_gate_alarms_on_identical_systems_within_alpha() {
    let rule = GateRule { alpha: 0.05, relevance: Picos::ZERO };
    for (m, n, grid, seed) in [(1_000, 300, 1, 8), (300, 300, 20_000, 9)] {
        let mut random = Random(seed);
        // The second system has many equal values.
        let mut run =
            |n| sample(&mut random, n).into_iter().map(|x| Picos(x.0 / grid * grid)).collect::<Vec<_>>();
        let alarms = (0..REPEATS).filter(|_| gate(&run(m), &run(n), &rule).unwrap().regressed()).count();
        let share = alarms as f64 / REPEATS as f64;
        assert!(share <= 0.05, "{share}");
        // It can alarm at all: between a tenth and all of alpha.
        assert!(share >= 0.005, "{share}");
    }
}

#[test]
fn the_gate_sees_a_slower_bulk_and_a_worse_tail() {
    let mut random = Random(10);
    let rule = GateRule { alpha: 0.05, relevance: Picos(5_000) };
    let baseline = sample(&mut random, 1_000);
    let slower: Vec<Picos> = sample(&mut random, 1_000).into_iter().map(|x| x + Picos(30_000)).collect();
    let report = gate(&baseline, &slower, &rule).unwrap();
    assert!(report.shift_regressed && report.shift.value > Picos(20_000), "{report:?}");
    // Four in a hundred take 1 us more: the median does not move, the tail does.
    let stalled: Vec<Picos> = sample(&mut random, 1_000)
        .into_iter()
        .map(|x| if random.uniform() < 0.04 { x + Picos(1_000_000) } else { x })
        .collect();
    let report = gate(&baseline, &stalled, &rule).unwrap();
    assert!(report.tail_regressed && !report.shift_regressed, "{report:?}");
    // A shift below relevance passes.
    let trifle: Vec<Picos> = sample(&mut random, 1_000).into_iter().map(|x| x + Picos(2_000)).collect();
    assert!(!gate(&baseline, &trifle, &rule).unwrap().regressed());
    assert!(gate(&baseline[..49], &slower, &rule).is_err());
}
