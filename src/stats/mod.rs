//! Latencies become numbers that survive a review. PURE.
//!
//! `typical` is the median with its distribution-free interval, `worst` the largest observed of n, never dropped as an
//! outlier. What the sample cannot support is refused ("not resolvable with n = ..."), not extrapolated.

pub mod order;
pub mod summary;
pub mod uncertainty;

#[cfg(test)]
mod tests;

pub use order::{Quantile, Share};
pub use summary::{Summary, summarize};
pub use uncertainty::{Budget, Channel, Conditions, Skew, budget};
