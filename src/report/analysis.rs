//! Shots of one configuration become a row. Shot by shot: memory grows with the pairs, never with the samples.

use super::scrutiny::{self, Surroundings};
use super::{Limits, ListedPair, Row, Warning, findings};
use crate::plan::{ConfigurationPlan, Purpose};
use crate::profile::{Configuration, Spacing};
use crate::signal::{
    Counts, Edges, Pair, Pairing, PairingRule, Shot, SignalError, Status, coincident, edges,
    edges_or_silence, pair,
};
use crate::stats::{self, Budget, Channel, Conditions, Skew};
use crate::units::Picos;

/// Edges of one point lie within this on two channels: no two inputs and probes differ by as much.
const REACH: Picos = Picos::from_ns(20);

/// When and how a shot was taken, and what the board counted over it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Taken {
    /// Bench time of arming.
    pub armed: Picos,
    /// Bench time of the last byte.
    pub fetched: Picos,
    /// Bytes of samples.
    pub bytes: u64,
    /// Stimuli asked for.
    pub fired: Option<u32>,
    /// Stimuli the board says it fired.
    pub stimuli: Option<u32>,
    /// Stimuli the board says stayed unanswered.
    pub lost: Option<u32>,
}

/// Gathers the shots of one configuration.
#[derive(Debug)]
pub struct Collector {
    pub(super) plan: ConfigurationPlan,
    pub(super) pairs: Vec<ListedPair>,
    pub(super) counts: Counts,
    pub(super) stimulus: Vec<Channel>,
    pub(super) response: Vec<Channel>,
    pub(super) unusable: Vec<(u32, SignalError)>,
    pub(super) taken: Vec<Taken>,
    pub(super) ungated: u32,
    pub(super) surroundings: Surroundings,
}

impl Collector {
    /// Nothing gathered yet.
    #[must_use]
    pub fn new(plan: &ConfigurationPlan) -> Collector {
        Collector {
            plan: plan.clone(),
            pairs: Vec::new(),
            counts: Counts::default(),
            stimulus: Vec::new(),
            response: Vec::new(),
            unusable: Vec::new(),
            taken: Vec::new(),
            ungated: 0,
            surroundings: Surroundings::default(),
        }
    }

    /// Tells what is known of board and system, for the checks of the sample.
    #[must_use]
    pub fn knowing(self, surroundings: Surroundings) -> Collector {
        Collector { surroundings, ..self }
    }

    /// Takes one shot. A record that cannot be read as edges stays in the evidence and is named in the report.
    pub fn add(&mut self, shot: &Shot, taken: Taken) {
        self.taken.push(taken);
        self.ungated += u32::from(!shot.seen_waiting);
        match self.edges_of(shot) {
            Ok((stimulus, response)) => self.pair(shot.number, &stimulus, &response),
            Err(error) => self.unusable.push((shot.number, error)),
        }
    }

    /// A flat stimulus channel is an error; a flat response channel is a board that did not answer.
    fn edges_of(&self, shot: &Shot) -> Result<(Edges, Edges), SignalError> {
        let stimulus = edges(&shot.stimulus, self.plan.stimulus_threshold)?;
        let response = edges_or_silence(&shot.response, self.plan.response_threshold)?;
        let offset = self.plan.correction.map_or(Picos::ZERO, |c| c.offset);
        Ok((stimulus, earlier(response, offset)))
    }

    fn pair(&mut self, shot: u32, stimulus: &Edges, response: &Edges) {
        let pairing = self.pairing(stimulus, response);
        self.counts = self.counts.plus(pairing.counts());
        self.stimulus.extend(Channel::of(stimulus));
        self.response.extend(Channel::of(response));
        let listed =
            pairing.pairs.into_iter().zip(1..).map(|(pair, number)| ListedPair { shot, number, pair });
        self.pairs.extend(listed);
    }

    fn pairing(&self, stimulus: &Edges, response: &Edges) -> Pairing {
        let rule = PairingRule {
            stimulus_slope: self.plan.setup.slope,
            response_slope: self.plan.response_slope,
            window: self.plan.window,
            floor: self.plan.floor,
        };
        match self.plan.purpose {
            Purpose::Latency => pair(stimulus, response, &rule),
            Purpose::Skew => {
                let reach = REACH.max(stimulus.interval.max(response.interval) * 4);
                let both = coincident(stimulus, response, rule.stimulus_slope, reach);
                found(both.into_iter().map(|(a, b)| (a, Some(b))))
            }
            Purpose::Period => {
                let active = stimulus.list.iter().filter(|e| e.slope == rule.stimulus_slope);
                found(active.map(|e| (e.at, None)))
            }
        }
    }

    /// Pairs that count, so far.
    #[must_use]
    pub fn paired(&self) -> u64 {
        self.counts.paired
    }

    /// Stimuli seen, so far.
    #[must_use]
    pub fn stimuli(&self) -> u64 {
        self.counts.stimuli
    }

    /// Median and worst, so far.
    #[must_use]
    pub fn so_far(&self) -> (Option<Picos>, Option<Picos>) {
        let summary = stats::summarize(&self.latencies());
        (summary.as_ref().map(|s| s.typical), summary.map(|s| s.worst))
    }

    /// Latencies of the pairs that count, in the order captured.
    #[must_use]
    pub fn latencies(&self) -> Vec<Picos> {
        self.pairs.iter().filter_map(|p| p.pair.latency()).collect()
    }

    /// Smallest and largest distance between two stimuli of one record; none with fewer than two.
    #[must_use]
    pub fn observed_spacing(&self) -> Option<Spacing> {
        let stimuli: Vec<(u32, Picos)> =
            self.pairs.iter().filter_map(|p| p.pair.stimulus.map(|t| (p.shot, t))).collect();
        let next = stimuli.iter().skip(1);
        let gaps = stimuli.iter().zip(next).filter(|((a, _), (b, _))| a == b).map(|((_, a), (_, b))| *b - *a);
        let (min, max) = gaps.fold(None, |range: Option<(Picos, Picos)>, gap| {
            let (min, max) = range.unwrap_or((gap, gap));
            Some((min.min(gap), max.max(gap)))
        })?;
        Some(Spacing { min, max })
    }

    /// The row, and what a reader must know beside it. `published` is the profile's row of the same name.
    #[must_use]
    pub fn finish(self, published: Option<&Configuration>) -> (Row, Vec<Warning>) {
        let summary = stats::summarize(&self.latencies());
        let mut row = Row {
            name: self.plan.name.clone(),
            mode: self.plan.mode.clone(),
            loads: self.plan.loads.clone(),
            wanted: self.plan.count,
            counts: self.counts,
            uncertainty: summary.as_ref().and_then(|s| self.budget(s.typical)),
            summary,
            interval: self.interval(),
            shots: u32::try_from(self.taken.len()).unwrap_or(u32::MAX),
            elapsed: self.elapsed(),
            predicted: self.plan.prediction.duration,
            bytes: self.taken.iter().map(|t| t.bytes).sum(),
            reference: published.and_then(|p| p.reference.clone()),
            limits: published
                .map(|p| Limits { typical: p.limit_typical, worst: p.limit_worst })
                .unwrap_or_default(),
            pairs: self.pairs.clone(),
            scrutiny: scrutiny::Scrutiny::default(),
        };
        if self.plan.purpose == Purpose::Latency {
            row.scrutiny = scrutiny::of(&row.pairs, &self.plan, &self.surroundings);
        }
        let found = findings::of(&self, &row);
        (row, found)
    }

    /// Uncertainty of one latency, from what the records themselves show of noise and edges.
    fn budget(&self, latency: Picos) -> Option<Budget> {
        let stimulus = Channel::pooled(self.stimulus.iter().copied())?;
        let response = Channel::pooled(self.response.iter().copied())?;
        let skew =
            self.plan.correction.map_or(Skew::NotCalibrated, |c| Skew::Calibrated { standard: c.standard });
        let conditions = Conditions { stimulus, response, skew, years: None };
        Some(stats::budget(latency, &conditions))
    }

    /// The coarser sample interval of the two channels.
    pub(super) fn interval(&self) -> Option<Picos> {
        self.stimulus.iter().chain(&self.response).map(|c| c.interval).max()
    }

    /// From the first arming to the last byte. Where the clock starts anew, because the run was taken up again, a new
    /// stretch begins.
    fn elapsed(&self) -> Picos {
        let (mut total, mut until) = (Picos::ZERO, None);
        for taken in &self.taken {
            let from = until.filter(|until| *until <= taken.armed).unwrap_or(taken.armed);
            total += (taken.fetched - from).max(Picos::ZERO);
            until = Some(taken.fetched);
        }
        total
    }
}

/// The edges, earlier by a delay that is known.
fn earlier(mut edges: Edges, delay: Picos) -> Edges {
    edges.list.iter_mut().for_each(|edge| edge.at = edge.at - delay);
    edges.spans.iter_mut().for_each(|span| *span = (span.0 - delay, span.1 - delay));
    edges
}

/// Edges that were looked for and found, as pairs that count.
fn found(edges: impl Iterator<Item = (Picos, Option<Picos>)>) -> Pairing {
    let pair = |((stimulus, response), position)| Pair {
        stimulus: Some(stimulus),
        response,
        status: Status::Paired,
        position,
    };
    Pairing { pairs: edges.zip(0..).map(pair).collect() }
}
