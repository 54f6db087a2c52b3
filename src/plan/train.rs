//! When the stimuli of a train come, and how many fit behind a trigger.

use crate::profile::Spacing;
use crate::units::Picos;
use latency_protocol::{Gaps, Train};

/// Board and scope count time with different crystals; a permille covers both many times over.
const DRIFT: i64 = 1000;

/// How far apart the two may be that long after the trigger.
pub(super) fn drift(after: Picos) -> Picos {
    after / DRIFT
}

/// A train's stretch with the drift of the two clocks on top.
pub(super) fn with_drift(time: Picos) -> Picos {
    time + drift(time)
}

/// Gaps from three times the expected worst latency, in whole microseconds, to twice that.
pub(super) fn preset_spacing(worst: Picos) -> Spacing {
    let min = Picos::from_us((worst * 3).0.saturating_add(999_999) / 1_000_000);
    Spacing { min, max: min * 2 }
}

/// How many stimuli surely fit when `room` follows the trigger and the last one needs `tail` for its answer: even with
/// the largest gap each time. The trigger is the first of them.
pub(super) fn capacity(room: Picos, spacing: Spacing, tail: Picos) -> u32 {
    let left = room - tail;
    if left < Picos::ZERO {
        return 0;
    }
    let gap = with_drift(spacing.max).0.max(1);
    u32::try_from(left.0 / gap).unwrap_or(u32::MAX).saturating_add(1)
}

/// The train of the shot that `before` others come before, as the board will time it: each has a seed of its own.
pub(super) fn of_shot(spacing: Spacing, seed: u32, burst: u32, before: u32) -> Train {
    let us = |time: Picos| u32::try_from(time.0 / 1_000_000).unwrap_or(u32::MAX).max(1);
    let (min_us, max_us) = (us(spacing.min), us(spacing.max));
    Train { count: burst, min_us, max_us, seed: seed.wrapping_add(before).max(1) }
}

/// Time from the first to the last stimulus of the longest of `shots` trains; the first gap passes before the trigger.
pub(super) fn longest(spacing: Spacing, seed: u32, burst: u32, shots: u32) -> Picos {
    let span =
        |shot: u32| -> u64 { Gaps::new(of_shot(spacing, seed, burst, shot)).skip(1).map(u64::from).sum() };
    let longest = if burst < 2 { 0 } else { (0..shots).map(span).max().unwrap_or(0) };
    Picos::from_us(i64::try_from(longest).unwrap_or(i64::MAX))
}
