//! The control port: one request a line, one answer a line; lists end in `END n`.
//!
//! | request | answer |
//! |---|---|
//! | `NOW?` | `cycles=N ps=N` |
//! | `RUN us` | lets time pass, then as `NOW?` |
//! | `EDGES?` | `cycle,ps,pin,level` for each edge since the last `EDGES?`, then `END n` |
//! | `WIRE P0.04 P0.07 on\|off` | the same words |
//! | `PIN P0.05 high\|low\|free` | the same words: drives a pin from outside |
//! | `FINDINGS?` | what is not modelled or was misused, then `END n` |
//! | `QUIT` | `QUIT`, and the program ends |
//!
//! Anything else: `ERR text`.

use super::edges::row;
use crate::{Cycles, Emulator, EmulatorError, Pin, Wire};
use std::fmt::Write;

/// Longest `RUN`: an hour of virtual time.
const LONGEST_RUN_US: u64 = 3_600_000_000;

/// A request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Request {
    Now,
    Run(u64),
    Edges,
    Wire(Wire, bool),
    Pin(Pin, Option<bool>),
    Findings,
    Quit,
}

impl Request {
    pub(super) fn parse(line: &str) -> Result<Request, String> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        Ok(match words.as_slice() {
            ["NOW?"] => Request::Now,
            ["EDGES?"] => Request::Edges,
            ["FINDINGS?"] => Request::Findings,
            ["QUIT"] => Request::Quit,
            ["RUN", us] => Request::Run(span(us)?),
            ["WIRE", a, b, state] => Request::Wire(Wire { a: a.parse()?, b: b.parse()? }, switch(state)?),
            ["PIN", pin, level] => Request::Pin(pin.parse()?, drive(level)?),
            _ => {
                return Err(
                    "NOW?, RUN us, EDGES?, WIRE a b on|off, PIN p high|low|free, FINDINGS? or QUIT".into()
                );
            }
        })
    }
}

fn span(us: &str) -> Result<u64, String> {
    let parsed = us.parse().ok().filter(|us| *us <= LONGEST_RUN_US);
    parsed.ok_or_else(|| format!("`{us}` is no number of microseconds up to {LONGEST_RUN_US}"))
}

fn switch(word: &str) -> Result<bool, String> {
    match word {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("`{word}` is neither on nor off")),
    }
}

fn drive(word: &str) -> Result<Option<bool>, String> {
    match word {
        "high" => Ok(Some(true)),
        "low" => Ok(Some(false)),
        "free" => Ok(None),
        _ => Err(format!("`{word}` is none of high, low, free")),
    }
}

/// Does what is asked; `told` is the mark up to which `EDGES?` has given edges out.
pub(super) fn answer(
    request: &Request,
    emulator: &mut Emulator,
    told: &mut usize,
) -> Result<String, EmulatorError> {
    Ok(match request {
        Request::Now => now(emulator),
        Request::Run(us) => {
            emulator.run_for(Cycles::from_micros(*us))?;
            now(emulator)
        }
        Request::Edges => {
            let edges = emulator.edges_since(*told);
            *told = emulator.edge_mark();
            list(edges.iter().map(row))
        }
        Request::Wire(wire, on) => {
            emulator.set_wire(*wire, *on);
            format!("WIRE {} {} {}\n", wire.a, wire.b, if *on { "on" } else { "off" })
        }
        Request::Pin(pin, level) => {
            emulator.drive(*pin, *level);
            let word = level.map_or("free", |high| if high { "high" } else { "low" });
            format!("PIN {pin} {word}\n")
        }
        Request::Findings => list(emulator.findings().iter().map(ToString::to_string)),
        Request::Quit => "QUIT\n".to_owned(),
    })
}

fn now(emulator: &Emulator) -> String {
    let now = emulator.now();
    format!("cycles={} ps={}\n", now.0, now.picos())
}

fn list(rows: impl Iterator<Item = String>) -> String {
    let (mut text, mut count) = (String::new(), 0);
    for row in rows {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{row}");
        count += 1;
    }
    text + &format!("END {count}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_and_nonsense_is_answered_with_the_way_out() {
        let wire = Wire { a: Pin::RESPONSE, b: Pin::CAPTURE };
        assert_eq!(Request::parse("WIRE P0.04 P0.07 off"), Ok(Request::Wire(wire, false)));
        assert_eq!(Request::parse("PIN P0.05 free"), Ok(Request::Pin(Pin::INPUT, None)));
        assert!(Request::parse("RUN 99999999999").unwrap_err().contains("microseconds"));
        assert!(Request::parse("PIN P3.05 high").unwrap_err().contains("P1.15"));
        assert!(Request::parse("").unwrap_err().contains("EDGES?"));
    }
}
