//! Pairings and summaries become a report: terminal table, markdown, CSV, JSON. PURE: returns text.
//!
//! A report is a function of the evidence. It refuses to hide: misses, ambiguous pairs and simulated figures are
//! printed in every rendering.

mod analysis;
mod csv;
mod explain;
mod findings;
mod html;
mod json;
mod markdown;
mod model;
mod phrase;
pub mod pictures;
mod plan;
mod scrutiny;
mod table;

pub use analysis::{Collector, Taken};
pub use csv::{csv, status_name};
pub use html::page;
pub use explain::{explain, explain_markdown};
pub use json::json;
pub use markdown::markdown;
pub use model::{Limits, ListedPair, Report, Row, Warning};
pub use plan::{plan_json, plan_table};
pub use scrutiny::{Asked, Scrutiny, Surroundings};
pub use table::table;
