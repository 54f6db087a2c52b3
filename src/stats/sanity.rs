//! Is the sample what it looks like? Checks that name what they find.
//!
//! None of them changes a figure. They answer the questions a reviewer asks first: is anything faster than the core can
//! be, are the values locked to a clock, did the system drift or change during the run, do neighbouring latencies
//! depend on each other, is the first one special, and did the stimulus meet every phase of the tick?

use super::ranks::{Standing, sorted, upper_tail};
use super::summary::{Summary, summarize};
use crate::signal::{Pair, Status};
use crate::units::{Hertz, Picos};
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// A check warns when a sound sample would do so less often than this, all checks of a kind together.
const LEVEL: f64 = 0.01;
/// Sample below which no check is made.
const SMALLEST: usize = 20;
/// Lags of the autocorrelation that are looked at.
const LAGS: usize = 10;

/// What the core cannot beat: exception entry, the input's synchroniser, and the store that raises the output.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoreFloor {
    /// Clock of the core, as the firmware states it.
    pub clock: Hertz,
    /// Cycles from request to first instruction; 12 on Cortex-M3, M4 and M33 (ARM DDI 0337, 0439, 100230).
    pub entry_cycles: u32,
    /// Cycles of the input's synchroniser.
    pub synchroniser_cycles: u32,
    /// Cycles of the store until the pin moves.
    pub store_cycles: u32,
}

impl CoreFloor {
    /// Entry 12, synchroniser 2, store 1, at `clock`.
    #[must_use]
    pub fn cortex_m(clock: Hertz) -> CoreFloor {
        CoreFloor { clock, entry_cycles: 12, synchroniser_cycles: 2, store_cycles: 1 }
    }

    /// The time; `None` without a sensible clock.
    #[must_use]
    pub fn time(&self) -> Option<Picos> {
        let cycles = f64::from(self.entry_cycles + self.synchroniser_cycles + self.store_cycles);
        let picos = cycles * 1e12 / self.clock.0;
        (self.clock.0 > 0.0 && picos.is_finite()).then(|| Picos(picos.floor() as i64))
    }
}

/// Number of latencies below `floor`.
#[must_use]
pub fn below_floor(latencies: &[Picos], floor: Picos) -> u64 {
    latencies.iter().filter(|l| **l < floor).count() as u64
}

/// A period the latencies are locked to.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantum {
    /// Its name, such as `62.5 ns timer`.
    pub name: String,
    /// The period.
    pub period: Picos,
    /// How sharply: length of the mean phase vector, 1 for exact multiples, about 0 for none.
    pub lock: f64,
    /// Distinct multiples that occur.
    pub steps: u64,
}

/// Periods that are always tried: the 16 MHz timer and the 32 768 Hz counter of the nRF chips.
#[must_use]
pub fn usual_quanta() -> Vec<(String, Picos)> {
    vec![("16 MHz timer".to_owned(), Picos(62_500)), ("32.768 kHz clock".to_owned(), Picos(30_517_578))]
}

/// The longest of `candidates` (name, period) that the latencies are locked to.
///
/// A narrow cluster agrees with every long period, and two clusters agree with many; so the values outside the two
/// fullest multiples decide. At least 20 of them must have phases that agree (mean vector of 0.8 and more, Rayleigh;
/// for phases at random that has a probability below `exp(-0.64 n)`), around the phase of the rest, and so must all
/// values together.
#[must_use]
pub fn quantum(latencies: &[Picos], candidates: &[(String, Picos)]) -> Option<Quantum> {
    if latencies.len() < SMALLEST {
        return None;
    }
    let locked = candidates.iter().filter_map(|(name, period)| lock(latencies, name, *period));
    locked.max_by_key(|q| q.period)
}

fn lock(latencies: &[Picos], name: &str, period: Picos) -> Option<Quantum> {
    if period <= Picos::ZERO {
        return None;
    }
    let (lock, phase) = mean_vector(latencies, period);
    let offset = Picos((phase * period.0 as f64).round() as i64);
    let step = |l: &Picos| (*l - offset + period.half()).0.div_euclid(period.0);
    let mut steps: Vec<i64> = latencies.iter().map(step).collect();
    steps.sort_unstable();
    let mut clusters: Vec<(usize, i64)> =
        steps.chunk_by(|a, b| a == b).filter_map(|c| Some((c.len(), *c.first()?))).collect();
    clusters.sort_unstable_by(|a, b| b.cmp(a));
    let full: Vec<i64> = clusters.iter().take(2).map(|(_, step)| *step).collect();
    let others: Vec<Picos> = latencies.iter().filter(|l| !full.contains(&step(l))).copied().collect();
    let (lock_of_others, phase_of_others) = mean_vector(&others, period);
    let apart = (phase_of_others - phase).abs();
    let agree = apart.min(1.0 - apart) <= 0.05;
    let locked = others.len() >= SMALLEST && lock.min(lock_of_others) >= 0.8 && agree;
    locked.then(|| Quantum { name: name.to_owned(), period, lock, steps: clusters.len() as u64 })
}

/// Length and direction (in turns) of the mean of the phases modulo `period`.
fn mean_vector(times: &[Picos], period: Picos) -> (f64, f64) {
    let turns =
        times.iter().map(|t| t.0.rem_euclid(period.0) as f64 / period.0 as f64 * std::f64::consts::TAU);
    let (cos, sin) = turns.fold((0.0, 0.0), |(c, s), angle| (c + angle.cos(), s + angle.sin()));
    let n = times.len().max(1) as f64;
    ((cos * cos + sin * sin).sqrt() / n, sin.atan2(cos) / std::f64::consts::TAU)
}

/// Which check of order failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OrderCheck {
    /// First half against second half: drift, warm-up, a change of state.
    Halves,
    /// Correlation of neighbours (ranks, lags 1 to 10, Ljung-Box): latencies depend on the ones before.
    Autocorrelation,
    /// Runs above and below the median (Wald-Wolfowitz): slow waves or alternation.
    Runs,
}

/// A check with its probability on a sample of independent latencies of one law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderFinding {
    /// Which.
    pub check: OrderCheck,
    /// Probability.
    pub p: f64,
    /// The same after Holm over the three checks.
    pub adjusted: f64,
}

impl OrderFinding {
    /// Worth a warning.
    #[must_use]
    pub fn warns(&self) -> bool {
        self.adjusted <= LEVEL
    }
}

/// Checks that the order of the latencies does not matter; empty with fewer than 20.
#[must_use]
pub fn order(latencies: &[Picos]) -> Vec<OrderFinding> {
    if latencies.len() < SMALLEST {
        return Vec::new();
    }
    let (first, second) = latencies.split_at(latencies.len() / 2);
    let halves = Standing::of(&sorted(first), &sorted(second)).p_different();
    let p = [halves, p_autocorrelation(&ranked(latencies)), p_runs(latencies)];
    let checks = [OrderCheck::Halves, OrderCheck::Autocorrelation, OrderCheck::Runs];
    let adjusted = super::compare::holm(&p);
    let found = checks.into_iter().zip(p).zip(adjusted);
    found.map(|((check, p), adjusted)| OrderFinding { check, p, adjusted }).collect()
}

/// Mid-ranks, in the order of the sample.
fn ranked(latencies: &[Picos]) -> Vec<f64> {
    let sorted = sorted(latencies);
    let place = |x: &Picos| sorted.partition_point(|v| v < x) + sorted.partition_point(|v| v <= x);
    latencies.iter().map(|x| place(x) as f64 / 2.0).collect()
}

/// Ljung-Box over ranks.
fn p_autocorrelation(ranks: &[f64]) -> f64 {
    let n = ranks.len() as f64;
    let mean = ranks.iter().sum::<f64>() / n;
    let variance: f64 = ranks.iter().map(|r| (r - mean).powi(2)).sum();
    if variance == 0.0 {
        return 1.0;
    }
    let lags = LAGS.min(ranks.len() / 4);
    let statistic: f64 = (1..=lags)
        .map(|lag| {
            let products = ranks.iter().zip(ranks.iter().skip(lag)).map(|(a, b)| (a - mean) * (b - mean));
            (products.sum::<f64>() / variance).powi(2) / (n - lag as f64)
        })
        .sum();
    ChiSquared::new(lags as f64).map_or(1.0, |law| law.sf(n * (n + 2.0) * statistic))
}

/// Wald-Wolfowitz: the number of runs above and below the median; values at the median are left out.
fn p_runs(latencies: &[Picos]) -> f64 {
    let sorted = sorted(latencies);
    let Some(median) = super::order::median(&sorted) else { return 1.0 };
    let sides: Vec<bool> = latencies.iter().filter(|x| **x != median).map(|x| *x > median).collect();
    let above = sides.iter().filter(|s| **s).count() as f64;
    let n = sides.len() as f64;
    let below = n - above;
    let runs = sides.chunk_by(|a, b| a == b).count() as f64;
    let expected = 2.0 * above * below / n + 1.0;
    let variance = (expected - 1.0) * (expected - 2.0) / (n - 1.0);
    if n < SMALLEST as f64 || variance <= 0.0 {
        return 1.0;
    }
    (2.0 * upper_tail((runs - expected).abs() / variance.sqrt())).min(1.0)
}

/// The first latencies apart from the rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Positions {
    /// The very first latency of the configuration: cold caches, first use of every path.
    pub cold: Option<Picos>,
    /// The first of each train, the very first left out.
    pub first_in_train: Option<Summary>,
    /// All others.
    pub rest: Option<Summary>,
    /// Probability of such a difference between first-in-train and rest if there were none; `None` with fewer than 20
    /// of either.
    pub p_first: Option<f64>,
}

impl Positions {
    /// The first of a train behaves differently.
    #[must_use]
    pub fn warns(&self) -> bool {
        self.p_first.is_some_and(|p| p <= LEVEL)
    }
}

/// Takes the pairs of a configuration apart by their place in the train, shots in the order of time.
#[must_use]
pub fn positions<'a>(pairs: impl IntoIterator<Item = &'a Pair>) -> Positions {
    let paired = pairs.into_iter().filter(|p| p.status == Status::Paired);
    let mut latencies = paired.filter_map(|p| Some((p.position, p.latency()?))).peekable();
    let cold = latencies.next_if(|(position, _)| *position == 0).map(|(_, latency)| latency);
    let (first, rest): (Vec<_>, Vec<_>) = latencies.partition(|(position, _)| *position == 0);
    let values = |side: Vec<(u32, Picos)>| side.into_iter().map(|(_, latency)| latency).collect::<Vec<_>>();
    let (first, rest) = (values(first), values(rest));
    let enough = first.len() >= SMALLEST && rest.len() >= SMALLEST;
    Positions {
        cold,
        p_first: enough.then(|| Standing::of(&sorted(&rest), &sorted(&first)).p_different()),
        first_in_train: summarize(&first),
        rest: summarize(&rest),
    }
}

/// How evenly the stimuli met the phases of a tick.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhaseCoverage {
    /// The tick.
    pub period: Picos,
    /// Largest part of it that no stimulus met, as a share of the tick.
    pub largest_gap: f64,
    /// Probability of a gap of this size with phases at random.
    pub p: f64,
}

impl PhaseCoverage {
    /// Stimuli are locked to the tick, or nearly so: latencies of the phases not met are missing from the sample.
    #[must_use]
    pub fn warns(&self) -> bool {
        self.p <= LEVEL
    }
}

/// Phases of `stimuli` (times on one clock, such as those of one record) modulo `period`; `None` with fewer than 20.
///
/// The gap's probability is the exact one of n random points on a circle (Stevens 1939), bounded by its first term.
#[must_use]
pub fn phase_coverage(stimuli: &[Picos], period: Picos) -> Option<PhaseCoverage> {
    if stimuli.len() < SMALLEST || period <= Picos::ZERO {
        return None;
    }
    let mut phases: Vec<i64> = stimuli.iter().map(|t| t.0.rem_euclid(period.0)).collect();
    phases.sort_unstable();
    let around = phases.first()? + period.0;
    let next = phases.iter().skip(1).copied().chain(std::iter::once(around));
    let gap = phases.iter().zip(next).map(|(a, b)| b - a).max()?;
    let largest_gap = gap as f64 / period.0 as f64;
    let n = stimuli.len() as f64;
    let p = (n * (1.0 - largest_gap).powf(n - 1.0)).min(1.0);
    Some(PhaseCoverage { period, largest_gap, p })
}
