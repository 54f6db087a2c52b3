//! `mode list|get|set`: the firmware over its link.

use super::args::{ModeAction, ModeArgs};
use super::exit::{Exit, Failure};
use super::{output, profiles};
use crate::bench;

/// Runs the verb.
pub(super) fn run(args: &ModeArgs) -> Result<Exit, Failure> {
    let spec = profiles::bench_spec(&args.bench)?;
    let mut opened = bench::open_dut(&spec, Box::new(std::io::sink()))?;
    let dut = &mut *opened;
    match &args.action {
        ModeAction::List => {
            let current = dut.mode()?;
            let mark = |mode: &String| format!("{} {mode}\n", if *mode == current { "*" } else { " " });
            output::print(&dut.hello().modes.iter().map(mark).collect::<String>())?;
        }
        ModeAction::Get => output::print(&format!("{}\n", dut.mode()?))?,
        ModeAction::Set { mode } => {
            dut.select(mode)?;
            output::print(&format!("{mode}\n"))?;
        }
    }
    Ok(Exit::Complete)
}
