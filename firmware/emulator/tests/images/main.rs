//! The real images, run whole: each is built for the chip and its ELF file loaded. Where that cannot be done the tests
//! say SKIPPED on stderr; with `LATENCY_IMAGES=required` they fail instead.
// Functions shared by the tests fail as the tests do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod answers;
mod bench;
mod files;
mod golden;
mod hostile;
mod repeat;
