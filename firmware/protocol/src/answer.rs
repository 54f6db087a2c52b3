//! What the board answers: payloads of answer lines, checksum already removed.

use crate::{PRODUCT, VERSION, is_name};
use core::fmt;

/// A refusal, sent as `ERR n text`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// 1: the request cannot be read.
    Syntax,
    /// 2: this image has no such mode.
    Mode,
    /// 3: a number is out of range.
    Range,
    /// 4: a train is running.
    Busy,
    /// 5: the line was too long.
    Long,
    /// 6: this image has no such load.
    Load,
}

impl Refusal {
    /// All refusals.
    pub const ALL: [Refusal; 6] =
        [Refusal::Syntax, Refusal::Mode, Refusal::Range, Refusal::Busy, Refusal::Long, Refusal::Load];

    /// The number on the wire.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Refusal::Syntax => 1,
            Refusal::Mode => 2,
            Refusal::Range => 3,
            Refusal::Busy => 4,
            Refusal::Long => 5,
            Refusal::Load => 6,
        }
    }

    /// The text on the wire, for the person at the terminal.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Refusal::Syntax => "cannot read that",
            Refusal::Mode => "no such mode",
            Refusal::Range => "number out of range",
            Refusal::Busy => "busy with a train",
            Refusal::Long => "line too long",
            Refusal::Load => "no such load",
        }
    }

    /// The refusal in an answer's payload, if it is one. An unknown number is a damaged or newer answer.
    ///
    /// # Errors
    /// [`AnswerError::Malformed`] for `ERR` without a known number.
    pub fn from_payload(payload: &str) -> Result<Option<Refusal>, AnswerError> {
        let Some(rest) = payload.strip_prefix("ERR ") else { return Ok(None) };
        let number = rest.split(' ').next().and_then(|n| n.parse::<u8>().ok());
        let found = Refusal::ALL.into_iter().find(|r| Some(r.number()) == number);
        found.map(Some).ok_or(AnswerError::Malformed)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ERR {} {}", self.number(), self.text())
    }
}

/// Why a payload is no answer to what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerError {
    /// The shape is wrong.
    Malformed,
    /// Something answers, but it is not the companion firmware.
    Foreign,
    /// The firmware speaks another version of the protocol.
    Version(u16),
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnswerError::Malformed => f.write_str("the answer has not the expected shape"),
            AnswerError::Foreign => write!(f, "the answer does not start with `{PRODUCT}/`"),
            AnswerError::Version(theirs) => {
                write!(f, "the firmware speaks protocol {theirs}, this program speaks {VERSION}")
            }
        }
    }
}
impl core::error::Error for AnswerError {}

/// The answer to `*IDN?`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity<'a> {
    /// Board, such as `nrf5340dk`.
    pub board: &'a str,
    /// Runtime, such as `zephyr`, `bare`, `freertos`.
    pub runtime: &'a str,
    /// Version of the firmware.
    pub version: &'a str,
    /// Build, a commit or a date.
    pub build: &'a str,
}

impl<'a> Identity<'a> {
    /// Reads an identity and insists on [`VERSION`].
    ///
    /// # Errors
    /// [`AnswerError::Foreign`], [`AnswerError::Version`] or [`AnswerError::Malformed`].
    pub fn parse(payload: &'a str) -> Result<Identity<'a>, AnswerError> {
        let mut fields = payload.split(',');
        let product = fields.next().unwrap_or_default();
        let version = product.strip_prefix(PRODUCT).and_then(|p| p.strip_prefix('/'));
        match version.map(str::parse::<u16>) {
            None => return Err(AnswerError::Foreign),
            Some(Ok(VERSION)) => {}
            Some(Ok(other)) => return Err(AnswerError::Version(other)),
            Some(Err(_)) => return Err(AnswerError::Malformed),
        }
        let mut field = || fields.next().filter(|f| !f.is_empty()).ok_or(AnswerError::Malformed);
        let identity = Identity { board: field()?, runtime: field()?, version: field()?, build: field()? };
        if fields.next().is_some() { Err(AnswerError::Malformed) } else { Ok(identity) }
    }
}

impl fmt::Display for Identity<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PRODUCT}/{VERSION},{},{},{},{}", self.board, self.runtime, self.version, self.build)
    }
}

/// The answer to `COUNT?`: what the board counted since `ARM`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// Stimuli fired.
    pub stimuli: u32,
    /// Edges that reached the interrupt.
    pub edges: u32,
    /// Stimuli without a response.
    pub lost: u32,
    /// A train is running.
    pub busy: bool,
}

impl Count {
    /// Reads `stimuli=a edges=b lost=c busy=0`.
    ///
    /// # Errors
    /// [`AnswerError::Malformed`] when a field is missing, repeated out of order, or no number.
    pub fn parse(payload: &str) -> Result<Count, AnswerError> {
        let mut words = payload.split(' ');
        let mut field = |key: &str| {
            let value = words.next().and_then(|w| w.strip_prefix(key)).and_then(|w| w.strip_prefix('='));
            value.and_then(|v| v.parse::<u32>().ok()).ok_or(AnswerError::Malformed)
        };
        let (stimuli, edges, lost, busy) =
            (field("stimuli")?, field("edges")?, field("lost")?, field("busy")?);
        if busy > 1 || words.next().is_some() {
            return Err(AnswerError::Malformed);
        }
        Ok(Count { stimuli, edges, lost, busy: busy == 1 })
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let busy = u8::from(self.busy);
        write!(f, "stimuli={} edges={} lost={} busy={busy}", self.stimuli, self.edges, self.lost)
    }
}

/// The pairs of a `CONF?` answer. Known keys: `clock_hz`, `gpiote` (`low-latency` or `low-power`), `cache` (`on`,
/// `off`), `isr` (`ram`, `flash`), `priority`, `loads` (names joined by `+`, or `none`), `hfclk` (`xtal`, `rc`),
/// `min_gap_us`, `reset` (`power`, `pin`, `soft`, `lockup`, `watchdog`), `fault` of the last train (`none`, `stuck`,
/// `late`); others may follow, and what a board cannot know is `none` or left out.
pub fn conditions(payload: &str) -> impl Iterator<Item = (&str, &str)> {
    payload.split(' ').filter_map(|word| word.split_once('='))
}

/// The names of a `MODES?` answer; what is no name is left out.
pub fn names(payload: &str) -> impl Iterator<Item = &str> {
    payload.split(',').filter(|n| is_name(n))
}

/// A plain number, the answer to `HZ?` and `LOG?`.
///
/// # Errors
/// [`AnswerError::Malformed`] when it is none.
pub fn parse_number(payload: &str) -> Result<u32, AnswerError> {
    payload.parse().map_err(|_| AnswerError::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_firmware_is_named_with_its_version() {
        assert_eq!(Identity::parse("latency-firmware/2,b,r,v,x"), Err(AnswerError::Version(2)));
        assert_eq!(Identity::parse("uart:~$ *IDN?"), Err(AnswerError::Foreign));
        assert_eq!(Identity::parse("latency-firmware/1,b,r,v"), Err(AnswerError::Malformed));
        let identity = Identity { board: "nrf5340dk", runtime: "bare", version: "0.1.0", build: "x" };
        assert_eq!(Identity::parse("latency-firmware/1,nrf5340dk,bare,0.1.0,x"), Ok(identity));
    }

    #[test]
    fn counts_keep_their_order() {
        let count = Count { stimuli: 500, edges: 499, lost: 1, busy: true };
        assert_eq!(Count::parse("stimuli=500 edges=499 lost=1 busy=1"), Ok(count));
        assert_eq!(Count::parse("edges=499 stimuli=500 lost=1 busy=1"), Err(AnswerError::Malformed));
    }

    #[test]
    fn refusals_are_told_from_answers() {
        assert_eq!(Refusal::from_payload("ERR 2 no such mode"), Ok(Some(Refusal::Mode)));
        assert_eq!(Refusal::from_payload("direct"), Ok(None));
        assert_eq!(Refusal::from_payload("ERR 77 what"), Err(AnswerError::Malformed));
    }
}
