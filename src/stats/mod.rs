//! Latencies become numbers that survive a review. PURE.
//!
//! `typical` is the median with its distribution-free interval, `worst` the largest observed of n, never dropped as an
//! outlier. What the sample cannot support is refused ("not resolvable with n = ..."), not extrapolated.
