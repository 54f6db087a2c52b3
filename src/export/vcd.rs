//! A shot as a value change dump (IEEE Std 1364-2005, clause 18): two wires and two real variables.
//!
//! The wires change at the interpolated instants of the edges, to the picosecond, so that a reader finds the very pairs
//! of the report; the real variables change where the codes do. A dump cannot begin before 0: times count from the
//! first sample, and a comment says where the trigger was. Between windows the wires are unknown.

use super::error::{ExportError, writing};
use super::traces::{Trace, Traces};
use crate::signal::{Shot, Slope};
use crate::units::Picos;
use std::io::{BufWriter, Write};

/// Identifiers of wires and real variables, stimulus first.
const WIRES: [char; 2] = ['!', '"'];
const REALS: [char; 2] = ['#', '$'];

/// Writes `shot` with the wires `stimulus` and `response` and the channels under the instrument's names.
///
/// # Errors
/// [`ExportError`] when the channels do not belong together, cannot be read, or the target takes no more.
pub fn vcd(shot: &Shot, target: impl Write) -> Result<(), ExportError> {
    let traces = Traces::of(shot)?;
    let mut target = BufWriter::new(target);
    let write = |target: &mut BufWriter<_>| -> std::io::Result<()> {
        header(&traces, target)?;
        let origin = traces.segments().next().map_or(Picos::ZERO, |(first, _, _)| traces.time(first));
        let mut last = None;
        for (first, stimulus, response) in traces.segments() {
            if let Some(end) = last {
                writeln!(
                    target,
                    "#{}\nx{}\nx{}",
                    (traces.time(end) + Picos(1) - origin).0,
                    WIRES[0],
                    WIRES[1]
                )?;
            }
            last = Some(first + stimulus.len().saturating_sub(1) as u64);
            segment(&traces, (first, stimulus, response), origin, target)?;
        }
        target.flush()
    };
    write(&mut target).map_err(writing("vcd"))
}

fn header(traces: &Traces, target: &mut impl Write) -> std::io::Result<()> {
    let origin = traces.segments().next().map_or(Picos::ZERO, |(first, _, _)| traces.time(first));
    writeln!(target, "$version latency-cli {} $end", env!("CARGO_PKG_VERSION"))?;
    writeln!(target, "$comment shot {}; the trigger is at {} ps $end", traces.shot, -origin.0)?;
    writeln!(target, "$timescale 1 ps $end\n$scope module shot $end")?;
    writeln!(target, "$var wire 1 {} stimulus $end\n$var wire 1 {} response $end", WIRES[0], WIRES[1])?;
    for (id, trace) in REALS.iter().zip([&traces.stimulus, &traces.response]) {
        writeln!(target, "$var real 64 {id} {} $end", trace.name.replace(char::is_whitespace, "_"))?;
    }
    writeln!(target, "$upscope $end\n$enddefinitions $end")
}

/// A window: index of its first sample, codes of both channels.
type Window<'a> = (u64, &'a [u8], &'a [u8]);

fn segment(
    traces: &Traces,
    (first, stimulus, response): Window,
    origin: Picos,
    target: &mut impl Write,
) -> std::io::Result<()> {
    let mut out = Changes { target, origin, now: None };
    let start = traces.time(first);
    let both = [(&traces.stimulus, stimulus), (&traces.response, response)];
    for ((trace, codes), id) in both.iter().zip(WIRES) {
        out.wire(start, trace.state_at(first, codes), id)?;
    }
    let end = first + stimulus.len() as u64;
    let mut edges = edges_of(traces, first, end).into_iter().peekable();
    let mut before = [None; 2];
    for (index, codes) in (first..end).zip(stimulus.iter().zip(response).map(|(s, r)| [*s, *r])) {
        for (((code, before), (trace, _)), id) in codes.iter().zip(&mut before).zip(&both).zip(REALS) {
            if before.replace(*code) != Some(*code) {
                out.real(traces.time(index), trace, *code, id)?;
            }
        }
        while let Some((_, at, slope, id)) = edges.next_if(|(of, ..)| *of <= index) {
            out.wire(at, slope == Slope::Rising, id)?;
        }
    }
    out.stamp(traces.time(end.saturating_sub(1)))
}

/// Index, instant, direction and wire of all edges of a window, in the order of time.
fn edges_of(traces: &Traces, from: u64, to: u64) -> Vec<(u64, Picos, Slope, char)> {
    let of = |trace: &Trace, id: char| -> Vec<(u64, Picos, Slope, char)> {
        trace.edges_in(from, to).map(|e| (e.index, e.at, e.slope, id)).collect()
    };
    let mut all = of(&traces.stimulus, WIRES[0]);
    all.extend(of(&traces.response, WIRES[1]));
    all.sort_by_key(|(_, at, ..)| *at);
    all
}

/// Writes changes, with the time before the first of an instant.
struct Changes<'t, W> {
    target: &'t mut W,
    origin: Picos,
    now: Option<Picos>,
}

impl<W: Write> Changes<'_, W> {
    fn stamp(&mut self, at: Picos) -> std::io::Result<()> {
        if self.now.is_none_or(|now| at > now) {
            self.now = Some(at);
            writeln!(self.target, "#{}", (at - self.origin).0)?;
        }
        Ok(())
    }
    fn wire(&mut self, at: Picos, high: bool, id: char) -> std::io::Result<()> {
        self.stamp(at)?;
        writeln!(self.target, "{}{id}", u8::from(high))
    }
    fn real(&mut self, at: Picos, trace: &Trace, code: u8, id: char) -> std::io::Result<()> {
        self.stamp(at)?;
        writeln!(self.target, "r{} {id}", trace.volts(code) as f32)
    }
}
