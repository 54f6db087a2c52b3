//! Latencies become numbers that survive a review. PURE.
//!
//! `typical` is the median with its distribution-free interval, `worst` the largest observed of n, never dropped as an
//! outlier. What the sample cannot support is refused ("not resolvable with n = ..."), not extrapolated.
//!
//! * [`summary`] a row of the report; [`order`] quantiles with intervals; [`stopping`] how many pairs a question takes
//! * [`uncertainty`] how far a latency may be from the truth; [`calibration`] skew and clock
//! * [`mod@compare`] two runs; [`mod@gate`] a run against its baseline; [`limit`] a row against a bound
//! * [`mod@tail`] beyond the largest observed, where that can be said; [`sanity`] is the sample what it looks like?
//!
//! Intervals are 95 %, uncertainties k = 2. Every result is the same on every machine for the same latencies, up to the
//! last digits of probabilities.

pub mod calibration;
pub mod compare;
mod error;
pub mod gate;
pub mod limit;
pub mod order;
mod random;
mod ranks;
pub mod sanity;
pub mod stopping;
pub mod summary;
pub mod tail;
pub mod uncertainty;

#[cfg(test)]
mod tests;

pub use compare::{Comparison, Relevance, Shift, Verdict, compare, compare_each};
pub use error::StatsError;
pub use gate::{GateReport, GateRule, gate};
pub use limit::Limit;
pub use order::{Quantile, Share};
pub use stopping::Until;
pub use summary::{Summary, summarize};
pub use tail::{Tail, tail};
pub use uncertainty::{Budget, Channel, Conditions, Skew, budget};
