//! The requests of `latency-protocol`, asked until they are answered soundly or given up with the reason.

use super::ByteStream;
use super::wire::{Miss, Wire};
use crate::bench::{BenchError, Clock, DutLink, Hello, Transcript};
use crate::units::Picos;
use latency_protocol::{
    AnswerError, Count, Identity, Refusal, Request, Train, VERSION, conditions, is_name, names,
};
use std::sync::Arc;

/// Tries for an answer that came damaged.
const TRIES: u32 = 4;
/// Tries for an answer that did not come at all; each costs the whole time-out.
const SILENT_TRIES: u32 = 2;

const ADVICE: &str = "is the firmware running and is this its port and baud rate? A board may have two ports";

/// A board whose firmware has said who it is.
pub struct BoardLink {
    wire: Wire,
    hello: Hello,
    /// Stimuli the board had counted before the next train; 0 behind `ARM`, unknown behind a train.
    counted: Option<u32>,
}

/// What an answer is worth.
enum Verdict<T> {
    Sound(T),
    /// Not the answer to this request; asking again may help.
    Odd(String),
    /// Asking again does not help.
    Final(BenchError),
}

impl BoardLink {
    /// Asks the firmware at the other end of `stream` who it is, what it can do, and how it is set up. `wall` is real
    /// time, `timeout` the longest wait for one answer.
    ///
    /// # Errors
    /// [`BenchError::Silent`], [`BenchError::Foreign`], [`BenchError::Noise`], [`BenchError::Protocol`], each with what to
    /// try.
    pub fn connect(
        stream: Box<dyn ByteStream>,
        wall: Arc<dyn Clock>,
        transcript: &Transcript,
        timeout: Picos,
    ) -> Result<BoardLink, BenchError> {
        let mut wire = Wire::new(stream, wall, transcript, timeout);
        wire.quiet().map_err(|source| link("opening it", source))?;
        let hello = hello(&mut wire)?;
        Ok(BoardLink { wire, hello, counted: None })
    }

    /// A request whose answer repeats it.
    fn echoed(&mut self, request: Request<'_>) -> Result<(), BenchError> {
        let text = request.to_string();
        let judge = |payload: &str| {
            if payload == text { Verdict::Sound(()) } else { Verdict::Odd("the echo is another".into()) }
        };
        ask(&mut self.wire, request, judge)
    }

    /// A train may be running although its answer was lost: the counters know.
    fn began(&mut self, before: u32) -> Result<bool, BenchError> {
        let count = self.count()?;
        Ok(count.busy || count.stimuli != before)
    }
}

impl DutLink for BoardLink {
    fn hello(&self) -> &Hello {
        &self.hello
    }

    fn select(&mut self, mode: &str) -> Result<(), BenchError> {
        if !is_name(mode) || !self.hello.modes.iter().any(|m| m == mode) {
            return Err(no_such_mode(&self.hello, mode));
        }
        match self.echoed(Request::SetMode(mode)) {
            Err(BenchError::Declined { refusal, .. }) if refusal == Refusal::Mode.to_string() => {
                return Err(no_such_mode(&self.hello, mode));
            }
            other => other?,
        }
        let now = self.mode()?;
        if now == mode {
            return Ok(());
        }
        let why = format!("`{mode}` was selected and echoed, but another mode is in force");
        Err(BenchError::Reply { what: "board", command: "MODE?".into(), reply: now, why })
    }

    fn mode(&mut self) -> Result<String, BenchError> {
        ask(&mut self.wire, Request::Mode, |payload| {
            if is_name(payload) {
                Verdict::Sound(payload.to_owned())
            } else {
                Verdict::Odd("no mode's name".into())
            }
        })
    }

    fn load(&mut self, name: &str, on: bool) -> Result<(), BenchError> {
        if !is_name(name) {
            let (command, refusal) = (format!("LOAD {name}"), Refusal::Load.to_string());
            return Err(BenchError::Declined { command, refusal });
        }
        self.echoed(Request::Load { name, on })
    }

    fn arm(&mut self) -> Result<(), BenchError> {
        self.echoed(Request::Arm)?;
        self.counted = Some(0);
        Ok(())
    }

    fn fire(&mut self, train: Train) -> Result<(), BenchError> {
        let before = match self.counted.take() {
            Some(counted) => counted,
            None => self.count()?.stimuli,
        };
        let text = Request::Start(train).to_string();
        let mut why = String::new();
        for _ in 0..TRIES {
            match self.wire.exchange(&text) {
                Ok(payload) if payload == text => return Ok(()),
                Ok(payload) => match refusal(&payload) {
                    // The request came damaged: nothing began.
                    Some(Refusal::Syntax | Refusal::Long) => payload.clone_into(&mut why),
                    Some(refusal) => return Err(declined(&text, refusal)),
                    None if self.began(before)? => return Ok(()),
                    None => payload.clone_into(&mut why),
                },
                Err(Miss::Link(source)) => return Err(link(&text, source)),
                Err(Miss::Fatal(e)) => return Err(e),
                Err(miss) if self.began(before)? => {
                    drop(miss);
                    return Ok(());
                }
                Err(miss) => why = reason(&miss),
            }
        }
        Err(BenchError::Noise { command: text, tries: TRIES, why })
    }

    fn count(&mut self) -> Result<Count, BenchError> {
        ask(&mut self.wire, Request::Count, |payload| match Count::parse(payload) {
            Ok(count) => Verdict::Sound(count),
            Err(e) => Verdict::Odd(e.to_string()),
        })
    }

    fn idle(&mut self) -> Result<(), BenchError> {
        self.echoed(Request::Stop)
    }
}

fn hello(wire: &mut Wire) -> Result<Hello, BenchError> {
    let at = wire.name().to_owned();
    let identity = ask(wire, Request::Identity, |payload| judge_identity(&at, payload))?;
    let modes = ask(wire, Request::Modes, |payload| {
        let modes: Vec<String> = names(payload).map(str::to_owned).collect();
        if modes.is_empty() { Verdict::Odd("no names of modes".into()) } else { Verdict::Sound(modes) }
    })?;
    let conditions = ask(wire, Request::Conditions, |payload| {
        let pairs: Vec<_> = conditions(payload).map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
        // An image may state nothing, but then its answer is empty.
        if pairs.is_empty() && !payload.is_empty() {
            Verdict::Odd("no key=value".into())
        } else {
            Verdict::Sound(pairs)
        }
    })?;
    Ok(Hello { modes, conditions, ..identity })
}

fn judge_identity(at: &str, payload: &str) -> Verdict<Hello> {
    match Identity::parse(payload) {
        Ok(i) => Verdict::Sound(Hello {
            board: i.board.to_owned(),
            runtime: i.runtime.to_owned(),
            version: i.version.to_owned(),
            build: i.build.to_owned(),
            modes: Vec::new(),
            conditions: Vec::new(),
        }),
        Err(AnswerError::Version(theirs)) => Verdict::Final(BenchError::Protocol { theirs, ours: VERSION }),
        Err(AnswerError::Foreign) => {
            Verdict::Final(BenchError::Foreign { at: at.to_owned(), reply: shortened(payload) })
        }
        Err(e @ AnswerError::Malformed) => Verdict::Odd(e.to_string()),
    }
}

/// Asks until the answer is sound. Only for requests that may be repeated.
fn ask<T>(
    wire: &mut Wire,
    request: Request<'_>,
    judge: impl Fn(&str) -> Verdict<T>,
) -> Result<T, BenchError> {
    let command = request.to_string();
    let (mut silences, mut last) = (0, None);
    for _ in 0..TRIES {
        let error = match wire.exchange(&command) {
            Ok(payload) => match (refusal(&payload), judge(&payload)) {
                // A request that is right was read wrong: it came damaged.
                (Some(refusal @ (Refusal::Syntax | Refusal::Long)), _) => declined(&command, refusal),
                (Some(refusal), _) => return Err(declined(&command, refusal)),
                (None, Verdict::Sound(value)) => return Ok(value),
                (None, Verdict::Final(error)) => return Err(error),
                (None, Verdict::Odd(why)) => odd(&command, &payload, &why),
            },
            Err(miss) => {
                silences += u32::from(matches!(miss, Miss::Silent));
                missed(wire, &command, miss)?
            }
        };
        last = Some(error);
        if silences >= SILENT_TRIES {
            break;
        }
    }
    Err(last.unwrap_or_else(|| declined(&command, Refusal::Syntax)))
}

/// The error that a miss ends in when it persists; `Err` when asking again is useless.
fn missed(wire: &Wire, command: &str, miss: Miss) -> Result<BenchError, BenchError> {
    Ok(match miss {
        Miss::Silent => BenchError::Silent {
            what: "board",
            command: command.to_owned(),
            timeout: wire.timeout(),
            advice: ADVICE,
        },
        Miss::Unframed(text) => BenchError::Foreign { at: wire.name().to_owned(), reply: shortened(&text) },
        Miss::Damaged(why) => BenchError::Noise { command: command.to_owned(), tries: TRIES, why },
        Miss::Link(source) => return Err(link(command, source)),
        Miss::Fatal(error) => return Err(error),
    })
}

fn refusal(payload: &str) -> Option<Refusal> {
    Refusal::from_payload(payload).ok().flatten()
}

fn reason(miss: &Miss) -> String {
    match miss {
        Miss::Silent => "nothing came".to_owned(),
        Miss::Unframed(text) => format!("`{}` has no checksum", shortened(text)),
        Miss::Damaged(why) => why.clone(),
        Miss::Link(_) | Miss::Fatal(_) => String::new(),
    }
}

fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(80).collect()
}

fn odd(command: &str, payload: &str, why: &str) -> BenchError {
    let (command, reply) = (command.to_owned(), shortened(payload));
    BenchError::Reply {
        what: "board",
        command,
        reply,
        why: format!("{why}; are two programs using the port?"),
    }
}

fn declined(command: &str, refusal: Refusal) -> BenchError {
    BenchError::Declined { command: command.to_owned(), refusal: refusal.to_string() }
}

fn link(command: &str, source: std::io::Error) -> BenchError {
    BenchError::Link { what: "board", doing: format!("exchanging `{command}`"), source }
}

fn no_such_mode(hello: &Hello, mode: &str) -> BenchError {
    BenchError::NoSuchMode {
        board: hello.board.clone(),
        runtime: hello.runtime.clone(),
        mode: mode.to_owned(),
        modes: hello.modes.join(", "),
        advice: String::new(),
    }
}

#[cfg(test)]
mod tests;
