//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

pub use super::run_args::{
    AnalyzeArgs, CompareArgs, ExportArgs, ExportFormat, GateArgs, ImportArgs, ReportArgs, TextFormat,
};

/// How late does my interrupt really run? Drives an oscilloscope and the board's firmware, keeps the evidence, prints
/// typical and worst latency.
#[derive(Debug, Parser)]
#[command(name = "latency-cli", version, about, propagate_version = true, max_term_width = 110)]
#[command(
    after_help = "Without a profile the built-in virtual bench is used: no hardware is needed, and every figure is marked VIRTUAL.\n\
Exit codes: 0 complete; 1 measured but incomplete or over a limit; 2 usage, profile or plan error; 3 bench failure, evidence kept."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Capture edge pairs and print typical and worst latency
    Measure(MeasureArgs),
    /// Show what measure would do: settings, resolution, bytes, time
    Plan(PlanArgs),
    /// Print the report of a run again, from its evidence alone
    Analyze(AnalyzeArgs),
    /// Write pairs or a shot of a run as a file of another program
    Export(ExportArgs),
    /// Write the report of a run as a page and pictures
    Report(ReportArgs),
    /// Do two runs differ, and by how much?
    Compare(CompareArgs),
    /// For CI: has a run become slower than its baseline, is it within its limits?
    Gate(GateArgs),
    /// Find the delay between the two inputs with their probes, both on one edge; or check the scope's clock
    Calibrate(CalibrateArgs),
    /// Talk to the firmware: list, get or set the ISR mode
    Mode(ModeArgs),
    /// Talk to the scope: identity, raw query, screenshot
    Scope(ScopeArgs),
    /// List scopes and serial ports, each as the line for a profile
    Devices(DevicesArgs),
    /// Serve the virtual bench to other programs
    Simulate(SimulateArgs),
}

/// Which bench.
#[derive(Debug, Clone, Default, Args)]
pub struct BenchArgs {
    /// Profile: a TOML file, or the name of a built-in one (virtual, nrf5340dk); default ./latency.toml, else virtual
    #[arg(long, value_name = "FILE|NAME", global = true)]
    pub profile: Option<String>,
    /// Scope: VISA resource name, host, host:port, or `virtual`; overrides the profile
    #[arg(long, value_name = "RESOURCE", env = "LATENCY_SCOPE", global = true)]
    pub scope: Option<String>,
    /// Board link: serial port (/dev/ttyACM0, COM5, optional ?baud=115200), tcp://host:port, `virtual` or `none`
    #[arg(long, value_name = "LINK", env = "LATENCY_DUT", global = true)]
    pub dut: Option<String>,
}

/// Which part of the profile, and how.
#[derive(Debug, Clone, Default, Args)]
pub struct SelectionArgs {
    /// Configuration or ISR mode to measure (repeatable); default: every configuration of the profile
    #[arg(long, value_name = "MODE")]
    pub mode: Vec<String>,
    /// Edge pairs a configuration [default: the profile's, 1000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub count: Option<u32>,
    /// As many pairs as bound a quantile: p99.9@95 takes 2995 (95 % sure that at most 0.1 % are worse than the worst);
    /// with --count, at least that many
    #[arg(long, value_name = "QUANTILE@CONFIDENCE")]
    pub until: Option<crate::stats::Until>,
    /// How pairs are captured: auto, single, burst, windowed or record [default: the profile's, auto]
    #[arg(long, value_name = "STRATEGY")]
    pub strategy: Option<crate::profile::StrategyChoice>,
    /// Seed of the virtual bench and of the stimulus trains
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// For a terminal
    #[default]
    Table,
    /// For a README
    Markdown,
    /// Every pair as a line
    Csv,
    /// For programs, stable keys
    Json,
}

/// What to print beside the report.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct DetailArgs {
    /// Print the uncertainty budget of each row, term by term with its source (table and markdown; JSON always has it)
    #[arg(long)]
    pub explain: bool,
    /// Estimate p99.9 and p99.99 from the tail, with intervals; refused below 10 000 pairs and where its checks fail
    #[arg(long)]
    pub tail: bool,
}

/// `measure`.
#[derive(Debug, Args)]
pub struct MeasureArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub bench: BenchArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub selection: SelectionArgs,
    /// Calibration of skew, or `none`; default NAME.calibration.toml beside the profile
    #[arg(long, value_name = "FILE|none")]
    pub calibration: Option<String>,
    /// Finish this interrupted, failed or killed run, by its own plan and profile
    #[arg(long, value_name = "RUN", conflicts_with_all = ["profile", "mode", "count", "until", "strategy", "seed", "out", "calibration"])]
    pub resume: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub detail: DetailArgs,
    /// Folder that gets the run's folder
    #[arg(long, value_name = "DIR", default_value = "captures")]
    pub out: PathBuf,
    /// Output on stdout
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// No progress
    #[arg(short, long)]
    pub quiet: bool,
    /// Say more about what is done
    #[arg(short, long)]
    pub verbose: bool,
}

/// `plan`.
#[derive(Debug, Args)]
pub struct PlanArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub bench: BenchArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub selection: SelectionArgs,
    /// Plan for a stock DS1054Z with assumed link figures, without connecting
    #[arg(long)]
    pub offline: bool,
    /// Output on stdout: table or json
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// `calibrate`.
#[derive(Debug, Args)]
pub struct CalibrateArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub bench: BenchArgs,
    /// Second half: the probes exchanged between the inputs, both still on one edge
    #[arg(long, conflicts_with = "period")]
    pub swapped: bool,
    /// Check the scope's clock instead, against a signal of this period on the stimulus channel: the board's train, or
    /// a generator with --dut none
    #[arg(long, value_name = "TIME")]
    pub period: Option<crate::units::Picos>,
    /// Edges to compare
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(100..=100_000))]
    pub count: u32,
    /// Configuration or mode whose settings are used [default: the profile's first]
    #[arg(long, value_name = "MODE")]
    pub mode: Vec<String>,
    /// Seed of the virtual bench and of the stimulus trains
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// File to write; default NAME.calibration.toml beside the profile
    #[arg(long, value_name = "FILE")]
    pub calibration: Option<PathBuf>,
    /// Folder that gets the run's folder
    #[arg(long, value_name = "DIR", default_value = "captures")]
    pub out: PathBuf,
    /// No progress
    #[arg(short, long)]
    pub quiet: bool,
    /// Say more about what is done
    #[arg(short, long)]
    pub verbose: bool,
}

/// `mode`.
#[derive(Debug, Args)]
pub struct ModeArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub bench: BenchArgs,
    /// What to do with the mode.
    #[command(subcommand)]
    pub action: ModeAction,
}

/// `mode ...`.
#[derive(Debug, Subcommand)]
pub enum ModeAction {
    /// The modes this firmware has, the one in force marked
    List,
    /// The mode in force
    Get,
    /// Select a mode
    Set {
        /// Name of the mode
        mode: String,
    },
}

/// `scope`.
#[derive(Debug, Args)]
pub struct ScopeArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub bench: BenchArgs,
    /// What to do with the scope.
    #[command(subcommand)]
    pub action: ScopeAction,
}

/// `scope ...`.
#[derive(Debug, Subcommand)]
pub enum ScopeAction {
    /// Identity and firmware
    Idn,
    /// One SCPI command; what ends in `?` prints its answer
    Query {
        /// Such as ":TIM:SCAL?"
        command: String,
    },
    /// The screen as a picture
    Screenshot {
        /// File to write; an existing one is not overwritten
        file: PathBuf,
    },
}

/// `devices`.
#[derive(Debug, Args)]
pub struct DevicesArgs {
    /// Network to ask by a VXI-11 broadcast: an interface (eth0), this machine's address on it, or a subnet
    /// (192.168.1.0/24); repeatable
    #[arg(long, value_name = "NETWORK")]
    pub scan: Vec<String>,
    /// Also what the VISA library lists; most libraries broadcast on every interface to find out
    #[arg(long)]
    pub visa: bool,
}

/// `simulate`.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// TCP port of the scope; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 5555)]
    pub scope_port: u16,
    /// TCP port of the board; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub dut_port: u16,
    /// Also serve the scope over VXI-11 on this port; 0 takes a free one, 111 is where clients look
    #[arg(long, value_name = "PORT")]
    pub vxi11_port: Option<u16>,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub host: std::net::IpAddr,
    /// Seed of every random choice
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Spend time as a real unit does, or none at all
    #[arg(long, value_enum, default_value_t = TimingArg::Realistic)]
    pub timing: TimingArg,
    /// Mean gap of the free-running stimulus
    #[arg(long, value_name = "TIME", default_value = "100 us")]
    pub spacing: crate::units::Picos,
    /// Write what truly happened as CSV
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,
    /// Misbehave (repeatable); `--fault list` shows the names
    #[arg(long, value_name = "NAME")]
    pub fault: Vec<String>,
    /// What the two probes touch
    #[arg(long, value_enum, default_value_t = ProbesArg::Apart)]
    pub probes: ProbesArg,
    /// ISR mode the board starts in
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,
    /// Noise, in codes rms
    #[arg(long, value_name = "CODES", default_value_t = 1.0)]
    pub noise: f64,
    /// Hidden delay between the two inputs
    #[arg(long, value_name = "TIME", default_value = "400 ps", allow_hyphen_values = true)]
    pub skew: crate::units::Picos,
    /// Link rate in bytes a second
    #[arg(long, value_name = "B/s", default_value_t = 1.0e6)]
    pub rate: f64,
    /// Mean time of a query on the link
    #[arg(long, value_name = "TIME", default_value = "5 ms")]
    pub latency: crate::units::Picos,
}

/// `--probes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProbesArg {
    /// Stimulus and response
    Apart,
    /// Both the stimulus, to calibrate skew
    OneEdge,
    /// Both the stimulus, exchanged between the inputs
    Swapped,
}

/// `--timing`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TimingArg {
    /// Latencies, lags and link rate of a real unit
    Realistic,
    /// Simulated time advances with the exchanges only
    Instant,
}
