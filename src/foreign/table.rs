//! The rows of a CSV export as evenly sampled values.
//!
//! Only the chosen columns are read, and of the times only those at the ends of each block: they must lie on one line.
//! Rows that are blank in a chosen column are accepted at the two ends of the table only (Keysight pads channels of
//! different length so).

use super::bytes::Bytes;
use super::decimal::{Precision, attoseconds, precision, real};
use super::error::{ForeignError, Named};
use super::grid::{Grid, to_picos};
use super::header::{Axis, Table};
use super::note::Note;
use super::sampled::{BLOCK, Block, Place, Source, compare_intervals};
use crate::units::Picos;
use std::io::{Read, Seek};

/// Checks of the times that are kept.
const CHECKS: usize = 16_384;
/// No scope whose exports have Start and Increment samples faster than this (DS6000: 5 GSa/s).
const FASTEST: i128 = 200_000_000;

/// A time as written, at a sample.
#[derive(Debug, Clone, Copy)]
struct Check {
    sample: u64,
    value: i128,
    written: Precision,
}

/// The rows of a table.
pub(super) struct Rows<'a, R> {
    bytes: Bytes<'a, R>,
    named: Named<'a>,
    table: &'a Table,
    /// Columns to read, ascending; the same may be there twice.
    columns: Vec<usize>,
    sample: u64,
    /// Rows before the first sample.
    skipped: u64,
    padded: bool,
    surveyed: bool,
    checks: Vec<Check>,
    check_every: u64,
    last: Option<Check>,
    truncated: bool,
}

/// How far written times may be off. Trailing zeros may have been cut off some of them, so it is all of them that tell
/// how finely they are written: a number of decimals, or a number of digits (two are allowed for, as engineering notation
/// varies by that).
struct Rounding {
    unit: i128,
    digits: u32,
}

impl Rounding {
    fn of(checks: &[Check]) -> Rounding {
        let unit = checks.iter().map(|c| c.written.unit).min().unwrap_or(1);
        let digits = checks.iter().map(|c| c.written.digits).max().unwrap_or(0);
        Rounding { unit, digits }
    }

    fn at(&self, check: &Check) -> i128 {
        let relative = 10i128.pow(self.digits.saturating_sub(3).min(30));
        match check.written.scientific {
            true => check.written.unit.min(check.value.abs() / relative),
            false => self.unit,
        }
    }
}

/// What became of a row.
enum Row {
    Read,
    Blank,
    /// A chosen column has nothing in it.
    Missing,
    Bad,
}

impl<'a, R: Read + Seek> Rows<'a, R> {
    /// Rows of `table` in `source`, of which `columns` are read.
    pub fn of(
        source: R,
        named: Named<'a>,
        table: &'a Table,
        columns: Vec<usize>,
    ) -> Result<Rows<'a, R>, ForeignError> {
        if table.envelope {
            return Err(ForeignError::Envelope { name: named.0.to_owned() });
        }
        let bytes = Bytes::at(source, named, table.data)?;
        Ok(Rows {
            bytes,
            named,
            table,
            columns,
            sample: 0,
            skipped: 0,
            padded: false,
            surveyed: false,
            checks: Vec::new(),
            check_every: BLOCK as u64,
            last: None,
            truncated: false,
        })
    }

    /// What the header says against what was found, and the interval that is the resolution: that of the values or a
    /// coarser one.
    pub fn findings(&self, points: Picos, notes: &mut Vec<Note>) -> Result<Picos, ForeignError> {
        if self.truncated {
            notes.push(Note::Truncated);
        }
        if let Some(stated) = self.table.points.filter(|stated| *stated != self.samples()) {
            notes.push(Note::PointCount { stated, found: self.samples() });
        }
        let own = self.grid()?.interval();
        let resolution = match (&self.table.axis, self.table.interval) {
            (Axis::Sequence { increment, .. }, _) => compare_intervals(*increment, own, notes),
            (Axis::Time { .. }, Some(stated)) => compare_intervals(stated, own, notes),
            (Axis::Time { .. }, None) => {
                notes.push(Note::UnstatedSampling);
                own
            }
        };
        Ok(resolution.max(points))
    }

    fn samples(&self) -> u64 {
        self.last.map_or(0, |l| l.sample + 1)
    }

    /// Reads rows out of the window into `block`. False at the end of the file.
    fn fill(&mut self, block: &mut Block) -> Result<bool, ForeignError> {
        let length = self.bytes.lines()?;
        let text = self.bytes.unread().get(..length).unwrap_or_default();
        if text.is_empty() {
            return Ok(false);
        }
        let mut rest = text;
        let mut ends = None;
        let mut bad = None;
        while block.len() < BLOCK && !rest.is_empty() {
            let (row, after) = parse(rest, &self.columns, &mut block.columns);
            match row {
                Row::Read if !self.padded => ends = Some((ends.map_or(rest, |(first, _)| first), rest)),
                Row::Blank => {}
                Row::Missing if self.sample == 0 && block.len() == 0 => self.skipped += 1,
                Row::Missing | Row::Bad
                    if after.is_empty() && self.bytes.ended() && !rest.ends_with(b"\n") =>
                {
                    self.truncated = true;
                }
                Row::Missing => self.padded = true,
                Row::Read | Row::Bad => {
                    bad = Some(text.len() - rest.len());
                    break;
                }
            }
            rest = after;
        }
        let checks = ends.map(|(first, last)| (self.check(first), self.check(last)));
        let used = text.len() - rest.len();
        if let Some(at) = bad {
            return Err(self.complaint(at, block.len()));
        }
        self.bytes.consume(used);
        self.note_times(checks, block.len() as u64);
        Ok(true)
    }

    /// Keeps the times of the first and the last row that were read.
    fn note_times(&mut self, ends: Option<(Check, Check)>, in_block: u64) {
        let Some((first, last)) = ends.filter(|_| !self.surveyed) else { return };
        self.keep(first);
        self.last = Some(Check { sample: (self.sample + in_block).saturating_sub(1), ..last });
    }

    fn complaint(&self, at: usize, in_block: usize) -> ForeignError {
        let row = self.sample + in_block as u64;
        let text = self.bytes.unread().get(at..).unwrap_or_default();
        let line = text.split(|b| *b == b'\n').next().unwrap_or_default();
        let shown = String::from_utf8_lossy(line.get(..60).unwrap_or(line));
        let problem = match self.padded {
            true => format!("`{}` follows rows without a value", shown.trim()),
            false => format!("`{}` has no number in one of the chosen columns", shown.trim()),
        };
        self.named.row(self.bytes.offset() + at as u64, row, problem)
    }

    /// The time of the row at the start of `text`; nothing where the table has no column of times.
    fn check(&self, text: &[u8]) -> Check {
        let none = Check { sample: self.sample, value: 0, written: Precision::default() };
        let column = match self.table.axis {
            Axis::Time { column } | Axis::Sequence { column: Some(column), .. } => column,
            Axis::Sequence { column: None, .. } => return none,
        };
        let found = field(text, column).and_then(|text| Some((attoseconds(text)?.0, precision(text)?)));
        let per_second = self.table.per_second;
        found.map_or(none, |(value, written)| {
            let written = Precision { unit: (written.unit / per_second).max(1), ..written };
            Check { value: value / per_second, written, ..none }
        })
    }

    /// The first row of every block, of fewer where there are very many.
    fn keep(&mut self, check: Check) {
        let due = self.checks.last().is_none_or(|l| check.sample >= l.sample + self.check_every);
        if due {
            self.checks.push(check);
        }
        if self.checks.len() > CHECKS {
            let mut drop = true;
            self.checks.retain(|_| {
                drop = !drop;
                !drop
            });
            self.check_every *= 2;
        }
    }

    /// Times per written step and per row, from the first to the last row.
    fn ends(&self) -> Result<(Check, Check, u64), ForeignError> {
        let (Some(first), Some(last)) = (self.checks.first(), self.last) else {
            return Err(self.named.empty());
        };
        match last.sample - first.sample {
            0 => Err(self.named.header("is followed by a single row")),
            rows => Ok((*first, last, rows)),
        }
    }

    /// Every time that was looked at must lie where the line from first to last has it.
    fn on_one_line(&self, grid: &Grid, slack: i128) -> Result<(), ForeignError> {
        let (first, last, _) = self.ends()?;
        let rounding = Rounding::of(&self.checks);
        let at_ends = rounding.at(&first).max(rounding.at(&last));
        for check in &self.checks {
            let expected = grid.attoseconds(check.sample, 0);
            let off = (check.value - expected).abs();
            if off > slack + rounding.at(check) + at_ends {
                return Err(self.named.gap(format!(
                    "row {} of the data stands for {} where even steps give {}",
                    check.sample + 1,
                    to_picos(check.value),
                    to_picos(expected)
                )));
            }
        }
        Ok(())
    }

    fn of_times(&self) -> Result<Grid, ForeignError> {
        let (first, last, rows) = self.ends()?;
        let grid = Grid::over(first.value, last.value - first.value, rows)
            .ok_or_else(|| self.named.gap("the times do not advance".to_owned()))?;
        let step = (last.value - first.value) / i128::from(rows);
        self.on_one_line(&grid, step * 3 / 5)?;
        Ok(grid)
    }

    /// `n` begins anywhere; a cut-out keeps the numbers it had.
    fn of_sequence(&self, start: i128, increment: i128) -> Result<Grid, ForeignError> {
        let (first, last, rows) = self.ends()?;
        let unit = super::grid::AS_PER_S;
        let counted = last.value - first.value;
        let numbers =
            Grid::over(first.value, counted, rows).filter(|_| counted % (i128::from(rows) * unit) == 0);
        let every = numbers.ok_or_else(|| {
            let (from, to) = (first.value / unit, last.value / unit);
            self.named.gap(format!("{} rows are numbered {from} to {to}", rows + 1))
        })?;
        self.on_one_line(&every, unit / 2 - 2 * unit)?;
        let (first, step) = (first.value / unit, counted / (i128::from(rows) * unit));
        let origin = first.checked_mul(increment).and_then(|o| o.checked_add(start));
        self.even(origin, increment.checked_mul(step))
    }

    fn even(&self, origin: Option<i128>, interval: Option<i128>) -> Result<Grid, ForeignError> {
        let grid = origin.zip(interval).and_then(|(origin, interval)| Grid::every(origin, interval));
        grid.ok_or_else(|| self.named.header("has times out of all reason"))
    }

    fn refuse_screens(&self) -> Result<(), ForeignError> {
        let points = self.samples();
        let name = self.named.0.to_owned();
        match self.table.axis {
            _ if self.table.screens.contains(&points) => Err(ForeignError::ScreenData { name, points }),
            Axis::Sequence { increment, .. } if increment < FASTEST && !self.table.screens.is_empty() => {
                let (interval, fastest) = (to_picos(increment), to_picos(FASTEST));
                Err(ForeignError::Interpolated { name, interval, fastest })
            }
            _ => Ok(()),
        }
    }
}

impl<R: Read + Seek> Source for Rows<'_, R> {
    fn next(&mut self, block: &mut Block) -> Result<(), ForeignError> {
        self.bytes.lines()?;
        block.place = Place { offset: self.bytes.offset(), sample: self.sample };
        block.first = self.sample;
        while block.len() < BLOCK && self.fill(block)? {}
        self.sample += block.len() as u64;
        Ok(())
    }

    fn seek(&mut self, place: Place) -> Result<(), ForeignError> {
        self.surveyed = true;
        self.padded = false;
        self.sample = place.sample;
        self.bytes.seek(place.offset)
    }

    fn grid(&self) -> Result<Grid, ForeignError> {
        self.refuse_screens()?;
        match self.table.axis {
            Axis::Time { .. } => self.of_times(),
            Axis::Sequence { column: Some(_), start, increment } => self.of_sequence(start, increment),
            Axis::Sequence { column: None, start, increment } => {
                self.even(i128::from(self.skipped).checked_mul(increment).map(|s| s + start), Some(increment))
            }
        }
    }
}

/// The row at the start of `text` into `out`, one value for each of `columns`, and what follows the row.
#[inline]
fn parse<'t>(text: &'t [u8], columns: &[usize], out: &mut [Vec<f64>]) -> (Row, &'t [u8]) {
    if matches!(text, [b'\n', ..] | [b'\r', b'\n', ..] | [b'\r']) {
        return (Row::Blank, next_line(text));
    }
    let mut values = [0.0; 2];
    let (mut rest, mut field) = (text, 0);
    let mut before = None;
    for (value, &column) in values.iter_mut().zip(columns) {
        if let Some((_, same)) = before.filter(|(read, _)| *read == column) {
            *value = same;
            continue;
        }
        while field < column {
            let Some(after) = behind_comma(rest) else { return (Row::Missing, next_line(rest)) };
            rest = after;
            field += 1;
        }
        if matches!(rest.first(), None | Some(b',' | b'\r' | b'\n')) {
            return (Row::Missing, next_line(rest));
        }
        match real(rest) {
            Some((found, after)) if matches!(after.first(), None | Some(b',' | b'\r' | b'\n' | b' ')) => {
                *value = found;
                before = Some((column, found));
                rest = after;
            }
            _ => return (Row::Bad, next_line(rest)),
        }
    }
    for (column, value) in out.iter_mut().zip(values) {
        column.push(value);
    }
    (Row::Read, next_line(rest))
}

/// What follows the next comma of the line. Fields are short: a plain walk beats a vector search.
#[inline]
fn behind_comma(text: &[u8]) -> Option<&[u8]> {
    let at = text.iter().position(|b| matches!(b, b',' | b'\n'))?;
    text.get(at + 1..).filter(|_| text.get(at) == Some(&b','))
}

#[inline]
fn next_line(text: &[u8]) -> &[u8] {
    let end = text.iter().take(8).position(|b| *b == b'\n').or_else(|| memchr::memchr(b'\n', text));
    end.and_then(|end| text.get(end + 1..)).unwrap_or_default()
}

/// The field of the first line of `text`, with what follows it.
fn field(text: &[u8], column: usize) -> Option<&[u8]> {
    (0..column).try_fold(text, |rest, _| behind_comma(rest))
}
