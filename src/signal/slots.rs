//! The time between one stimulus and the next, and the verdict over what was seen in it.
//!
//! A slot without a response casts doubt on the next one: is its response its own, or the late answer of the stimulus
//! before? Both stimuli become ambiguous when the response in doubt
//!
//! * comes faster than answers do here (half the typical latency; or the typical less three times the
//!   distance to the fast ones among answers beyond doubt),
//! * is not alone in its slot,
//! * still lies inside the window of the stimulus before (window longer than the spacing), or
//! * lies under the floor; that one is ambiguous after an answered stimulus, too.
//!
//! Doubt lingers for a few slots, so that a chain of late answers is taken back as a whole when one of them gives it
//! away. And where each answer fits an earlier stimulus far better than its own (spacings are random, so an answer to
//! another stimulus carries their spread), the whole record is ambiguous.

use super::pairs::{Pair, Pairing, PairingRule, Status};
use crate::units::Picos;

/// Answers beyond doubt that are needed before their spread says how fast an answer can be.
const ENOUGH_FOR_FENCE: usize = 20;
/// Consistent answers in a row after which a chain of late answers counts as over.
const DOUBT_LINGERS: usize = 3;
/// Answers that are needed to see that all of them answer an earlier stimulus.
const ENOUGH_FOR_LAG: usize = 12;
/// Stimuli back that are tried.
const LONGEST_LAG: usize = 3;

/// A stimulus and the responses up to the next.
struct Slot<'a> {
    stimulus: Picos,
    /// All responses in the slot; the window does not matter yet.
    seen: &'a [Picos],
    /// How long the record goes on after the stimulus.
    covered: Picos,
    /// The next stimulus ends the slot, not the end of what was read.
    closed: bool,
    status: Status,
}

impl Slot<'_> {
    fn first(&self) -> Option<Picos> {
        self.seen.first().map(|r| *r - self.stimulus)
    }
}

/// All slots of a record, and the responses that are in none.
pub(super) struct Slots<'a> {
    slots: Vec<Slot<'a>>,
    /// With the number of stimuli before.
    leading: Vec<(usize, Picos)>,
    rule: &'a PairingRule,
}

impl<'a> Slots<'a> {
    /// Distributes `responses` over `stimuli` (both in the order of time); a response counts for a stimulus of its own
    /// span only.
    pub fn of(
        stimuli: &[Picos],
        responses: &'a [Picos],
        spans: &[(Picos, Picos)],
        rule: &'a PairingRule,
    ) -> Slots<'a> {
        let mut slots = Vec::with_capacity(stimuli.len());
        let mut leading = Vec::new();
        let mut rest = responses;
        for (n, stimulus) in stimuli.iter().enumerate() {
            let head = rest.partition_point(|r| r < stimulus);
            leading.extend(rest.iter().take(head).map(|r| (n, *r)));
            rest = rest.get(head..).unwrap_or_default();
            let end = end_of_span(spans, *stimulus);
            let next = stimuli.get(n + 1).copied().unwrap_or(Picos::MAX);
            let count = rest.partition_point(|r| *r < next && *r <= end);
            let (seen, after) = rest.split_at(count);
            rest = after;
            let covered = end - *stimulus;
            slots.push(Slot {
                stimulus: *stimulus,
                seen,
                covered,
                closed: next <= end,
                status: Status::Paired,
            });
        }
        leading.extend(rest.iter().map(|r| (stimuli.len(), *r)));
        Slots { slots, leading, rule }
    }

    /// Gives every stimulus and every response its status. `resolution` is what an instant is known to.
    pub fn judged(mut self, resolution: Picos) -> Pairing {
        let expected = Expected::of(&self.slots, self.rule);
        let mut doubt = Doubt::default();
        for n in 0..self.slots.len() {
            self.judge(n, &expected, &mut doubt);
        }
        if self.answers_lag(resolution) {
            self.take_back(0, self.slots.len());
        }
        self.listed()
    }

    fn judge(&mut self, n: usize, expected: &Expected, doubt: &mut Doubt) {
        let Some(slot) = self.slots.get_mut(n) else { return };
        let Some(latency) = slot.first() else {
            slot.status = expected.silent(slot);
            return doubt.raise(n);
        };
        if self.rule.window.is_some_and(|w| latency > w) {
            slot.status = Status::Unanswered;
            return *doubt = Doubt::default();
        }
        let crowded = slot.seen.len() > 1;
        let (under_floor, hasty) = (latency < self.rule.floor, latency < expected.fence);
        let since = match doubt.since {
            Some(since) if hasty || under_floor => Some(since),
            Some(_) if doubt.fresh(n) && (crowded || self.inside_window_before(n)) => n.checked_sub(1),
            _ if under_floor => Some(n.saturating_sub(1)),
            _ if hasty && crowded => Some(n),
            _ => None,
        };
        match since {
            Some(since) => self.take_back(since, n + 1),
            None if latency <= expected.usual => return doubt.answered(),
            None => return,
        }
        if crowded { *doubt = Doubt::default() } else { doubt.spread(n) }
    }

    /// Does the first response of slot `n` lie inside the window of a stimulus before that has none?
    fn inside_window_before(&self, n: usize) -> bool {
        let before = n.checked_sub(1).and_then(|k| self.slots.get(k)).filter(|s| s.seen.is_empty());
        let response = self.slots.get(n).and_then(|s| s.seen.first());
        match (before, response, self.rule.window) {
            (Some(before), Some(response), Some(window)) => *response - before.stimulus <= window,
            _ => false,
        }
    }

    /// Makes the slots `from..to` ambiguous.
    fn take_back(&mut self, from: usize, to: usize) {
        for slot in self.slots.iter_mut().take(to).skip(from) {
            slot.status = Status::Ambiguous;
        }
    }

    /// Do the answers fit an earlier stimulus at least four times as well as their own? A spread of a few steps of the
    /// grid is rounding and proves nothing.
    fn answers_lag(&self, resolution: Picos) -> bool {
        let own = self.spread(0).filter(|own| *own > resolution * 4);
        (1..=LONGEST_LAG).any(|lag| match (own, self.spread(lag)) {
            (Some(own), Some(other)) => other * 4 < own,
            _ => false,
        })
    }

    /// Spread between the quartiles of first response minus the stimulus `lag` places before its own.
    fn spread(&self, lag: usize) -> Option<Picos> {
        let paired = self.slots.iter().skip(lag).zip(&self.slots).filter(|(s, _)| s.status == Status::Paired);
        let mut times: Vec<Picos> =
            paired.filter_map(|(slot, earlier)| slot.seen.first().map(|r| *r - earlier.stimulus)).collect();
        times.sort_unstable();
        let n = times.len();
        if n < ENOUGH_FOR_LAG {
            return None;
        }
        Some(*times.get(n * 3 / 4)? - *times.get(n / 4)?)
    }

    fn listed(self) -> Pairing {
        let mut pairs = Vec::with_capacity(self.slots.len() + self.leading.len());
        let mut leading = self.leading.iter().peekable();
        for (n, slot) in self.slots.iter().enumerate() {
            while let Some((_, response)) = leading.next_if(|(before, _)| *before <= n) {
                pairs.push(orphan(*response, Status::CutOff, place(n.saturating_sub(1))));
            }
            list(slot, place(n), self.rule, &mut pairs);
        }
        let last = place(self.slots.len().saturating_sub(1));
        pairs.extend(leading.map(|(_, response)| orphan(*response, Status::CutOff, last)));
        Pairing { pairs }
    }
}

/// The pair of a slot, and its other responses.
fn list(slot: &Slot, position: u32, rule: &PairingRule, pairs: &mut Vec<Pair>) {
    let inside = |r: &Picos| rule.window.is_none_or(|w| *r - slot.stimulus <= w);
    let response = slot.seen.first().copied().filter(inside);
    pairs.push(Pair { stimulus: Some(slot.stimulus), response, status: slot.status, position });
    let others = slot.seen.iter().skip(usize::from(response.is_some()));
    let status = if slot.status == Status::Ambiguous { Status::Ambiguous } else { Status::Spurious };
    pairs.extend(others.map(|r| orphan(*r, status, position)));
}

fn orphan(response: Picos, status: Status, position: u32) -> Pair {
    Pair { stimulus: None, response: Some(response), status, position }
}

fn place(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// End of the span that holds `at`; `at` itself where none does, so that nothing is covered.
fn end_of_span(spans: &[(Picos, Picos)], at: Picos) -> Picos {
    let n = spans.partition_point(|(first, _)| *first <= at);
    let span = n.checked_sub(1).and_then(|k| spans.get(k));
    span.map_or(at, |(_, last)| (*last).max(at))
}

/// What answers look like in this record, from those beyond doubt.
struct Expected {
    /// Faster than this is suspect where there is doubt.
    fence: Picos,
    /// Slower than this does not end a doubt: it may be a late answer, too.
    usual: Picos,
    /// A record that goes on for as long has room for an answer.
    longest: Picos,
}

impl Expected {
    /// Looks at first responses that follow a few slots with one response each, else at all of them. One in twenty may
    /// be wrong all the same: the fence hangs on the fastest but those, five standard deviations below the typical of
    /// a normal law.
    fn of(slots: &[Slot], rule: &PairingRule) -> Expected {
        let sound = |s: &Slot| s.first().filter(|l| *l >= rule.floor && rule.window.is_none_or(|w| *l <= w));
        let quiet = |before: &[Slot]| before.iter().all(|s| s.seen.len() == 1);
        let runs = slots.windows(DOUBT_LINGERS + 1).filter_map(|w| w.split_last());
        let mut latencies: Vec<Picos> =
            runs.filter(|(_, before)| quiet(before)).filter_map(|(s, _)| sound(s)).collect();
        if latencies.is_empty() {
            latencies = slots.iter().filter_map(sound).collect();
        }
        latencies.sort_unstable();
        let n = latencies.len();
        let typical = latencies.get(n / 2).copied().unwrap_or(Picos::ZERO);
        let fast = latencies.get(n / 20).copied().unwrap_or(Picos::ZERO);
        let slowest = slots.iter().filter_map(sound).max();
        let half = typical.half();
        let fence = if n >= ENOUGH_FOR_FENCE { half.max(typical - (typical - fast) * 3) } else { half };
        let slow = latencies.get(n - n.div_ceil(20)).copied().unwrap_or(Picos::MAX);
        let usual = typical + (slow - typical) * 3;
        Expected { fence, usual, longest: rule.window.or(slowest).unwrap_or(Picos::ZERO) }
    }

    /// A slot without a response: never answered, or not seen.
    fn silent(&self, slot: &Slot) -> Status {
        let room = slot.covered >= self.longest && slot.covered > Picos::ZERO;
        if slot.closed || room { Status::Unanswered } else { Status::CutOff }
    }
}

/// A chain of slots in which an answer is owed.
#[derive(Default)]
struct Doubt {
    /// First slot of the chain.
    since: Option<usize>,
    /// Last slot that was empty or ambiguous.
    last: usize,
    /// Consistent answers since.
    consistent: usize,
}

impl Doubt {
    /// Slot `n` has no answer.
    fn raise(&mut self, n: usize) {
        self.since.get_or_insert(n);
        self.spread(n);
    }
    /// Slot `n` is ambiguous and an answer is still owed.
    fn spread(&mut self, n: usize) {
        if self.since.is_some() {
            self.last = n;
            self.consistent = 0;
        }
    }
    /// Is the slot before `n` the one in doubt?
    fn fresh(&self, n: usize) -> bool {
        self.since.is_some() && self.last + 1 == n
    }
    /// A consistent answer came.
    fn answered(&mut self) {
        self.consistent += 1;
        if self.consistent >= DOUBT_LINGERS {
            *self = Doubt::default();
        }
    }
}
