//! The terminal: arguments, one file per verb, progress, exit codes. The only room that prints.
//!
//! stdout carries the result and nothing else; progress and warnings go to stderr; colour only on a terminal.

mod analyze;
mod args;
mod calibrate;
mod compare;
mod devices;
mod exit;
mod export;
mod gate;
mod measure;
mod mode;
mod output;
mod plan;
mod profiles;
mod progress;
mod report;
mod resume;
mod run_args;
mod scope;
mod simulate;
mod skew;

pub use args::{Cli, Verb};
pub use exit::Exit;

use clap::Parser;
use exit::Failure;
use std::ffi::OsString;
use std::io::Write;

/// Parses the arguments, runs the verb, prints the error chain if there is one, and gives the exit code.
pub fn run(args: impl IntoIterator<Item = OsString>) -> Exit {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Complete };
        }
    };
    match dispatch(cli.verb) {
        Ok(exit) => exit,
        Err(failure) => explain(&failure),
    }
}

fn dispatch(verb: Verb) -> Result<Exit, Failure> {
    match verb {
        Verb::Measure(args) => measure::run(&args),
        Verb::Plan(args) => plan::run(&args),
        Verb::Analyze(args) => analyze::run(&args),
        Verb::Export(args) => export::run(&args),
        Verb::Report(args) => report::run(&args),
        Verb::Compare(args) => compare::run(&args),
        Verb::Gate(args) => gate::run(&args),
        Verb::Calibrate(args) => calibrate::run(&args),
        Verb::Mode(args) => mode::run(&args),
        Verb::Scope(args) => scope::run(&args),
        Verb::Devices(args) => devices::run(&args),
        Verb::Simulate(args) => simulate::run(&args),
    }
}

/// The whole chain of an error, a line each, without a backtrace.
fn explain(failure: &Failure) -> Exit {
    let mut stderr = std::io::stderr().lock();
    let mut last = String::new();
    for (depth, cause) in failure.error.chain().enumerate() {
        let text = cause.to_string();
        // A cause whose text stands in the message above already says nothing new.
        if !last.contains(&text) {
            let _ = writeln!(stderr, "{}{text}", if depth == 0 { "error: " } else { "  because: " });
        }
        last = text;
    }
    failure.exit
}
