//! The record of every exchange with an instrument, for `dialogue.log`.
//!
//! One line an exchange half: time, party, direction, text. Binary blocks are written by length and digest, since their
//! bytes are kept elsewhere. A line stays a line: control characters are written as `\xNN`. It refuses to lose lines
//! silently: a sink that cannot be written ends the run, because evidence with holes is worse than none.

use super::{BenchError, Clock};
use std::fmt::Write as _;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Longest text of one line; what is longer is cut and its length stated.
const LONGEST: usize = 2_000;

/// Where lines go.
type Sink = Box<dyn Write + Send>;

/// A shared transcript, seen by one party.
#[derive(Clone)]
pub struct Transcript {
    sink: Arc<Mutex<Sink>>,
    clock: Arc<dyn Clock>,
    party: &'static str,
}

impl Transcript {
    /// A transcript that writes to `sink` with the times of `clock`.
    #[must_use]
    pub fn new(sink: Box<dyn Write + Send>, clock: Arc<dyn Clock>) -> Transcript {
        Transcript { sink: Arc::new(Mutex::new(sink)), clock, party: "bench" }
    }

    /// The same transcript for another party, such as `scope` or `board`.
    #[must_use]
    pub fn of(&self, party: &'static str) -> Transcript {
        Transcript { party, ..self.clone() }
    }

    /// A line that went out.
    ///
    /// # Errors
    /// [`BenchError::Transcript`].
    pub fn sent(&self, text: &str) -> Result<(), BenchError> {
        self.line('>', text)
    }

    /// A line that came in.
    ///
    /// # Errors
    /// [`BenchError::Transcript`].
    pub fn received(&self, text: &str) -> Result<(), BenchError> {
        self.line('<', text)
    }

    /// A binary block that came in.
    ///
    /// # Errors
    /// [`BenchError::Transcript`].
    pub fn block(&self, bytes: &[u8]) -> Result<(), BenchError> {
        self.line('<', &format!("#block {} bytes crc32 {:08x}", bytes.len(), crc32fast::hash(bytes)))
    }

    /// What happened without a line: a time-out, a reconnect.
    ///
    /// # Errors
    /// [`BenchError::Transcript`].
    pub fn note(&self, text: &str) -> Result<(), BenchError> {
        self.line('#', text)
    }

    fn line(&self, direction: char, text: &str) -> Result<(), BenchError> {
        let now = self.clock.now().0.max(0);
        let (seconds, nanos) = (now / 1_000_000_000_000, now / 1_000 % 1_000_000_000);
        let line = format!("{seconds}.{nanos:09} {} {direction} {}\n", self.party, printable(text));
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        sink.write_all(line.as_bytes()).map_err(|source| BenchError::Transcript { source })
    }
}

/// `text` without control characters and not longer than [`LONGEST`].
fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(LONGEST));
    for c in text.chars().take(LONGEST) {
        if c.is_control() {
            let _ = write!(out, "\\x{:02x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    if text.chars().nth(LONGEST).is_some() {
        let _ = write!(out, " ... ({} bytes)", text.len());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::clock::SteppedClock;
    use crate::units::Picos;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);
    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_exchange_is_one_line_a_half_whatever_it_holds() {
        let (sink, clock) = (Shared::default(), Arc::new(SteppedClock::default()));
        let transcript = Transcript::new(Box::new(sink.clone()), clock.clone());
        transcript.of("scope").sent("*IDN?").unwrap();
        clock.sleep(Picos::from_us(1_500_000));
        transcript.of("board").received("half\r\0line").unwrap();
        transcript.of("scope").block(b"123456789").unwrap();
        let text = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
        let expected = "0.000000000 scope > *IDN?\n1.500000000 board < half\\x0d\\x00line\n\
                        1.500000000 scope < #block 9 bytes crc32 cbf43926\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_full_disk_is_not_swallowed() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let transcript = Transcript::new(Box::new(Full), Arc::new(SteppedClock::default()));
        assert!(matches!(transcript.sent("x"), Err(BenchError::Transcript { .. })));
    }
}
