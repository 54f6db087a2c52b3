//! The `latency-cli` program: everything is in the library's `cli` room.

use std::process::ExitCode;

fn main() -> ExitCode {
    latency_cli::cli::run(std::env::args_os()).into()
}
