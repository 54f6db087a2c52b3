//! Where the cycles between two moments went: the trace of executed instructions, summed by function.

use crate::{Cycles, Symbols};

/// One instruction or exception entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// When it began.
    pub at: Cycles,
    /// Its address; for an exception entry the address it interrupted.
    pub pc: u32,
    /// Core cycles charged.
    pub cycles: u64,
    /// The exception running after it, 0 in thread mode.
    pub exception: u16,
    /// The core slept.
    pub asleep: bool,
}

/// A run of steps in one function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// Function, or `exception entry`, `tail-chain`, `exception return`, `asleep`.
    pub name: String,
    /// The exception it ran in, 0 in thread mode.
    pub exception: u16,
    /// When it began, from the start of the window.
    pub from: Cycles,
    /// Cycles of 128 MHz it took inside the window.
    pub cycles: u64,
    /// Instructions: none for an exception entry or for sleep.
    pub instructions: u64,
}

/// Splits the window from `from` to `to` into stages. Their cycles add up to the window. An edge is stamped with the
/// beginning of the store that makes it, so the instruction that begins at `to` belongs to the path and takes no time.
#[must_use]
pub fn stages(trace: &[Step], symbols: &Symbols, from: Cycles, to: Cycles) -> Vec<Stage> {
    let mut found: Vec<Stage> = Vec::new();
    let (mut covered, mut before) = (from, 0);
    for (index, step) in trace.iter().enumerate() {
        let end = trace.get(index + 1).map_or(to, |next| next.at).min(to);
        let inside = step.at < to && end > from || step.at == to && !step.asleep;
        if inside {
            let name = name_of(step, before, symbols);
            let instructions = u64::from(!step.asleep && name != ENTRY);
            let (exception, cycles) = (step.exception, end.since(covered).0);
            add(&mut found, Stage { name, exception, from: covered.since(from), cycles, instructions });
            covered = end;
        }
        before = step.exception;
    }
    found
}

fn add(stages: &mut Vec<Stage>, next: Stage) {
    match stages.last_mut().filter(|s| s.name == next.name && s.exception == next.exception) {
        Some(stage) => {
            stage.cycles += next.cycles;
            stage.instructions += next.instructions;
        }
        None => stages.push(next),
    }
}

const ENTRY: &str = "exception entry";

/// What an exception entry costs in the interpreter: 12 cycles and eight stacked words. No other step costs as much.
const ENTRY_CYCLES: u64 = 20;

fn name_of(step: &Step, before: u16, symbols: &Symbols) -> String {
    match (before, step.exception) {
        _ if step.asleep => "asleep".to_owned(),
        (from, to) if from == to => symbols.name(step.pc).to_owned(),
        (_, 0) => "exception return".to_owned(),
        _ if step.cycles >= ENTRY_CYCLES => ENTRY.to_owned(),
        _ => "tail-chain".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_fill_the_window() {
        let step = |at, cycles, exception, asleep| Step { at: Cycles(at), pc: 0, cycles, exception, asleep };
        let entry = [step(0, 10, 0, true), step(10, 20, 29, false)];
        let trace =
            [&entry[..], &[step(30, 1, 29, false), step(31, 2, 29, false), step(33, 5, 29, false)]].concat();
        let found = stages(&trace, &Symbols::default(), Cycles(5), Cycles(33));
        let sums: Vec<_> = found.iter().map(|s| (s.name.as_str(), s.cycles, s.instructions)).collect();
        assert_eq!(sums, [("asleep", 5, 0), ("exception entry", 20, 0), ("?", 3, 3)]);
    }
}
