//! Which response belongs to which stimulus, and what became of those that have none.
//!
//! Each stimulus takes the first response of the configured slope after it, before the next stimulus and inside the
//! window. Everything else is listed with a status and counted: nothing is dropped, nothing is tried again, because
//! misses are part of the tail. A late answer must never pass for a short latency of the next stimulus; how that is
//! seen is in `slots.rs`.

use super::edges::Edges;
use super::shot::Slope;
use super::slots::Slots;
use crate::units::Picos;

/// How stimuli and responses are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairingRule {
    /// Direction of the edge that answers.
    pub response_slope: Slope,
    /// Direction of the edge that asks.
    pub stimulus_slope: Slope,
    /// Longest time to wait for an answer; `None` waits for the next stimulus.
    pub window: Option<Picos>,
    /// What the board cannot beat (entry cycles, synchroniser, store): anything faster answers something else.
    pub floor: Picos,
}

/// What became of a stimulus or of a response without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// A stimulus with its response: a latency.
    Paired,
    /// A stimulus without a response, although the record lasts long enough for one.
    Unanswered,
    /// A stimulus whose response could have come after the record's end; or, without a stimulus, a response at the
    /// head of a record whose stimulus came before it.
    CutOff,
    /// A response without a stimulus: one more than was asked for, or one after the window.
    Spurious,
    /// A stimulus or response that could belong to another: no latency is derived.
    Ambiguous,
}

/// A stimulus and its response, or the one without the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// When the stimulus came.
    pub stimulus: Option<Picos>,
    /// When the response came.
    pub response: Option<Picos>,
    /// What became of it.
    pub status: Status,
    /// Place in the train, from 0: how many stimuli of this record came before. A response without a stimulus has the
    /// place of the stimulus it follows.
    pub position: u32,
}

impl Pair {
    /// Response minus stimulus, only when [`Status::Paired`].
    #[must_use]
    pub fn latency(&self) -> Option<Picos> {
        match (self.status, self.stimulus, self.response) {
            (Status::Paired, Some(stimulus), Some(response)) => Some(response - stimulus),
            _ => None,
        }
    }
}

/// Outcomes of a record. `stimuli = paired + unanswered + ambiguous + cut_off`, always.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Stimuli seen.
    pub stimuli: u64,
    /// Of these, with a latency.
    pub paired: u64,
    /// Of these, never answered.
    pub unanswered: u64,
    /// Responses nobody asked for; no stimuli.
    pub spurious: u64,
    /// Stimuli whose response may belong to another.
    pub ambiguous: u64,
    /// Stimuli too close to the record's end.
    pub cut_off: u64,
}

impl Counts {
    /// Sum of two records.
    #[must_use]
    pub fn plus(self, o: Counts) -> Counts {
        Counts {
            stimuli: self.stimuli + o.stimuli,
            paired: self.paired + o.paired,
            unanswered: self.unanswered + o.unanswered,
            spurious: self.spurious + o.spurious,
            ambiguous: self.ambiguous + o.ambiguous,
            cut_off: self.cut_off + o.cut_off,
        }
    }
}

/// All pairs of one record, in the order of time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pairing {
    /// Every stimulus once and every response of the configured slope once.
    pub pairs: Vec<Pair>,
}

impl Pairing {
    /// What became of everything.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.pairs.iter().fold(Counts::default(), |mut counts, pair| {
            let stimulus = u64::from(pair.stimulus.is_some());
            counts.stimuli += stimulus;
            match pair.status {
                Status::Paired => counts.paired += stimulus,
                Status::Unanswered => counts.unanswered += stimulus,
                Status::CutOff => counts.cut_off += stimulus,
                Status::Ambiguous => counts.ambiguous += stimulus,
                Status::Spurious => counts.spurious += 1,
            }
            counts
        })
    }

    /// The latencies, in the order of time.
    pub fn latencies(&self) -> impl Iterator<Item = Picos> + '_ {
        self.pairs.iter().filter_map(Pair::latency)
    }
}

/// Pairs the edges of one record.
#[must_use]
pub fn pair(stimulus: &Edges, response: &Edges, rule: &PairingRule) -> Pairing {
    let stimuli = instants(stimulus, rule.stimulus_slope);
    let responses = instants(response, rule.response_slope);
    Slots::of(&stimuli, &responses, &response.spans, rule).judged(stimulus.interval.max(response.interval))
}

fn instants(edges: &Edges, slope: Slope) -> Vec<Picos> {
    edges.list.iter().filter(|e| e.slope == slope).map(|e| e.at).collect()
}

/// Differences `b - a` of edges of one slope that both channels saw within `reach` of each other: for two probes on one
/// point, where the response may well seem to come first. An edge without a partner, or with more than one, is left
/// out.
#[must_use]
pub fn coincidences(a: &Edges, b: &Edges, slope: Slope, reach: Picos) -> Vec<Picos> {
    coincident(a, b, slope, reach).into_iter().map(|(x, y)| y - x).collect()
}

/// The instants behind [`coincidences`], of `a` and of `b`, in the order of time.
#[must_use]
pub fn coincident(a: &Edges, b: &Edges, slope: Slope, reach: Picos) -> Vec<(Picos, Picos)> {
    let (a, b) = (instants(a, slope), instants(b, slope));
    let near = |x: Picos, among: &[Picos]| {
        let from = among.partition_point(|y| *y < x - reach);
        among.iter().skip(from).take_while(|y| **y <= x + reach).copied().collect::<Vec<_>>()
    };
    let alone = |x: Picos| match near(x, &b).as_slice() {
        [y] if near(*y, &a).len() == 1 => Some((x, *y)),
        _ => None,
    };
    a.iter().filter_map(|x| alone(*x)).collect()
}
