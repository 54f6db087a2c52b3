//! When stimuli come and what answers them: the truth of the virtual bench.
//!
//! Time is cut into epochs (silent, free-running, one train). What happens at a stimulus is a hash of seed, epoch and
//! stimulus number, so any stretch of time can be asked for in any order. A finished epoch is never edited, which keeps
//! a record's content after its end; epochs older than any record needs are forgotten.
//!
//! | fate | what happens |
//! |---|---|
//! | plain | one response, a latency of the mode's law after the stimulus |
//! | missed | none |
//! | double | a second response a quarter to half way to the next stimulus |
//! | late | the response comes after the *next* stimulus, sooner than any answer to that one; the next is plain |

use super::laws::{Law, Loads};
use super::random::{Draw, key, scaled};
use crate::units::Picos;
use latency_protocol::{Gaps, Train};
use std::collections::VecDeque;

/// Longest time a pulse stays high.
const LONGEST_PULSE: Picos = Picos::from_us(50);
/// How far before a stretch of time a stimulus can lie that still matters inside it.
const REACH: Picos = Picos::from_ms(2);
/// Epochs kept at most, whatever their age.
const MOST_EPOCHS: usize = 4096;
/// Most free-running stimuli of one record; at the slowest time bases the earlier ones are left out.
const MOST_EVENTS: i64 = 1_000_000;
/// Most stimuli of one train; a longer one is refused.
pub(super) const LONGEST_TRAIN: u32 = 1_000_000;

/// A stimulus and what it causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Event {
    /// Rising edge into the board.
    pub(super) stimulus: Picos,
    /// The first rising edge out of it.
    pub(super) response: Option<Picos>,
    /// A second one that no stimulus caused.
    pub(super) extra: Option<Picos>,
    /// The stimulus falls.
    falls: Picos,
}

/// A change of a logic level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge {
    /// When it crosses the middle.
    pub(super) at: Picos,
    /// Low to high.
    pub(super) rising: bool,
}

/// Which of the two wires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Wire {
    /// Into the board.
    Stimulus,
    /// Out of it.
    Response,
}

/// Chances of what goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Rates {
    /// No response.
    pub(super) miss: f64,
    /// Two responses.
    pub(super) double: f64,
    /// Response after the next stimulus.
    pub(super) late: f64,
}

/// The code that answers: mode and loads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Responder {
    pub(super) law: &'static Law,
    pub(super) loads: Loads,
    pub(super) rates: Rates,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Plain,
    Missed,
    Double,
    Late,
}

impl Responder {
    fn raw_fate(&self, salt: u64, k: i64) -> Fate {
        let u = Draw::new(&[salt, 1, k as u64]).unit();
        let Rates { miss, double, late } = self.rates;
        match u {
            _ if u < miss => Fate::Missed,
            _ if u < miss + double => Fate::Double,
            _ if u < miss + double + late => Fate::Late,
            _ => Fate::Plain,
        }
    }

    /// After a late answer the next stimulus is plain, so that each fate can be counted on its own.
    fn fate(&self, salt: u64, k: i64) -> Fate {
        if self.raw_fate(salt, k - 1) == Fate::Late { Fate::Plain } else { self.raw_fate(salt, k) }
    }

    fn event(&self, salt: u64, k: i64, stimulus: Picos, next: Option<Picos>, width: Picos) -> Event {
        let mut draw = Draw::new(&[salt, 2, k as u64]);
        let plain = stimulus + self.law.sample(self.loads, &mut draw);
        let place = draw.unit();
        let (response, extra) = match (self.fate(salt, k), next) {
            (Fate::Missed, _) => (None, None),
            (Fate::Late, Some(next)) => {
                let soonest = self.law.least(self.loads);
                (Some(next + scaled(soonest, 0.1 + 0.7 * place)), None)
            }
            (Fate::Double, next) => {
                let room = next.map_or(LONGEST_PULSE, |n| n - plain);
                let after = scaled(room, 0.25 + 0.25 * place);
                (Some(plain), Some(plain + after).filter(|_| after >= Picos::from_ns(200)))
            }
            _ => (Some(plain), None),
        };
        Event { stimulus, response, extra, falls: stimulus + width }
    }
}

#[derive(Debug)]
enum Source {
    Silent,
    Free(Responder),
    Train(Vec<Event>),
}

#[derive(Debug)]
struct Epoch {
    from: Picos,
    until: Picos,
    salt: u64,
    source: Source,
}

/// Everything that happened on the two wires, and will.
#[derive(Debug)]
pub(super) struct Schedule {
    seed: u64,
    spacing: Picos,
    epochs: VecDeque<Epoch>,
    serial: u64,
}

impl Schedule {
    /// Silence since long ago. `spacing` is the mean gap of the free-running stimulus.
    pub(super) fn new(seed: u64, spacing: Picos) -> Schedule {
        let spacing = Picos(spacing.0.max(Picos::from_us(1).0));
        let past = Picos::from_s(-3600);
        let silent = Epoch { from: past, until: Picos::MAX, salt: 0, source: Source::Silent };
        Schedule { seed, spacing, epochs: VecDeque::from([silent]), serial: 0 }
    }

    fn begin(&mut self, now: Picos, keep: Picos, source: Source) -> u64 {
        if let Some(last) = self.epochs.back_mut() {
            last.until = now;
        }
        let old = |epoch: &Epoch| epoch.until < now - keep;
        while self.epochs.len() > MOST_EPOCHS || self.epochs.front().is_some_and(old) {
            self.epochs.pop_front();
        }
        self.serial += 1;
        let salt = key(&[self.seed, 0x57, self.serial]);
        self.epochs.push_back(Epoch { from: now, until: Picos::MAX, salt, source });
        salt
    }

    /// No stimulus from `now` on. What is older than `keep` may be forgotten.
    pub(super) fn silence(&mut self, now: Picos, keep: Picos) {
        self.begin(now, keep, Source::Silent);
    }

    /// An outside generator runs free from `now` on; its gaps are within 20 % of the spacing.
    pub(super) fn run_free(&mut self, now: Picos, keep: Picos, responder: Responder) {
        self.begin(now, keep, Source::Free(responder));
    }

    /// The generator has always been running.
    pub(super) fn run_free_since_ever(&mut self, responder: Responder) {
        self.begin(Picos::from_s(-3600), Picos::MAX, Source::Free(responder));
    }

    /// Fires a train: stimulus `i` comes at `now` plus the sum of the first `i + 1` gaps.
    pub(super) fn fire(&mut self, now: Picos, keep: Picos, train: Train, responder: Responder) {
        let salt = self.begin(now, keep, Source::Silent);
        let mut at = now;
        let gap = |us| Picos::from_us(i64::from(us));
        let times: Vec<Picos> = Gaps::new(train)
            .map(|us| {
                at += gap(us);
                at
            })
            .collect();
        let width = pulse_width(gap(train.min_us));
        let event =
            |(k, s): (usize, &Picos)| responder.event(salt, k as i64, *s, times.get(k + 1).copied(), width);
        let events = times.iter().enumerate().map(event).collect();
        if let Some(last) = self.epochs.back_mut() {
            last.source = Source::Train(events);
        }
    }

    /// Events of the running train up to `until`; none when no train runs.
    pub(super) fn train_until(&self, until: Picos) -> &[Event] {
        match self.epochs.back().map(|e| &e.source) {
            Some(Source::Train(events)) => {
                let n = events.partition_point(|e| e.stimulus <= until);
                events.get(..n).unwrap_or_default()
            }
            _ => &[],
        }
    }

    /// The stimulus comes from outside.
    pub(super) fn runs_free(&self) -> bool {
        matches!(self.epochs.back().map(|e| &e.source), Some(Source::Free(_)))
    }

    /// A train has stimuli left at `now`.
    pub(super) fn busy(&self, now: Picos) -> bool {
        match self.epochs.back().map(|e| &e.source) {
            Some(Source::Train(events)) => events.last().is_some_and(|e| e.stimulus > now),
            _ => false,
        }
    }

    fn free_stimulus(&self, salt: u64, k: i64) -> Picos {
        let jitter = Draw::new(&[salt, 3, k as u64]).unit() * 0.2 - 0.1;
        self.spacing * k + scaled(self.spacing, jitter)
    }

    /// Events that may show between `from` and `to`, with some to spare on both sides, in order of their stimuli.
    pub(super) fn events(&self, from: Picos, to: Picos) -> Vec<Event> {
        let mut all = Vec::new();
        for epoch in &self.epochs {
            if epoch.until < from - REACH || epoch.from > to {
                continue;
            }
            match &epoch.source {
                Source::Silent => {}
                Source::Free(responder) => self.free_events(epoch, *responder, from, to, &mut all),
                Source::Train(events) => {
                    let first = events.partition_point(|e| e.stimulus < from - REACH).saturating_sub(2);
                    let last = events.partition_point(|e| e.stimulus <= to).saturating_add(2);
                    let part = events.get(first..last.min(events.len())).unwrap_or_default();
                    all.extend(part.iter().filter(|e| e.stimulus < epoch.until));
                }
            }
        }
        all
    }

    fn free_events(&self, epoch: &Epoch, responder: Responder, from: Picos, to: Picos, all: &mut Vec<Event>) {
        let width = pulse_width(scaled(self.spacing, 0.8));
        let number = |t: Picos| t.0.div_euclid(self.spacing.0);
        let (from, to) = (Picos(from.0.max(epoch.from.0)), Picos(to.0.min(epoch.until.0)));
        let first = (number(from - REACH) - 3).max(number(to) - MOST_EVENTS);
        for k in first..=number(to) + 3 {
            let at = self.free_stimulus(epoch.salt, k);
            if at >= epoch.from && at < epoch.until {
                let next = self.free_stimulus(epoch.salt, k + 1);
                all.push(responder.event(epoch.salt, k, at, Some(next), width));
            }
        }
    }

    /// The level of a wire at `from` and its edges in `from..=to`, in order.
    pub(super) fn edges(&self, wire: Wire, from: Picos, to: Picos) -> (bool, Vec<Edge>) {
        let pulses = pulses(&self.events(from, to), wire);
        let mut high = false;
        let mut edges = Vec::new();
        for (at, rising) in pulses.into_iter().flat_map(|(up, down)| [(up, true), (down, false)]) {
            if at < from {
                high = rising;
            } else if at <= to {
                edges.push(Edge { at, rising });
            }
        }
        (high, edges)
    }

    /// The first edge of this direction in `from..=to`.
    pub(super) fn first_edge(&self, wire: Wire, rising: bool, from: Picos, to: Picos) -> Option<Picos> {
        let mut step = Picos(self.spacing.0.saturating_mul(4).max(Picos::from_us(200).0));
        let mut start = from;
        while start <= to {
            let end = Picos((start + step).0.min(to.0));
            let edges = self.edges(wire, start, end).1;
            if let Some(edge) = edges.into_iter().find(|e| e.rising == rising) {
                return Some(edge.at);
            }
            start = end + Picos(1);
            step = Picos(step.0.saturating_mul(2).min(Picos::from_ms(200).0.max(self.spacing.0)));
        }
        None
    }

    /// The last edge of this direction in `from..=to`.
    pub(super) fn last_edge(&self, wire: Wire, rising: bool, from: Picos, to: Picos) -> Option<Picos> {
        let mut step = Picos(self.spacing.0.saturating_mul(4).max(Picos::from_us(200).0));
        let mut end = to;
        while end >= from {
            let start = Picos((end - step).0.max(from.0));
            let edges = self.edges(wire, start, end).1;
            if let Some(edge) = edges.into_iter().rev().find(|e| e.rising == rising) {
                return Some(edge.at);
            }
            end = start - Picos(1);
            step = Picos(step.0.saturating_mul(2).min(Picos::from_ms(200).0.max(self.spacing.0)));
        }
        None
    }
}

/// Half of the smallest gap, at most 50 us.
fn pulse_width(smallest_gap: Picos) -> Picos {
    Picos(smallest_gap.half().0.min(LONGEST_PULSE.0))
}

/// When a wire rises and falls. A response is low again before the next stimulus or response: it falls half way.
fn pulses(events: &[Event], wire: Wire) -> Vec<(Picos, Picos)> {
    if wire == Wire::Stimulus {
        return events.iter().map(|e| (e.stimulus, e.falls)).collect();
    }
    let mut rises: Vec<Picos> = events.iter().flat_map(|e| [e.response, e.extra]).flatten().collect();
    rises.sort_unstable();
    let mut stimuli = events.iter().map(|e| e.stimulus).peekable();
    let mut pulses = Vec::with_capacity(rises.len());
    for (i, rise) in rises.iter().enumerate() {
        while stimuli.next_if(|s| s <= rise).is_some() {}
        let next = rises.get(i + 1).into_iter().chain(stimuli.peek()).min();
        let high = next.map_or(LONGEST_PULSE, |n| Picos((*n - *rise).half().0.min(LONGEST_PULSE.0)));
        pulses.push((*rise, *rise + high));
    }
    pulses
}
