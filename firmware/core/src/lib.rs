//! The console of the companion firmware: bytes in, framed answers out, over a [`Board`].
//!
//! Every Rust image runs this code, and so do the tests on the host, so that a mode differs from another in its
//! interrupt path and in nothing else. It has no allocation, no `unsafe` and no panic: whatever comes in over the
//! serial line, the next good request is answered.
//!
//! It refuses what the board cannot do before the board is asked: an unknown mode or load, a train while one runs, a
//! spacing smaller than the mode in force can serve. A train whose bookkeeping stands still is ended by
//! [`Console::poll`] and stays visible in `CONF?` as `fault=stuck` until the next `ARM` or `MODE`; a processor that
//! does not come back to `poll` at all is the business of the board's hardware watchdog, see [`Board::service`].
#![no_std]
#![forbid(unsafe_code)]

mod answer;
mod board;
mod console;
mod ring;

pub use answer::Answer;
pub use board::{Board, Conditions, Fault};
pub use console::Console;
pub use latency_protocol::{Count, Gaps, Identity, Train};
pub use ring::Ring;
