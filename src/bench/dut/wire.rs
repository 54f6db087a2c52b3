//! One request, one checked answer, inside a bounded time.
//!
//! What is not an answer is told apart, because each has another cure: nothing at all, characters that make no line with a
//! checksum, a line whose checksum is wrong. Input from before the request is thrown away first: it can only be a boot
//! banner, half a line, or the late answer to a request that was given up.

use super::ByteStream;
use crate::bench::{BenchError, Clock, Transcript};
use crate::units::Picos;
use latency_protocol::{LineBuffer, LineError, unframe};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

/// A line without a checksum may be the echo of a terminal or a log line; an answer follows at once or not at all.
const GRACE: Picos = Picos::from_ms(250);
/// Lines without a checksum that are looked at for one answer.
const STRAY_LINES: u32 = 64;
/// Silence that ends a boot banner.
const QUIET: Picos = Picos::from_ms(20);
/// Longest boot banner, in pieces of [`CHUNK`] bytes.
const BANNER_PIECES: u32 = 256;
const CHUNK: usize = 256;

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Miss {
    /// Nothing came.
    Silent,
    /// Only lines without a checksum; the first one.
    Unframed(String),
    /// A line with a wrong checksum, or one that is no text.
    Damaged(String),
    /// The link failed.
    Link(io::Error),
    /// The transcript failed.
    Fatal(BenchError),
}

impl From<io::Error> for Miss {
    fn from(e: io::Error) -> Miss {
        Miss::Link(e)
    }
}
impl From<BenchError> for Miss {
    fn from(e: BenchError) -> Miss {
        Miss::Fatal(e)
    }
}

/// A line, or why there is none.
enum Line {
    Text(String),
    Unusable(LineError),
    None,
}

/// The exchanges with one board.
pub(super) struct Wire {
    stream: Box<dyn ByteStream>,
    wall: Arc<dyn Clock>,
    transcript: Transcript,
    timeout: Picos,
    buffer: LineBuffer,
    rest: VecDeque<u8>,
}

impl Wire {
    pub(super) fn new(
        stream: Box<dyn ByteStream>,
        wall: Arc<dyn Clock>,
        transcript: &Transcript,
        timeout: Picos,
    ) -> Wire {
        let transcript = transcript.of("board");
        Wire { stream, wall, transcript, timeout, buffer: LineBuffer::new(), rest: VecDeque::new() }
    }

    pub(super) fn name(&self) -> &str {
        self.stream.name()
    }

    pub(super) fn timeout(&self) -> Picos {
        self.timeout
    }

    /// Throws away what comes until nothing comes.
    pub(super) fn quiet(&mut self) -> io::Result<()> {
        let mut piece = [0u8; CHUNK];
        for _ in 0..BANNER_PIECES {
            if self.stream.read(&mut piece, QUIET)? == 0 {
                break;
            }
        }
        self.forget();
        Ok(())
    }

    /// Sends `request` and gives the payload of its answer, checksum checked and removed.
    pub(super) fn exchange(&mut self, request: &str) -> Result<String, Miss> {
        self.discard_stale()?;
        self.transcript.sent(request)?;
        self.stream.write_all(format!("{request}\n").as_bytes(), self.timeout)?;
        let result = self.answer(request);
        if let Err(miss) = &result {
            self.transcript.note(&format!("no answer: {miss:?}"))?;
        }
        result
    }

    fn answer(&mut self, request: &str) -> Result<String, Miss> {
        let mut deadline = self.wall.now() + self.timeout;
        let mut stray: Option<String> = None;
        for _ in 0..STRAY_LINES {
            let text = match self.line(deadline)? {
                Line::Text(text) => text,
                Line::Unusable(LineError::Long) => return Err(Miss::Damaged("an endless line".into())),
                Line::Unusable(LineError::Text) => {
                    return Err(Miss::Damaged("a line that is no text".into()));
                }
                Line::None => break,
            };
            self.transcript.received(&text)?;
            match unframe(&text) {
                Ok(payload) => return Ok(payload.to_owned()),
                Err(latency_protocol::FrameError::Unframed) => {
                    // A terminal server's echo of the request is no answer, and none of the board's business.
                    if text.trim() != request && !text.trim().is_empty() {
                        stray.get_or_insert(text);
                        deadline = deadline.min(self.wall.now() + GRACE);
                    }
                }
                Err(e) => return Err(Miss::Damaged(e.to_string())),
            }
        }
        Err(stray.map_or(Miss::Silent, Miss::Unframed))
    }

    /// The next line before `deadline`.
    fn line(&mut self, deadline: Picos) -> io::Result<Line> {
        loop {
            while let Some(byte) = self.rest.pop_front() {
                match self.buffer.push(byte) {
                    Some(Ok(text)) => return Ok(Line::Text(text.to_owned())),
                    Some(Err(e)) => return Ok(Line::Unusable(e)),
                    None => {}
                }
            }
            let left = deadline - self.wall.now();
            let mut piece = [0u8; CHUNK];
            let n = if left > Picos::ZERO { self.stream.read(&mut piece, left)? } else { 0 };
            if n == 0 && self.wall.now() >= deadline {
                return Ok(Line::None);
            }
            self.rest.extend(piece.iter().take(n));
        }
    }

    fn discard_stale(&mut self) -> io::Result<()> {
        let mut piece = [0u8; CHUNK];
        for _ in 0..BANNER_PIECES {
            if self.stream.read(&mut piece, Picos::ZERO)? == 0 {
                break;
            }
        }
        self.forget();
        Ok(())
    }

    fn forget(&mut self) {
        self.rest.clear();
        self.buffer = LineBuffer::new();
    }
}
