//! Pairings and summaries become a report: terminal table, markdown, CSV, JSON. PURE: returns text.
//!
//! A report is a function of the evidence. It refuses to hide: misses, ambiguous pairs and simulated figures are
//! printed in every rendering.

mod analysis;
mod compare;
mod csv;
mod explain;
mod findings;
mod gate;
mod html;
mod imported;
mod json;
mod markdown;
pub mod metadata;
mod model;
mod phrase;
pub mod pictures;
mod plan;
mod scrutiny;
mod style;
mod table;

pub use analysis::{Collector, Taken};
pub use compare::{ComparedRow, ComparisonReport, compare_runs, comparison_json, comparison_text};
pub use csv::{csv, marked_names, pair_rows};
pub use explain::explain;
pub use gate::{
    CheckedLimit, GateOptions, GateOutcome, GatedRow, NoGate, gate_json, gate_runs, gate_text, junit,
};
pub use html::page;
pub use imported::imported;
pub use json::json;
pub use markdown::markdown;
pub use model::{Limits, ListedPair, Report, Row, Warning};
pub use plan::{plan_json, plan_table};
pub use scrutiny::{Asked, Scrutiny, Surroundings};
pub use style::Style;
pub use table::table;
