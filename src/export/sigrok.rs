//! A shot as a sigrok session (`.sr`), for PulseView and sigrok-cli.
//!
//! Four channels: the wires `stimulus` and `response` as the edges divide them, for the protocol decoders, and both
//! analog channels in volts under the instrument's names. The format (sigrok wiki, "File format:Sigrok/v2"; what libsigrok
//! 0.5.2 writes) has no time of the trigger, no gaps and whole hertz as rate: times count from the first sample, and a
//! shot that was read in windows is refused.

use super::error::{ExportError, writing};
use super::traces::{Trace, Traces};
use crate::signal::{Shot, Slope};
use crate::units::Picos;
use std::io::Write;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

/// Samples in a part. libsigrok writes about 4 MB.
const PART: usize = 1 << 20;
/// Picoseconds in a second.
const SECOND: i64 = 1_000_000_000_000;

/// Writes `shot`.
///
/// # Errors
/// [`ExportError`] when the shot was read in windows, the channels do not belong together or cannot be read, or the
/// target takes no more.
pub fn sigrok(shot: &Shot, target: impl Write) -> Result<(), ExportError> {
    let traces = Traces::of(shot)?;
    let (first, stimulus, response) = traces.whole("sr")?;
    let mut archive = Archive { zip: ZipWriter::new_stream(target) };
    archive.add("version", b"2")?;
    archive.add("metadata", metadata(&traces).as_bytes())?;
    let logic = logic(&traces, first, stimulus, response);
    for (n, part) in (1..).zip(logic.chunks(PART)) {
        archive.add(&format!("logic-1-{n}"), part)?;
    }
    for (channel, trace, codes) in [(3, &traces.stimulus, stimulus), (4, &traces.response, response)] {
        for (n, part) in (1..).zip(codes.chunks(PART)) {
            let volts: Vec<u8> = part.iter().flat_map(|c| (trace.volts(*c) as f32).to_le_bytes()).collect();
            archive.add(&format!("analog-1-{channel}-{n}"), &volts)?;
        }
    }
    archive.zip.finish().map(drop).map_err(writing("sr"))
}

struct Archive<W: Write> {
    zip: ZipWriter<StreamWriter<W>>,
}

impl<W: Write> Archive<W> {
    fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), ExportError> {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        self.zip.start_file(name, options).map_err(writing("sr"))?;
        self.zip.write_all(bytes).map_err(writing("sr"))
    }
}

fn metadata(traces: &Traces) -> String {
    format!(
        "[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\ntotal probes=2\nsamplerate={}\n\
         total analog=2\nprobe1=stimulus\nprobe2=response\nanalog3={}\nanalog4={}\nunitsize=1\n",
        rate(traces.stimulus.preamble.x_increment),
        line(traces.stimulus.name),
        line(traces.response.name)
    )
}

/// Whole hertz, in the largest unit that keeps them whole.
fn rate(interval: Picos) -> String {
    let hertz = (SECOND + interval.0 / 2).checked_div(interval.0).unwrap_or(0).max(1);
    match hertz {
        h if h % 1_000_000 == 0 => format!("{} MHz", h / 1_000_000),
        h if h % 1_000 == 0 => format!("{} kHz", h / 1_000),
        h => format!("{h} Hz"),
    }
}

/// A name cannot end the line of the metadata.
fn line(name: &str) -> String {
    name.replace(['\r', '\n', '='], " ")
}

/// Bit 0 is the stimulus, bit 1 the response. A sample after an edge has the state behind it.
fn logic(traces: &Traces, first: u64, stimulus: &[u8], response: &[u8]) -> Vec<u8> {
    let mut samples = vec![0u8; stimulus.len()];
    for (bit, trace, codes) in [(0, &traces.stimulus, stimulus), (1, &traces.response, response)] {
        mark(&mut samples, bit, trace, first, codes);
    }
    samples
}

fn mark(samples: &mut [u8], bit: u8, trace: &Trace, first: u64, codes: &[u8]) {
    let mut state = trace.state_at(first, codes);
    let mut edges = trace.edges_in(first, first + codes.len() as u64).peekable();
    for (index, sample) in (first..).zip(samples) {
        while let Some(edge) = edges.next_if(|e| e.index < index) {
            state = edge.slope == Slope::Rising;
        }
        *sample |= u8::from(state) << bit;
    }
}
