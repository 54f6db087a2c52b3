//! `mode list|get|set`: the firmware over its link.

use super::args::{ModeAction, ModeArgs, SelectionArgs};
use super::exit::{Exit, Failure};
use super::{output, profiles};
use crate::bench;

/// Runs the verb.
pub(super) fn run(args: &ModeArgs) -> Result<Exit, Failure> {
    let loaded = profiles::load(&args.bench, &SelectionArgs::default())?;
    let mut opened = bench::open_dut(&loaded.profile.bench, Box::new(std::io::sink()))?;
    let dut = &mut opened.device;
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
