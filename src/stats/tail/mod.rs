//! Latencies rarer than those observed: peaks over a threshold. Opt-in, and quick to refuse.
//!
//! Excesses over a high threshold follow a generalised Pareto law when the latencies are independent and of one
//! continuous law (Pickands 1975; Coles 2001, ch. 4). None of that can be taken for granted of an interrupt: a
//! disabled-interrupt section of fixed length, a tick, a cache that warms up all break it. So every condition is
//! tested and any that fails ends in a reason instead of a number:
//!
//! * at least 10 000 latencies, of which the largest 5 % (2 000 at most) are fitted;
//! * excesses not quantised, exceedances not clustered in time;
//! * the fit survives an Anderson-Darling test whose distribution comes from resampling the fitted law;
//! * a fit over half as many excesses agrees;
//! * nothing is said about events ten times rarer than the sample could show.

mod pareto;

use super::error::StatsError;
use super::order::Share;
use super::random::Random;
use crate::units::Picos;
use pareto::{Excesses, Pareto};
use statrs::distribution::{DiscreteCDF, Poisson};

/// Latencies below which nothing is estimated.
pub const SMALLEST: usize = 10_000;
/// One in so many latencies is an excess, up to [`MOST`].
const ONE_IN: usize = 20;
const MOST: usize = 2_000;
/// Samples drawn from the fit to see how far true ones lie from theirs.
const RESAMPLES: usize = 199;
/// A check fails when it would do so less often than this for a sound sample.
const LEVEL: f64 = 0.01;

/// A latency that is exceeded by a given share of events, beyond the largest order statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TailQuantile {
    /// The share of events at or below it.
    pub share: Share,
    /// Estimate.
    pub value: Picos,
    /// Lower end of its 95 % interval (profile likelihood).
    pub low: Picos,
    /// Upper end.
    pub high: Picos,
}

/// A tail that passed every check.
#[derive(Debug, Clone, PartialEq)]
pub struct Tail {
    /// Excesses are counted from here.
    pub threshold: Picos,
    /// Number of excesses.
    pub excesses: u64,
    /// Shape of the law: negative ends somewhere, 0 is exponential, positive is heavier.
    pub shape: f64,
    /// Its 95 % interval.
    pub shape_interval: [f64; 2],
    /// Probability of a worse fit if the law were true.
    pub p_fit: f64,
    /// Probability of as many neighbouring exceedances if latencies were independent.
    pub p_clusters: f64,
    /// What was asked for.
    pub quantiles: Vec<TailQuantile>,
}

/// Estimates the latencies that all but a share of events stay below, from latencies in the order of time.
///
/// # Errors
/// [`StatsError::TooFew`] below 10 000; [`StatsError::Tail`] with the check that failed.
pub fn tail(latencies: &[Picos], shares: &[Share]) -> Result<Tail, StatsError> {
    let n = latencies.len();
    if n < SMALLEST {
        return Err(StatsError::TooFew { what: "a tail estimate", n: n as u64, needed: SMALLEST as u64 });
    }
    let count = (n / ONE_IN).min(MOST);
    let peaks = Peaks::over(latencies, count)?;
    let p_clusters = peaks.check_clusters(latencies)?;
    let fit = peaks.excesses.fit();
    if fit.at_the_edge() {
        return Err(refused(format!(
            "the shape of the tail, {:.2}, is at the end of what can be fitted",
            fit.shape
        )));
    }
    check_half(latencies, count, &fit)?;
    let p_fit = check_fit(&peaks.excesses, &fit)?;
    let (low, high) = peaks.excesses.shape_interval(&fit);
    let quantiles = shares.iter().map(|s| peaks.quantile(*s, n, &fit)).collect::<Result<Vec<_>, _>>()?;
    Ok(Tail {
        threshold: peaks.threshold,
        excesses: peaks.excesses.len() as u64,
        shape: fit.shape,
        shape_interval: [low, high],
        p_fit,
        p_clusters,
        quantiles,
    })
}

fn refused(reason: String) -> StatsError {
    StatsError::Tail(reason)
}

/// The excesses over a threshold.
struct Peaks {
    threshold: Picos,
    excesses: Excesses,
    /// Mean excess, the unit of `excesses`.
    unit: Picos,
}

impl Peaks {
    /// The `count` largest, as excesses over the next one.
    fn over(latencies: &[Picos], count: usize) -> Result<Peaks, StatsError> {
        let mut values = latencies.to_vec();
        values.sort_unstable();
        let border = values.len().saturating_sub(count);
        let threshold = border.checked_sub(1).and_then(|k| values.get(k)).copied().unwrap_or_default();
        let largest: Vec<Picos> = values.into_iter().skip(border).filter(|v| *v > threshold).collect();
        let mut distinct = largest.clone();
        distinct.dedup();
        if distinct.len() * 10 < count * 9 {
            let (d, c) = (distinct.len(), count);
            return Err(refused(format!(
                "the largest {c} latencies have {d} different values: they are quantised"
            )));
        }
        let (excesses, mean) = Excesses::of(largest.iter().map(|v| (*v - threshold).0 as f64).collect());
        Ok(Peaks { threshold, excesses, unit: Picos(mean.round() as i64) })
    }

    /// Neighbours that are both over the threshold: about k^2/n of them, if latencies are independent.
    fn check_clusters(&self, latencies: &[Picos]) -> Result<f64, StatsError> {
        let over = |x: &Picos| *x > self.threshold;
        let neighbours =
            latencies.iter().zip(latencies.iter().skip(1)).filter(|(a, b)| over(a) && over(b)).count();
        let k = self.excesses.len() as f64;
        let expected = k * (k - 1.0) / latencies.len() as f64;
        let p = at_least(neighbours as u64, expected);
        if p < LEVEL {
            return Err(refused(format!(
                "the largest latencies come in clusters ({neighbours} neighbours, {expected:.1} expected), they are not \
                 independent"
            )));
        }
        Ok(p)
    }

    fn quantile(&self, share: Share, n: usize, fit: &Pareto) -> Result<TailQuantile, StatsError> {
        let beyond = 1.0 - share.fraction();
        if beyond * (n as f64) < 0.1 {
            let p = share.percent();
            return Err(refused(format!("p{p} is more than ten times rarer than {n} latencies can show")));
        }
        // Given an excess, of which there is one in n / k.
        let p = beyond * n as f64 / self.excesses.len() as f64;
        if p >= 1.0 {
            let text = share.percent();
            return Err(refused(format!(
                "p{text} lies below the threshold of {}; take it from the sample",
                self.threshold
            )));
        }
        let (low, high) = self.excesses.interval(fit, p);
        let at = |excess: f64| self.threshold + Picos((excess * self.unit.0 as f64).round() as i64);
        Ok(TailQuantile { share, value: at(fit.exceeded_with(p)), low: at(low), high: at(high) })
    }
}

/// Probability of at least `count` events where `expected` are.
fn at_least(count: u64, expected: f64) -> f64 {
    match (count.checked_sub(1), Poisson::new(expected)) {
        (Some(below), Ok(law)) => law.sf(below),
        _ => 1.0,
    }
}

/// Half as many excesses must tell the same shape within their own interval.
fn check_half(latencies: &[Picos], count: usize, fit: &Pareto) -> Result<(), StatsError> {
    let half = Peaks::over(latencies, count / 2)?.excesses;
    let other = half.fit();
    let (low, high) = half.shape_interval(&other);
    // The interval of a nested sample at 95 %, widened to the level of the other checks (2.576 / 1.960).
    let widen = |end: f64| other.shape + (end - other.shape) * 1.314;
    if fit.shape < widen(low) || fit.shape > widen(high) {
        return Err(refused(format!(
            "the shape depends on the threshold: {:.2} over {count} latencies, {:.2} over {}",
            fit.shape,
            other.shape,
            count / 2
        )));
    }
    Ok(())
}

/// Draws samples from the fit, fits each, and sees how many lie as far from their own fit.
fn check_fit(excesses: &Excesses, fit: &Pareto) -> Result<f64, StatsError> {
    let distance = excesses.distance(fit);
    let mut random = Random::new(0x7461_696c);
    let mut farther = 0usize;
    for _ in 0..RESAMPLES {
        let drawn = (0..excesses.len()).map(|_| fit.exceeded_with(random.uniform())).collect();
        let (drawn, _) = Excesses::of(drawn);
        farther += usize::from(drawn.distance(&drawn.fit()) >= distance);
    }
    let p = (farther + 1) as f64 / (RESAMPLES + 1) as f64;
    if p < LEVEL {
        return Err(refused(format!("the largest latencies do not follow the law of extremes (p = {p:.3})")));
    }
    Ok(p)
}
