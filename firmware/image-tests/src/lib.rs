//! The images under test, on the host: built, read as files, and run in QEMU.
//!
//! A test that lacks a tool says so on standard error past the test harness's capture, as `SKIPPED: what and how to get it`,
//! and passes; a build or run that fails is a failure.

pub mod build;
pub mod elf;
pub mod qemu;
pub mod thumb;

use std::io::Write;

/// Says loudly that a test did not run.
pub fn skipped(reason: &str) {
    // Not `eprintln!`, which the test harness keeps to itself for a test that passes.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {reason}");
}
