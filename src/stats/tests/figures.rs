//! Figures of SciPy 1.17.1. Samples, as there:
//! `a = np.array([1900000 + ((7919*k) % 1009)*500 for k in range(60)])`,
//! `b = np.array([1950000 + ((104729*k) % 997)*600 for k in range(50)])`; with ties: `a//20000`, `b//20000`.

use crate::stats::compare::{Comparison, holm};
use crate::stats::gate::p_exceedances;
use crate::stats::{Relevance, Verdict, compare};
use crate::units::Picos;

fn samples(coarse: i64) -> (Vec<Picos>, Vec<Picos>) {
    let a = (0..60i64).map(|k| Picos((1_900_000 + (7_919 * k) % 1_009 * 500) / coarse)).collect();
    let b = (0..50i64).map(|k| Picos((1_950_000 + (104_729 * k) % 997 * 600) / coarse)).collect();
    (a, b)
}

fn compared(coarse: i64) -> Comparison {
    let (a, b) = samples(coarse);
    let relevance = Relevance { resolution: Picos(1), threshold: Picos(1) };
    compare(&[(&a, &b)], relevance).unwrap().remove(0)
}

#[track_caller]
fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-9 * expected.abs().max(1e-3), "{value} for {expected}");
}

/// `s.mannwhitneyu(b, a, method='asymptotic')`: U = 1860.5, p = 0.030688721377238472; U / 3000 = 0.6201666666666666.
/// `d = np.sort((b[:,None] - a[None,:]).ravel())`, `C = floor(1500 - 1.959963984540054*sqrt(3000*111/12)) = 1173`,
/// `np.median(d), d[C-1], d[3000-C]` = 73850.0, 7200, 141900.
/// `s.brunnermunzel(a, b).statistic` = 2.2096286232671587 = (0.62016... - 0.5) / se, se = 0.05438319607255454.
/// `s.ks_2samp(a, b).statistic` = 0.22333333333333333, `s.kstwobign.sf(D*sqrt(3000/110))` = 0.13163211386530285.
#[test]
fn a_comparison_is_that_of_scipy() {
    let c = compared(1);
    near(c.p_shift, 0.030_688_721_377_238_472);
    assert_eq!((c.shift.value, c.shift.low, c.shift.high), (Picos(73_850), Picos(7_200), Picos(141_900)));
    near(c.superiority.value, 0.620_166_666_666_666_6);
    near((c.superiority.high - c.superiority.low) / 2.0, 1.959_963_984_540_054 * 0.054_383_196_072_554_54);
    near(c.distance, 0.223_333_333_333_333_33);
    near(c.p_distance, 0.131_632_113_865_302_85);
    // Holm over two tests doubles the smaller: 0.061 is no longer significant.
    near(c.p_shift_adjusted, 2.0 * 0.030_688_721_377_238_472);
    assert_eq!(c.verdict, Verdict::Undecided);
}

/// `s.mannwhitneyu(bt, at, method='asymptotic')`: 1858.0, p = 0.03175065563133437; `s.ks_2samp(at, bt).statistic` =
/// 0.21; median difference 4.0; `s.brunnermunzel`: se = 0.054366591905184836.
#[test]
fn ties_are_corrected_as_scipy_does() {
    let c = compared(20_000);
    near(c.p_shift, 0.031_750_655_631_334_37);
    near(c.superiority.value, 0.619_333_333_333_333_3);
    near((c.superiority.high - c.superiority.low) / 2.0, 1.959_963_984_540_054 * 0.054_366_591_905_184_836);
    near(c.distance, 0.21);
    assert_eq!(c.shift.value, Picos(4));
}

/// `s.nhypergeom(m+n, n, r).sf(k-1)`, for the larger ones the same law as `s.betabinom(n, r, m-r+1).sf(k-1)`.
#[test]
fn exceedances_are_negative_hypergeometric() {
    let cases = [
        ((1_000, 1_000, 10, 20), 0.029_783_144_299_894_593),
        ((1_000, 1_000, 10, 24), 0.006_393_005_459_768_952),
        ((50, 80, 5, 12), 0.183_167_696_746_186_16),
        ((30_000, 1_000, 300, 20), 0.003_846_226_986_825_240_8),
        ((1_000, 30_000, 10, 600), 0.005_205_242_082_895_300_5),
        ((20_000, 20_000, 200, 260), 0.002_399_281_725_568_806_6),
    ];
    for ((m, n, rank, above), expected) in cases {
        let p = p_exceedances(m, n, rank, above);
        assert!((p - expected).abs() < 1e-7 * expected.max(1e-3), "{p} for {expected}");
    }
    assert_eq!(p_exceedances(100, 100, 5, 0), 1.0);
    assert_eq!(p_exceedances(100, 100, 5, 101), 0.0);
}

/// By hand: 4 * 0.005, 3 * 0.01, 2 * 0.03, and 0.04 not below its predecessor.
#[test]
fn holm_steps_down() {
    for (adjusted, expected) in holm(&[0.01, 0.04, 0.03, 0.005]).into_iter().zip([0.03, 0.06, 0.06, 0.02]) {
        near(adjusted, expected);
    }
    assert_eq!(holm(&[]), Vec::<f64>::new());
}

#[test]
fn a_significant_trifle_is_called_negligible() {
    let a: Vec<Picos> = (0..2_000).map(|k| Picos(1_900_000 + k * 37 % 2_000)).collect();
    let b: Vec<Picos> = a.iter().map(|x| *x + Picos(300)).collect();
    let of =
        |threshold| compare(&[(&a, &b)], Relevance { resolution: Picos(100), threshold }).unwrap().remove(0);
    let (strict, loose) = (of(Picos(200)), of(Picos(1_000)));
    assert_eq!((strict.verdict, loose.verdict), (Verdict::Slower, Verdict::Negligible));
    assert_eq!(strict.shift.value, Picos(300));
    assert!(strict.p_shift_adjusted < 1e-9);
}

#[test]
fn samples_apart_bound_the_superiority() {
    let a: Vec<Picos> = (0..30).map(|k| Picos(1_000 + k)).collect();
    let b: Vec<Picos> = (0..40).map(|k| Picos(9_000 + k)).collect();
    let c = compare(&[(&a, &b)], Relevance { resolution: Picos(1), threshold: Picos(1) }).unwrap().remove(0);
    // Thirty disjoint pairs, all with b above: 0.025^(1/30) = 0.8843.
    assert_eq!((c.superiority.value, c.superiority.high), (1.0, 1.0));
    assert!((c.superiority.low - 0.8843).abs() < 1e-4, "{}", c.superiority.low);
}
