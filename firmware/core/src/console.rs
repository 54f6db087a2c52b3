//! Requests to board calls, board state to answers.

use crate::{Answer, Board, Fault};
use core::fmt::{self, Write};
use latency_protocol::{LineBuffer, LineError, Refusal, Request, Train};

/// The console's state: the line being typed, what was asked for and the fault of the last train.
#[derive(Debug, Clone, Default)]
pub struct Console {
    line: LineBuffer,
    state: State,
}

#[derive(Debug, Clone, Default)]
struct State {
    fault: Option<Fault>,
    /// A train that waits for its answer to be out.
    pending: Option<Train>,
}

impl Console {
    /// A console with an empty line.
    #[must_use]
    pub const fn new() -> Console {
        Console { line: LineBuffer::new(), state: State { fault: None, pending: None } }
    }

    /// Takes one received byte; gives the answer when it ends a line. [`Console::sent`] is to be called when it is out.
    pub fn byte(&mut self, byte: u8, board: &mut impl Board) -> Option<Answer> {
        self.sent(board);
        let request = match self.line.push(byte)? {
            Ok(line) => Request::parse(line),
            Err(LineError::Long) => Err(Refusal::Long),
            Err(LineError::Text) => Err(Refusal::Syntax),
        };
        // The request borrows the line buffer: the rest is passed beside it instead of through `self`.
        let answered = request.and_then(|request| answer(request, board, &mut self.state));
        Some(answered.unwrap_or_else(Answer::refusal))
    }

    /// The last answer has left the board: a train that was asked for begins. Not earlier, so that neither writing nor
    /// sending the answer falls into the train and shows up in somebody's latency.
    pub fn sent(&mut self, board: &mut impl Board) {
        if let Some(train) = self.state.pending.take() {
            board.start(train);
        }
    }

    /// To be called whenever nothing came in: keeps the watchdog fed and ends a train that does not go on.
    pub fn poll(&mut self, board: &mut impl Board) {
        if let Some(fault) = board.service() {
            board.stop();
            self.state.fault = Some(fault);
        }
    }
}

fn answer(request: Request<'_>, board: &mut impl Board, state: &mut State) -> Result<Answer, Refusal> {
    match request {
        Request::Identity => Ok(said(board.identity())),
        Request::Conditions => Ok(Answer::new(|out| conditions(out, board, state.fault))),
        Request::Modes => Ok(Answer::new(|out| joined(out, board.modes(), ","))),
        Request::Mode => Ok(said(board.modes().nth(board.mode()).unwrap_or("none"))),
        Request::Count => Ok(said(board.count())),
        Request::Rate => Ok(said(board.log_hz())),
        Request::Log => Ok(board.pop().map_or_else(|| said("END"), said)),
        Request::Stop => {
            board.stop();
            Ok(said(request))
        }
        _ => change(request, board, state).map(|()| said(request)),
    }
}

/// What only an idle board does: it is refused while a train runs.
fn change(request: Request<'_>, board: &mut impl Board, state: &mut State) -> Result<(), Refusal> {
    match request {
        Request::SetMode(name) => {
            let mode = index(board.modes(), name).ok_or(Refusal::Mode)?;
            idle(board)?;
            board.select(mode);
            state.fault = None;
        }
        Request::Load { name, on } => {
            let load = index(board.loads(), name).ok_or(Refusal::Load)?;
            idle(board)?;
            board.load(load, on);
        }
        Request::Start(train) => {
            startable(train, board)?;
            state.pending = Some(train);
        }
        _ => {
            idle(board)?;
            board.arm();
            state.fault = None;
        }
    }
    Ok(())
}

fn startable(train: Train, board: &impl Board) -> Result<(), Refusal> {
    idle(board)?;
    if train.min_us < board.min_gap_us() { Err(Refusal::Range) } else { Ok(()) }
}

fn idle(board: &impl Board) -> Result<(), Refusal> {
    if board.count().busy { Err(Refusal::Busy) } else { Ok(()) }
}

fn index<'a>(mut names: impl Iterator<Item = &'a str>, name: &str) -> Option<usize> {
    names.position(|n| n == name)
}

fn said(payload: impl fmt::Display) -> Answer {
    Answer::new(|out| write!(out, "{payload}"))
}

fn joined<'a>(out: &mut dyn Write, words: impl Iterator<Item = &'a str>, between: &str) -> fmt::Result {
    for (i, word) in words.enumerate() {
        if i > 0 {
            out.write_str(between)?;
        }
        out.write_str(word)?;
    }
    Ok(())
}

fn conditions(out: &mut dyn Write, board: &impl Board, fault: Option<Fault>) -> fmt::Result {
    let c = board.conditions();
    write!(out, "clock_hz={} gpiote={} cache={} isr={} ", c.clock_hz, c.gpiote, c.cache, c.isr)?;
    write!(out, "priority={} loads=", c.priority)?;
    let on = || board.loads().enumerate().filter(|(i, _)| board.loaded(*i)).map(|(_, name)| name);
    match on().next() {
        None => out.write_str("none")?,
        Some(_) => joined(out, on(), "+")?,
    }
    let fault = fault.map_or("none", Fault::name);
    write!(out, " hfclk={} min_gap_us={} reset={} fault={fault}", c.source, board.min_gap_us(), c.reset)
}
