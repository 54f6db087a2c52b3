//! One edge of one mode, cut into stages: exception entry, then each function in turn, up to the edge on the response
//! pin. Drives the image over its own protocol.

use crate::{Cycles, Edge, Emulator, EmulatorError, Pin, Stage, stages};
use latency_protocol::{AnswerError, Count, FrameError, Refusal, Request, Train, unframe};
use thiserror::Error;

/// Stimuli of the run; the last one is cut up, so that lazily initialised paths are warm.
const STIMULI: u32 = 3;
/// Wide enough for the slowest mode.
const GAP_US: u32 = 2_000;
const ANSWER: Cycles = Cycles::from_millis(500);

/// Why there is no breakdown.
#[derive(Debug, Error)]
pub enum BreakdownError {
    /// The run ended.
    #[error(transparent)]
    Emulator(#[from] EmulatorError),
    /// An answer came damaged.
    #[error("the answer `{answer}` to `{request}` is damaged: {error}")]
    Damaged {
        /// The request.
        request: String,
        /// The answer.
        answer: String,
        /// What is wrong with it.
        error: FrameError,
    },
    /// The image refused.
    #[error("the image refuses `{request}`: {refusal}; `MODES?` lists its modes")]
    Refused {
        /// The request.
        request: String,
        /// The answer.
        refusal: Refusal,
    },
    /// The answer to `COUNT?` cannot be read.
    #[error("the answer to `COUNT?` cannot be read: {0}")]
    Count(AnswerError),
    /// The stimulus was not answered.
    #[error("mode `{0}` did not answer its stimulus")]
    Unanswered(String),
}

/// Where the cycles of one response went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breakdown {
    /// The mode.
    pub mode: String,
    /// From the edge on the input to the edge on the response pin.
    pub latency: Cycles,
    /// Stages in order; their cycles add up to the latency.
    pub stages: Vec<Stage>,
}

/// Runs `mode` and cuts up its last response.
///
/// # Errors
/// [`BreakdownError`].
pub fn breakdown(emulator: &mut Emulator, mode: &str) -> Result<Breakdown, BreakdownError> {
    emulator.step_until(Emulator::BOOT)?;
    ask(emulator, &Request::SetMode(mode))?;
    ask(emulator, &Request::Arm)?;
    let mark = emulator.edge_mark();
    let train = Train { count: STIMULI, min_us: GAP_US, max_us: GAP_US, seed: 1 };
    emulator.start_trace();
    ask(emulator, &Request::Start(train))?;
    while Count::parse(&ask(emulator, &Request::Count)?).map_err(BreakdownError::Count)?.busy {
        emulator.run_for(Cycles::from_millis(1))?;
    }
    let trace = emulator.take_trace();
    let edges = emulator.edges_since(mark);
    let (from, to) = last_pair(&edges).ok_or_else(|| BreakdownError::Unanswered(mode.to_owned()))?;
    let stages = stages(&trace, emulator.symbols(), from, to);
    Ok(Breakdown { mode: mode.to_owned(), latency: to.since(from), stages })
}

/// Asks and gives the answer without its checksum.
fn ask(emulator: &mut Emulator, request: &Request<'_>) -> Result<String, BreakdownError> {
    let line = request.to_string();
    let answer = emulator.exchange(&line, ANSWER)?;
    let payload = unframe(&answer).map_err(|error| BreakdownError::Damaged {
        request: line.clone(),
        answer: answer.clone(),
        error,
    })?;
    match Refusal::from_payload(payload) {
        Ok(Some(refusal)) => Err(BreakdownError::Refused { request: line, refusal }),
        _ => Ok(payload.to_owned()),
    }
}

fn last_pair(edges: &[Edge]) -> Option<(Cycles, Cycles)> {
    let rise = |pin: Pin| edges.iter().rev().find(|e| e.pin == pin && e.high).map(|e| e.at);
    let (from, to) = (rise(Pin::INPUT)?, rise(Pin::RESPONSE)?);
    (to >= from).then_some((from, to))
}
