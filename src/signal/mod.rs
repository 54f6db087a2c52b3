//! Samples become numbers. PURE: knows no hardware, disk, clock or terminal.
//!
//! A [`Shot`] holds the codes of one acquisition; `trace` finds the logic levels of a channel, `edges` the instants at
//! which it crosses the middle between them, `pairs` which response belongs to which stimulus.
//!
//! It refuses screen data (interpolated by the instrument, Q45), channels without a signal, and to guess: what cannot
//! be attributed is counted as such, never dropped and never turned into a latency.

pub mod shot;

pub use shot::{Preamble, PreambleError, RawTrace, RecordKind, Role, Segment, Shot, Slope};
