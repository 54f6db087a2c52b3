//! Profile and capabilities become a plan. PURE: knows no hardware, disk, clock or terminal.
//!
//! The plan decides depth, sample rate, spacing and strategy from the expected latency, the wanted resolution and the
//! cost of the link, and says beforehand what it will cost and which rule decided.
//!
//! It refuses what cannot give a true number: stimuli closer than three times the expected worst latency, a resolution
//! the instrument does not have, a record that cannot hold one pair.

pub mod acquisition;
pub mod identity;
pub mod setup;

pub use acquisition::{ConfigurationPlan, Extent, Prediction, RunPlan};
pub use identity::{Hello, Identity};
pub use setup::{Applied, Capabilities, ChannelLimits, ChannelSetup, Input, LinkFigures, Setup};
