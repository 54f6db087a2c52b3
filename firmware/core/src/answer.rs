//! One framed answer in a buffer of fixed size, so that a board can hand it to its DMA in one piece.

use core::fmt::{self, Write};
use latency_protocol::{MAX_LINE, Refusal, write_framed};

/// Space, asterisk, four digits, line feed.
const FRAME: usize = 7;

/// A text of at most `N` bytes; more is refused, never cut.
#[derive(Debug, Clone)]
pub(crate) struct Text<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Text<N> {
    pub(crate) const fn new() -> Text<N> {
        Text { bytes: [0; N], len: 0 }
    }

    pub(crate) fn as_str(&self) -> &str {
        let written = self.bytes.get(..self.len).unwrap_or_default();
        core::str::from_utf8(written).unwrap_or_default()
    }
}

impl<const N: usize> Write for Text<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        let room = self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

/// One answer with checksum and line feed, ready to be sent.
#[derive(Debug, Clone)]
pub struct Answer(Text<MAX_LINE>);

impl Answer {
    /// The answer whose payload `write` gives. One that does not fit a line is replaced by the refusal of long lines:
    /// the host must never take half an answer for a whole one.
    pub(crate) fn new(write: impl FnOnce(&mut dyn Write) -> fmt::Result) -> Answer {
        let mut payload = Text::<{ MAX_LINE - FRAME }>::new();
        match write(&mut payload) {
            Ok(()) => Answer::framed(payload.as_str()),
            Err(fmt::Error) => Answer::framed("ERR 5 line too long"),
        }
    }

    pub(crate) fn refusal(refusal: Refusal) -> Answer {
        Answer::new(|out| write!(out, "{refusal}"))
    }

    fn framed(payload: &str) -> Answer {
        let mut line = Text::new();
        // The payload is shorter than the line by the frame, so that this cannot fail.
        let _ = write_framed(&mut line, payload);
        Answer(line)
    }

    /// The bytes to send, line feed included.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.as_str().as_bytes()
    }

    /// The same as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 233 = 240 - 7 is the longest payload: with its frame it fills a line.
    #[test]
    fn the_longest_payload_fits_and_a_longer_one_is_refused_whole() {
        let longest = Answer::new(|out| (0..MAX_LINE - FRAME).try_for_each(|_| out.write_char('x')));
        assert_eq!(longest.as_bytes().len(), MAX_LINE);
        assert!(longest.as_str().starts_with('x'));
        let longer = Answer::new(|out| (0..MAX_LINE - FRAME + 1).try_for_each(|_| out.write_char('x')));
        assert!(longer.as_str().starts_with("ERR 5 line too long *"));
    }
}
