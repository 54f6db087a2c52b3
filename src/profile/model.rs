//! A checked profile: every rule holds, no field means "default, somewhere".

use crate::signal::Slope;
use crate::stats::Until;
use crate::units::{Hertz, Picos, Volts};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How pairs get into records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// One pair a shot.
    Single,
    /// A stimulus train in one deep record, read as one stretch.
    Burst,
    /// A deep record, of which only the points around each stimulus are read.
    Windowed,
    /// Waveform recording, one pair a frame.
    Record,
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strategy::Single => "single",
            Strategy::Burst => "burst",
            Strategy::Windowed => "windowed",
            Strategy::Record => "record",
        })
    }
}

/// Where stimuli come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StimulusSource {
    /// The companion firmware, by `START`.
    Firmware,
    /// A generator that runs free; its spacing is found from the first record.
    External,
}

/// Smallest and largest gap between two stimuli.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spacing {
    /// Smallest gap.
    pub min: Picos,
    /// Largest gap.
    pub max: Picos,
}

/// What stands behind the names `scope` and `dut`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BenchKind {
    /// The built-in simulated bench. Every rendering says VIRTUAL.
    Virtual,
    /// A real scope and a real board.
    Hardware,
}

/// Which instruments to talk to and how long to wait for them.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchSpec {
    /// Virtual or hardware.
    pub kind: BenchKind,
    /// Scope resource: `TCPIP0::host::5555::SOCKET`, `host`, `host:port`, or `virtual`.
    pub scope: String,
    /// DUT link: `/dev/ttyACM0?baud=115200`, `COM5`, `tcp://host:port`, `virtual`, or `none`.
    pub dut: String,
    /// Longest wait for one answer of the scope.
    pub scope_timeout: Picos,
    /// Longest wait for one answer of the board.
    pub dut_timeout: Picos,
    /// Settings of the simulated bench; defaults when the section is absent.
    pub simulation: Simulation,
}

/// One probed signal.
#[derive(Debug, Clone, PartialEq)]
pub struct Signal {
    /// Input of the scope, from 1.
    pub channel: u8,
    /// Probe attenuation.
    pub probe: f64,
    /// Low level of the logic.
    pub low: Volts,
    /// High level of the logic.
    pub high: Volts,
    /// Explicit threshold; the middle of the measured levels when absent.
    pub threshold: Option<Volts>,
    /// The active edge.
    pub slope: Slope,
    /// Which probe it is, as written on it; a calibration of skew holds for this one only. The input's number when absent.
    pub probe_name: Option<String>,
}

impl Signal {
    /// The probe's name, or what stands for it.
    #[must_use]
    pub fn probe_label(&self) -> String {
        self.probe_name.clone().unwrap_or_else(|| format!("probe on CH{}", self.channel))
    }
}

/// Published figures, printed beside the measured ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// Published typical latency.
    pub typical: Option<Picos>,
    /// Published worst latency.
    pub worst: Option<Picos>,
    /// Where they were published.
    pub source: String,
}

/// How pairs shall be captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrategyChoice {
    /// The plan decides.
    Auto,
    /// As said.
    Fixed(Strategy),
}

impl StrategyChoice {
    /// The words of a profile and of `--strategy`.
    pub const WORDS: [(&'static str, StrategyChoice); 5] = [
        ("auto", StrategyChoice::Auto),
        ("single", StrategyChoice::Fixed(Strategy::Single)),
        ("burst", StrategyChoice::Fixed(Strategy::Burst)),
        ("windowed", StrategyChoice::Fixed(Strategy::Windowed)),
        ("record", StrategyChoice::Fixed(Strategy::Record)),
    ];
}

impl FromStr for StrategyChoice {
    type Err = String;
    /// Reads one of [`StrategyChoice::WORDS`].
    fn from_str(text: &str) -> Result<StrategyChoice, String> {
        let known = || StrategyChoice::WORDS.map(|(word, _)| word).join(", ");
        let found = StrategyChoice::WORDS.into_iter().find(|(word, _)| *word == text);
        found
            .map(|(_, choice)| choice)
            .ok_or_else(|| format!("`{text}` is no strategy; there is {}", known()))
    }
}

/// One row of the matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Configuration {
    /// Unique; letters, digits, `-`, `_`, `+`, `.`.
    pub name: String,
    /// ISR mode of the firmware.
    pub mode: String,
    /// Background loads.
    pub loads: Vec<String>,
    /// Image this mode lives in, for the flash hint (`zephyr`, `bare`, ...).
    pub image: Option<String>,
    /// Pairs to capture.
    pub count: u32,
    /// The question that this many pairs answer, where one was asked.
    pub until: Option<Until>,
    /// Typical latency expected, for the plan.
    pub expected_typical: Picos,
    /// Worst latency expected, for the plan.
    pub expected_worst: Picos,
    /// Report `worst` above this as over the limit (exit code 1).
    pub limit_worst: Option<Picos>,
    /// Report `typical` above this as over the limit (exit code 1).
    pub limit_typical: Option<Picos>,
    /// Gaps of the train; the plan derives them from the expected worst when absent.
    pub spacing: Option<Spacing>,
    /// Longest latency that still counts; up to the next stimulus when absent.
    pub window: Option<Picos>,
    /// Coarsest sample interval that will do.
    pub resolution: Picos,
    /// How pairs shall be captured.
    pub strategy: StrategyChoice,
    /// Nothing real can be faster: the profile's floor, unless this row has its own (`hw` passes no CPU).
    pub floor: Picos,
    /// Published figures.
    pub reference: Option<Reference>,
}

/// Everything a measurement needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Name, part of the run's folder name.
    pub name: String,
    /// The instruments.
    pub bench: BenchSpec,
    /// Firmware or external.
    pub source: StimulusSource,
    /// The stimulus channel.
    pub stimulus: Signal,
    /// The response channel.
    pub response: Signal,
    /// Clock the firmware should state.
    pub clock: Option<Hertz>,
    /// Nothing real can be faster.
    pub floor: Picos,
    /// Period of the system's tick, where one is known: stimuli must meet all of its phases.
    pub tick: Option<Picos>,
    /// Seed of the stimulus trains.
    pub seed: u32,
    /// The matrix, in order, at least one.
    pub configurations: Vec<Configuration>,
    /// How each image gets onto the board, for the hint and for `--flash`; images without one are absent.
    pub flash: Vec<FlashCommand>,
}

/// The command that puts an image onto the board. Never run without being asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlashCommand {
    /// Image, as the configurations name it.
    pub image: String,
    /// Program and arguments, at least the program.
    pub command: Vec<String>,
}

impl fmt::Display for FlashCommand {
    /// The command as one types it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.command.join(" "))
    }
}

/// How the simulated bench spends time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// Simulated time advances with the exchanges only; nothing ever sleeps.
    Instant,
    /// Wall-clock time with the latencies and the link rate of a real unit.
    Realistic,
}

/// What the two probes of the simulated bench touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Probes {
    /// Stimulus and response, as for measuring.
    #[default]
    Apart,
    /// Both the stimulus: the delay between them is that of inputs and probes.
    OneEdge,
    /// Both the stimulus, each probe on the other's input. A quarter of [`Simulation::skew`] comes from the probes and
    /// changes its sign with them, the rest from the inputs.
    Swapped,
}

/// Settings of the simulated bench (`[virtual]` of a profile, options of `simulate`).
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    /// Seed of every random choice.
    pub seed: u64,
    /// Instant or realistic.
    pub timing: Timing,
    /// Noise in codes rms.
    pub noise_codes: f64,
    /// Delay of the response channel against the stimulus channel (cables, probes, inputs).
    pub skew: Picos,
    /// 10-90 % rise time on the screen, scope and signal together.
    pub rise_time: Picos,
    /// Error of the scope's time base, parts per million.
    pub clock_error_ppm: f64,
    /// Bytes a second of the simulated link (realistic timing and its cost figures).
    pub bytes_per_second: f64,
    /// Mean time of a query on the simulated link; settings scale with it.
    pub command_latency: Picos,
    /// Chance a stimulus stays unanswered, overriding the mode's own.
    pub miss_rate: Option<f64>,
    /// Chance of a second response, overriding the mode's own.
    pub double_rate: Option<f64>,
    /// Chance that a response comes after the next stimulus, overriding the mode's own.
    pub late_rate: Option<f64>,
    /// Mean gap of the free-running stimulus.
    pub spacing: Picos,
    /// Named misbehaviours.
    pub faults: Vec<String>,
    /// What the probes touch.
    pub probes: Probes,
}

impl Default for Simulation {
    /// One code of noise, 0.4 ns hidden skew, 7 ns edges (50 MHz), 1 MB/s, 5 ms a query.
    fn default() -> Simulation {
        Simulation {
            seed: 1,
            timing: Timing::Instant,
            noise_codes: 1.0,
            skew: Picos(400),
            rise_time: Picos::from_ns(7),
            clock_error_ppm: 3.0,
            bytes_per_second: 1.0e6,
            command_latency: Picos::from_ms(5),
            miss_rate: None,
            double_rate: None,
            late_rate: None,
            spacing: Picos::from_us(100),
            faults: Vec::new(),
            probes: Probes::Apart,
        }
    }
}
