//! The screen as a picture, and raw queries for a person.

use super::{Ds1000z, recovery, wrong_reply};
use crate::bench::BenchError;
use crate::bench::scpi::Answer;

/// Largest picture: the 24-bit bitmap has 1 152 054 bytes; PNG 32 to 58 kB.
const LARGEST: usize = 4_000_000;
/// The forms of the query: PNG, and without arguments, which old firmware has alone (Q55).
const PNG: &str = ":DISPlay:DATA? ON,OFF,PNG";
const PLAIN: &str = ":DISPlay:DATA?";

/// The picture as it comes.
pub(super) fn screenshot(scope: &mut Ds1000z) -> Result<Vec<u8>, BenchError> {
    let first = picture(scope, PNG);
    if first.is_ok() || !scope.behaviour.plain_screenshot {
        return first;
    }
    recovery::recover(scope)?;
    picture(scope, PLAIN)
}

fn picture(scope: &mut Ds1000z, query: &str) -> Result<Vec<u8>, BenchError> {
    let bytes = scope.dialogue.block(query, LARGEST)?;
    let known = bytes.starts_with(b"\x89PNG\r\n\x1a\n") || bytes.starts_with(b"BM");
    if known {
        return Ok(bytes);
    }
    let why = format!("{} bytes that are neither PNG nor BMP", bytes.len());
    Err(BenchError::Block { command: query.to_owned(), why })
}

/// One line to the scope and its answer; a block is told by its size. What it changes is the user's business. A query
/// that is not known is not answered (Q24), so it is not repeated, but the next one finds a new connection.
pub(super) fn query(scope: &mut Ds1000z, command: &str) -> Result<String, BenchError> {
    let command = command.trim();
    if command.is_empty() || command.chars().any(char::is_control) {
        return Err(BenchError::Unsupported("a raw command is one line of text".into()));
    }
    let result = if command.contains('?') { answer(scope, command) } else { order(scope, command) };
    if result.as_ref().is_err_and(recovery::recoverable) {
        // The first failure is the one to report.
        let _ = recovery::recover(scope);
    }
    result
}

/// `*RST` leaves the scope deaf for seconds: `*OPC?` cannot be asked behind it (Q31).
fn order(scope: &mut Ds1000z, command: &str) -> Result<String, BenchError> {
    let plain = command.starts_with('*');
    let result = if plain { scope.dialogue.send(command) } else { scope.dialogue.set(command) };
    result.map(|()| String::new())
}

fn answer(scope: &mut Ds1000z, query: &str) -> Result<String, BenchError> {
    match scope.dialogue.answer(query, LARGEST)? {
        Answer::Text(text) if text.eq_ignore_ascii_case("command error") => Err(wrong_reply(
            query,
            &text,
            "remote control over LAN may be off: Utility > IO Setting > RemoteIO",
        )),
        Answer::Text(text) => Ok(text),
        Answer::Block(bytes) => {
            Ok(format!("block of {} bytes, crc32 {:08x}", bytes.len(), crc32fast::hash(&bytes)))
        }
    }
}
