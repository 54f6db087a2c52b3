//! NumPy arrays (`.npy`): columns or rows of a plain array, or the fields of a structured one.
//!
//! A plain array knows nothing of time, so the user gives the interval. A structured array with a field `time_ps`
//! (whole picoseconds) brings its own, gaps included; that is how this program writes shots. Of the two dimensions of a
//! plain array the shorter one counts the channels, which are named by their numbers.

use super::bytes::Bytes;
use super::channels::choose;
use super::error::{ForeignError, Named};
use super::grid::{AS_PER_PS, Grid};
use super::note::Note;
use super::npy_header::{Element, Header};
use super::sampled::{self, BLOCK, Block, Place, Source, Wanted};
use crate::signal::edges::Edges;
use crate::units::Picos;
use std::io::{Read, Seek};

/// Name of the field with the time of each sample.
pub(super) const TIME: &str = "time_ps";

/// Where the samples of one channel are.
#[derive(Debug, Clone, Copy)]
struct Layout {
    /// Offset of the first row.
    begin: u64,
    /// Bytes from one row to the next.
    stride: usize,
    /// Offset of the value in its row.
    offset: usize,
    element: Element,
    /// Offset and type of the time in the row.
    time: Option<(usize, Element)>,
    rows: u64,
}

/// Names of the channels.
pub(super) fn names(head: &[u8], named: Named) -> Result<Vec<String>, ForeignError> {
    Array::of(head, named).map(|a| a.names)
}

/// Edges of the wanted channels, in their order.
pub(super) fn edges<R: Read + Seek>(
    mut source: R,
    head: &[u8],
    named: Named,
    wanted: &[Wanted],
    interval: Option<Picos>,
    notes: &mut Vec<Note>,
) -> Result<Vec<Edges>, ForeignError> {
    let array = Array::of(head, named)?;
    let mut found = Vec::new();
    for wanted in wanted {
        let channel = choose(named, wanted.channel, &array.names)?;
        let layout = array.layout(channel).ok_or_else(|| named.header("has sizes out of all reason"))?;
        let mut samples = Samples::of(&mut source, named, layout, interval)?;
        let (edges, more) = sampled::edges(&mut samples, named, std::slice::from_ref(wanted))?;
        let read = samples.most;
        notes.extend(more);
        if read < layout.rows {
            notes.push(Note::PointCount { stated: layout.rows, found: read });
        }
        found.extend(edges);
    }
    Ok(found)
}

/// The header, understood.
struct Array {
    header: Header,
    names: Vec<String>,
    /// Rows and channels of a plain array.
    rows: u64,
    channels: u64,
    /// All samples of a channel lie together.
    planar: bool,
}

impl Array {
    fn of(head: &[u8], named: Named) -> Result<Array, ForeignError> {
        let header = Header::of(head, named)?;
        let structured = header.fields.iter().any(|f| !f.name.is_empty());
        let shape = format!("has the shape {:?}; one or two dimensions are read", header.shape);
        let (rows, channels, planar) = match *header.shape.as_slice() {
            [rows] => (rows, 1, true),
            [a, b] if !structured => (a.max(b), a.min(b), (a < b) != header.fortran),
            _ => return Err(named.header(shape)),
        };
        if channels > 4096 {
            return Err(named.header(shape));
        }
        let names = match structured {
            true => header.fields.iter().map(|f| f.name.clone()).filter(|n| n != TIME).collect(),
            false => (0..channels).map(|n| n.to_string()).collect(),
        };
        Ok(Array { header, names, rows, channels, planar })
    }

    fn layout(&self, channel: usize) -> Option<Layout> {
        let header = &self.header;
        let name = self.names.get(channel)?;
        if let Some(field) = header.fields.iter().find(|f| !f.name.is_empty() && f.name == *name) {
            let time = header.fields.iter().find(|f| f.name == TIME).map(|f| (f.offset, f.element));
            let (begin, stride, rows) = (header.data, header.size, self.rows);
            return Some(Layout { begin, stride, offset: field.offset, element: field.element, time, rows });
        }
        let element = header.fields.first()?.element;
        let plane = self.rows.checked_mul(element.size as u64)?;
        let (begin, stride, offset) = match self.planar {
            true => (header.data.checked_add(plane.checked_mul(channel as u64)?)?, element.size, 0),
            false => {
                (header.data, element.size * usize::try_from(self.channels).ok()?, channel * element.size)
            }
        };
        Some(Layout { begin, stride, offset, element, time: None, rows: self.rows })
    }
}

/// The samples of one channel.
struct Samples<'a, R> {
    bytes: Bytes<'a, R>,
    named: Named<'a>,
    layout: Layout,
    /// Instants, once known.
    grid: Option<Grid>,
    origin: i64,
    interval: i64,
    row: u64,
    /// Most rows that were ever read.
    most: u64,
}

impl<'a, R: Read + Seek> Samples<'a, R> {
    fn of(
        source: R,
        named: Named<'a>,
        layout: Layout,
        interval: Option<Picos>,
    ) -> Result<Samples<'a, R>, ForeignError> {
        let bytes = Bytes::at(source, named, layout.begin)?;
        let mut samples =
            Samples { bytes, named, layout, grid: None, origin: 0, interval: 0, row: 0, most: 0 };
        let given = match layout.time {
            Some(_) => samples.first_interval()?,
            None => interval.unwrap_or_default(),
        };
        let way_out = "give the time between samples (`--interval 1us`)";
        samples.interval = given.0;
        let (origin, step) = (i128::from(samples.origin), i128::from(given.0));
        let grid = Grid::every(origin * AS_PER_PS, step * AS_PER_PS);
        samples.grid = Some(grid.ok_or_else(|| named.no_rate(way_out))?);
        Ok(samples)
    }

    /// Distance of the first two times; sets the origin.
    fn first_interval(&mut self) -> Result<Picos, ForeignError> {
        while self.bytes.unread().len() < 2 * self.layout.stride && self.bytes.more()? {}
        let rows = self.bytes.unread();
        let first = self.time_of(rows);
        let second = rows.get(self.layout.stride..).and_then(|r| self.time_of(r));
        match (first, second) {
            (Some(first), Some(second)) if second > first => {
                self.origin = first;
                Ok(Picos(second.saturating_sub(first)))
            }
            (Some(_), Some(_)) => Err(self.named.gap("the times do not advance")),
            _ => Err(self.named.empty()),
        }
    }

    fn time_of(&self, row: &[u8]) -> Option<i64> {
        let (offset, element) = self.layout.time?;
        element.integer(row.get(offset..)?)
    }

    /// Index on the grid of a row.
    fn index_of(&self, row: &[u8], at: u64) -> Result<u64, ForeignError> {
        if self.layout.time.is_none() {
            return Ok(at);
        }
        let apart = self.time_of(row).and_then(|t| t.checked_sub(self.origin));
        let index = apart.filter(|a| *a >= 0 && a % self.interval == 0).map(|a| a / self.interval);
        let index = index.and_then(|i| u64::try_from(i).ok());
        index.ok_or_else(|| self.named.gap(format!("row {at} is not on the grid of the first two times")))
    }
}

impl<R: Read + Seek> Source for Samples<'_, R> {
    fn next(&mut self, block: &mut Block) -> Result<(), ForeignError> {
        block.place = Place { offset: self.bytes.offset(), sample: self.row };
        while block.len() < BLOCK && self.row < self.layout.rows {
            let stride = self.layout.stride;
            while self.bytes.unread().len() < stride && self.bytes.more()? {}
            let Some(row) = self.bytes.unread().get(..stride) else { break };
            let index = self.index_of(row, self.row)?;
            if block.len() == 0 {
                block.first = index;
            } else if index != block.first + block.len() as u64 {
                break;
            }
            let value = row.get(self.layout.offset..).and_then(|v| self.layout.element.value(v));
            let value = value.filter(|v| v.abs() < 1e30).ok_or_else(|| {
                self.named.row(self.bytes.offset(), self.row, "a value that is no voltage".to_owned())
            })?;
            block.columns.iter_mut().for_each(|c| c.push(value));
            self.bytes.consume(stride);
            self.row += 1;
        }
        self.most = self.most.max(self.row);
        Ok(())
    }

    fn seek(&mut self, place: Place) -> Result<(), ForeignError> {
        self.row = place.sample;
        self.bytes.seek(place.offset)
    }

    fn grid(&self) -> Result<Grid, ForeignError> {
        self.grid.ok_or_else(|| self.named.empty())
    }
}
