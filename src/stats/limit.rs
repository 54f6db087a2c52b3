//! Absolute limits: `worst <= 3 us`, from the command line or the profile.
//!
//! A figure that the sample cannot give ("p99.9 of 1000 pairs") does not meet its limit: a gate that passes because
//! too little was measured is no gate.

use super::error::StatsError;
use super::summary::Summary;
use crate::signal::Counts;
use crate::units::Picos;
use std::fmt;
use std::str::FromStr;

/// A figure of a row that can be limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Figure {
    /// Median.
    Typical,
    /// Largest observed.
    Worst,
    /// Smallest observed.
    Min,
    /// Mean.
    Mean,
    /// 90 %.
    P90,
    /// 99 %.
    P99,
    /// 99.9 %.
    P999,
    /// Worst minus min.
    Jitter,
    /// Stimuli without an answer.
    Missed,
}

/// Figures with their names.
const NAMES: [(&str, Figure); 9] = [
    ("typical", Figure::Typical),
    ("worst", Figure::Worst),
    ("min", Figure::Min),
    ("mean", Figure::Mean),
    ("p90", Figure::P90),
    ("p99", Figure::P99),
    ("p99.9", Figure::P999),
    ("jitter", Figure::Jitter),
    ("missed", Figure::Missed),
];

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAMES.iter().find(|(_, figure)| figure == self).map_or("", |(name, _)| name))
    }
}

/// The largest value that is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Of a time.
    Time(Picos),
    /// Of a number of events.
    Count(u64),
}

/// A figure and its bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// What is limited.
    pub figure: Figure,
    /// To what, inclusive.
    pub bound: Bound,
}

/// What became of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Within it.
    Met,
    /// Over it.
    Exceeded {
        /// The figure.
        value: Bound,
    },
    /// The sample is too small for the figure.
    NotResolvable {
        /// Its size.
        n: u64,
    },
}

impl Limit {
    /// Holds a row against the limit; `summary` is `None` where nothing was paired.
    #[must_use]
    pub fn check(&self, summary: Option<&Summary>, counts: &Counts) -> Outcome {
        let value = match self.figure {
            Figure::Missed => Some(Bound::Count(counts.unanswered)),
            figure => summary.and_then(|s| time(figure, s)).map(Bound::Time),
        };
        match (value, self.bound) {
            (Some(Bound::Time(value)), Bound::Time(bound)) if value <= bound => Outcome::Met,
            (Some(Bound::Count(value)), Bound::Count(bound)) if value <= bound => Outcome::Met,
            (Some(value), _) => Outcome::Exceeded { value },
            (None, _) => Outcome::NotResolvable { n: counts.paired },
        }
    }
}

fn time(figure: Figure, s: &Summary) -> Option<Picos> {
    match figure {
        Figure::Typical => Some(s.typical),
        Figure::Worst => Some(s.worst),
        Figure::Min => Some(s.min),
        Figure::Mean => Some(s.mean),
        Figure::P90 => s.p90.map(|q| q.value),
        Figure::P99 => s.p99.map(|q| q.value),
        Figure::P999 => s.p999.map(|q| q.value),
        Figure::Jitter => Some(s.jitter),
        Figure::Missed => None,
    }
}

impl FromStr for Limit {
    type Err = StatsError;

    fn from_str(text: &str) -> Result<Limit, StatsError> {
        let complaint = |reason: String| StatsError::Limit { text: text.to_owned(), reason };
        let (name, bound) = text.split_once("<=").ok_or_else(|| complaint("there is no `<=`".to_owned()))?;
        let name = name.trim();
        let known = NAMES.iter().find(|(known, _)| *known == name);
        let figure =
            known.map(|(_, figure)| *figure).ok_or_else(|| complaint(format!("`{name}` is no figure")))?;
        let bound = match figure {
            Figure::Missed => {
                let count =
                    bound.trim().parse().map_err(|_| complaint("the bound is no whole number".to_owned()))?;
                Bound::Count(count)
            }
            _ => Bound::Time(bound.trim().parse().map_err(|e| complaint(format!("{e}")))?),
        };
        Ok(Limit { figure, bound })
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} <= {}", self.figure, self.bound)
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Time(time) => write!(f, "{time}"),
            Bound::Count(count) => write!(f, "{count}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::summarize;

    #[test]
    fn limits_are_read_and_held() {
        let latencies: Vec<Picos> = (1..=1000).map(|k| Picos::from_ns(1_000 + k)).collect();
        let summary = summarize(&latencies);
        let counts = Counts { stimuli: 1_003, paired: 1_000, unanswered: 3, ..Counts::default() };
        let outcome = |text: &str| text.parse::<Limit>().unwrap().check(summary.as_ref(), &counts);
        assert_eq!(outcome("worst <= 2 us"), Outcome::Met);
        assert_eq!(outcome("worst<=1.9 us"), Outcome::Exceeded { value: Bound::Time(Picos::from_us(2)) });
        assert_eq!(outcome("p99.9 <= 1 s"), Outcome::NotResolvable { n: 1_000 });
        assert_eq!(outcome("missed <= 2"), Outcome::Exceeded { value: Bound::Count(3) });
        assert_eq!("p99 <= 2.5us".parse::<Limit>().unwrap().to_string(), "p99 <= 2.5 us");
    }

    #[test]
    fn what_is_no_limit_is_refused_with_an_example() {
        for bad in ["worst < 3 us", "worst <= 3", "best <= 3 us", "missed <= -1", ""] {
            let message = bad.parse::<Limit>().unwrap_err().to_string();
            assert!(message.contains("worst <= 3 us"), "{message}");
        }
    }
}
