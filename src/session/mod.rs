//! One run: `record` drives a bench by a plan into a run folder, `analyze` turns a run folder into a report.
//!
//! It refuses to know a number that is not in the evidence: `measure` prints what `analyze` of its own run gives.
