//! What a plan refuses, each with the rule and the way out.

use crate::profile::Strategy;
use crate::units::{Picos, Volts};
use std::fmt;

/// Why something cannot be measured as the profile asks.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Rule {
    /// The instrument lacks an input.
    #[error(
        "{model} has {inputs} inputs, so there is no CH{channel}; connect the probe to another and say so in the profile"
    )]
    Input {
        /// The input asked for.
        channel: u8,
        /// How many there are.
        inputs: u8,
        /// Of which model.
        model: String,
    },
    /// The signal is larger than the screen at the coarsest scale.
    #[error(
        "{signal} swings {swing}, more than {largest} with this probe; use a probe with more attenuation"
    )]
    SwingTooLarge {
        /// Stimulus or response.
        signal: &'static str,
        /// High minus low.
        swing: Volts,
        /// What the screen takes.
        largest: Volts,
    },
    /// The signal spans too few codes even at the finest scale.
    #[error(
        "{signal} swings only {swing}, less than {smallest} with this probe; use a probe with less attenuation"
    )]
    SwingTooSmall {
        /// Stimulus or response.
        signal: &'static str,
        /// High minus low.
        swing: Volts,
        /// What can still be told from noise.
        smallest: Volts,
    },
    /// No legal setting samples finely enough.
    #[error(
        "a resolution of {wanted} is finer than the {finest} that {model} samples two channels with; ask for {finest} or more"
    )]
    Resolution {
        /// Coarsest interval that will do.
        wanted: Picos,
        /// Finest interval there is.
        finest: Picos,
        /// Of which model.
        model: String,
    },
    /// No record at that sampling holds one pair.
    #[error(
        "one pair needs {needed} after its trigger, but records sampled at {interval} end after {longest}; allow a coarser resolution or a shorter window"
    )]
    NoRoom {
        /// The answer's window.
        needed: Picos,
        /// The longest stretch after a trigger.
        longest: Picos,
        /// The sampling that the resolution asks for.
        interval: Picos,
    },
    /// Burst was asked for, and no record holds two stimuli.
    #[error(
        "no record sampled at {interval} holds two stimuli that are up to {gap} apart; use strategy single, a closer spacing or a coarser resolution"
    )]
    NoBurst {
        /// Largest gap of the train.
        gap: Picos,
        /// The sampling that the resolution asks for.
        interval: Picos,
    },
    /// A strategy that does not exist yet.
    #[error(
        "strategy {0} is not available yet: waveform recording is an option of the scope that this program neither probes nor drives; use auto, windowed, burst or single"
    )]
    NotYet(Strategy),
}

/// One thing the plan refuses.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// The configuration; none when it concerns all of them.
    pub configuration: Option<String>,
    /// The rule and the way out.
    pub rule: Rule,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.configuration {
            Some(name) => write!(f, "configuration `{name}`: {}", self.rule),
            None => write!(f, "{}", self.rule),
        }
    }
}

/// A profile that cannot be carried out with these capabilities.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// A file of calibration that cannot be used.
    #[error(
        "{origin} is no usable calibration: {why}; measure it again with `latency-cli calibrate`, or measure without it with --calibration none"
    )]
    Calibration {
        /// The file.
        origin: String,
        /// What is wrong.
        why: String,
    },
    /// Everything that was refused; never empty.
    #[error("{}", listed(.0))]
    Refused(Vec<Refusal>),
}

impl PlanError {
    /// Everything that was refused.
    #[must_use]
    pub fn refusals(&self) -> &[Refusal] {
        match self {
            PlanError::Refused(refusals) => refusals,
            PlanError::Calibration { .. } => &[],
        }
    }
}

/// One line for each.
fn listed(refusals: &[Refusal]) -> String {
    let lines: String = refusals.iter().map(|refusal| format!("\n  {refusal}")).collect();
    format!("the profile cannot be planned:{lines}")
}
