//! The tail fit on samples of known law, and every reason to refuse one.

use crate::signal::synthetic::Random;
use crate::stats::order::Share;
use crate::stats::{StatsError, tail};
use crate::units::Picos;

/// 1.8 us plus a generalised Pareto of the given shape and 100 ns.
fn pareto(random: &mut Random, shape: f64) -> Picos {
    let u = random.uniform();
    let excess = if shape == 0.0 { -u.ln() } else { (u.powf(-shape) - 1.0) / shape };
    Picos(1_800_000 + (100_000.0 * excess).round() as i64)
}

fn sample(seed: u64, n: usize, shape: f64) -> Vec<Picos> {
    let mut random = Random(seed);
    (0..n).map(|_| pareto(&mut random, shape)).collect()
}

/// The latency that all but 1 - share exceed under that law.
fn truth(share: Share, shape: f64) -> f64 {
    let p = 1.0 - share.fraction();
    1_800_000.0 + 100_000.0 * if shape == 0.0 { -p.ln() } else { (p.powf(-shape) - 1.0) / shape }
}

#[test]
fn a_known_tail_is_found_within_its_interval() {
    let shares = [Share::P9999, Share::from_ppm(999_990).unwrap()];
    for (shape, seed) in [(-0.2, 1), (0.0, 2), (0.2, 3)] {
        let fit = tail(&sample(seed, 20_000, shape), &shares).unwrap();
        assert_eq!(fit.excesses, 1_000);
        assert!(fit.shape_interval[0] <= shape && shape <= fit.shape_interval[1], "{fit:?}");
        for (quantile, share) in fit.quantiles.iter().zip(shares) {
            let truth = truth(share, shape);
            assert!(
                quantile.low.0 as f64 <= truth && truth <= quantile.high.0 as f64,
                "{shape}: {quantile:?} {truth}"
            );
            assert!(quantile.low < quantile.value && quantile.value < quantile.high);
        }
    }
}

fn reason(latencies: &[Picos]) -> String {
    match tail(latencies, &[Share::P9999]) {
        Err(StatsError::Tail(reason)) => reason,
        other => format!("{other:?}"),
    }
}

#[test]
fn every_broken_condition_is_a_refusal_with_its_reason() {
    let sound = sample(11, 10_000, 0.0);
    assert!(tail(&sound, &[Share::P9999]).is_ok());
    assert!(matches!(tail(&sound[1..], &[]), Err(StatsError::TooFew { n: 9_999, needed: 10_000, .. })));

    let quantised: Vec<Picos> = sound.iter().map(|x| Picos(x.0 / 62_500 * 62_500)).collect();
    assert!(reason(&quantised).contains("quantised"), "{}", reason(&quantised));

    let mut clustered = sound.clone();
    clustered.sort_unstable();
    assert!(reason(&clustered).contains("clusters"), "{}", reason(&clustered));

    // A section of fixed length in one of forty events: the tail has a hump.
    let mut random = Random(12);
    let humped: Vec<Picos> =
        sound.iter().map(|x| if random.uniform() < 0.025 { *x + Picos(2_000_000) } else { *x }).collect();
    let text = reason(&humped);
    assert!(
        ["law of extremes", "depends on the threshold", "the end of what"].iter().any(|r| text.contains(r)),
        "{text}"
    );

    let far = Share::from_ppm(999_999).unwrap();
    assert!(tail(&sample(13, 20_000, 0.0), &[far]).unwrap_err().to_string().contains("ten times rarer"));
    assert!(tail(&sound, &[Share::MEDIAN]).unwrap_err().to_string().contains("take it from the sample"));
}

#[test]
fn most_sound_samples_pass_the_checks() {
    // Four checks at 1 % each refuse at most 4 %: of 10 samples more than two with a probability below 1 %.
    let refused = (0..10).filter(|k| tail(&sample(100 + k, 10_000, 0.1), &[Share::P9999]).is_err()).count();
    assert!(refused <= 2, "{refused}");
}
