//! The instrument-neutral language between plan and bench: what should be set, what is set, what can be done.

use crate::signal::Slope;
use crate::units::{Hertz, Picos, Volts};
use serde::{Deserialize, Serialize};
use std::fmt;

/// An analog input, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Input(pub u8);

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CHAN{}", self.0)
    }
}

/// One channel's front end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChannelSetup {
    /// Which input.
    pub input: Input,
    /// Attenuation of the probe (10 for x10).
    pub probe: f64,
    /// Volts a division, probe included.
    pub scale: Volts,
    /// Vertical offset as the instrument counts it (negative moves a positive signal to the centre).
    pub offset: Volts,
}

/// Everything that is set for one configuration. Coupling DC, bandwidth limit off, inversion off, other channels off,
/// acquisition normal, trigger edge on the stimulus input: not options, so not fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// The stimulus channel.
    pub stimulus: ChannelSetup,
    /// The response channel.
    pub response: ChannelSetup,
    /// Time a division.
    pub timebase: Picos,
    /// Distance of the trigger from the record's middle; positive = more record after the trigger.
    pub delay: Picos,
    /// Points a channel.
    pub depth: u32,
    /// Sample interval that depth and time base give; another one read back is an error.
    pub interval: Picos,
    /// Trigger level in volts at the probe tip.
    pub level: Volts,
    /// Trigger slope, the stimulus's active edge.
    pub slope: Slope,
}

/// What the instrument says it is set to after a setup was applied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Applied {
    /// Sample interval from its sample rate.
    pub interval: Picos,
    /// Memory depth it reports.
    pub depth: u32,
    /// Every setting that was written and read back: header, reply.
    pub settings: Vec<(String, String)>,
    /// What the instrument does that a measurer should know of (skew correction set by the user ...).
    pub remarks: Vec<String>,
}

/// Cost figures of the link, measured at connect (or stated, for plans without a bench).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LinkFigures {
    /// A short query and its answer.
    pub round_trip: Picos,
    /// Bytes a second inside a block.
    pub bytes_per_second: f64,
    /// Arming until the scope is seen waiting, plus trigger until it is seen stopped.
    pub lag: Picos,
    /// A setting and its confirmation.
    #[serde(default)]
    pub setting: Picos,
    /// What a block takes besides its bytes: its request, and until the first byte.
    #[serde(default)]
    pub block: Picos,
    /// The round trip was measured on the connected bench; false when assumed.
    pub measured: bool,
    /// Rate, lag, setting and block were measured, too, with real blocks.
    #[serde(default)]
    pub gauged: bool,
}

/// Memory depths and the highest sample rate for a number of active channels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChannelLimits {
    /// Active channels, trigger source included (Q08).
    pub channels: u8,
    /// Highest sample rate.
    pub rate: Hertz,
    /// Depths that can be set, rising.
    pub depths: Vec<u32>,
}

/// What a connected (or assumed) bench can do, as plain data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Capabilities {
    /// Model, for messages only.
    pub model: String,
    /// Analog inputs.
    pub inputs: u8,
    /// Horizontal divisions the sample rate is counted over (12 on DS1000Z).
    pub divisions: i64,
    /// Vertical divisions.
    pub vertical_divisions: i64,
    /// Codes a vertical division (25).
    pub codes_per_division: f64,
    /// Time a division that can be set, rising.
    pub timebases: Vec<Picos>,
    /// Volts a division that can be set at x1, rising.
    pub scales: Vec<Volts>,
    /// Limits by number of active channels.
    pub limits: Vec<ChannelLimits>,
    /// Most points in one block.
    pub block_points: u32,
    /// Waveform recording is there (option).
    pub recording: bool,
    /// Rise time of the analog front end, 10-90 %.
    pub rise_time: Picos,
    /// The link.
    pub link: LinkFigures,
}
