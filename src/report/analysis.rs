//! Shots of one configuration become a row. Shot by shot: memory grows with the pairs, never with the samples.

use super::{Limits, ListedPair, Row, Warning, findings};
use crate::plan::ConfigurationPlan;
use crate::profile::{Configuration, Spacing};
use crate::signal::{Counts, Edges, PairingRule, Shot, SignalError, edges, edges_or_silence, pair};
use crate::stats::{self, Budget, Channel, Conditions, Skew};
use crate::units::Picos;

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
        }
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
        Ok((stimulus, response))
    }

    fn pair(&mut self, shot: u32, stimulus: &Edges, response: &Edges) {
        let rule = PairingRule {
            stimulus_slope: self.plan.setup.slope,
            response_slope: self.plan.response_slope,
            window: self.plan.window,
            floor: self.plan.floor,
        };
        let pairing = pair(stimulus, response, &rule);
        self.counts = self.counts.plus(pairing.counts());
        self.stimulus.extend(Channel::of(stimulus));
        self.response.extend(Channel::of(response));
        let listed =
            pairing.pairs.into_iter().zip(1..).map(|(pair, number)| ListedPair { shot, number, pair });
        self.pairs.extend(listed);
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
        let row = Row {
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
            bytes: self.taken.iter().map(|t| t.bytes).sum(),
            reference: published.and_then(|p| p.reference.clone()),
            limits: published
                .map(|p| Limits { typical: p.limit_typical, worst: p.limit_worst })
                .unwrap_or_default(),
            pairs: self.pairs.clone(),
        };
        let found = findings::of(&self, &row);
        (row, found)
    }

    /// Uncertainty of one latency, from what the records themselves show of noise and edges.
    fn budget(&self, latency: Picos) -> Option<Budget> {
        let stimulus = Channel::pooled(self.stimulus.iter().copied())?;
        let response = Channel::pooled(self.response.iter().copied())?;
        let conditions = Conditions { stimulus, response, skew: Skew::NotCalibrated, years: None };
        Some(stats::budget(latency, &conditions))
    }

    /// The coarser sample interval of the two channels.
    pub(super) fn interval(&self) -> Option<Picos> {
        self.stimulus.iter().chain(&self.response).map(|c| c.interval).max()
    }

    fn elapsed(&self) -> Picos {
        match (self.taken.first(), self.taken.last()) {
            (Some(first), Some(last)) => last.fetched - first.armed,
            _ => Picos::ZERO,
        }
    }
}
