//! Checks must name what is there and keep quiet about what is not.

use crate::signal::synthetic::Random;
use crate::signal::{Pair, Status};
use crate::stats::sanity::{
    CoreFloor, OrderCheck, below_floor, order, phase_coverage, positions, quantum, usual_quanta,
};
use crate::units::{Hertz, Picos};

/// 1.9 us, normal with the standard deviation in ns.
fn smooth(random: &mut Random, n: usize, sd: f64) -> Vec<Picos> {
    (0..n).map(|_| Picos(1_900_000 + (random.normal() * sd * 1e3) as i64)).collect()
}

#[test]
fn the_floor_is_that_of_the_core() {
    // 15 cycles at 128 MHz: 117.19 ns; at 64 MHz twice that.
    assert_eq!(CoreFloor::cortex_m(Hertz(128e6)).time(), Some(Picos(117_187)));
    assert_eq!(CoreFloor::cortex_m(Hertz(64e6)).time(), Some(Picos(234_375)));
    assert_eq!(CoreFloor::cortex_m(Hertz(0.0)).time(), None);
    assert_eq!(below_floor(&[Picos(100), Picos(200), Picos(300)], Picos(200)), 1);
}

#[test]
fn a_lock_to_the_timer_is_named() {
    let mut random = Random(1);
    let locked: Vec<Picos> = smooth(&mut random, 500, 120.0)
        .into_iter()
        .map(|x| Picos((x.0 / 62_500) * 62_500 + 20_000 + (random.normal() * 2_000.0) as i64))
        .collect();
    let found = quantum(&locked, &usual_quanta()).unwrap();
    assert_eq!((found.period, found.name.as_str()), (Picos(62_500), "16 MHz timer"));
    assert!(found.lock > 0.95);

    let slow: Vec<Picos> = (0..300)
        .map(|_| Picos(30_517_578 * (random.next() % 9) as i64 + (random.next() % 900_000) as i64))
        .collect();
    assert_eq!(quantum(&slow, &usual_quanta()).unwrap().period, Picos(30_517_578));
}

#[test]
fn smooth_samples_are_not_locked() {
    let mut random = Random(2);
    for sd in [1.0, 10.0, 30.0, 100.0, 500.0] {
        for _ in 0..40 {
            let mut sample = smooth(&mut random, 400, sd);
            // A sparse tail of up to 2 us, as real ones have.
            for x in sample.iter_mut().take(40) {
                *x += Picos((random.uniform() * 2e6) as i64);
            }
            assert_eq!(quantum(&sample, &usual_quanta()), None, "{sd}");
        }
    }
}

#[test]
fn independent_samples_pass_and_each_kind_of_order_is_named() {
    let mut random = Random(3);
    let warned =
        (0..500).filter(|_| order(&smooth(&mut random, 200, 50.0)).iter().any(|f| f.warns())).count();
    // 1 % after Holm; three standard deviations of 500 are 1.3 %.
    assert!(warned as f64 / 500.0 <= 0.023, "{warned}");

    let drifting: Vec<Picos> = smooth(&mut random, 400, 50.0)
        .into_iter()
        .enumerate()
        .map(|(k, x)| x + Picos(k as i64 * 200))
        .collect();
    let alternating: Vec<Picos> = smooth(&mut random, 400, 20.0)
        .into_iter()
        .enumerate()
        .map(|(k, x)| x + Picos(k as i64 % 2 * 30_000))
        .collect();
    let named =
        |sample: &[Picos]| order(sample).iter().filter(|f| f.warns()).map(|f| f.check).collect::<Vec<_>>();
    assert!(named(&drifting).contains(&OrderCheck::Halves));
    assert_eq!(named(&alternating), [OrderCheck::Autocorrelation, OrderCheck::Runs]);
    assert!(order(&drifting[..19]).is_empty());
}

/// scipy 1.17.1, numpy 2: `x = np.array([(7919*k*k) % 1009 for k in range(200)])`, `n = 200`;
/// `s.mannwhitneyu(x[100:], x[:100], method='asymptotic').pvalue`;
/// `d = s.rankdata(x) - 100.5; v = (d*d).sum()`,
/// `s.chi2.sf(n*(n+2)*sum(((d[:-l]*d[l:]).sum()/v)**2/(n-l) for l in range(1, 11)), 10)`;
/// `t = x[x != np.median(x)] > np.median(x); N = len(t); a = t.sum(); e = 2*a*(N-a)/N + 1`,
/// `2*s.norm.sf(abs(1 + (t[1:] != t[:-1]).sum() - e) / ((e-1)*(e-2)/(N-1))**0.5)`.
#[test]
fn the_checks_of_order_are_those_of_an_independent_calculation() {
    let x: Vec<Picos> = (0..200i64).map(|k| Picos(7_919 * k * k % 1_009)).collect();
    let expected = [0.768_430_597_961_872_5, 0.529_097_093_059_833_3, 0.047_156_440_202_129_72];
    let found = order(&x);
    assert_eq!(found.len(), 3);
    for (finding, expected) in found.iter().zip(expected) {
        assert!((finding.p - expected).abs() < 1e-9, "{finding:?} for {expected}");
    }
    assert!((found[2].adjusted - 3.0 * expected[2]).abs() < 1e-9);
}

fn pair(position: u32, latency_ns: i64) -> Pair {
    let at = Picos::from_us(20) * i64::from(position);
    Pair {
        stimulus: Some(at),
        response: Some(at + Picos::from_ns(latency_ns)),
        status: Status::Paired,
        position,
    }
}

#[test]
fn the_first_of_a_train_is_told_apart() {
    let mut random = Random(4);
    let mut shots = |first_ns: i64| {
        let mut pairs = Vec::new();
        for _ in 0..30 {
            for position in 0..20 {
                let extra = if position == 0 { first_ns } else { 0 };
                pairs.push(pair(position, 1_900 + extra + (random.next() % 40) as i64));
            }
        }
        pairs
    };
    let warm = positions(&shots(0));
    let cold = positions(&shots(150));
    assert!(!warm.warns() && cold.warns());
    assert_eq!(cold.first_in_train.as_ref().map(|s| s.n), Some(29));
    assert_eq!(cold.rest.as_ref().map(|s| s.n), Some(570));
    assert!(cold.cold.unwrap() >= Picos::from_ns(2_050));
    assert!(cold.first_in_train.unwrap().min >= Picos::from_ns(2_050));
}

#[test]
fn stimuli_locked_to_the_tick_are_named() {
    let mut random = Random(5);
    let tick = Picos::from_ms(1);
    let spread: Vec<Picos> =
        (0..300).map(|k| Picos(k * 100_000_000 + (random.next() % 100_000_000) as i64)).collect();
    let locked: Vec<Picos> =
        (0..300).map(|k| Picos(k * 250_000_000 + (random.next() % 20_000_000) as i64)).collect();
    let (even, bad) = (phase_coverage(&spread, tick).unwrap(), phase_coverage(&locked, tick).unwrap());
    assert!(!even.warns() && even.largest_gap < 0.1, "{even:?}");
    // Four phases of 20 us in 1 ms: gaps of 230 us.
    assert!(bad.warns() && (bad.largest_gap - 0.23).abs() < 0.01, "{bad:?}");
    assert_eq!(phase_coverage(&spread[..19], tick), None);
}
