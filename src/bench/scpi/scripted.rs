//! A transport that plays a script: exact lines out, exact bytes back. What differs or is left over fails the test.

use super::{Dialogue, Transport};
use crate::bench::clock::SteppedClock;
use crate::bench::{Clock, Transcript};
use crate::units::Picos;
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex};

#[derive(Debug)]
enum Step {
    Line { expect: String, reply: Vec<u8> },
    Reconnect,
}

/// Lines and answers in order.
#[derive(Debug, Default)]
pub(in crate::bench) struct Script(VecDeque<Step>);

impl Script {
    pub(in crate::bench) fn new() -> Script {
        Script::default()
    }
    fn step(mut self, expect: &str, reply: &[u8]) -> Script {
        self.0.push_back(Step::Line { expect: expect.to_owned(), reply: reply.to_vec() });
        self
    }
    /// A line that is answered by exactly `reply`.
    pub(in crate::bench) fn bytes(self, expect: &str, reply: &[u8]) -> Script {
        self.step(expect, reply)
    }
    /// A line without an answer of its own; `reply` as it is.
    pub(in crate::bench) fn say(self, expect: &str, reply: &str) -> Script {
        self.step(expect, reply.as_bytes())
    }
    /// A query and its answer line.
    pub(in crate::bench) fn ask(self, expect: &str, reply: &str) -> Script {
        self.step(expect, format!("{reply}\n").as_bytes())
    }
    /// A setting and its confirmation.
    pub(in crate::bench) fn set(self, expect: &str) -> Script {
        self.say(expect, "").ask("*OPC?", "1")
    }
    /// A query and a block as this family sends it.
    pub(in crate::bench) fn block(self, expect: &str, data: &[u8]) -> Script {
        let mut reply = format!("#9{:09}", data.len()).into_bytes();
        reply.extend_from_slice(data);
        reply.push(b'\n');
        self.step(expect, &reply)
    }
    /// A query that is never answered.
    pub(in crate::bench) fn silent(self, expect: &str) -> Script {
        self.step(expect, b"")
    }
    /// The connection is made anew.
    pub(in crate::bench) fn reconnect(mut self) -> Script {
        self.0.push_back(Step::Reconnect);
        self
    }
    /// Another script behind this one.
    pub(in crate::bench) fn then(mut self, mut other: Script) -> Script {
        self.0.append(&mut other.0);
        self
    }
}

/// What is left of a script.
#[derive(Clone)]
pub(in crate::bench) struct Rest(Arc<Mutex<VecDeque<Step>>>);

impl Rest {
    /// The script was played to its end.
    pub(in crate::bench) fn finished(&self) {
        let left = self.0.lock().unwrap();
        assert!(left.is_empty(), "not reached: {left:?}");
    }
}

struct Player {
    steps: Arc<Mutex<VecDeque<Step>>>,
    unread: VecDeque<u8>,
}

impl Player {
    fn take(&mut self, n: usize) -> io::Result<Vec<u8>> {
        if self.unread.len() < n {
            return Err(ErrorKind::TimedOut.into());
        }
        Ok(self.unread.drain(..n).collect())
    }
}

impl Transport for Player {
    fn name(&self) -> &str {
        "script"
    }
    fn begin(&mut self, _: Picos) {}
    fn unread(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.unread.drain(..).collect())
    }
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let line =
            std::str::from_utf8(bytes).unwrap().strip_suffix('\n').expect("a line ends in a line feed (Q25)");
        match self.steps.lock().unwrap().pop_front() {
            Some(Step::Line { expect, reply }) => {
                assert_eq!(line, expect, "another line was expected");
                self.unread.extend(reply);
            }
            other => panic!("`{line}` came where {other:?} was expected"),
        }
        Ok(())
    }
    fn read_line(&mut self, _: usize) -> io::Result<Vec<u8>> {
        let end = self.unread.iter().position(|b| *b == b'\n').ok_or(ErrorKind::TimedOut)?;
        let mut line = self.take(end + 1)?;
        line.pop();
        Ok(line)
    }
    fn read_exact(&mut self, into: &mut [u8]) -> io::Result<()> {
        let bytes = self.take(into.len())?;
        into.copy_from_slice(&bytes);
        Ok(())
    }
    fn reconnect(&mut self) -> io::Result<()> {
        let step = self.steps.lock().unwrap().pop_front();
        assert!(matches!(step, Some(Step::Reconnect)), "reconnected where {step:?} was expected");
        self.unread.clear();
        Ok(())
    }
}

/// A dialogue that plays `script`, its clock, and what is left of the script.
pub(in crate::bench) fn dialogue_with_clock(script: Script) -> (Dialogue, Arc<SteppedClock>, Rest) {
    let steps = Arc::new(Mutex::new(script.0));
    let clock = Arc::new(SteppedClock::new());
    let shared: Arc<dyn Clock> = clock.clone();
    let transcript = Transcript::new(Box::new(io::sink()), shared.clone());
    let player = Player { steps: steps.clone(), unread: VecDeque::new() };
    let dialogue = Dialogue::new(Box::new(player), shared, &transcript, Picos::from_s(2));
    (dialogue, clock, Rest(steps))
}

/// As [`dialogue_with_clock`], where time does not matter.
pub(in crate::bench) fn dialogue(script: Script) -> (Dialogue, Rest) {
    let (dialogue, _, rest) = dialogue_with_clock(script);
    (dialogue, rest)
}
