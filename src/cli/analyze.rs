//! `analyze`: the report of a run, from its evidence alone.

use super::args::AnalyzeArgs;
use super::exit::{Exit, Failure};
use super::output;
use crate::capture::Reader;
use crate::session;

/// Runs the verb.
pub(super) fn run(args: &AnalyzeArgs) -> Result<Exit, Failure> {
    let mut report = session::analyze(&Reader::open(&args.run)?)?;
    output::print_detailed(&mut report, args.format, args.detail)?;
    Ok(if report.passes() { Exit::Complete } else { Exit::Incomplete })
}
