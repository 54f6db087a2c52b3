//! What a reviewer asks of a sample before believing its figures, answered once and rendered elsewhere.
//!
//! Nothing here changes a figure. A check that a sound sample would fail less than once in a hundred times warns by name.

use super::ListedPair;
use crate::plan::ConfigurationPlan;
use crate::signal::Pair;
use crate::stats::order::{self, Quantile, Share};
use crate::stats::sanity::{self, CoreFloor, OrderCheck, OrderFinding, PhaseCoverage, Positions, Quantum};
use crate::stats::stopping::{Until, needed};
use crate::stats::summary::CONFIDENCE;
use crate::stats::{StatsError, Tail, tail};
use crate::units::{Hertz, Picos};

/// Quantiles that a tail is asked for.
const TAIL_SHARES: [Share; 2] = [Share::P999, Share::P9999];

/// What is known of board and system.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Surroundings {
    /// Clock of the core, as the firmware states it or else the profile.
    pub clock: Option<Hertz>,
    /// Period of the system's tick.
    pub tick: Option<Picos>,
}

/// The quantile that the number of pairs was chosen for.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The question.
    pub until: Until,
    /// Its answer; none when the run fell short of it.
    pub quantile: Option<Quantile>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scrutiny {
    /// What `--until` asked for.
    pub asked: Option<Asked>,
    /// What no code on this core can be faster than, and how many answers were.
    pub below_floor: Option<(Picos, u64)>,
    /// A period that the latencies are locked to.
    pub quantum: Option<Quantum>,
    /// Checks of the order of the latencies.
    pub order: Vec<OrderFinding>,
    /// The first latencies apart from the rest.
    pub positions: Option<Positions>,
    /// How the stimuli met the tick, in the record that met it worst; and the number of records looked at.
    pub phase: Option<(PhaseCoverage, u64)>,
    /// The tail, where it was asked for.
    pub tail: Option<Result<Tail, StatsError>>,
}

/// Looks at the pairs of one configuration.
pub(super) fn of(pairs: &[ListedPair], plan: &ConfigurationPlan, known: &Surroundings) -> Scrutiny {
    let latencies: Vec<Picos> = pairs.iter().filter_map(|p| p.pair.latency()).collect();
    Scrutiny {
        asked: plan.until.as_deref().and_then(|text| asked(text, &latencies)),
        below_floor: below_floor(pairs, plan, known),
        quantum: sanity::quantum(&latencies, &quanta(known)),
        order: sanity::order(&latencies),
        positions: Some(sanity::positions(pairs.iter().map(|p| &p.pair))),
        phase: known.tick.and_then(|tick| phase(pairs, tick)),
        tail: None,
    }
}

fn asked(text: &str, latencies: &[Picos]) -> Option<Asked> {
    let until: Until = text.parse().ok()?;
    let mut sorted = latencies.to_vec();
    sorted.sort_unstable();
    Some(Asked { until, quantile: order::quantile(&sorted, until.share(), CONFIDENCE) })
}

/// Every answer that came too soon, whether it counts or was set aside. A floor of nought says that no code is involved.
fn below_floor(pairs: &[ListedPair], plan: &ConfigurationPlan, known: &Surroundings) -> Option<(Picos, u64)> {
    let core = known.clock.and_then(|clock| CoreFloor::cortex_m(clock).time());
    let floor = (plan.floor > Picos::ZERO).then(|| core.unwrap_or(plan.floor).max(plan.floor))?;
    let answer = |p: &Pair| Some(p.response? - p.stimulus?);
    let answers: Vec<Picos> = pairs.iter().filter_map(|p| answer(&p.pair)).collect();
    Some((floor, sanity::below_floor(&answers, floor)))
}

fn quanta(known: &Surroundings) -> Vec<(String, Picos)> {
    let mut all = sanity::usual_quanta();
    all.extend(known.tick.map(|tick| ("tick".to_owned(), tick)));
    all
}

/// The record that met the phases of the tick worst, of those that last at least one tick.
fn phase(pairs: &[ListedPair], tick: Picos) -> Option<(PhaseCoverage, u64)> {
    let records = pairs.chunk_by(|a, b| a.shot == b.shot);
    let stimuli = records.map(|r| r.iter().filter_map(|p| p.pair.stimulus).collect::<Vec<_>>());
    let long = stimuli.filter(|s| s.first().zip(s.last()).is_some_and(|(a, b)| *b - *a >= tick));
    let found: Vec<PhaseCoverage> = long.filter_map(|s| sanity::phase_coverage(&s, tick)).collect();
    let n = found.len() as u64;
    let worst = found.into_iter().min_by(|a, b| a.p.total_cmp(&b.p))?;
    // The worst of n records: as rare as n times its probability.
    Some((PhaseCoverage { p: (worst.p * n as f64).min(1.0), ..worst }, n))
}

impl Scrutiny {
    /// Estimates the tail from latencies in the order of time.
    pub(super) fn look_at_tail(&mut self, latencies: &[Picos]) {
        self.tail = Some(tail(latencies, &TAIL_SHARES));
    }

    /// What warns: code and message.
    pub(super) fn findings(&self) -> impl Iterator<Item = (&'static str, String)> {
        let order = self.order.iter().filter(|f| f.warns()).map(order_finding);
        let found =
            [self.floor_finding(), self.quantum_finding(), self.position_finding(), self.phase_finding()];
        found.into_iter().flatten().chain(order).collect::<Vec<_>>().into_iter()
    }

    fn floor_finding(&self) -> Option<(&'static str, String)> {
        let (floor, n) = self.below_floor.filter(|(_, n)| *n > 0)?;
        let message = format!(
            "{n} answers came within {floor} of their stimulus, which no interrupt code on this core can: another edge \
             is taken for the response, or the clock is not as stated"
        );
        Some(("below-floor", message))
    }

    fn quantum_finding(&self) -> Option<(&'static str, String)> {
        let q = self.quantum.as_ref()?;
        let message = format!(
            "latencies come in {} steps of {} ({}), lock {:.2}: what answers waits for that clock, or it is what was \
             measured",
            q.steps, q.period, q.name, q.lock
        );
        Some(("quantised", message))
    }

    fn position_finding(&self) -> Option<(&'static str, String)> {
        let p = self.positions.as_ref().filter(|p| p.warns())?;
        let (first, rest) = (p.first_in_train.as_ref()?, p.rest.as_ref()?);
        let message = format!(
            "the first of a train is typically {}, the others {}: idle time before a stimulus matters; measure both \
             spacings apart",
            first.typical, rest.typical
        );
        Some(("first-in-train", message))
    }

    fn phase_finding(&self) -> Option<(&'static str, String)> {
        let (phase, records) = self.phase.as_ref().filter(|(phase, _)| phase.warns())?;
        let message = format!(
            "stimuli left {:.0} % of the tick of {} unmet (worst of {records} records): latencies of those phases are \
             missing; use a spacing that does not divide the tick",
            phase.largest_gap * 100.0,
            phase.period
        );
        Some(("phase-not-covered", message))
    }
}

fn order_finding(finding: &OrderFinding) -> (&'static str, String) {
    let p = probability(finding.adjusted);
    match finding.check {
        OrderCheck::Halves => (
            "not-stationary",
            format!(
                "first and second half of the run differ ({p}): it drifted or changed; its figures are of a mixture"
            ),
        ),
        OrderCheck::Autocorrelation => (
            "not-independent",
            format!("latencies depend on the ones before ({p}): intervals are narrower than they should be"),
        ),
        OrderCheck::Runs => (
            "slow-waves",
            format!(
                "latencies keep above or below the median for too long or too short ({p}): something periodic is at work"
            ),
        ),
    }
}

/// `p = 0.004`, `p < 0.001`.
pub(super) fn probability(p: f64) -> String {
    if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") }
}

/// Pairs from which a quantile has an interval.
pub(super) fn pairs_for(share: Share) -> u64 {
    needed(share, CONFIDENCE)
}
