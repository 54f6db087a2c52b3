//! Tables of logic states: Saleae Logic 2's digital export, one row for each change of any channel.
//!
//! The first row is the state at the beginning, the last one often only the end of the record. Times are seconds since
//! the trigger or times of day; the latter are counted from the first row.

use super::bytes::Bytes;
use super::decimal::{attoseconds, precision};
use super::error::{ForeignError, Named};
use super::grid::{AS_PER_PS, to_picos};
use super::header::Table;
use super::iso;
use super::note::Note;
use super::transitions::Transitions;
use crate::signal::edges::Edges;
use std::io::{Read, Seek};

/// Reads the states in `columns` (in any order) of `table`.
pub(super) fn edges<R: Read + Seek>(
    source: R,
    named: Named,
    table: &Table,
    columns: &[usize],
    notes: &mut Vec<Note>,
) -> Result<Vec<Edges>, ForeignError> {
    let mut bytes = Bytes::at(source, named, table.data)?;
    let mut walk: Option<Walk> = None;
    let mut row = 0u64;
    loop {
        let length = bytes.lines()?;
        let text = bytes.unread().get(..length).unwrap_or_default();
        if text.is_empty() {
            break;
        }
        let mut rest = text;
        while !rest.is_empty() {
            let (line, after) = split_line(rest);
            if !line.is_empty() {
                let walk = walk.get_or_insert_with(|| Walk::begin(line, named, columns.len()));
                let last = after.is_empty() && bytes.ended() && !rest.ends_with(b"\n");
                match walk.row(line, columns) {
                    Ok(()) => {}
                    Err(Bad::Order(error)) => return Err(error),
                    Err(Bad::Text) if last => notes.push(Note::Truncated),
                    Err(Bad::Text) => {
                        let shown = String::from_utf8_lossy(line.get(..60).unwrap_or(line)).into_owned();
                        let at = bytes.offset() + (text.len() - rest.len()) as u64;
                        return Err(named.row(at, row, format!("`{shown}` has no time or no state")));
                    }
                }
                row += 1;
            }
            rest = after;
        }
        bytes.consume(length);
    }
    walk.ok_or_else(|| named.empty())?.transitions.finished(notes)
}

/// Why a row was not taken.
enum Bad {
    Text,
    Order(ForeignError),
}

/// Rows whose times are looked at for how finely they are written; trailing zeros may be missing from some.
const LOOKED_AT: u32 = 64;

/// The rows so far, times in picoseconds.
struct Walk<'a> {
    transitions: Transitions<'a>,
    /// Subtracted from times of day, in attoseconds.
    origin: Option<i128>,
    /// What one step of the last digit is worth, in attoseconds.
    unit: i128,
    rows: u32,
}

impl<'a> Walk<'a> {
    fn begin(line: &[u8], named: Named<'a>, channels: usize) -> Walk<'a> {
        let time = line.split(|b| *b == b',').next().unwrap_or_default();
        let transitions = Transitions::new(named, AS_PER_PS, channels);
        Walk { transitions, origin: iso::attoseconds(time), unit: i128::MAX, rows: 0 }
    }

    /// Of a time of day the seconds are behind its second colon.
    fn look(&mut self, line: &[u8]) {
        self.rows += 1;
        let time = line.split(|b| *b == b',').next().unwrap_or_default();
        let seconds = match self.origin {
            Some(_) => time.splitn(3, |b| *b == b':').nth(2).unwrap_or_default(),
            None => time,
        };
        if let Some(written) = precision(seconds) {
            self.unit = self.unit.min(written.unit);
            self.transitions.written(to_picos(self.unit));
        }
    }

    fn row(&mut self, line: &[u8], columns: &[usize]) -> Result<(), Bad> {
        let time = match self.origin {
            None => attoseconds(line).filter(|(_, rest)| rest.starts_with(b",")).map(|(time, _)| time),
            Some(origin) => {
                let end = memchr::memchr(b',', line).unwrap_or(line.len());
                line.get(..end).and_then(iso::attoseconds).map(|time| time - origin)
            }
        };
        let time = time.map(to_picos).ok_or(Bad::Text)?;
        if self.rows < LOOKED_AT {
            self.look(line);
        }
        let mut states = [None; 2];
        for (state, column) in states.iter_mut().zip(columns) {
            *state = state_in(line, *column).ok_or(Bad::Text)?;
        }
        self.transitions.stamp(time.0).map_err(Bad::Order)?;
        for (n, state) in states.iter().take(columns.len()).enumerate() {
            self.transitions.state(n, *state);
        }
        Ok(())
    }
}

/// The line at the start of `text` without its end, and what follows.
fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    let end = memchr::memchr(b'\n', text);
    let line = text.get(..end.unwrap_or(text.len())).unwrap_or(text);
    let after = end.and_then(|end| text.get(end + 1..)).unwrap_or_default();
    (line.trim_ascii_end(), after)
}

/// `1`, `0` or unknown (`X`, nothing). The outer option is `None` where the field is missing or something else.
fn state_in(line: &[u8], column: usize) -> Option<Option<bool>> {
    let mut rest = line;
    for _ in 0..column {
        let comma = rest.iter().position(|b| *b == b',')?;
        rest = rest.get(comma + 1..)?;
    }
    let end = rest.iter().position(|b| *b == b',').unwrap_or(rest.len());
    match rest.get(..end)?.trim_ascii() {
        b"0" => Some(Some(false)),
        b"1" => Some(Some(true)),
        b"" | b"X" | b"x" | b"Z" | b"z" => Some(None),
        _ => None,
    }
}
