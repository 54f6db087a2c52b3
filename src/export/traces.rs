//! Both channels of a shot side by side: times, volts, and the logic states that the edges divide.

use super::error::ExportError;
use crate::signal::{Edge, Edges, Preamble, RawTrace, Segment, Shot, SignalError, Slope, edges_or_silence};
use crate::units::Picos;

/// One channel, understood.
pub(super) struct Trace<'a> {
    pub name: &'a str,
    pub preamble: Preamble,
    pub segments: &'a [Segment],
    pub edges: Edges,
}

impl<'a> Trace<'a> {
    fn of(raw: &'a RawTrace) -> Result<Trace<'a>, ExportError> {
        let edges = edges_or_silence(raw, None)?;
        let named = |source| SignalError::Preamble { channel: raw.channel.clone(), source };
        let preamble = raw.preamble.parse().map_err(named)?;
        Ok(Trace { name: &raw.channel, preamble, segments: &raw.segments, edges })
    }

    /// Programming guide 2-242.
    pub fn volts(&self, code: u8) -> f64 {
        (f64::from(code) - self.preamble.y_origin - self.preamble.y_reference) * self.preamble.y_increment.0
    }

    /// The state in which a segment begins: the one that its first edge leaves, or the side of its first sample.
    pub fn state_at(&self, first: u64, codes: &[u8]) -> bool {
        let end = first + codes.len() as u64;
        match self.edges_in(first, end).next() {
            Some(edge) => edge.slope == Slope::Falling,
            None => codes
                .first()
                .is_some_and(|c| f64::from(*c) >= self.edges.thresholds.middle && !self.is_silent()),
        }
    }

    fn is_silent(&self) -> bool {
        self.edges.list.is_empty() && self.edges.thresholds.middle == 0.0
    }

    /// Edges with `from <= index < to`.
    pub fn edges_in(&self, from: u64, to: u64) -> impl Iterator<Item = &Edge> {
        let begin = self.edges.list.partition_point(|e| e.index < from);
        self.edges.list.iter().skip(begin).take_while(move |e| e.index < to)
    }
}

/// Both channels of one shot, on one time axis.
pub(super) struct Traces<'a> {
    pub shot: u32,
    pub stimulus: Trace<'a>,
    pub response: Trace<'a>,
}

impl<'a> Traces<'a> {
    pub fn of(shot: &'a Shot) -> Result<Traces<'a>, ExportError> {
        let (stimulus, response) = (Trace::of(&shot.stimulus)?, Trace::of(&shot.response)?);
        let axis = |t: &Trace| {
            let parts: Vec<(u32, usize)> = t.segments.iter().map(|s| (s.first, s.codes.len())).collect();
            (t.preamble.x_increment, t.preamble.x_origin, t.preamble.x_reference, parts)
        };
        match axis(&stimulus) == axis(&response) {
            true => Ok(Traces { shot: shot.number, stimulus, response }),
            false => Err(ExportError::Unaligned { shot: shot.number }),
        }
    }

    /// Time of a sample.
    pub fn time(&self, index: u64) -> Picos {
        let p = &self.stimulus.preamble;
        let steps = i64::try_from(index).unwrap_or(i64::MAX).saturating_sub(p.x_reference);
        p.x_origin + p.x_increment * steps
    }

    /// The segments of both: index of the first sample and the codes.
    pub fn segments(&self) -> impl Iterator<Item = (u64, &'a [u8], &'a [u8])> {
        let pairs = self.stimulus.segments.iter().zip(self.response.segments);
        pairs.map(|(s, r)| (u64::from(s.first), s.codes.as_slice(), r.codes.as_slice()))
    }

    /// The only segment, for formats without gaps.
    pub fn whole(&self, format: &'static str) -> Result<(u64, &'a [u8], &'a [u8]), ExportError> {
        let mut all = self.segments();
        match (all.next(), all.next()) {
            (Some(one), None) => Ok(one),
            _ => {
                let windows = self.stimulus.segments.len();
                Err(ExportError::Windowed { shot: self.shot, windows, format })
            }
        }
    }
}
