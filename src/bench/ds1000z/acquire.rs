//! Starting an acquisition and waiting for its end.

use super::apply::Active;
use super::trigger::{Phase, Status, Trust};
use super::{Ds1000z, readout};
use crate::bench::{Armed, BenchError, Triggered};
use crate::units::Picos;
use std::sync::atomic::Ordering;

/// Longest wait for WAIT behind `:SINGle`, pre-trigger filling not counted; 100 to 300 ms are normal.
const ARM_PATIENCE: Picos = Picos::from_s(2);
/// An acquisition that was not seen leaving STOP for this long has not begun.
const START_PATIENCE: Picos = Picos::from_s(1);
/// Longest wait for STOP behind `:STOP`, the record's length not counted, before it is said again (Q29).
const STOP_PATIENCE: Picos = Picos::from_s(1);
const STOP_TRIES: u32 = 3;

/// An acquisition that was started.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending {
    phase: Phase,
    trust: Trust,
}

/// Statuses in the order seen, repeats folded.
fn note(statuses: &mut Vec<String>, status: &str) {
    if statuses.last().is_none_or(|last| last != status) {
        statuses.push(status.to_owned());
    }
}

impl Ds1000z {
    fn status(&mut self, statuses: &mut Vec<String>) -> Result<Status, BenchError> {
        let text = self.dialogue.ask(":TRIGger:STATus?")?;
        note(statuses, &text);
        Ok(Status::parse(&text))
    }

    pub(super) fn active(&self) -> Result<&Active, BenchError> {
        self.active
            .as_ref()
            .ok_or_else(|| BenchError::Unsupported("nothing was set up on the scope yet".into()))
    }

    /// The user wants to stop.
    pub(super) fn interrupted(&self) -> Result<(), BenchError> {
        if self.stop.load(Ordering::Relaxed) { Err(BenchError::Interrupted) } else { Ok(()) }
    }

    /// Asks for the status once and gives what is then known of the acquisition.
    fn look(&mut self, statuses: &mut Vec<String>) -> Result<Phase, BenchError> {
        self.interrupted()?;
        let status = self.status(statuses)?;
        let now = self.clock.now();
        let pending = self.pending.as_mut();
        let pending = pending.ok_or_else(|| BenchError::Unsupported("no acquisition was started".into()))?;
        pending.phase = pending.phase.after(status, now, &pending.trust);
        Ok(pending.phase)
    }
}

impl Ds1000z {
    /// So long behind a command its effect was seen in the status. A shot waits for that twice, and for one poll more.
    pub(super) fn note_lag(&mut self, seen: Picos) {
        let link = &mut self.capabilities.link;
        link.lag = seen * 2 + link.round_trip;
    }
}

/// Stops the scope and waits until a status that cannot be an old one says so.
pub(super) fn stop(scope: &mut Ds1000z) -> Result<(), BenchError> {
    let record = scope.active.as_ref().map_or(Picos::ZERO, Active::record);
    let mut statuses = Vec::new();
    for _ in 0..STOP_TRIES {
        scope.stopped_since = None;
        scope.dialogue.set(":STOP")?;
        scope.clock.sleep(scope.behaviour.status_lag);
        if seen_stopped(scope, STOP_PATIENCE + record, &mut statuses)? {
            // Everything before `:STOP` is older than the lag by now.
            scope.stopped_since = Some(scope.clock.now() - scope.behaviour.status_jitter);
            return Ok(());
        }
    }
    let last = statuses.pop().unwrap_or_default();
    let why = "it did not stop after :STOP; look at its screen for an open menu or a message";
    Err(super::wrong_reply(":TRIGger:STATus?", &last, why))
}

fn seen_stopped(
    scope: &mut Ds1000z,
    patience: Picos,
    statuses: &mut Vec<String>,
) -> Result<bool, BenchError> {
    let deadline = scope.clock.now() + patience;
    while scope.status(statuses)? != Status::Stop {
        if scope.clock.now() >= deadline {
            return Ok(false);
        }
        scope.clock.sleep(scope.behaviour.poll_interval);
    }
    Ok(true)
}

/// Starts one acquisition.
pub(super) fn arm(scope: &mut Ds1000z, gated: bool) -> Result<Armed, BenchError> {
    scope.active()?;
    if scope.stopped_since.is_none() {
        stop(scope)?;
    }
    if !gated && scope.behaviour.compare_records && scope.last.is_none() {
        readout::baseline(scope)?;
    }
    let begun = scope.clock.now();
    let mut statuses = Vec::new();
    for _ in 0..scope.behaviour.arm_attempts.max(1) {
        if start(scope, gated, &mut statuses)? {
            let seen_waiting = scope.pending.is_some_and(|p| p.phase.waited());
            return Ok(Armed { shot: scope.shots.saturating_add(1), seen_waiting, statuses });
        }
        stop(scope)?;
    }
    let last = statuses.join(" ");
    Err(BenchError::NotArmed { timeout: scope.clock.now() - begun, last })
}

/// `:SINGle`, and statuses until it is known to have begun. False when it has not, or has ended before its stimulus.
fn start(scope: &mut Ds1000z, gated: bool, statuses: &mut Vec<String>) -> Result<bool, BenchError> {
    // A status from before the last STOP must not pass for one of this acquisition.
    if let Some(since) = scope.stopped_since.take() {
        scope.clock.sleep(since + scope.behaviour.status_jitter - scope.clock.now());
    }
    scope.dialogue.set(":SINGle")?;
    let trust = Trust::new(&scope.behaviour, scope.clock.now(), gated);
    scope.pending = Some(Pending { phase: Phase::Started, trust });
    let patience = ARM_PATIENCE + scope.active()?.record() * 2;
    loop {
        let phase = scope.look(statuses)?;
        let passed = scope.clock.now() - trust.started;
        match phase {
            Phase::Waiting { .. } => {
                if gated {
                    scope.note_lag(passed);
                }
                return Ok(true);
            }
            Phase::Running { .. } | Phase::Stopped if !gated => return Ok(true),
            Phase::Stopped => return Ok(false),
            Phase::Started if gated && passed > START_PATIENCE => return Ok(false),
            _ if passed > patience => return Ok(false),
            _ => scope.clock.sleep(scope.behaviour.poll_interval),
        }
    }
}

/// A wait that can be continued over a new connection.
pub(super) struct Progress {
    shot: u32,
    seen_waiting: bool,
    statuses: Vec<String>,
    starts: u32,
    deadline: Picos,
    timeout: Picos,
}

impl Progress {
    pub(super) fn new(armed: Armed, now: Picos, timeout: Picos) -> Progress {
        let Armed { shot, seen_waiting, statuses } = armed;
        Progress { shot, seen_waiting, statuses, starts: 1, deadline: now + timeout, timeout }
    }
}

/// Waits until the acquisition has stopped, and has stopped by a trigger.
pub(super) fn wait(scope: &mut Ds1000z, progress: &mut Progress) -> Result<Triggered, BenchError> {
    loop {
        let phase = match scope.pending {
            Some(Pending { phase: Phase::Stopped, .. }) => Phase::Stopped,
            _ => scope.look(&mut progress.statuses)?,
        };
        progress.seen_waiting |= phase.waited();
        if phase == Phase::Stopped {
            if triggered(scope, &mut progress.statuses)? {
                scope.stopped_since = Some(scope.clock.now());
                let Progress { shot, seen_waiting, .. } = *progress;
                return Ok(Triggered { shot, seen_waiting, statuses: progress.statuses.clone() });
            }
            begin_again(scope, progress)?;
        }
        if scope.clock.now() >= progress.deadline {
            return Err(no_trigger(scope, progress));
        }
        scope.clock.sleep(scope.behaviour.poll_interval);
    }
}

/// A free stimulus comes again, so an acquisition that ended without a trigger (Q60) is started anew. A train that was
/// fired does not; its acquisition ends in a time-out.
fn begin_again(scope: &mut Ds1000z, progress: &mut Progress) -> Result<(), BenchError> {
    let free = scope.pending.is_some_and(|p| p.trust.settle.is_some());
    if free && progress.starts < scope.behaviour.arm_attempts {
        progress.starts += 1;
        start(scope, false, &mut progress.statuses)?;
    }
    Ok(())
}

/// `:TRIGger:POSition?` says -2 while there was no trigger, -1 when it lies outside the memory.
fn triggered(scope: &mut Ds1000z, statuses: &mut Vec<String>) -> Result<bool, BenchError> {
    if !scope.behaviour.check_position {
        return Ok(true);
    }
    let reply = scope.dialogue.ask(":TRIGger:POSition?")?;
    let without = reply.parse::<f64>().is_ok_and(|p| p < -1.5);
    if without {
        note(statuses, "STOP without a trigger");
    }
    Ok(!without)
}

fn no_trigger(scope: &Ds1000z, progress: &Progress) -> BenchError {
    let setup = scope.active.as_ref().map(|a| &a.setup);
    BenchError::NoTrigger {
        timeout: progress.timeout,
        last: progress.statuses.last().cloned().unwrap_or_default(),
        channel: setup.map(|s| s.stimulus.input.to_string()).unwrap_or_default(),
        level: setup.map(|s| s.level.to_string()).unwrap_or_default(),
    }
}
