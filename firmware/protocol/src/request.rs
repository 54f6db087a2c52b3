//! What the host asks: text to [`Request`] on the board, [`Request`] to text on the host.

use crate::{Refusal, is_name};
use core::fmt;

/// A train of stimuli with pseudo-random spacing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Train {
    /// How many stimuli, at least 1.
    pub count: u32,
    /// Smallest gap in microseconds, at least 1.
    pub min_us: u32,
    /// Largest gap in microseconds, at most [`Train::MAX_GAP_US`].
    pub max_us: u32,
    /// Seed of [`crate::Gaps`], not 0.
    pub seed: u32,
}

impl Train {
    /// Longest gap that can be asked for: ten seconds.
    pub const MAX_GAP_US: u32 = 10_000_000;

    /// The train if its numbers make sense.
    ///
    /// # Errors
    /// [`Refusal::Range`] for no stimuli, a zero gap or seed, `min > max`, or a gap over [`Train::MAX_GAP_US`].
    pub fn checked(self) -> Result<Train, Refusal> {
        let sound = self.count > 0
            && self.min_us > 0
            && self.min_us <= self.max_us
            && self.max_us <= Self::MAX_GAP_US
            && self.seed > 0;
        if sound { Ok(self) } else { Err(Refusal::Range) }
    }
}

impl fmt::Display for Train {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.count, self.min_us, self.max_us, self.seed)
    }
}

/// One request; `Display` writes the line without its terminator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request<'a> {
    /// `*IDN?`
    Identity,
    /// `CONF?`
    Conditions,
    /// `MODES?`
    Modes,
    /// `MODE?`
    Mode,
    /// `MODE name`
    SetMode(&'a str),
    /// `ARM`
    Arm,
    /// `START n min_us max_us seed`
    Start(Train),
    /// `STOP`
    Stop,
    /// `COUNT?`
    Count,
    /// `HZ?`
    Rate,
    /// `LOG?`
    Log,
    /// `LOAD name on|off`
    Load {
        /// Name of the load.
        name: &'a str,
        /// On or off.
        on: bool,
    },
}

impl<'a> Request<'a> {
    /// Reads one line, terminator already removed.
    ///
    /// # Errors
    /// The [`Refusal`] that the board answers with.
    pub fn parse(line: &'a str) -> Result<Request<'a>, Refusal> {
        let mut words = line.split_ascii_whitespace();
        let request = match words.next().ok_or(Refusal::Syntax)? {
            "*IDN?" => Request::Identity,
            "CONF?" => Request::Conditions,
            "MODES?" => Request::Modes,
            "MODE?" => Request::Mode,
            "MODE" => Request::SetMode(words.next().filter(|n| is_name(n)).ok_or(Refusal::Mode)?),
            "ARM" => Request::Arm,
            "START" => Request::Start(train(&mut words)?),
            "STOP" => Request::Stop,
            "COUNT?" => Request::Count,
            "HZ?" => Request::Rate,
            "LOG?" => Request::Log,
            "LOAD" => load(&mut words)?,
            _ => return Err(Refusal::Syntax),
        };
        if words.next().is_some() { Err(Refusal::Syntax) } else { Ok(request) }
    }
}

fn train<'a>(words: &mut impl Iterator<Item = &'a str>) -> Result<Train, Refusal> {
    let mut number = || number(words.next().unwrap_or_default());
    let train = Train { count: number()?, min_us: number()?, max_us: number()?, seed: number()? };
    train.checked()
}

/// A decimal number of digits alone: no sign, no fraction. Digits that do not fit 32 bits are out of range.
fn number(word: &str) -> Result<u32, Refusal> {
    if word.is_empty() || !word.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Refusal::Syntax);
    }
    word.parse().map_err(|_| Refusal::Range)
}

fn load<'a>(words: &mut impl Iterator<Item = &'a str>) -> Result<Request<'a>, Refusal> {
    let name = words.next().filter(|n| is_name(n)).ok_or(Refusal::Load)?;
    match words.next() {
        Some("on") => Ok(Request::Load { name, on: true }),
        Some("off") => Ok(Request::Load { name, on: false }),
        _ => Err(Refusal::Syntax),
    }
}

impl fmt::Display for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Request::Identity => f.write_str("*IDN?"),
            Request::Conditions => f.write_str("CONF?"),
            Request::Modes => f.write_str("MODES?"),
            Request::Mode => f.write_str("MODE?"),
            Request::SetMode(name) => write!(f, "MODE {name}"),
            Request::Arm => f.write_str("ARM"),
            Request::Start(train) => write!(f, "START {train}"),
            Request::Stop => f.write_str("STOP"),
            Request::Count => f.write_str("COUNT?"),
            Request::Rate => f.write_str("HZ?"),
            Request::Log => f.write_str("LOG?"),
            Request::Load { name, on } => write!(f, "LOAD {name} {}", if *on { "on" } else { "off" }),
        }
    }
}
