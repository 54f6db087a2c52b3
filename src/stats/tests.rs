//! Whole-room tests: what the intervals and uncertainties promise, against the truth of synthetic records.

mod timing;
