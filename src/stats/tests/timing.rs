//! Edges of known instants through the whole chain: is the error what the budget says?

use crate::signal::synthetic::{Random, Wave, picos};
use crate::signal::{Edges, Role, edges};
use crate::stats::{Budget, Channel, Conditions, Skew, budget};
use crate::units::Picos;

/// Pairs a record, and the conditions they are measured under.
#[derive(Clone, Copy)]
struct Bench {
    noise: f64,
    rise: f64,
    interval: f64,
    pairs: usize,
}

/// Errors of all latencies of one record in picoseconds, and their budget.
fn measured(bench: Bench, random: &mut Random) -> (Vec<i64>, Budget) {
    let spacing = 40.0 * bench.interval + 6.0 * bench.rise;
    let width = spacing / 3.0;
    let stimuli: Vec<f64> =
        (0..bench.pairs).map(|k| (k as f64 + random.between(0.4, 0.6)) * 2.0 * spacing).collect();
    let truth: Vec<f64> =
        stimuli.iter().map(|_| spacing * 0.4 + random.between(0.0, spacing * 0.2)).collect();
    let points = (2.0 * spacing / bench.interval * (bench.pairs + 1) as f64) as usize;
    let mut wave = |pulses: Vec<f64>, role| {
        let (low, seed) = (random.between(40.0, 50.0), random.next());
        let high = low + random.between(155.0, 165.0);
        let (Bench { rise, noise, interval, .. }, origin) = (bench, -0.3 * spacing);
        let wave = Wave { pulses, width, rise, low, high, noise, interval, origin, points, seed };
        edges(&wave.trace(role), None).unwrap()
    };
    let stimulus = wave(stimuli.clone(), Role::Stimulus);
    let response = wave(stimuli.iter().zip(&truth).map(|(s, l)| s + l).collect(), Role::Response);
    let rising = |e: &Edges| e.list.iter().step_by(2).map(|e| e.at).collect::<Vec<_>>();
    assert_eq!([stimulus.list.len(), response.list.len()], [2 * bench.pairs; 2]);
    let latencies = rising(&response).into_iter().zip(rising(&stimulus)).map(|(r, s)| r - s);
    let errors = latencies.zip(&truth).map(|(l, t)| (l - picos(*t)).0).collect();
    let conditions = Conditions {
        stimulus: Channel::of(&stimulus).unwrap(),
        response: Channel::of(&response).unwrap(),
        skew: Skew::Calibrated { standard: Picos::ZERO },
        years: Some(0.0),
    };
    (errors, budget(picos(spacing * 0.5), &conditions))
}

fn rms(errors: &[i64]) -> f64 {
    (errors.iter().map(|e| (*e as f64).powi(2)).sum::<f64>() / errors.len() as f64).sqrt()
}

/// Noise limit of a pair in picoseconds: one crossing of noise over slope, both edges; the slope of a Gaussian edge at
/// its middle is amplitude / (sigma * sqrt(2 pi)).
fn noise_limit(bench: Bench, amplitude: f64) -> f64 {
    let slope = amplitude / (bench.rise / 2.563_103_1 * std::f64::consts::TAU.sqrt());
    1000.0 * std::f64::consts::SQRT_2 * bench.noise / slope
}

#[test]
fn edges_are_timed_to_the_noise_limit_without_bias() {
    let mut random = Random(20_260_101);
    for noise in [1.0, 2.0, 3.0] {
        let bench = Bench { noise, rise: 7.0, interval: 2.0, pairs: 200 };
        for _ in 0..4 {
            let (errors, _) = measured(bench, &mut random);
            // Amplitudes are 155 to 165 codes: the largest has the lowest limit.
            let limit = 1.2 * noise_limit(bench, 165.0);
            assert!(rms(&errors) <= limit, "{noise} codes: {} of {limit} ps", rms(&errors));
            let bias = errors.iter().sum::<i64>() as f64 / errors.len() as f64;
            assert!(bias.abs() < 50.0, "{noise} codes: bias {bias} ps");
        }
    }
}

/// Rises of 3 to 20 ns sampled every 2 to 40 ns with noise of 0 to 3 codes.
const INTERVALS: [f64; 5] = [2.0, 4.0, 10.0, 20.0, 40.0];
const RISES: [f64; 5] = [3.0, 5.0, 7.0, 12.0, 20.0];
const NOISES: [f64; 5] = [0.0, 0.3, 1.0, 2.0, 3.0];

#[test]
fn the_stated_uncertainty_covers_the_errors() {
    let mut random = Random(4_711);
    let (mut all, mut covered) = (0, 0);
    for interval in INTERVALS {
        for (rise, noise) in RISES.into_iter().flat_map(|r| NOISES.map(|n| (r, n))) {
            let (mut n, mut hits) = (0, 0);
            for _ in 0..10 {
                let (errors, budget) = measured(Bench { noise, rise, interval, pairs: 40 }, &mut random);
                hits += errors.iter().filter(|e| e.abs() <= budget.expanded.0).count();
                n += errors.len();
            }
            // Within 400 pairs of ten records, three standard deviations below 95 %.
            let share = hits as f64 / n as f64;
            assert!(share >= 0.917, "{interval} ns, {rise} ns, {noise} codes: {share}");
            (all, covered) = (all + n, covered + hits);
        }
    }
    let share = covered as f64 / all as f64;
    assert!((0.93..=0.99).contains(&share), "{share} of {all}");
}

#[test]
fn edges_between_samples_are_bounded_by_one_interval() {
    let mut random = Random(5);
    for interval in [20.0, 40.0] {
        let (errors, budget) = measured(Bench { noise: 1.0, rise: 3.0, interval, pairs: 300 }, &mut random);
        assert_eq!(budget.bound, Some(picos(interval)));
        // What noise adds to two plateaus is far below a hundredth of an interval here.
        let bound = picos(interval * 1.01).0;
        assert!(errors.iter().all(|e| e.abs() <= bound));
        assert!(rms(&errors) > picos(interval).0 as f64 * 0.3);
    }
    let (_, fine) = measured(Bench { noise: 1.0, rise: 7.0, interval: 2.0, pairs: 100 }, &mut random);
    assert_eq!(fine.bound, None);
}

#[test]
fn the_budget_of_a_default_bench_is_that_of_the_dossier() {
    // 500 mV/div, 3.3 V, 7 ns, 2 ns: 165 codes, sigma 2.731 ns, slope 24.1 codes a ns; mean step about 48 codes.
    let channel = Channel {
        edges: 2,
        interval: Picos(2_000),
        amplitude: 165.0,
        step: 47.0,
        noise: 1.0,
        unresolved: 0.0,
    };
    let open =
        Conditions { stimulus: channel, response: channel, skew: Skew::NotCalibrated, years: Some(3.0) };
    let budget_open = budget(Picos::from_us(10), &open);
    let standard = |n: usize| budget_open.terms[n].standard.0;
    // Interpolation at most 17 ps an edge; noise 2/3 of 1/24.1 ns squared, both edges: 48 ps; skew 2.5 / sqrt 3 = 1.443
    // ns; 40 ppm of 10 us / sqrt 3 = 231 ps.
    assert!(standard(0) < 24, "{}", standard(0));
    assert!((standard(1) - 48).abs() <= 4, "{}", standard(1));
    assert_eq!([standard(3), standard(4)], [1_443, 231]);
    let calibrated = Conditions { skew: Skew::Calibrated { standard: Picos(10) }, ..open };
    assert!(budget(Picos::from_us(1), &calibrated).expanded < Picos(150));
}
