//! How late does my interrupt really run?
//!
//! The rooms, lowest first; a room imports only rooms above it in this list (`tests/architecture.rs` runs the rule):
//!
//! * [`units`] quantities with their units
//! * [`signal`] samples -> edges -> pairs (pure)
//! * [`foreign`] captures of other programs and instruments -> edges (pure)
//! * [`export`] pairs and shots -> files of other programs (pure)
//! * [`stats`] latencies -> Summary (pure)
//! * [`profile`] TOML text -> a checked Profile (pure)
//! * [`plan`] Profile x Capabilities -> RunPlan (pure)
//! * [`report`] pairings and summaries -> table, markdown, csv, json (pure)
//! * [`mod@bench`] hardware: scope, board, clock, and the virtual bench
//! * [`capture`] the run folder on disk
//! * [`session`] one run: record and analyze
//! * [`cli`] the terminal

pub mod bench;
pub mod capture;
pub mod cli;
pub mod export;
pub mod foreign;
pub mod plan;
pub mod profile;
pub mod report;
pub mod session;
pub mod signal;
pub mod stats;
pub mod units;
