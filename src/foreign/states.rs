//! Tables of logic states: Saleae Logic 2's digital export, one row for each change of any channel.
//!
//! The first row is the state at the beginning, the last one often only the end of the record. Times are seconds since
//! the trigger or times of day; the latter are counted from the first row.

use super::bytes::Bytes;
use super::decimal::{attoseconds, picoseconds, precision};
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
                let walk = walk.get_or_insert_with(|| Walk::begin(line, named, table, columns.len()));
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
    /// Written units of time in a second.
    per_second: i128,
    /// What one step of the last digit is worth, in attoseconds.
    unit: i128,
    rows: u32,
}

impl<'a> Walk<'a> {
    fn begin(line: &[u8], named: Named<'a>, table: &Table, channels: usize) -> Walk<'a> {
        let time = line.split(|b| *b == b',').next().unwrap_or_default();
        let transitions = Transitions::new(named, AS_PER_PS, channels);
        let per_second = table.per_second;
        Walk { transitions, origin: iso::attoseconds(time), per_second, unit: i128::MAX, rows: 0 }
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
            self.unit = self.unit.min(written.unit / self.per_second);
            self.transitions.written(to_picos(self.unit));
        }
    }

    fn row(&mut self, line: &[u8], columns: &[usize]) -> Result<(), Bad> {
        let end = line.iter().position(|b| *b == b',').ok_or(Bad::Text)?;
        let (time, fields) = line.split_at(end);
        let time = match self.origin {
            None if self.per_second != 1 => attoseconds(time)
                .filter(|(_, rest)| rest.is_empty())
                .map(|(t, _)| to_picos(t / self.per_second)),
            None => picoseconds(time).filter(|(_, rest)| rest.is_empty()).map(|(time, _)| time),
            Some(origin) => iso::attoseconds(time).map(|time| to_picos(time - origin)),
        };
        let time = time.ok_or(Bad::Text)?;
        if self.rows < LOOKED_AT {
            self.look(line);
        }
        let states = states_in(fields, columns).ok_or(Bad::Text)?;
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

/// The states in `columns` of the fields behind the time: high, low or unknown (`X`, nothing). `None` where a field is
/// missing or holds something else.
#[inline]
fn states_in(fields: &[u8], columns: &[usize]) -> Option<[Option<bool>; 2]> {
    let last = columns.iter().max()?;
    let mut states = [None; 2];
    let mut rest = fields;
    for field in 1..=*last {
        rest = rest.strip_prefix(b",")?;
        let end = rest.iter().position(|b| *b == b',').unwrap_or(rest.len());
        let (text, after) = rest.split_at(end);
        for (state, _) in states.iter_mut().zip(columns).filter(|(_, column)| **column == field) {
            *state = match text.trim_ascii() {
                b"0" => Some(false),
                b"1" => Some(true),
                b"" | b"X" | b"x" | b"Z" | b"z" => None,
                _ => return None,
            };
        }
        rest = after;
    }
    Some(states)
}
