//! When a run has seen enough: `--until p99.9@95`.
//!
//! The number of pairs follows from the question alone. With n values, the largest lies above the p-quantile with
//! probability `1 - p^n`; the smallest n for which that reaches the confidence is where the quantile gets an upper
//! bound at all (2 995 pairs for p99.9 at 95 %, 29 956 for p99.99). Rules that look at the values ("until the worst
//! stays put") are refused: they end runs early exactly when the tail has not shown itself, and no interval holds
//! after such a choice.

use super::error::StatsError;
use super::order::Share;
use std::fmt;
use std::str::FromStr;

/// A number of pairs, as a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Until {
    share: Share,
    /// Parts per million, from half to just below one.
    confidence: Share,
}

impl Until {
    /// The quantile that shall get an upper bound.
    #[must_use]
    pub fn share(self) -> Share {
        self.share
    }

    /// Pairs it takes.
    #[must_use]
    pub fn needed(self) -> u64 {
        needed(self.share, self.confidence.fraction())
    }
}

/// Smallest n with `1 - share^n >= confidence`.
#[must_use]
pub fn needed(share: Share, confidence: f64) -> u64 {
    let n = ((1.0 - confidence).ln() / share.fraction().ln()).ceil();
    if n.is_finite() { (n as u64).max(1) } else { u64::MAX }
}

impl FromStr for Until {
    type Err = StatsError;

    fn from_str(text: &str) -> Result<Until, StatsError> {
        let text = text.trim();
        if text.starts_with("worst") {
            return Err(StatsError::Peeking(text.to_owned()));
        }
        let unreadable = || StatsError::Stop(text.to_owned());
        let (share, confidence) =
            text.strip_prefix('p').and_then(|t| t.split_once('@')).ok_or_else(unreadable)?;
        let share = percent(share).filter(|s| *s >= Share::MEDIAN).ok_or_else(unreadable)?;
        let confidence = percent(confidence).filter(|c| *c >= Share::MEDIAN).ok_or_else(unreadable)?;
        Ok(Until { share, confidence })
    }
}

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}@{}", self.share.percent(), self.confidence.percent())
    }
}

/// "99.9" -> 999 000 parts per million; up to four decimals.
fn percent(text: &str) -> Option<Share> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || whole.len() > 2 || decimals.len() > 4 || !digits(whole) || !digits(decimals) {
        return None;
    }
    Share::from_ppm(format!("{whole}{decimals:0<4}").parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_pairs_is_that_of_the_formula() {
        // math.ceil(math.log(1-c)/math.log(p)): 2995, 29956, 299, 459, 59.
        let cases =
            [("p99.9@95", 2_995), ("p99.99@95", 29_956), ("p99@95", 299), ("p99@99", 459), ("p95@95", 59)];
        for (text, pairs) in cases {
            let until: Until = text.parse().unwrap();
            assert_eq!((until.needed(), until.to_string().as_str()), (pairs, text));
        }
    }

    #[test]
    fn what_is_no_rule_is_refused() {
        for bad in [
            "",
            "p",
            "p99.9",
            "99.9@95",
            "p100@95",
            "p0@95",
            "p99.9@100",
            "p-1@95",
            "p99.99999@95",
            "p9e1@95",
            "p99@5",
        ] {
            assert_eq!(bad.parse::<Until>(), Err(StatsError::Stop(bad.into())), "{bad}");
        }
        assert!(matches!("worst-stable:500".parse::<Until>(), Err(StatsError::Peeking(_))));
    }
}
