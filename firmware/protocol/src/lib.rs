//! The line protocol between `latency-cli` and its companion firmware.
//!
//! One request a line, one answer a line, both typable by a person at a terminal; every answer ends in a checksum, so
//! that a line damaged on the way is noticed instead of believed. The crate is `no_std`, has no allocation and no
//! dependencies: host and images compile the same code and cannot drift apart.
//!
//! ```text
//! > *IDN?
//! < latency-firmware/1,nrf5340dk,zephyr,0.1.0,a1b2c3d *300E
//! > MODE workqueue
//! < MODE workqueue *945B
//! > START 500 8 16 12345
//! < START 500 8 16 12345 *F4AB
//! > MODE nonsense
//! < ERR 2 no such mode *97F1
//! ```
//!
//! | request | answer | meaning |
//! |---|---|---|
//! | `*IDN?` | `latency-firmware/<protocol>,<board>,<runtime>,<version>,<build>` | who is there |
//! | `CONF?` | `key=value key=value ...` | the conditions of the measurement ([`conditions`] names the keys) |
//! | `MODES?` | `name,name,...` | the ISR modes this image really has |
//! | `MODE?` | `name` | the mode in force |
//! | `MODE name` | `MODE name` | selects a mode; refused while a train runs |
//! | `ARM` | `ARM` | response low, event cleared, counters and log cleared |
//! | `START n min_us max_us seed` | the same words | fires `n` stimuli in the background, after the answer; see [`Gaps`] |
//! | `STOP` | `STOP` | ends a train |
//! | `COUNT?` | `stimuli=a edges=b lost=c busy=0` | what the board itself counted since `ARM` |
//! | `HZ?` | `16000000` | unit of the capture log; 0 = there is none |
//! | `LOG?` | a number or `END` | one capture delta, oldest first |
//! | `LOAD name on` | `LOAD name on` | a background load |
//!
//! `vectors.txt` beside the manifest holds requests, frames, checksums and gaps that both this crate and the C
//! implementation are tested against.
//!
//! It refuses: requests that don't fit ([`MAX_LINE`]), words after the last argument, names outside `[a-z0-9-]`.
#![no_std]

mod answer;
mod frame;
mod gaps;
mod request;

pub use answer::{AnswerError, Count, Identity, Refusal, conditions, names, parse_number};
pub use frame::{FrameError, LineBuffer, LineError, crc16, unframe, write_framed};
pub use gaps::Gaps;
pub use request::{Request, Train};

/// Version of this protocol. Host and firmware refuse to work together when it differs, and say both numbers.
pub const VERSION: u16 = 1;

/// First word of the identity; [`VERSION`] follows behind a slash.
pub const PRODUCT: &str = "latency-firmware";

/// Longest line in bytes, terminator not counted.
pub const MAX_LINE: usize = 240;

/// Longest name of a mode or load.
pub const MAX_NAME: usize = 24;

/// True when `name` is a usable mode or load name: 1 to [`MAX_NAME`] characters out of `[a-z0-9-]`.
#[must_use]
pub fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= MAX_NAME
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}
