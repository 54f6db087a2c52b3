//! What the link gives, measured the way a run uses it.
//!
//! A deep record of whatever is on the inputs is taken and read: a few points, for what a block costs by itself, and a
//! full block, for the rate. On the way it is seen how long a setting takes and how late the status is, and whether a
//! window and its data may share a line. Everything that is set for this is put back by `restore`.
//!
//! It refuses to fail a run: what cannot be measured (no channel is on, the depth is not taken, the time base rolls)
//! stays as it was assumed.

use super::settings;
use super::{Ds1000z, apply, models, readout, recovery, trigger};
use crate::bench::BenchError;
use crate::plan::Input;
use crate::signal::Preamble;
use crate::units::Picos;

/// Points that tell what a block costs besides its bytes.
const FEW: u32 = 16;
/// Blocks whose median counts.
const BLOCKS: usize = 5;
/// Longest wait for a status to follow; 100 to 150 ms are usual.
const PATIENCE: Picos = Picos::from_s(2);

/// Measures, as far as it goes.
pub(super) fn gauge(scope: &mut Ds1000z) -> Result<(), BenchError> {
    if scope.behaviour.refused.is_some() {
        return Ok(());
    }
    (scope.active, scope.pending, scope.last, scope.stopped_since) = (None, None, None, None);
    match recovery::with(scope, measure) {
        Err(e @ (BenchError::Transcript { .. } | BenchError::Interrupted)) => Err(e),
        Err(e) if recovery::recoverable(&e) => recovery::recover(scope),
        _ => Ok(()),
    }
}

fn measure(scope: &mut Ds1000z) -> Result<(), BenchError> {
    let channels = displayed(scope)?;
    let Some(channel) = channels.first().copied() else { return Ok(()) };
    let depth = depth(scope, channels.len());
    apply::save(scope, &[settings::depth_row(depth)])?;
    apply::run_free(scope)?;
    let mut timed = vec![set(scope, &settings::depth_row(depth).command())?];
    // Old statuses die out, and the memory fills.
    scope.clock.sleep(scope.behaviour.status_lag);
    lag(scope, &mut timed)?;
    for row in [settings::source_row(channel)].iter().chain(&settings::readout_rows()) {
        timed.push(set(scope, &row.command())?);
    }
    let points = points(scope)?;
    blocks(scope, points)?;
    scope.capabilities.link.setting = mean(&timed);
    Ok(())
}

/// Inputs that are on.
fn displayed(scope: &mut Ds1000z) -> Result<Vec<Input>, BenchError> {
    let mut on = Vec::new();
    for input in (1..=scope.capabilities.inputs).map(Input) {
        if scope.dialogue.ask(&format!(":{input}:DISPlay?"))? == "1" {
            on.push(input);
        }
    }
    Ok(on)
}

/// The shallowest record that fills a block.
fn depth(scope: &Ds1000z, channels: usize) -> u32 {
    let limits = &scope.capabilities.limits;
    let row = limits.iter().find(|row| usize::from(row.channels) >= channels).or(limits.last());
    let depths = row.map(|row| row.depths.as_slice()).unwrap_or_default();
    let enough = depths.iter().find(|depth| **depth >= scope.behaviour.block_points);
    enough.or(depths.last()).copied().unwrap_or(0)
}

/// A setting, and the time it took.
fn set(scope: &mut Ds1000z, command: &str) -> Result<Picos, BenchError> {
    let before = scope.clock.now();
    scope.dialogue.set(command)?;
    Ok(scope.clock.now() - before)
}

/// How late the status is behind STOP, RUN and STOP; the scope stays stopped.
fn lag(scope: &mut Ds1000z, timed: &mut Vec<Picos>) -> Result<(), BenchError> {
    let mut seen = Vec::new();
    for (command, stopped) in [(":STOP", true), (":RUN", false), (":STOP", true)] {
        timed.push(set(scope, command)?);
        seen.extend(follows(scope, stopped)?);
        // Until then an older status may come up again.
        scope.clock.sleep(scope.behaviour.status_jitter);
    }
    if !seen.is_empty() {
        scope.note_lag(mean(&seen));
    }
    Ok(())
}

/// Time until the status says STOP, or no longer does; none when it never does.
fn follows(scope: &mut Ds1000z, stopped: bool) -> Result<Option<Picos>, BenchError> {
    let sent = scope.clock.now();
    loop {
        scope.interrupted()?;
        let status = trigger::Status::parse(&scope.dialogue.ask(":TRIGger:STATus?")?);
        let passed = scope.clock.now() - sent;
        if (status == trigger::Status::Stop) == stopped {
            return Ok(Some(passed));
        }
        if passed > PATIENCE {
            return Ok(None);
        }
        scope.clock.sleep(scope.behaviour.poll_interval);
    }
}

/// Points of the record that is there, at most a block of them.
fn points(scope: &mut Ds1000z) -> Result<u32, BenchError> {
    let text = scope.dialogue.ask(":WAVeform:PREamble?")?;
    let preamble: Preamble = match text.parse() {
        Ok(preamble) => preamble,
        Err(_) => return Ok(0),
    };
    Ok(preamble.points.min(scope.behaviour.block_points))
}

/// A few points several times, then as many as there are at once.
fn blocks(scope: &mut Ds1000z, points: u32) -> Result<(), BenchError> {
    if (points as usize) < readout::RATE_BLOCK {
        return Ok(());
    }
    readout::try_one_line(scope, 0..FEW)?;
    let mut timed = Vec::new();
    for _ in 0..BLOCKS {
        timed.push(block(scope, FEW)?);
    }
    timed.sort_unstable();
    let few = timed.get(timed.len() / 2).copied().unwrap_or(Picos::ZERO);
    let many = block(scope, points)?;
    let (bytes, net) = (f64::from(points - FEW), many - few);
    if net > Picos::ZERO {
        let link = &mut scope.capabilities.link;
        (link.block, link.bytes_per_second, link.gauged) = (few, bytes / net.as_seconds(), true);
    }
    Ok(())
}

fn block(scope: &mut Ds1000z, points: u32) -> Result<Picos, BenchError> {
    scope.interrupted()?;
    let before = scope.clock.now();
    readout::block(scope, 0..points)?;
    Ok(scope.clock.now() - before)
}

fn mean(times: &[Picos]) -> Picos {
    let sum = times.iter().fold(Picos::ZERO, |sum, time| sum + *time);
    match i64::try_from(times.len()) {
        Ok(n @ 1..) => sum / n,
        _ => models::SETTING,
    }
}
