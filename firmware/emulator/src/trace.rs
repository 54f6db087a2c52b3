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
}

/// A run of steps in one function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// Function, or `exception entry`, `tail-chain`, `exception return`.
    pub name: String,
    /// The exception it ran in, 0 in thread mode.
    pub exception: u16,
    /// When it began, from the start of the window.
    pub from: Cycles,
    /// Cycles of 128 MHz it took inside the window.
    pub cycles: u64,
    /// Instructions.
    pub instructions: u64,
}

/// Splits the window from `from` to `to` into stages. Their cycles add up to the window.
#[must_use]
pub fn stages(trace: &[Step], symbols: &Symbols, from: Cycles, to: Cycles) -> Vec<Stage> {
    let mut found: Vec<Stage> = Vec::new();
    let mut covered = from;
    for (index, step) in trace.iter().enumerate() {
        let end = trace.get(index + 1).map_or(to, |next| next.at).min(to);
        if step.at >= to || end <= from {
            continue;
        }
        let before = index.checked_sub(1).and_then(|i| trace.get(i)).map_or(0, |s| s.exception);
        let name = name_of(step, before, symbols);
        let cycles = end.since(covered).0;
        match found.last_mut().filter(|s| s.name == name && s.exception == step.exception) {
            Some(stage) => {
                stage.cycles += cycles;
                stage.instructions += 1;
            }
            None => found.push(Stage {
                name,
                exception: step.exception,
                from: covered.since(from),
                cycles,
                instructions: 1,
            }),
        }
        covered = end;
    }
    found
}

/// What an exception entry costs in the interpreter: 12 cycles and eight stacked words. No other step costs as much.
const ENTRY: u64 = 20;

fn name_of(step: &Step, before: u16, symbols: &Symbols) -> String {
    match (before, step.exception) {
        (from, to) if from == to => symbols.name(step.pc).to_owned(),
        (_, 0) => "exception return".to_owned(),
        _ if step.cycles >= ENTRY => "exception entry".to_owned(),
        _ => "tail-chain".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_fill_the_window() {
        let step = |at, cycles, exception| Step { at: Cycles(at), pc: 0, cycles, exception };
        let trace = [step(0, 10, 0), step(10, 20, 29), step(30, 1, 29), step(31, 2, 29), step(33, 5, 29)];
        let found = stages(&trace, &Symbols::default(), Cycles(5), Cycles(33));
        let sums: Vec<_> = found.iter().map(|s| (s.name.as_str(), s.cycles, s.instructions)).collect();
        assert_eq!(sums, [("?", 5, 1), ("exception entry", 20, 1), ("?", 3, 2)]);
    }
}
