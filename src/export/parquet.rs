//! Pairs as a Parquet file: one table for any number of runs.
//!
//! Written here and not by the `parquet` crate: that one, without any feature, brings 18 crates and 40 s of build time
//! for what is seven plain columns. The file is the simplest that the format allows (Apache Parquet format, README and
//! `parquet.thrift`): version 1 data pages, PLAIN values, uncompressed, one page a column and row group, definition
//! levels as one-bit runs for the columns that may be empty.

use super::error::{ExportError, writing};
use super::pairs::{PairRow, status_name};
use super::thrift::{Struct, varint};
use crate::units::Picos;
use std::io::Write;

/// Rows in a group: what is held in memory at a time.
const GROUP: usize = 65_536;
/// Physical types.
const INT64: i32 = 2;
const BYTE_ARRAY: i32 = 6;
/// Encodings.
const PLAIN: i32 = 0;
const RLE: i32 = 3;
/// At the two ends of the file.
const MAGIC: &[u8; 4] = b"PAR1";

/// Names, types and whether a value may be missing.
const COLUMNS: [(&str, i32, bool); 7] = [
    ("configuration", BYTE_ARRAY, false),
    ("shot", INT64, false),
    ("pair", INT64, false),
    ("stimulus_ps", INT64, true),
    ("response_ps", INT64, true),
    ("latency_ps", INT64, true),
    ("status", BYTE_ARRAY, false),
];

/// Writes the columns `configuration, shot, pair, stimulus_ps, response_ps, latency_ps, status`: UTF-8 and 64-bit whole
/// numbers, null where there is nothing.
///
/// # Errors
/// [`ExportError::Write`] when the target takes no more.
pub fn parquet<'a>(
    rows: impl IntoIterator<Item = PairRow<'a>>,
    mut target: impl Write,
) -> Result<(), ExportError> {
    let mut file = File { target: &mut target, offset: 0, groups: Vec::new(), rows: 0 };
    file.write(MAGIC)?;
    let mut group: Vec<PairRow> = Vec::new();
    for row in rows {
        group.push(row);
        if group.len() == GROUP {
            file.group(&group)?;
            group.clear();
        }
    }
    if !group.is_empty() {
        file.group(&group)?;
    }
    file.finish()
}

struct File<'t, W> {
    target: &'t mut W,
    offset: u64,
    groups: Vec<Struct>,
    rows: i64,
}

impl<W: Write> File<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        self.offset += bytes.len() as u64;
        self.target.write_all(bytes).map_err(writing("parquet"))
    }

    fn group(&mut self, rows: &[PairRow]) -> Result<(), ExportError> {
        let mut chunks = Vec::new();
        let begin = self.offset;
        for (n, (name, kind, optional)) in COLUMNS.iter().enumerate() {
            let page = page(rows, n, *optional);
            let header = page_header(rows.len(), page.len());
            let (at, size) = (self.offset as i64, (header.len() + page.len()) as i64);
            self.write(&header)?;
            self.write(&page)?;
            let metadata = Struct::default()
                .i32(1, *kind)
                .i32s(2, &[PLAIN, RLE])
                .texts(3, &[name])
                .i32(4, 0)
                .i64(5, rows.len() as i64)
                .i64(6, size)
                .i64(7, size)
                .i64(9, at);
            chunks.push(Struct::default().i64(2, at).structure(3, metadata));
        }
        let size = (self.offset - begin) as i64;
        self.groups.push(Struct::default().structures(1, chunks).i64(2, size).i64(3, rows.len() as i64));
        self.rows += rows.len() as i64;
        Ok(())
    }

    fn finish(mut self) -> Result<(), ExportError> {
        let footer = Struct::default()
            .i32(1, 1)
            .structures(2, schema())
            .i64(3, self.rows)
            .structures(4, std::mem::take(&mut self.groups))
            .text(6, concat!("latency-cli version ", env!("CARGO_PKG_VERSION")))
            .finished();
        self.write(&footer)?;
        self.write(&(footer.len() as u32).to_le_bytes())?;
        self.write(MAGIC)?;
        self.target.flush().map_err(writing("parquet"))
    }
}

fn schema() -> Vec<Struct> {
    let mut elements = vec![Struct::default().text(4, "pairs").i32(5, COLUMNS.len() as i32)];
    for (name, kind, optional) in COLUMNS {
        let element = Struct::default().i32(1, kind).i32(3, i32::from(optional)).text(4, name);
        elements.push(match kind {
            // Converted type UTF8 for old readers, logical type STRING for new ones.
            BYTE_ARRAY => element.i32(6, 0).structure(10, Struct::default().structure(1, Struct::default())),
            _ => element,
        });
    }
    elements
}

fn page_header(values: usize, size: usize) -> Vec<u8> {
    let data = Struct::default().i32(1, values as i32).i32(2, PLAIN).i32(3, RLE).i32(4, RLE);
    Struct::default().i32(1, 0).i32(2, size as i32).i32(3, size as i32).structure(5, data).finished()
}

/// The values of column `n`, after the marks of which are there.
fn page(rows: &[PairRow], n: usize, optional: bool) -> Vec<u8> {
    let mut page = Vec::new();
    if optional {
        let levels = levels(rows.iter().map(|r| number(r, n).is_some()));
        page.extend((levels.len() as u32).to_le_bytes());
        page.extend(levels);
    }
    for row in rows {
        match text(row, n) {
            Some(text) => {
                page.extend((text.len() as u32).to_le_bytes());
                page.extend(text.as_bytes());
            }
            None => page.extend(number(row, n).map(i64::to_le_bytes).into_iter().flatten()),
        }
    }
    page
}

fn text<'a>(row: &PairRow<'a>, n: usize) -> Option<&'a str> {
    match n {
        0 => Some(row.configuration),
        6 => Some(status_name(row.status)),
        _ => None,
    }
}

fn number(row: &PairRow, n: usize) -> Option<i64> {
    let time = |t: Option<Picos>| t.map(|t| t.0);
    match n {
        1 => Some(row.shot.into()),
        2 => Some(row.pair.into()),
        3 => time(row.stimulus),
        4 => time(row.response),
        5 => time(row.latency),
        _ => None,
    }
}

/// Runs of equal marks: twice the length as a varint, then the mark.
fn levels(marks: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut run: Option<(bool, u64)> = None;
    for mark in marks {
        run = match run {
            Some((same, n)) if same == mark => Some((same, n + 1)),
            other => {
                close(other, &mut bytes);
                Some((mark, 1))
            }
        };
    }
    close(run, &mut bytes);
    bytes
}

fn close(run: Option<(bool, u64)>, bytes: &mut Vec<u8>) {
    if let Some((mark, n)) = run {
        bytes.extend(varint(n << 1));
        bytes.push(u8::from(mark));
    }
}
