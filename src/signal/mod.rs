//! Samples become numbers. PURE: knows no hardware, disk, clock or terminal.
//!
//! A [`Shot`] holds the codes of one acquisition; `trace` finds the logic levels of a channel, `edges` the instants at
//! which it crosses the middle between them, `pairs` which response belongs to which stimulus.
//!
//! It refuses screen data (interpolated by the instrument, Q45), channels without a signal, and to guess: what cannot
//! be attributed is counted as such, never dropped and never turned into a latency.

pub mod edges;
mod error;
pub mod pairs;
pub mod shot;
mod slots;
mod survey;
pub mod trace;

#[cfg(test)]
pub(crate) mod synthetic;
#[cfg(test)]
mod tests;

pub use edges::{Edge, Edges, edges, edges_or_silence};
pub use error::SignalError;
pub use pairs::{Counts, Pair, Pairing, PairingRule, Status, coincidences, coincident, pair};
pub use shot::{Preamble, PreambleError, RawTrace, RecordKind, Role, Segment, Shot, Slope};
pub use trace::{Levels, Thresholds};
