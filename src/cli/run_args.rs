//! The command line of the verbs that read runs: nothing here touches a bench.

use super::args::{DetailArgs, Format};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `analyze`.
#[derive(Debug, Args)]
pub struct AnalyzeArgs {
    /// Run folder, such as captures/2026-01-31T14-05-09Z-virtual; or a capture of another program: CSV of Rigol, Keysight,
    /// Siglent, Tektronix or Saleae, sigrok .sr, VCD, NumPy .npy
    pub run: PathBuf,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub import: ImportArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub detail: DetailArgs,
    /// Output on stdout
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// How to read a capture of another program.
#[derive(Debug, Args)]
#[command(next_help_heading = "Captures of other programs")]
pub struct ImportArgs {
    /// Channel of the stimulus, by name or number
    #[arg(long, value_name = "CHANNEL")]
    pub stimulus: Option<String>,
    /// Channel of the response, by name or number
    #[arg(long, value_name = "CHANNEL")]
    pub response: Option<String>,
    /// Edges that count: rising, falling or either
    #[arg(long, value_name = "EDGE", default_value = "rising")]
    pub edge: crate::foreign::EdgeChoice,
    /// Threshold of analog channels [default: the middle of each one's levels]
    #[arg(long, value_name = "VOLTS")]
    pub threshold: Option<crate::units::Volts>,
    /// Longest latency that counts [default: up to the next stimulus]
    #[arg(long, value_name = "TIME")]
    pub window: Option<crate::units::Picos>,
    /// Sample interval, for formats that do not state one
    #[arg(long, value_name = "TIME")]
    pub interval: Option<crate::units::Picos>,
}

/// `export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Run folder
    pub run: PathBuf,
    /// File to write; an existing one is not overwritten
    pub file: PathBuf,
    /// What to write
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// Configuration whose shot is written [default: the first]
    #[arg(long, value_name = "NAME")]
    pub configuration: Option<String>,
    /// Number of the shot
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub shot: u32,
}

/// `export --format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// All pairs, as text
    Csv,
    /// All pairs, for DuckDB, Polars, Spark
    Parquet,
    /// One shot as a sigrok session, for PulseView
    Sr,
    /// One shot as a value change dump, for GTKWave
    Vcd,
    /// One shot as a NumPy array
    Npy,
}

/// `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Run folder, such as captures/2026-01-31T14-05-09Z-virtual
    pub run: PathBuf,
    /// Folder for the page and the pictures [default: RUN/report]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// `--format` of what is no list of pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum TextFormat {
    /// For a terminal
    #[default]
    Table,
    /// For a README
    Markdown,
    /// For programs, stable keys
    Json,
}

/// `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Run folder
    pub a: PathBuf,
    /// Run folder that is compared with it
    pub b: PathBuf,
    /// Smaller shifts are no differences [default: 1 % of A's typical latency]
    #[arg(long, value_name = "TIME")]
    pub relevance: Option<crate::units::Picos>,
    /// Output on stdout
    #[arg(long, value_enum, default_value_t = TextFormat::Table)]
    pub format: TextFormat,
}

/// `gate`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 passes; 1 slower than the baseline or over a limit; 2 cannot be judged."
)]
pub struct GateArgs {
    /// Run folder to judge
    pub run: PathBuf,
    /// Run folder it is held against
    #[arg(long, value_name = "RUN")]
    pub baseline: Option<PathBuf>,
    /// Absolute limit, such as "worst <= 3 us", "direct: p99 <= 2.5 us" or "missed <= 0" (repeatable); the profile's
    /// limits are held as well
    #[arg(long, value_name = "LIMIT")]
    pub limit: Vec<String>,
    /// Probability of a false alarm on an unchanged system, over all configurations
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    pub alpha: f64,
    /// Slower by less is no regression [default: 1 % of the baseline's typical latency, or the resolution if larger]
    #[arg(long, value_name = "TIME")]
    pub relevance: Option<crate::units::Picos>,
    /// Judge although the runs differ in this (repeatable)
    #[arg(long, value_name = "KIND", value_parser = crate::report::metadata::KINDS)]
    pub accept: Vec<String>,
    /// Also write the outcome as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Output on stdout
    #[arg(long, value_enum, default_value_t = TextFormat::Table)]
    pub format: TextFormat,
}
