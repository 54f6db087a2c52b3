//! Which points of a record are fetched.
//!
//! A deep record is mostly quiet. The board fires its trains by a known law (`latency_protocol::Gaps`), so the stretch
//! around each stimulus is known before the record is read; where an outside generator fires, the stimulus channel is
//! read first and shows them. Each stretch holds a stimulus and all the time its answer may take. Stretches that lie so
//! close that reading on is quicker than another request become one.

use super::acquisition::{ConfigurationPlan, Extent};
use super::train;
use crate::profile::{Spacing, StimulusSource, Strategy};
use crate::signal::Slope;
use crate::units::{Picos, Volts};
use latency_protocol::{Gaps, Train};
use serde::{Deserialize, Serialize};

/// The stretch that is read around one stimulus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Around {
    /// Before the stimulus: its quiet level and its whole edge.
    pub before: Picos,
    /// Behind it: the longest latency that counts.
    pub after: Picos,
    /// Stretches closer than this are read as one.
    pub join: Picos,
}

impl Around {
    /// The stretch around a stimulus that comes at `at`, give or take `drift`.
    fn stretch(self, at: Picos, drift: Picos) -> Extent {
        Extent { from: at - self.before - drift, to: at + self.after + drift }
    }

    /// Stretches around edges that were found, inside `limits`.
    #[must_use]
    pub fn found(self, stimuli: &[Picos], limits: Extent) -> Vec<Extent> {
        joined(stimuli.iter().map(|at| self.stretch(*at, Picos::ZERO)), limits, self.join)
    }
}

/// What is to be read of a stopped record, in time from its trigger.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// One stretch of both channels.
    Whole(Extent),
    /// These stretches of both channels, rising, apart from one another.
    Windows(Vec<Extent>),
    /// All of the stimulus channel, and what lies around each of its edges of the response channel.
    Following {
        /// Of the stimulus channel; nothing outside it is read.
        extent: Extent,
        /// Active edge of the stimulus.
        slope: Slope,
        /// Explicit threshold of the stimulus.
        threshold: Option<Volts>,
        /// What is read around each edge.
        around: Around,
    },
}

impl From<Extent> for Reading {
    fn from(extent: Extent) -> Reading {
        Reading::Whole(extent)
    }
}

impl ConfigurationPlan {
    /// The train of a shot; `before` shots came before it. Every shot has its own seed, so that gaps do not repeat.
    #[must_use]
    pub fn train(&self, before: u32) -> Train {
        let spacing = self.spacing.unwrap_or(Spacing { min: Picos::from_us(1), max: Picos::from_us(1) });
        train::of_shot(spacing, self.seed, self.burst, before)
    }

    /// What is read of a shot; `before` shots came before it.
    #[must_use]
    pub fn reading(&self, before: u32) -> Reading {
        let extent = self.extent;
        match (self.strategy, self.around, self.source) {
            (Strategy::Windowed, Some(around), StimulusSource::Firmware) => {
                Reading::Windows(scheduled(self.train(before), around, extent))
            }
            (Strategy::Windowed, Some(around), StimulusSource::External) => {
                let (slope, threshold) = (self.setup.slope, self.stimulus_threshold);
                Reading::Following { extent, slope, threshold, around }
            }
            _ => Reading::Whole(extent),
        }
    }
}

/// Stretches around the stimuli of a train, of which the first is the trigger. The board and the scope count time with
/// different crystals, so the margin grows with the distance from the trigger.
pub(super) fn scheduled(train: Train, around: Around, limits: Extent) -> Vec<Extent> {
    let mut at = Picos::ZERO;
    let stretches = Gaps::new(train).enumerate().map(|(n, gap)| {
        at += if n == 0 { Picos::ZERO } else { Picos::from_us(i64::from(gap)) };
        around.stretch(at, train::drift(at))
    });
    joined(stretches, limits, around.join)
}

/// `stretches`, rising by their start, cut to `limits`; those that touch or lie closer than `join` become one.
fn joined(stretches: impl Iterator<Item = Extent>, limits: Extent, join: Picos) -> Vec<Extent> {
    let mut all: Vec<Extent> = Vec::new();
    for stretch in stretches {
        let cut = Extent { from: stretch.from.max(limits.from), to: stretch.to.min(limits.to) };
        match all.last_mut() {
            _ if cut.to <= cut.from => {}
            Some(last) if cut.from <= last.to + join => last.to = last.to.max(cut.to),
            _ => all.push(cut),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: fn(i64) -> Picos = Picos::from_us;
    const LIMITS: Extent = Extent { from: Picos::from_us(-1), to: Picos::from_ms(10) };

    #[test]
    fn close_stretches_become_one_and_the_record_is_their_limit() {
        let around = Around { before: US(2), after: US(10), join: US(5) };
        let found = around.found(&[Picos::ZERO, US(16), US(100), US(9_995), US(20_000)], LIMITS);
        let extent = |from, to| Extent { from: US(from), to: US(to) };
        assert_eq!(found, [extent(-1, 26), extent(98, 110), extent(9_993, 10_000)]);
    }

    /// The first gap passes before the trigger; a permille of drift on either side.
    #[test]
    fn the_schedule_is_the_boards() {
        let train = Train { count: 3, min_us: 1_000, max_us: 1_000, seed: 1 };
        let around = Around { before: Picos::ZERO, after: US(50), join: Picos::ZERO };
        let found = scheduled(train, around, LIMITS);
        let extent = |from, to| Extent { from: US(from), to: US(to) };
        assert_eq!(found, [extent(0, 50), extent(999, 1_051), extent(1_998, 2_052)]);
    }
}
