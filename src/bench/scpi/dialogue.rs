//! Exchanges: a command and its answer, a setting and its confirmation, a query and its block.
//!
//! Every exchange has a deadline and stands in the transcript. After a time-out, a failed link or a block that cannot
//! be read, where the stream stands is unknown: the next bytes may be the late answer to the question before (Q23).
//! The dialogue then refuses every exchange until [`Dialogue::reconnect`].

use super::block::{self, BlockError};
use super::transport::Transport;
use crate::bench::{BenchError, Clock, Transcript};
use crate::units::Picos;
use std::io::{self, ErrorKind};
use std::sync::Arc;

/// Longest text answer; the longest real one is the 2 kB setup block of a DS1000Z.
const LONGEST_LINE: usize = 65_536;
/// Longest text before a block on the same line: a few numbers.
const LONGEST_BEFORE_BLOCK: usize = 200;
/// The question that is answered when the command before it is done.
const CONFIRM: &str = "*OPC?";
/// How often `*OPC?` is asked again when it does not say `1`.
const CONFIRMATIONS: u32 = 20;
/// Empty lines that are passed over before an answer.
const STRAY_NEWLINES: u32 = 4;
/// Pause before `*OPC?` is asked again.
const CONFIRMATION_PAUSE: Picos = Picos::from_ms(25);
/// A link slower than this counts as silent: a quarter of the slowest rate that was ever reported (0.4 MB/s).
const SLOWEST_BYTES_PER_SECOND: i64 = 100_000;
/// Pause between giving a connection up and asking for a new one; a single-client instrument needs it.
const RECONNECT_PAUSE: Picos = Picos::from_s(1);

const ADVICE: &str = "it may be busy, not know this query, or hang: try again, then switch it off and on; \
                      this connection is not used any more";

/// What came back to a raw query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A line.
    Text(String),
    /// A definite-length block.
    Block(Vec<u8>),
}

/// One conversation with one instrument.
pub struct Dialogue {
    transport: Box<dyn Transport>,
    clock: Arc<dyn Clock>,
    transcript: Transcript,
    timeout: Picos,
    confirm: bool,
    gap: Picos,
    broken: bool,
}

impl Dialogue {
    /// A conversation over `transport`; `timeout` is the longest wait for a text answer or the start of a block.
    #[must_use]
    pub fn new(
        transport: Box<dyn Transport>,
        clock: Arc<dyn Clock>,
        transcript: &Transcript,
        timeout: Picos,
    ) -> Dialogue {
        let transcript = transcript.of("scope");
        Dialogue { transport, clock, transcript, timeout, confirm: true, gap: Picos::ZERO, broken: false }
    }

    /// The resource it talks to.
    #[must_use]
    pub fn name(&self) -> &str {
        self.transport.name()
    }

    /// Whether settings are followed by `*OPC?` (Q29), and the pause before each command (Q30).
    pub fn pace(&mut self, confirm: bool, gap: Picos) {
        (self.confirm, self.gap) = (confirm, gap);
    }

    /// A query with a text answer.
    ///
    /// # Errors
    /// [`BenchError::Silent`], [`BenchError::Link`].
    pub fn ask(&mut self, query: &str) -> Result<String, BenchError> {
        let line = self.exchange(query, self.timeout, reply_line)?;
        self.received(&line)
    }

    /// A setting, confirmed by `*OPC?`.
    ///
    /// # Errors
    /// [`BenchError::Silent`], and [`BenchError::Link`], also when it is never confirmed.
    pub fn set(&mut self, command: &str) -> Result<(), BenchError> {
        if !self.confirm {
            return self.send(command);
        }
        // Both lines are written down before the first one leaves: simulated time moves on when it arrives, and the
        // transcript must not depend on which thread is faster.
        self.open(command)?;
        self.transcript.sent(command)?;
        self.transcript.sent(CONFIRM)?;
        self.converse(command, self.timeout, |_| Ok(()))?;
        let reply = self.converse(CONFIRM, self.timeout, reply_line)?;
        let reply = self.received(&reply)?;
        if reply == "1" { Ok(()) } else { self.confirmed(command, reply) }
    }

    /// A command without an answer and without a confirmation.
    ///
    /// # Errors
    /// [`BenchError::Link`].
    pub fn send(&mut self, command: &str) -> Result<(), BenchError> {
        self.exchange(command, self.timeout, |_| Ok(()))
    }

    /// A query with a block as its answer, of at most `limit` bytes.
    ///
    /// # Errors
    /// [`BenchError::Block`], [`BenchError::Silent`], [`BenchError::Link`].
    pub fn block(&mut self, query: &str, limit: usize) -> Result<Vec<u8>, BenchError> {
        let timeout = self.timeout;
        let bytes = self.exchange(query, timeout, |t| {
            let mut first = [0u8; 1];
            t.read_exact(&mut first)?;
            if first == *b"#" { behind_hash(t, limit, timeout) } else { Err(BlockError::no_hash(first)) }
        })?;
        self.transcript.block(&bytes)?;
        Ok(bytes)
    }

    /// A line of several statements, of which the last answers with a block; gives what the others answered, with the
    /// `;` behind each, and the block.
    ///
    /// # Errors
    /// As [`Dialogue::block`].
    pub fn answers_and_block(&mut self, line: &str, limit: usize) -> Result<(String, Vec<u8>), BenchError> {
        let timeout = self.timeout;
        let (before, bytes) = self.exchange(line, timeout, |t| {
            let before = before_hash(t)?;
            Ok((before, behind_hash(t, limit, timeout)?))
        })?;
        self.transcript.received(&before)?;
        self.transcript.block(&bytes)?;
        Ok((before, bytes))
    }

    /// A query whose answer may be either.
    ///
    /// # Errors
    /// As [`Dialogue::block`].
    pub fn answer(&mut self, query: &str, limit: usize) -> Result<Answer, BenchError> {
        let timeout = self.timeout;
        let answer = self.exchange(query, self.timeout, |t| either(t, limit, timeout))?;
        match &answer {
            Answer::Text(text) => self.transcript.received(text)?,
            Answer::Block(bytes) => self.transcript.block(bytes)?,
        }
        Ok(answer)
    }

    /// Gives the connection up and makes a new one.
    ///
    /// # Errors
    /// [`BenchError::Link`].
    pub fn reconnect(&mut self) -> Result<(), BenchError> {
        self.transcript.note("reconnect")?;
        self.broken = true;
        self.clock.sleep(RECONNECT_PAUSE);
        self.transport.begin(self.timeout);
        self.transport.reconnect().map_err(|source| self.link("reconnecting", source))?;
        self.broken = false;
        Ok(())
    }

    fn received(&self, line: &[u8]) -> Result<String, BenchError> {
        let text = String::from_utf8_lossy(line).trim().to_owned();
        self.transcript.received(&text)?;
        Ok(text)
    }

    /// Asks again whether `command` is done, when the answer was `0`. Any other answer belongs to another question: the
    /// stream is out of step.
    fn confirmed(&mut self, command: &str, mut reply: String) -> Result<(), BenchError> {
        for _ in 1..CONFIRMATIONS {
            if reply != "0" {
                break;
            }
            self.clock.sleep(CONFIRMATION_PAUSE);
            reply = self.ask(CONFIRM)?;
            if reply == "1" {
                return Ok(());
            }
        }
        self.broken = true;
        let text =
            format!("`{}` came where `1` confirms `{command}`", reply.chars().take(80).collect::<String>());
        Err(self.link(CONFIRM, io::Error::new(ErrorKind::InvalidData, text)))
    }

    fn exchange<T>(
        &mut self,
        command: &str,
        budget: Picos,
        receive: impl FnOnce(&mut dyn Transport) -> Result<T, BlockError>,
    ) -> Result<T, BenchError> {
        self.open(command)?;
        self.transcript.sent(command)?;
        self.converse(command, budget, receive)
    }

    /// Sends a line and receives what belongs to it.
    fn converse<T>(
        &mut self,
        command: &str,
        budget: Picos,
        receive: impl FnOnce(&mut dyn Transport) -> Result<T, BlockError>,
    ) -> Result<T, BenchError> {
        self.transport.begin(budget);
        let line = format!("{command}\n");
        let result = self.transport.write(line.as_bytes()).map_err(BlockError::Read);
        let result = result.and_then(|()| receive(self.transport.as_mut()));
        result.map_err(|e| self.failed(command, budget, e))
    }

    /// Begins an exchange. A late or surplus answer in the stream would be taken for the next one.
    fn open(&mut self, command: &str) -> Result<(), BenchError> {
        if self.broken {
            let text = "the connection was given up after an earlier failure";
            return Err(self.link(command, io::Error::new(ErrorKind::NotConnected, text)));
        }
        let unread =
            self.transport.unread().map_err(|e| self.failed(command, self.timeout, BlockError::Read(e)))?;
        if unread.iter().any(|b| !b.is_ascii_whitespace()) {
            self.broken = true;
            let text = format!("{} bytes arrived that were not asked for", unread.len());
            return Err(self.link(command, io::Error::new(ErrorKind::InvalidData, text)));
        }
        if self.gap > Picos::ZERO {
            self.clock.sleep(self.gap);
        }
        Ok(())
    }

    fn failed(&mut self, command: &str, timeout: Picos, error: BlockError) -> BenchError {
        self.broken = true;
        // The failure itself is what the user must see; that it could not be written down as well is not.
        let _ = self.transcript.note(&format!("failed: {error}"));
        match error {
            BlockError::Read(e) if e.kind() == ErrorKind::TimedOut => {
                BenchError::Silent { what: "scope", command: command.to_owned(), timeout, advice: ADVICE }
            }
            BlockError::Read(source) => self.link(command, source),
            other => BenchError::Block { command: command.to_owned(), why: other.to_string() },
        }
    }

    fn link(&self, command: &str, source: io::Error) -> BenchError {
        let doing = match command {
            "reconnecting" => command.to_owned(),
            _ => format!("exchanging `{command}`"),
        };
        BenchError::Link { what: "scope", doing, source }
    }
}

/// The next line that is not empty: a newline too many behind a block is no answer (Q40).
fn reply_line(t: &mut dyn Transport) -> Result<Vec<u8>, BlockError> {
    let mut line = t.read_line(LONGEST_LINE)?;
    for _ in 0..STRAY_NEWLINES {
        if !line.is_empty() {
            break;
        }
        line = t.read_line(LONGEST_LINE)?;
    }
    Ok(line)
}

/// A block when it starts like one, else a line.
fn either(t: &mut dyn Transport, limit: usize, timeout: Picos) -> Result<Answer, BlockError> {
    let mut first = [0u8; 1];
    t.read_exact(&mut first)?;
    match first {
        [b'#'] => behind_hash(t, limit, timeout).map(Answer::Block),
        [b'\n'] => Ok(Answer::Text(String::new())),
        _ => {
            let mut line = first.to_vec();
            line.extend(t.read_line(LONGEST_LINE)?);
            Ok(Answer::Text(String::from_utf8_lossy(&line).trim().to_owned()))
        }
    }
}

/// What comes before a block; a line that ends without one is no answer to a line that asked for it.
fn before_hash(t: &mut dyn Transport) -> Result<String, BlockError> {
    let mut text = Vec::new();
    let mut byte = [0u8; 1];
    loop {
        t.read_exact(&mut byte)?;
        let ended = byte == *b"\n" || text.len() >= LONGEST_BEFORE_BLOCK;
        if byte == *b"#" || ended {
            let shown = String::from_utf8_lossy(&text).into_owned();
            return if ended { Err(BlockError::Header(shown)) } else { Ok(shown) };
        }
        text.extend(byte);
    }
}

/// The rest of a block, which is given time by its length.
fn behind_hash(t: &mut dyn Transport, limit: usize, timeout: Picos) -> Result<Vec<u8>, BlockError> {
    let length = block::length(limit, |into| t.read_exact(into))?;
    let seconds = i64::try_from(length).unwrap_or(i64::MAX) / SLOWEST_BYTES_PER_SECOND;
    t.begin(timeout + Picos::from_s(seconds));
    block::body(length, |into| t.read_exact(into))
}

#[cfg(test)]
mod tests {
    use super::super::scripted::{Script, dialogue};
    use super::*;

    #[test]
    fn settings_wait_for_their_confirmation() {
        let script = Script::new().say(":RUN", "").ask("*OPC?", "0").ask("*OPC?", "1").ask("*IDN?", "A,B");
        let (mut d, done) = dialogue(script);
        d.set(":RUN").unwrap();
        assert_eq!(d.ask("*IDN?").unwrap(), "A,B");
        done.finished();
    }

    #[test]
    fn after_a_time_out_nothing_is_asked_until_the_connection_is_new() {
        let script = Script::new().silent("X?").reconnect().ask("*IDN?", "A,B");
        let (mut d, done) = dialogue(script);
        assert!(matches!(d.ask("X?"), Err(BenchError::Silent { .. })));
        assert!(
            matches!(d.ask("*IDN?"), Err(BenchError::Link { .. })),
            "the late answer would be taken for this one"
        );
        d.reconnect().unwrap();
        assert_eq!(d.ask("*IDN?").unwrap(), "A,B");
        done.finished();
    }

    #[test]
    fn surplus_bytes_are_never_the_next_answer() {
        let (mut d, done) = dialogue(Script::new().bytes("A?", b"1\nB,late\n"));
        assert_eq!(d.ask("A?").unwrap(), "1");
        let error = d.ask("B?").unwrap_err().to_string();
        assert!(error.contains("7 bytes arrived that were not asked for"), "{error}");
        done.finished();
    }

    #[test]
    fn newlines_too_many_are_no_answers() {
        let (mut d, done) =
            dialogue(Script::new().bytes("A?", b"#11x\n\n").bytes("B?", b"\nb\n").ask("C?", "c"));
        assert_eq!(d.block("A?", 10).unwrap(), b"x");
        assert_eq!(d.ask("B?").unwrap(), "b");
        assert_eq!(d.ask("C?").unwrap(), "c");
        done.finished();
    }

    #[test]
    fn a_confirmation_that_is_another_answer_means_out_of_step() {
        let (mut d, done) = dialogue(Script::new().say(":RUN", "").ask("*OPC?", "DC"));
        let error = d.set(":RUN").unwrap_err().to_string();
        assert!(error.contains("`DC` came where `1` confirms `:RUN`"), "{error}");
        assert!(d.ask("*IDN?").is_err());
        done.finished();
    }

    #[test]
    fn answers_before_a_block_are_kept_apart_from_it() {
        let script = Script::new().bytes("A?;B?;C?", b"1;20;#13x;#\n").bytes("A?;C?", b"1;20\n");
        let (mut d, done) = dialogue(script);
        assert_eq!(d.answers_and_block("A?;B?;C?", 9).unwrap(), ("1;20;".to_owned(), b"x;#".to_vec()));
        let error = d.answers_and_block("A?;C?", 9).unwrap_err().to_string();
        assert!(error.contains("`1;20`"), "{error}");
        done.finished();
    }

    #[test]
    fn raw_queries_take_lines_and_blocks() {
        let script = Script::new().bytes("A?", b"#13x\n#\n").ask("B?", "text").ask("C?", "");
        let (mut d, done) = dialogue(script);
        assert_eq!(d.answer("A?", 100).unwrap(), Answer::Block(b"x\n#".to_vec()));
        assert_eq!(d.answer("B?", 100).unwrap(), Answer::Text("text".into()));
        assert_eq!(d.answer("C?", 100).unwrap(), Answer::Text(String::new()));
        done.finished();
    }
}
