//! The `latency-cli` program.
fn main() {}
