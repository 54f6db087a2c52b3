//! A line of `shots.jsonl`: everything about a shot but its samples.

use super::CaptureError;
use crate::signal::{RawTrace, Role, Segment, Shot};
use crate::units::Picos;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What the board itself counted over one shot, and when the shot was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Board {
    /// Stimuli that were asked for; absent for an external source.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fired: Option<u32>,
    /// Stimuli the board says it fired.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stimuli: Option<u32>,
    /// Stimuli without a response by the board's own count.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lost: Option<u32>,
    /// Bench time when the shot was armed.
    pub armed_ps: Picos,
    /// Bench time when its last byte had arrived.
    pub fetched_ps: Picos,
}

#[derive(Debug, Serialize, Deserialize)]
struct TraceLine {
    role: Role,
    channel: String,
    preamble: String,
    /// First index and length of each segment, in the order their bytes lie in the file.
    segments: Vec<(u32, u64)>,
}

/// One line.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ShotLine {
    pub shot: u32,
    pub offset: u64,
    pub length: u64,
    pub crc32: u32,
    pub seen_waiting: bool,
    pub statuses: Vec<String>,
    pub board: Board,
    traces: Vec<TraceLine>,
}

impl ShotLine {
    /// The line of `shot`, whose bytes start at `offset`.
    pub fn new(shot: &Shot, board: Board, offset: u64) -> ShotLine {
        let traces = [&shot.stimulus, &shot.response];
        let mut hasher = crc32fast::Hasher::new();
        for codes in traces.iter().flat_map(|t| &t.segments).map(|s| &s.codes) {
            hasher.update(codes);
        }
        ShotLine {
            shot: shot.number,
            offset,
            length: traces.iter().flat_map(|t| &t.segments).map(|s| s.codes.len() as u64).sum(),
            crc32: hasher.finalize(),
            seen_waiting: shot.seen_waiting,
            statuses: shot.statuses.clone(),
            board,
            traces: traces.map(TraceLine::new).into(),
        }
    }

    /// The shot, with its bytes put back in place.
    pub fn assemble(self, bytes: &[u8], path: &Path) -> Result<Shot, CaptureError> {
        let found = crc32fast::hash(bytes);
        if found != self.crc32 {
            return Err(CaptureError::Damaged {
                path: path.to_owned(),
                shot: self.shot,
                found,
                stated: self.crc32,
            });
        }
        let mut rest = bytes;
        let mut traces = Vec::new();
        for line in self.traces {
            traces.push(line.fill(&mut rest).ok_or_else(|| bad(path, self.shot))?);
        }
        let mut take = |role: Role| {
            let at = traces.iter().position(|t| t.role == role).ok_or_else(|| bad(path, self.shot))?;
            Ok(traces.swap_remove(at))
        };
        Ok(Shot {
            stimulus: take(Role::Stimulus)?,
            response: take(Role::Response)?,
            number: self.shot,
            statuses: self.statuses,
            seen_waiting: self.seen_waiting,
        })
    }
}

fn bad(path: &Path, shot: u32) -> CaptureError {
    CaptureError::content(
        path,
        None,
        format!("shot {shot} does not name one stimulus and one response trace that fit its bytes"),
    )
}

impl TraceLine {
    fn new(trace: &RawTrace) -> TraceLine {
        TraceLine {
            role: trace.role,
            channel: trace.channel.clone(),
            preamble: trace.preamble.clone(),
            segments: trace.segments.iter().map(|s| (s.first, s.codes.len() as u64)).collect(),
        }
    }

    fn fill(self, rest: &mut &[u8]) -> Option<RawTrace> {
        let mut segments = Vec::with_capacity(self.segments.len());
        for (first, length) in self.segments {
            let (codes, after) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            segments.push(Segment { first, codes: codes.to_vec() });
            *rest = after;
        }
        Some(RawTrace { role: self.role, channel: self.channel, preamble: self.preamble, segments })
    }
}
