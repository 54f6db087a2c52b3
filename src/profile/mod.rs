//! TOML text becomes a checked [`Profile`]. PURE: takes text, touches no file.
//!
//! It refuses unknown keys, bare numbers where a quantity belongs, and half-checked profiles: every fault of a text is
//! reported at once, each with its key path and line.

pub mod model;

pub use model::{
    BenchKind, BenchSpec, Configuration, Profile, Reference, Signal, Simulation, Spacing, StimulusSource,
    Strategy, StrategyChoice, Timing,
};
