//! Skew between the two inputs with their probes, and the error of the scope's clock, from edges that are known.
//!
//! Both probes on one point: every difference is skew and noise. Its mean is what to take out of each latency; its
//! standard error, together with what a second run with the probes swapped does not explain, is the uncertainty that
//! remains. A spread too large for one point, or too few pairs, is refused: a wrong correction is worse than none.

use super::error::StatsError;
use super::order::median;
use super::ranks::sorted;
use super::summary::{Summary, summarize};
use super::uncertainty::Skew;
use crate::units::Picos;

/// Differences below which no skew is stated.
const SMALLEST: u64 = 100;
/// The widest spread (standard deviation) of two probes on one point, in sample intervals: edges between two samples
/// give 1/sqrt(6) = 0.41.
const WIDEST_PER_MILLE: i64 = 600;
/// Edges below which no error of the clock is stated.
const FEWEST_PERIODS: u64 = 20;

/// Delay of the response channel against the stimulus channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkewFit {
    /// What to subtract from each latency.
    pub offset: Picos,
    /// Its standard uncertainty (k = 1).
    pub standard: Picos,
    /// Differences behind it.
    pub n: u64,
    /// Parts of inputs and probes, where the probes were swapped.
    pub parts: Option<SkewParts>,
}

/// Where the skew comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkewParts {
    /// Of the inputs.
    pub inputs: Picos,
    /// Of the probes.
    pub probes: Picos,
}

impl SkewFit {
    /// For a budget of uncertainty.
    #[must_use]
    pub fn skew(&self) -> Skew {
        Skew::Calibrated { standard: self.standard }
    }
}

/// Skew from differences (response minus stimulus channel) of edges on one point, sampled every `interval`; `swapped`
/// has those of a second run with the probes exchanged between the inputs.
///
/// # Errors
/// [`StatsError::TooFew`] below 100 differences, [`StatsError::Calibration`] when they spread too widely for one point.
pub fn skew(direct: &[Picos], swapped: Option<&[Picos]>, interval: Picos) -> Result<SkewFit, StatsError> {
    let first = checked(direct, interval)?;
    let second = swapped.map(|s| checked(s, interval)).transpose()?;
    let parts = second
        .map(|s| SkewParts { inputs: (first.mean + s.mean).half(), probes: (first.mean - s.mean).half() });
    Ok(SkewFit { offset: first.mean, standard: standard_error(&first), n: first.n, parts })
}

fn checked(differences: &[Picos], interval: Picos) -> Result<Summary, StatsError> {
    let n = differences.len() as u64;
    let too_few = StatsError::TooFew { what: "a calibration of skew", n, needed: SMALLEST };
    let summary = summarize(differences).filter(|s| s.n >= SMALLEST).ok_or(too_few)?;
    let widest = interval * WIDEST_PER_MILLE / 1_000;
    if summary.sd > widest {
        let sd = summary.sd;
        return Err(StatsError::Calibration(format!(
            "the differences spread by {sd}, two probes on one point by {widest} at most; are both on the same edge?"
        )));
    }
    Ok(summary)
}

/// Standard deviation of the mean, at least a picosecond.
fn standard_error(summary: &Summary) -> Picos {
    let n = i64::try_from(summary.n).unwrap_or(i64::MAX);
    Picos(((summary.sd.0 as f64) / (n as f64).sqrt()).ceil().max(1.0) as i64)
}

/// Error of the scope's clock against a signal of known period.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockError {
    /// Parts per million; positive: the scope's clock runs fast, its times are too long.
    pub ppm: f64,
    /// Standard uncertainty (k = 1) from the scatter of the edges; that of the signal itself comes on top.
    pub standard_ppm: f64,
    /// Whole periods between the first and the last edge.
    pub periods: u64,
}

/// Compares `edges` of one record (one slope, rising in time) with `period`, by the Theil-Sen slope of their times over
/// their numbers: edges against those half a record later, median of the ratios.
///
/// # Errors
/// [`StatsError::TooFew`] below 20 edges, [`StatsError::Calibration`] when edges are missing or the period is another.
pub fn clock_error(edges: &[Picos], period: Picos) -> Result<ClockError, StatsError> {
    let n = edges.len() as u64;
    if n < FEWEST_PERIODS || period <= Picos::ZERO {
        return Err(StatsError::TooFew { what: "a check of the time base", n, needed: FEWEST_PERIODS });
    }
    let gaps = edges.iter().zip(edges.iter().skip(1)).map(|(a, b)| *b - *a);
    if let Some(gap) = gaps.into_iter().find(|gap| (*gap - period).abs() > period / 100) {
        return Err(StatsError::Calibration(format!(
            "edges {gap} apart do not belong to a period of {period}"
        )));
    }
    let half = edges.len() / 2;
    let span = period * i64::try_from(half).unwrap_or(i64::MAX);
    // Pairs that share no edge: independent.
    let excess: Vec<Picos> =
        edges.iter().take(half).zip(edges.iter().skip(half)).map(|(a, b)| *b - *a - span).collect();
    let typical = median(&sorted(&excess)).unwrap_or_default();
    let scatter = summarize(&excess).map_or(Picos::ZERO, |s| s.sd);
    let per_million = |t: Picos| t.0 as f64 / span.0 as f64 * 1e6;
    // The median of a normal sample scatters sqrt(pi / 2) times as much as its mean.
    let standard = per_million(scatter) * (std::f64::consts::FRAC_PI_2 / excess.len() as f64).sqrt();
    Ok(ClockError { ppm: per_million(typical), standard_ppm: standard, periods: n - 1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::synthetic::{Random, Wave, picos};
    use crate::signal::{Role, Slope, coincidences, edges};

    /// Two probes on one edge, the second channel 0.4 ns later.
    fn differences(skew_of_channels: f64, seed: u64) -> Vec<Picos> {
        let mut random = Random(seed);
        let pulses: Vec<f64> =
            (0..150).map(|k| 1_000.0 + f64::from(k) * 1_000.0 + random.uniform() * 50.0).collect();
        let wave = |shift: f64, seed| {
            let pulses = pulses.iter().map(|p| p + shift).collect();
            Wave { pulses, points: 80_000, seed, ..Wave::default() }
        };
        let a = edges(&wave(0.0, seed + 1).trace(Role::Stimulus), None).unwrap();
        let b = edges(&wave(skew_of_channels, seed + 2).trace(Role::Response), None).unwrap();
        coincidences(&a, &b, Slope::Rising, picos(20.0))
    }

    #[test]
    fn skew_is_found_whichever_channel_comes_first() {
        for hidden in [0.4, -1.3] {
            let found = skew(&differences(hidden, 5), None, picos(2.0)).unwrap();
            assert_eq!(found.n, 150);
            assert!((found.offset - picos(hidden)).abs() < Picos(20), "{found:?}");
            assert!(found.standard < Picos(8));
        }
    }

    #[test]
    fn swapped_probes_tell_inputs_from_probes() {
        // Inputs 0.5 ns, probes 0.2 ns.
        let found = skew(&differences(0.7, 7), Some(&differences(0.3, 8)), picos(2.0)).unwrap();
        let parts = found.parts.unwrap();
        assert!(
            (parts.inputs - picos(0.5)).abs() < Picos(20) && (parts.probes - picos(0.2)).abs() < Picos(20)
        );
        assert!((found.offset - picos(0.7)).abs() < Picos(20));
    }

    #[test]
    fn what_is_not_one_edge_is_no_calibration() {
        let few = differences(0.4, 9);
        assert!(matches!(skew(&few[..99], None, picos(2.0)), Err(StatsError::TooFew { n: 99, .. })));
        let wide: Vec<Picos> = (0..200).map(|k| Picos(k * 100)).collect();
        assert!(matches!(skew(&wide, None, picos(2.0)), Err(StatsError::Calibration(_))));
    }

    #[test]
    fn the_clock_is_held_against_a_known_period() {
        let mut random = Random(11);
        // 100 periods of 10 us, seen by a clock 30 ppm fast, edges to 0.1 ns.
        let seen: Vec<Picos> = (0..101)
            .map(|k| picos(f64::from(k) * 10_000.0 * (1.0 + 30e-6) + 0.1 * random.normal()))
            .collect();
        let error = clock_error(&seen, Picos::from_us(10)).unwrap();
        assert_eq!(error.periods, 100);
        assert!((error.ppm - 30.0).abs() < 4.0 * error.standard_ppm && error.standard_ppm < 0.1, "{error:?}");
        // The wrong rate of Q14: 4 % is no error of a clock but another period.
        let off: Vec<Picos> = (0..101).map(|k| Picos(k * 10_400_000)).collect();
        assert!(matches!(clock_error(&off, Picos::from_us(10)), Err(StatsError::Calibration(_))));
    }
}
