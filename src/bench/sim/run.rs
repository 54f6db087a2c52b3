//! Run control: what the acquisition does, and what the instrument says it does.
//!
//! ```text
//! STOP --SING--> RUN (fills the part before the trigger) -> WAIT -> TD (rest of the record) -> STOP    sweep := SING
//! STOP --RUN---> sweep before (Q47): RUN -> WAIT | AUTO | TD steadily with a signal
//! WAIT --TFOR--> as a trigger        any --STOP--> STOP
//! ```
//!
//! The status on the wire is the one of 100 to 150 ms ago (Q01), `*OPC?` does not wait for it, and until a new record
//! is complete every read gives the one before (Q02). Nothing runs by itself: what happened since the last exchange is
//! worked out at the next.

use super::faults::{Fault, Faults};
use super::geometry::Geometry;
use super::random::Draw;
use super::record::{FrontEnd, Oddities, Record};
use super::schedule::Schedule;
use super::settings::{Id, Settings};
use super::truth::Truth;
use crate::units::Picos;
use std::collections::VecDeque;

/// A sweep that is not triggered for so long shows AUTO, and captures without a trigger.
const AUTO_AFTER: Picos = Picos::from_ms(100);
/// Status marks kept.
const MOST_MARKS: usize = 16;

/// What the acquisition is looking at.
pub(super) struct World<'a> {
    pub(super) now: Picos,
    pub(super) schedule: &'a Schedule,
    pub(super) faults: &'a mut Faults,
    pub(super) truth: &'a mut Truth,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Run,
    Wait,
    Triggered,
    Stop,
    Sweep { since: Picos, normal: bool },
}

#[derive(Debug, Clone)]
struct Single {
    geometry: Geometry,
    waits: Picos,
    scanned: Picos,
    trigger: Option<Picos>,
    odd: Oddities,
    dead: bool,
}

#[derive(Debug, Clone)]
enum Phase {
    Stopped,
    Single(Single),
    Sweep { since: Picos, normal: bool },
}

/// The acquisition.
pub(super) struct Run {
    front: FrontEnd,
    phase: Phase,
    marks: VecDeque<(Picos, Mark)>,
    lag: Picos,
    commands: u64,
    seed: u64,
    position: i64,
    record: Option<Record>,
}

impl Run {
    /// Sweeping since before time began, as after switching on.
    pub(super) fn new(front: FrontEnd, seed: u64) -> Run {
        let since = Picos::from_s(-10);
        let mut run = Run {
            front,
            phase: Phase::Stopped,
            marks: VecDeque::new(),
            lag: Picos::ZERO,
            commands: 0,
            seed,
            position: -2,
            record: None,
        };
        run.sweep(since, false);
        run
    }

    fn command(&mut self, now: Picos, phase: Phase, marks: &[(Picos, Mark)]) {
        self.commands += 1;
        self.phase = phase;
        self.lag =
            Draw::new(&[self.seed, 0x1A6, self.commands]).between(Picos::from_ms(100), Picos::from_ms(150));
        self.marks.retain(|(at, _)| *at <= now);
        self.marks.extend(marks);
        while self.marks.len() > MOST_MARKS {
            self.marks.pop_front();
        }
    }

    /// Starts to sweep.
    pub(super) fn sweep(&mut self, now: Picos, normal: bool) {
        self.command(now, Phase::Sweep { since: now, normal }, &[(now, Mark::Sweep { since: now, normal })]);
    }

    /// Stops at once; an incomplete acquisition is lost.
    pub(super) fn stop(&mut self, s: &Settings, world: &mut World<'_>) {
        self.settle(s, world);
        self.refresh(s, world);
        self.command(world.now, Phase::Stopped, &[(world.now, Mark::Stop)]);
    }

    /// Arms for one acquisition.
    pub(super) fn arm(&mut self, s: &Settings, world: &mut World<'_>) {
        self.settle(s, world);
        self.refresh(s, world);
        let (now, geometry) = (world.now, Geometry::new(s));
        let spurious = world.faults.strike(Fault::SpuriousStop);
        if spurious || world.faults.strike(Fault::StaleStop) {
            let end = now + Picos::from_ms(30);
            self.position = if spurious { -2 } else { geometry.position() };
            return self.command(now, Phase::Stopped, &[(now, Mark::Run), (end, Mark::Stop)]);
        }
        self.position = -2;
        let waits = now + geometry.fill();
        let odd = Oddities {
            fast: if world.faults.strike(Fault::WrongRate) { 1.0 / 24.0 } else { 0.0 },
            even: world.faults.strike(Fault::EvenReference),
            flat: world.faults.strike(Fault::LostResponse),
        };
        let dead = world.faults.strike(Fault::NoTrigger);
        let single = Single { geometry, waits, scanned: waits, trigger: None, odd, dead };
        self.command(now, Phase::Single(single), &[(now, Mark::Run), (waits, Mark::Wait)]);
    }

    /// Settings changed under a running acquisition: it starts again.
    pub(super) fn restart(&mut self, s: &Settings, world: &mut World<'_>) {
        match self.phase {
            Phase::Stopped => {}
            Phase::Sweep { normal, .. } => self.sweep(world.now, normal),
            Phase::Single(_) => self.arm(s, world),
        }
    }

    /// Forgets record and position, as a reset does.
    pub(super) fn reset(&mut self, now: Picos) {
        self.record = None;
        self.position = -2;
        self.sweep(now, false);
    }

    /// Triggers an armed acquisition by command; does nothing otherwise.
    pub(super) fn force(&mut self, now: Picos) {
        if let Phase::Single(single) = &mut self.phase {
            let at = Picos(now.0.max(single.waits.0));
            single.trigger = single.trigger.or(Some(at));
        }
    }

    /// An acquisition is under way (really, not as the status says).
    pub(super) fn running(&self) -> bool {
        !matches!(self.phase, Phase::Stopped)
    }

    /// Works out what happened up to now.
    pub(super) fn settle(&mut self, s: &Settings, world: &mut World<'_>) {
        let Phase::Single(single) = &mut self.phase else { return };
        if single.trigger.is_none() && !single.dead && world.now > single.scanned {
            single.trigger = first_trigger(&self.front, s, world.schedule, single.scanned, world.now);
            single.scanned = world.now;
        }
        let Some(trigger) = single.trigger else { return };
        let end = trigger + single.geometry.rest();
        let (geometry, odd) = (single.geometry, single.odd);
        if self.position == -2 {
            self.position = geometry.position();
            self.marks.retain(|(at, _)| *at <= trigger);
            self.marks.extend([(trigger, Mark::Triggered), (end, Mark::Stop)]);
        }
        if world.now >= end {
            let record = Record::capture(&self.front, s, world.schedule, geometry, trigger, odd);
            let (from, to) = record.span;
            world.truth.shot(&world.schedule.events(from, to), trigger, from, to);
            self.record = Some(record);
            self.phase = Phase::Stopped;
        }
    }

    /// The last complete acquisition of a sweep.
    fn latest(&self, s: &Settings, world: &World<'_>) -> Option<Record> {
        let Phase::Sweep { since, normal } = self.phase else { return None };
        let geometry = Geometry::new(s);
        let (from, to) = (since + geometry.fill(), world.now - geometry.rest());
        if to < from {
            return None;
        }
        let horizon = if normal { from } else { Picos((to - AUTO_AFTER).0.max(from.0)) };
        let found = last_trigger(&self.front, s, world.schedule, horizon, to);
        let trigger = found.or((!normal).then_some(to))?;
        Some(Record::capture(&self.front, s, world.schedule, geometry, trigger, Oddities::default()))
    }

    /// The record that a read gets now: in a sweep each read gets the latest (Q05), else the one in memory. Before the
    /// first one is complete there is one of what was there so far.
    pub(super) fn readable(&mut self, s: &Settings, world: &mut World<'_>) -> &Record {
        self.settle(s, world);
        self.refresh(s, world);
        let (front, schedule, now) = (&self.front, world.schedule, world.now);
        self.record.get_or_insert_with(|| {
            Record::capture(front, s, schedule, Geometry::new(s), now, Oddities::default())
        })
    }

    /// Keeps the latest record of a sweep.
    pub(super) fn refresh(&mut self, s: &Settings, world: &World<'_>) {
        if let Phase::Sweep { .. } = self.phase {
            self.record = self.latest(s, world).or(self.record.take());
        }
    }

    /// What `:TRIGger:STATus?` says: the state of some time ago.
    pub(super) fn status(&mut self, s: &Settings, world: &mut World<'_>) -> &'static str {
        self.settle(s, world);
        let then = world.now - self.lag;
        let mark = self.marks.iter().rev().find(|(at, _)| *at <= then).or(self.marks.front());
        match mark.map_or(Mark::Stop, |(_, mark)| *mark) {
            Mark::Run => "RUN",
            Mark::Wait => "WAIT",
            Mark::Triggered => "TD",
            Mark::Stop => "STOP",
            Mark::Sweep { since, normal } => self.sweep_status(s, world, since, normal, then),
        }
    }

    fn sweep_status(
        &self,
        s: &Settings,
        world: &World<'_>,
        since: Picos,
        normal: bool,
        then: Picos,
    ) -> &'static str {
        let waits = since + Geometry::new(s).fill();
        let from = Picos((then - AUTO_AFTER).0.max(waits.0));
        if then < waits {
            "RUN"
        } else if last_trigger(&self.front, s, world.schedule, from, then).is_some() {
            "TD"
        } else if normal {
            "WAIT"
        } else {
            "AUTO"
        }
    }

    /// What `:TRIGger:POSition?` says.
    pub(super) fn position(&mut self, s: &Settings, world: &mut World<'_>) -> i64 {
        self.settle(s, world);
        match self.phase {
            Phase::Sweep { .. } => Geometry::new(s).position(),
            _ => self.position,
        }
    }

    /// Longest time back that the acquisition may still need to look.
    pub(super) fn looks_back(s: &Settings) -> Picos {
        let geometry = Geometry::new(s);
        (geometry.interval * geometry.depth) * 2 + Picos::from_s(1)
    }
}

/// The channel that triggers in edge mode.
fn edge_source(s: &Settings) -> Option<u8> {
    s.source(Id::EdgeSource).filter(|_| s.choice(Id::TriggerMode, 0) == "EDGE")
}

/// Directions that the slope setting lets through.
fn directions(s: &Settings) -> &'static [bool] {
    match s.choice(Id::EdgeSlope, 0).as_str() {
        "NEG" => &[false],
        "RFAL" => &[true, false],
        _ => &[true],
    }
}

/// Looks for triggers of each direction: `search` gets the wire, the direction and the stretch of time on the wire.
fn triggers<F>(front: &FrontEnd, s: &Settings, from: Picos, to: Picos, search: F) -> Vec<Picos>
where
    F: Fn(super::schedule::Wire, bool, Picos, Picos) -> Option<Picos>,
{
    let source = edge_source(s).and_then(|c| Some((c, front.wire(c)?)));
    let Some((channel, wire)) = source else { return Vec::new() };
    let one = |rising: &bool| {
        let rises = *rising != s.flag(Id::Invert, channel);
        let shift = front.trigger_shift(s, channel, rises)? + front.delay(channel);
        search(wire, rises, from - shift, to - shift).map(|at| at + shift)
    };
    directions(s).iter().filter_map(one).collect()
}

/// A level within the noise of a resting level triggers at once.
fn on_noise(front: &FrontEnd, s: &Settings) -> bool {
    edge_source(s).is_some_and(|channel| front.triggers_on_noise(s, channel))
}

fn first_trigger(
    front: &FrontEnd,
    s: &Settings,
    schedule: &Schedule,
    from: Picos,
    to: Picos,
) -> Option<Picos> {
    if on_noise(front, s) {
        return Some(from);
    }
    triggers(front, s, from, to, |w, r, a, b| schedule.first_edge(w, r, a, b)).into_iter().min()
}

fn last_trigger(
    front: &FrontEnd,
    s: &Settings,
    schedule: &Schedule,
    from: Picos,
    to: Picos,
) -> Option<Picos> {
    if on_noise(front, s) && from <= to {
        return Some(to);
    }
    triggers(front, s, from, to, |w, r, a, b| schedule.last_edge(w, r, a, b)).into_iter().max()
}
