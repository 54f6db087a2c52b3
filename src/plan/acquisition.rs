//! A plan: for each configuration what is set, how it is captured, and what that will cost.

use super::{Around, LinkFigures, Setup};
use crate::profile::{Spacing, StimulusSource, Strategy};
use crate::signal::Slope;
use crate::units::{Picos, Volts};
use serde::{Deserialize, Serialize};

/// The part of a record that is fetched, relative to the trigger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    /// Start, negative before the trigger.
    pub from: Picos,
    /// End.
    pub to: Picos,
}

impl Extent {
    /// Whole sample intervals in it: the points fetched for a channel.
    #[must_use]
    pub fn points(self, interval: Picos) -> u32 {
        u32::try_from((self.to - self.from).0 / interval.0.max(1)).unwrap_or(0)
    }
}

/// What the edges of a configuration are taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// Stimulus and response: a latency.
    #[default]
    Latency,
    /// Both probes on one edge: the delay between the channels, of either sign.
    Skew,
    /// The stimulus channel alone, against a known period.
    Period,
}

impl Purpose {
    /// As written in plans of measurements, which leave it out.
    fn is_latency(&self) -> bool {
        *self == Purpose::Latency
    }
}

/// The delay between the channels that a calibration found; it is taken off every response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkewCorrection {
    /// Response channel behind the stimulus channel.
    pub offset: Picos,
    /// Standard uncertainty (k = 1).
    pub standard: Picos,
}

/// What the plan expects of a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// Acquisitions.
    pub shots: u32,
    /// Bytes of waveform data.
    pub bytes: u64,
    /// Time from the first arming to the last byte.
    pub duration: Picos,
    /// Time before that, in which everything is set and read back.
    #[serde(default)]
    pub setup: Picos,
    /// Standard uncertainty of one latency from sampling alone, or one interval when edges fall between samples.
    pub resolution: Picos,
}

impl Prediction {
    /// Setting up and measuring.
    #[must_use]
    pub fn total(&self) -> Picos {
        self.setup + self.duration
    }
}

/// One row of the profile's matrix, ready to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConfigurationPlan {
    /// Name in the report; also the folder of its evidence.
    pub name: String,
    /// ISR mode of the firmware; `None` where the mode is only a label.
    pub mode: String,
    /// Background loads to switch on.
    pub loads: Vec<String>,
    /// Pairs wanted.
    pub count: u32,
    /// Everything to set.
    pub setup: Setup,
    /// How pairs are captured.
    pub strategy: Strategy,
    /// Which rule chose the strategy, in words.
    pub reason: String,
    /// Source of the stimuli.
    pub source: StimulusSource,
    /// Stimuli a shot (burst length); 1 for `single`. An upper bound when the source is external.
    pub burst: u32,
    /// Gaps of the train; unknown for an external source until the first record.
    pub spacing: Option<Spacing>,
    /// Seed of the first train; shot k uses seed + k - 1.
    pub seed: u32,
    /// The part of the record that is fetched, or that holds all that is.
    pub extent: Extent,
    /// What is fetched around each stimulus; `None` where the whole extent is.
    #[serde(default)]
    pub around: Option<Around>,
    /// Longest latency that still counts as an answer.
    pub window: Option<Picos>,
    /// Nothing real can be faster than this; faster pairs are ambiguous.
    pub floor: Picos,
    /// Slope of the response's active edge.
    pub response_slope: Slope,
    /// Explicit threshold of the stimulus channel in volts, mid level when absent.
    pub stimulus_threshold: Option<Volts>,
    /// Explicit threshold of the response channel in volts, mid level when absent.
    pub response_threshold: Option<Volts>,
    /// Time a shot may take before it is given up.
    pub timeout: Picos,
    /// What this will cost.
    pub prediction: Prediction,
    /// What its edges are taken for.
    #[serde(default, skip_serializing_if = "Purpose::is_latency")]
    pub purpose: Purpose,
    /// Skew that is taken out; none without a calibration that fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<SkewCorrection>,
    /// The question that the number of pairs answers, such as `p99.9@95`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// Everything a run will do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunPlan {
    /// The instrument planned for, for messages only.
    pub model: String,
    /// The figures behind the durations; `measured` is false where no bench was asked.
    pub link: LinkFigures,
    /// In the order of the profile.
    pub configurations: Vec<ConfigurationPlan>,
}
