//! What really happened, written beside what the instruments show.
//!
//! CSV with one block of rows per completed single acquisition:
//!
//! ```text
//! shot,pair,stimulus_ps,response_ps,latency_ps
//! 1,1,0,1911640,1911640        a stimulus and its response
//! 1,2,12000000,,               a stimulus without one
//! 1,3,30000000,47300000,17300000   a late one: the response comes after stimulus 4
//! 1,,,61200000,                a second response that no stimulus caused
//! ```
//!
//! Times are picoseconds after the instant at which the scope triggered, in the time of the board: no skew, no error
//! of the scope's clock, no sampling. A row is there for each stimulus inside the record; its response is the true one
//! even where the record ends before it. Shots count completed single acquisitions from 1, forced ones included.

use super::schedule::Event;
use crate::units::Picos;
use std::io::Write;

/// Writes the blocks. A writer that fails is dropped, with the rest of the truth: the bench goes on.
pub(super) struct Truth {
    out: Option<Box<dyn Write + Send>>,
    shot: u64,
}

impl Truth {
    /// Starts the file; without a writer nothing is kept.
    pub(super) fn new(out: Option<Box<dyn Write + Send>>) -> Truth {
        let mut truth = Truth { out, shot: 0 };
        truth.write("shot,pair,stimulus_ps,response_ps,latency_ps\n");
        truth
    }

    fn write(&mut self, text: &str) {
        let written = self.out.as_mut().map(|out| out.write_all(text.as_bytes()).and_then(|()| out.flush()));
        if matches!(written, Some(Err(_))) {
            self.out = None;
        }
    }

    /// One completed acquisition: the events in it, the instant of the trigger, the stretch recorded.
    pub(super) fn shot(&mut self, events: &[Event], trigger: Picos, from: Picos, to: Picos) {
        self.shot += 1;
        if self.out.is_none() {
            return;
        }
        let mut rows = String::new();
        let inside = |t: Picos| t >= from && t <= to;
        let shown = |t: Option<Picos>| t.map(|t| t.0.to_string()).unwrap_or_default();
        let mut pair = 0;
        for event in events {
            if inside(event.stimulus) {
                pair += 1;
                let stimulus = event.stimulus - trigger;
                let response = shown(event.response.map(|r| r - trigger));
                let latency = shown(event.response.map(|r| r - event.stimulus));
                rows.push_str(&format!("{},{pair},{},{response},{latency}\n", self.shot, stimulus.0));
            }
            if let Some(extra) = event.extra.filter(|e| inside(*e)) {
                rows.push_str(&format!("{},,,{},\n", self.shot, (extra - trigger).0));
            }
        }
        self.write(&rows);
    }
}
