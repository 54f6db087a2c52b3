//! Drives a bench by a plan into a run folder.

use super::configuration::Configuration;
use super::{Event, SessionError};
use crate::bench::{Bench, BenchError, Hello};
use crate::capture::Writer;
use crate::plan::{ConfigurationPlan, RunPlan};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// Everything a run needs.
pub struct Recording<'a> {
    /// What to do.
    pub plan: &'a RunPlan,
    /// With what.
    pub bench: &'a mut Bench,
    /// Where the evidence goes.
    pub writer: &'a mut Writer,
    /// Who watches.
    pub observer: &'a mut dyn FnMut(&Event),
    /// Set when the user wants to stop.
    pub stop: &'a AtomicBool,
    /// Image name to the command that flashes it, for the hint when a mode is missing.
    pub flash: &'a BTreeMap<String, String>,
}

impl Recording<'_> {
    /// Measures every configuration of the plan. The board is idle and the scope as it was found afterwards, also
    /// after an error. True when every configuration has its pairs.
    ///
    /// # Errors
    /// When the bench or the disk fails, the user stops, or no configuration can run on this board.
    pub fn run(&mut self) -> Result<bool, SessionError> {
        let result = self.configurations();
        let idle = self.bench.dut.as_mut().map_or(Ok(()), |dut| dut.idle());
        let restored = self.bench.scope.restore();
        let complete = result?;
        idle?;
        restored?;
        Ok(complete)
    }

    fn configurations(&mut self) -> Result<bool, SessionError> {
        let mut complete = true;
        let mut measured = 0;
        let mut reasons = Vec::new();
        for plan in &self.plan.configurations {
            self.check_stop(&plan.name)?;
            match self.missing(plan) {
                Some(why) => {
                    complete = false;
                    self.emit(Event::Skipped { configuration: plan.name.clone(), why: why.clone() })?;
                    reasons.push(why);
                }
                None => {
                    measured += 1;
                    complete &= Configuration::new(self, plan).run()?;
                }
            }
        }
        if measured == 0 { Err(SessionError::Nothing(reasons.join("; "))) } else { Ok(complete) }
    }

    /// Why the board cannot run this configuration, with the command that would help.
    fn missing(&self, plan: &ConfigurationPlan) -> Option<String> {
        let hello = self.bench.dut.as_ref()?.hello();
        if hello.modes.contains(&plan.mode) {
            return None;
        }
        Some(no_such_mode(hello, &plan.mode, self.flash.get(&plan.name)).to_string())
    }

    pub(super) fn check_stop(&self, configuration: &str) -> Result<(), SessionError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(bench_error(configuration)(BenchError::Interrupted));
        }
        Ok(())
    }

    pub(super) fn emit(&mut self, event: Event) -> Result<(), SessionError> {
        self.writer.event(&event)?;
        (self.observer)(&event);
        Ok(())
    }
}

fn no_such_mode(hello: &Hello, mode: &str, flash: Option<&String>) -> BenchError {
    BenchError::NoSuchMode {
        board: hello.board.clone(),
        runtime: hello.runtime.clone(),
        mode: mode.to_owned(),
        modes: hello.modes.join(", "),
        advice: flash.map(|command| format!("; flash the image that has it: {command}")).unwrap_or_default(),
    }
}

/// Says in which configuration the bench failed.
pub(super) fn bench_error(configuration: &str) -> impl Fn(BenchError) -> SessionError {
    let configuration = configuration.to_owned();
    move |source| SessionError::Bench { configuration: configuration.clone(), source: Box::new(source) }
}
