//! `scope idn|query|screenshot`: the scope itself.

use super::args::{ScopeAction, ScopeArgs};
use super::exit::{Exit, Failure};
use super::{output, profiles};
use crate::bench;
use anyhow::Context;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// Runs the verb.
pub(super) fn run(args: &ScopeArgs) -> Result<Exit, Failure> {
    let spec = profiles::bench_spec(&args.bench)?;
    let mut opened = bench::open_scope(&spec, Box::new(std::io::sink()))?;
    let scope = &mut *opened;
    match &args.action {
        ScopeAction::Idn => {
            let id = scope.identity();
            output::print(&format!("{},{},{},{}\n", id.manufacturer, id.model, id.serial, id.firmware))?;
        }
        ScopeAction::Query { command } => {
            let reply = scope.query(command)?;
            if command.contains('?') {
                output::print(&format!("{reply}\n"))?;
            }
        }
        ScopeAction::Screenshot { file } => {
            let picture = scope.screenshot()?;
            write_new(file, &picture).map_err(Failure::usage)?;
        }
    }
    Ok(Exit::Complete)
}

/// Writes a file that must not exist yet.
fn write_new(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).with_context(|| {
        format!("cannot create {}; an existing file is not overwritten, name another", path.display())
    })?;
    file.write_all(bytes).with_context(|| format!("cannot write {}", path.display()))
}
