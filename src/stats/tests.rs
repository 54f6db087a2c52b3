//! Whole-room tests: what the intervals and uncertainties promise, against samples of known law and records of known
//! edges; and figures of other programs, with the command that gave them.

mod coverage;
mod figures;
mod sanity;
mod tail;
mod timing;
