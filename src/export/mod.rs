//! Pairs and shots become files of other programs. PURE: bytes into anything that takes them.
//!
//! * pairs: CSV, and Parquet for DuckDB, Polars or Spark over thousands of runs;
//! * one shot: a sigrok session for PulseView, a value change dump for GTKWave, a NumPy array.
//!
//! What is written is what was measured: a format that would have to invent samples between the windows of a windowed
//! read refuses the shot and names one that does not.

mod error;
mod npy;
mod pairs;
mod parquet;
mod sigrok;
mod thrift;
mod traces;
mod vcd;

pub use error::ExportError;
pub use npy::npy;
pub use pairs::{PairRow, csv, rows, status_name};
pub use parquet::parquet;
pub use sigrok::sigrok;
pub use vcd::vcd;
