//! The Rigol DS1000Z family behind the five verbs.
//!
//! `connect` asks who it is and changes nothing; `models` holds what differs between instruments and what they do wrong;
//! `settings` the rows that are written and read back; `apply` writes, verifies and puts them back; `trigger` says what a
//! status is worth; `acquire` starts and awaits an acquisition; `gauge` measures the link; `readout` reads the record; `recovery` makes a failed
//! connection new.
//!
//! It refuses: settings that read back differently, records that may be old or of two acquisitions, preambles that
//! don't fit what was set, and firmware that miscounts its points. Facts and quirk ids (Qnn) are those of the project's
//! collection on this family; page numbers those of the programming guide.

mod acquire;
mod apply;
mod connect;
mod gauge;
pub mod models;
mod readout;
mod recovery;
mod screen;
mod settings;
#[cfg(test)]
mod tests;
mod trigger;

use super::scpi::Dialogue;
use super::{Armed, BenchError, Clock, Identity, Oscilloscope, Triggered};
use crate::plan::{Applied, Capabilities, Reading, Setup};
use crate::signal::Shot;
use crate::units::Picos;
use models::Behaviour;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A connected scope of this family.
pub struct Ds1000z {
    dialogue: Dialogue,
    clock: Arc<dyn Clock>,
    identity: Identity,
    capabilities: Capabilities,
    behaviour: Behaviour,
    /// What was set before the first change.
    saved: Option<apply::Saved>,
    /// What is set.
    active: Option<apply::Active>,
    /// The acquisition that was started last.
    pending: Option<acquire::Pending>,
    /// Since when the scope is known to be stopped; `None` when it may be running.
    stopped_since: Option<Picos>,
    /// Shots fetched since the last setup.
    shots: u32,
    /// Digests of the record that was read last.
    last: Option<Vec<readout::Print>>,
    recoveries: recovery::Recoveries,
    bytes_read: u64,
    /// Several statements on one line were seen to be answered in order.
    one_line: bool,
    /// Set when the user wants to stop.
    stop: Arc<AtomicBool>,
}

impl Oscilloscope for Ds1000z {
    fn identity(&self) -> &Identity {
        &self.identity
    }
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }
    fn behaviour(&self) -> serde_json::Value {
        serde_json::to_value(&self.behaviour).unwrap_or_default()
    }
    fn apply(&mut self, setup: &Setup) -> Result<Applied, BenchError> {
        recovery::with(self, |scope| apply::apply(scope, setup))
    }
    fn arm(&mut self, gated: bool) -> Result<Armed, BenchError> {
        recovery::with(self, |scope| acquire::arm(scope, gated))
    }
    fn wait(&mut self, armed: Armed, timeout: Picos) -> Result<Triggered, BenchError> {
        let mut progress = acquire::Progress::new(armed, self.clock.now(), timeout);
        recovery::with(self, |scope| acquire::wait(scope, &mut progress))
    }
    fn interrupt_by(&mut self, stop: Arc<AtomicBool>) {
        self.stop = stop;
    }
    fn read(&mut self, triggered: Triggered, reading: &Reading) -> Result<Shot, BenchError> {
        recovery::with(self, |scope| readout::fetch(scope, &triggered, reading))
    }
    fn gauge(&mut self) -> Result<(), BenchError> {
        gauge::gauge(self)
    }
    fn restore(&mut self) -> Result<(), BenchError> {
        apply::restore(self)
    }
    fn query(&mut self, command: &str) -> Result<String, BenchError> {
        screen::query(self, command)
    }
    fn screenshot(&mut self) -> Result<Vec<u8>, BenchError> {
        screen::screenshot(self)
    }
    fn bytes_read(&self) -> u64 {
        self.bytes_read
    }
}

/// An answer that is not what the command answers.
fn wrong_reply(command: &str, reply: &str, why: impl Into<String>) -> BenchError {
    let reply = reply.chars().take(80).collect();
    BenchError::Reply { what: "scope", command: command.to_owned(), reply, why: why.into() }
}
