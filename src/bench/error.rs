//! What can go wrong on a bench, and what to do about it.

use crate::units::Picos;

/// A failure of an instrument or of the way to it. Each message says what was attempted, on what, what came back, and
/// what to try.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A resource name or link that means nothing.
    #[error("`{name}` is no {what}: {why}")]
    Resource {
        /// As given.
        name: String,
        /// "scope resource" or "DUT link".
        what: &'static str,
        /// What is wrong and what would be right.
        why: String,
    },
    /// The other end cannot be reached.
    #[error("cannot reach the {what} at {at}: {source}; {advice}")]
    Unreachable {
        /// "scope" or "board".
        what: &'static str,
        /// Address or port.
        at: String,
        /// The system's reason.
        source: std::io::Error,
        /// What to check.
        advice: &'static str,
    },
    /// The connection failed in the middle.
    #[error("the link to the {what} failed while {doing}: {source}")]
    Link {
        /// "scope" or "board".
        what: &'static str,
        /// The command or step.
        doing: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// No answer in time. The connection is not used any more (Q23).
    #[error("the {what} did not answer `{command}` within {timeout}; {advice}")]
    Silent {
        /// "scope" or "board".
        what: &'static str,
        /// What was asked.
        command: String,
        /// How long it was given.
        timeout: Picos,
        /// What to check.
        advice: &'static str,
    },
    /// An answer that is not what the command answers.
    #[error("the {what} answered `{reply}` to `{command}`: {why}")]
    Reply {
        /// "scope" or "board".
        what: &'static str,
        /// What was asked.
        command: String,
        /// What came, shortened.
        reply: String,
        /// What is wrong with it and what to try.
        why: String,
    },
    /// A binary block that cannot be used.
    #[error("the answer to `{command}` is no usable data block: {why}")]
    Block {
        /// What was asked.
        command: String,
        /// What is wrong with it.
        why: String,
    },
    /// The instrument did not take a setting.
    #[error("the scope refused a setting: `{setting}` was set to {asked} but reads back {got}; {advice}")]
    Refused {
        /// The command header.
        setting: String,
        /// As sent.
        asked: String,
        /// As read.
        got: String,
        /// What it may mean.
        advice: &'static str,
    },
    /// A setting that held when it was applied has changed since.
    #[error(
        "`{setting}` changed during the run from {was} to {now}: was a knob turned? start the configuration again"
    )]
    Changed {
        /// What changed.
        setting: String,
        /// Before.
        was: String,
        /// Now.
        now: String,
    },
    /// The scope was not seen waiting.
    #[error(
        "the scope did not reach WAIT within {timeout} after :SINGle (last status {last}); is the stimulus silent, and is the trigger level inside the signal?"
    )]
    NotArmed {
        /// How long it was given.
        timeout: Picos,
        /// Last status seen.
        last: String,
    },
    /// The scope never triggered.
    #[error(
        "no trigger within {timeout} (last status {last}); check the stimulus on {channel}, its probe factor, and the trigger level {level}"
    )]
    NoTrigger {
        /// How long it was given.
        timeout: Picos,
        /// Last status seen.
        last: String,
        /// The trigger source.
        channel: String,
        /// The trigger level.
        level: String,
    },
    /// The record read is the one before.
    #[error(
        "the record read for shot {shot} is the one before it, byte for byte: the scope had not captured anew"
    )]
    Stale {
        /// The shot that was to be read.
        shot: u32,
    },
    /// The firmware lacks a mode.
    #[error("the firmware on {board} ({runtime}) has no mode `{mode}`; it has {modes}{advice}")]
    NoSuchMode {
        /// Board of the identity.
        board: String,
        /// Runtime of the identity.
        runtime: String,
        /// What was asked for.
        mode: String,
        /// What it has, joined by commas.
        modes: String,
        /// How to get an image that has it; empty when unknown.
        advice: String,
    },
    /// The firmware speaks another protocol version.
    #[error(
        "the firmware speaks protocol {theirs} and this program speaks {ours}: flash the firmware of this release, or use the program of that one"
    )]
    Protocol {
        /// The firmware's.
        theirs: u16,
        /// Ours.
        ours: u16,
    },
    /// What is on the line is not the companion firmware.
    #[error(
        "{at} answered `{reply}`, which is not the companion firmware; is it the right port and baud rate?"
    )]
    Foreign {
        /// The link.
        at: String,
        /// What came, shortened.
        reply: String,
    },
    /// Characters were damaged on the way, more than once.
    #[error(
        "the answer of the board to `{command}` came damaged {tries} times ({why}): noise on the line, or a wrong baud rate"
    )]
    Noise {
        /// What was asked.
        command: String,
        /// How often it was tried.
        tries: u32,
        /// The last damage.
        why: String,
    },
    /// The board refused a request.
    #[error("the board refused `{command}`: {refusal}")]
    Declined {
        /// What was asked.
        command: String,
        /// Its reason.
        refusal: String,
    },
    /// The exchanges cannot be recorded, so the run would leave evidence with holes.
    #[error("the dialogue with the instruments cannot be written: {source}; is the disk full?")]
    Transcript {
        /// The system's reason.
        source: std::io::Error,
    },
    /// The user asked to stop.
    #[error("stopped by the user")]
    Interrupted,
    /// This bench cannot do what was asked.
    #[error("{0}")]
    Unsupported(String),
}
