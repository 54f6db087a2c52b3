//! A shot as a NumPy array: records of `time_ps`, `stimulus` and `response` (volts), one a sample.
//!
//! Time is part of each record, so that the gaps between windows stay visible and nothing has to be told beside the file.
//! Format: NEP 1, version 1.0; the data begin at a multiple of 64 bytes.

use super::error::{ExportError, writing};
use super::traces::Traces;
use crate::signal::Shot;
use std::io::Write;

/// Bytes that are gathered for one write.
const PIECE: usize = 64 * 1024;

/// Writes all samples of `shot`.
///
/// # Errors
/// [`ExportError`] when the channels do not belong together, cannot be read, or the target takes no more.
pub fn npy(shot: &Shot, mut target: impl Write) -> Result<(), ExportError> {
    let traces = Traces::of(shot)?;
    let rows: usize = traces.segments().map(|(_, s, _)| s.len()).sum();
    let failed = writing("npy");
    target.write_all(&header(rows)).map_err(failed)?;
    let mut piece = Vec::with_capacity(PIECE + 16);
    for (first, stimulus, response) in traces.segments() {
        for (index, (s, r)) in (first..).zip(stimulus.iter().zip(response)) {
            piece.extend(traces.time(index).0.to_le_bytes());
            piece.extend((traces.stimulus.volts(*s) as f32).to_le_bytes());
            piece.extend((traces.response.volts(*r) as f32).to_le_bytes());
            if piece.len() >= PIECE {
                target.write_all(&piece).map_err(writing("npy"))?;
                piece.clear();
            }
        }
    }
    target.write_all(&piece).and_then(|()| target.flush()).map_err(writing("npy"))
}

fn header(rows: usize) -> Vec<u8> {
    let literal = format!(
        "{{'descr': [('time_ps', '<i8'), ('stimulus', '<f4'), ('response', '<f4')], 'fortran_order': False, \
         'shape': ({rows},), }}"
    );
    let length = (10 + literal.len() + 1).next_multiple_of(64) - 10;
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(literal.as_bytes());
    header.resize(10 + length - 1, b' ');
    header.push(b'\n');
    header
}
