//! `plan`: what `measure` would do, without a single stimulus.

use super::args::{Format, PlanArgs};
use super::exit::{Exit, Failure};
use super::{output, profiles};
use crate::bench;
use crate::plan::{self, Capabilities};
use crate::profile::{BenchSpec, Profile};
use crate::report;

/// Runs the verb.
pub(super) fn run(args: &PlanArgs) -> Result<Exit, Failure> {
    let loaded = profiles::load(&args.bench, &args.selection)?;
    let capabilities = capabilities(&loaded.profile, args.offline)?;
    let plan = plan::plan(&loaded.profile, &capabilities).map_err(Failure::usage)?;
    output::print(&match args.format {
        Format::Json => report::plan_json(&plan, &capabilities),
        _ => report::plan_table(&plan, output::width()),
    })?;
    Ok(Exit::Complete)
}

/// Of the connected scope, its link measured and its settings put back, or of a stock DS1054Z.
fn capabilities(profile: &Profile, offline: bool) -> Result<Capabilities, Failure> {
    if offline {
        return Ok(plan::assumed_capabilities());
    }
    let spec = BenchSpec { dut: "none".to_owned(), ..profile.bench.clone() };
    let mut scope = bench::open_scope(&spec, Box::new(std::io::sink()))?;
    let gauged = scope.gauge();
    scope.restore()?;
    gauged?;
    Ok(scope.capabilities().clone())
}
