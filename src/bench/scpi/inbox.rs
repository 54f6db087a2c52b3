//! Message-based links (VXI-11, USBTMC, VISA) behind the byte-wise reads of a [`super::Transport`].
//!
//! Such a link gives messages in parts of its own choosing, the last one marked. The inbox keeps what a read has not
//! taken yet. The mark ends a line that has no line feed, and a counted read behind the mark fails at once instead of
//! waiting; a mark that is missing (Q33) changes nothing, since lines and blocks know their own ends. It refuses to ask
//! for ever: a link that keeps answering with nothing is given up.

use std::io::{self, ErrorKind};

/// Empty parts in a row that are borne; some devices start with one (Q38).
const EMPTY_PARTS: u32 = 8;

/// What the reader is after, so that a stream without marks is not asked for more than it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Want {
    /// A line; at most so many bytes of it are still allowed.
    Line(usize),
    /// Exactly so many bytes.
    Bytes(usize),
}

/// What one read of the link gave.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) bytes: Vec<u8>,
    /// The message ends here.
    pub(super) ended: bool,
}

/// What has come and is not taken.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    bytes: Vec<u8>,
    taken: usize,
    ended: bool,
}

impl Inbox {
    /// Takes what has come and no read has taken.
    pub(super) fn surplus(&mut self) -> Vec<u8> {
        let n = self.unread();
        self.take(n)
    }

    fn unread(&self) -> usize {
        self.bytes.len().saturating_sub(self.taken)
    }

    /// A new command went out: what comes now is a message of its own.
    pub(super) fn expect_message(&mut self) {
        self.ended = false;
    }

    /// A line without its end.
    ///
    /// # Errors
    /// `InvalidData` for a line longer than `limit`, otherwise those of `more`.
    pub(super) fn line(
        &mut self,
        limit: usize,
        mut more: impl FnMut(Want) -> io::Result<Part>,
    ) -> io::Result<Vec<u8>> {
        let mut searched = 0;
        loop {
            let held = self.held();
            let end = held.iter().skip(searched).position(|b| *b == b'\n').map(|i| i + searched);
            searched = held.len();
            let whole = end.unwrap_or(searched);
            if whole > limit {
                let text = format!("no line feed within {limit} bytes");
                return Err(io::Error::new(ErrorKind::InvalidData, text));
            }
            if end.is_some() || (self.ended && searched > 0) {
                let mut line = self.take(whole);
                self.taken += usize::from(end.is_some());
                line.pop_if(|b| *b == b'\r');
                return Ok(line);
            }
            self.fetch(Want::Line(limit.saturating_sub(searched).saturating_add(1)), &mut more)?;
        }
    }

    /// Fills `into`.
    ///
    /// # Errors
    /// `UnexpectedEof` when the message ends before, otherwise those of `more`.
    pub(super) fn exact(
        &mut self,
        into: &mut [u8],
        mut more: impl FnMut(Want) -> io::Result<Part>,
    ) -> io::Result<()> {
        while self.unread() < into.len() {
            self.fetch(Want::Bytes(into.len() - self.unread()), &mut more)?;
        }
        let bytes = self.held().get(..into.len()).unwrap_or_default();
        into.copy_from_slice(bytes);
        self.taken += into.len();
        Ok(())
    }

    fn held(&self) -> &[u8] {
        self.bytes.get(self.taken..).unwrap_or_default()
    }

    fn take(&mut self, n: usize) -> Vec<u8> {
        let taken = self.held().get(..n).unwrap_or_default().to_vec();
        self.taken += n;
        taken
    }

    /// Gets the next part that has something in it.
    fn fetch(&mut self, want: Want, more: &mut impl FnMut(Want) -> io::Result<Part>) -> io::Result<()> {
        if self.ended {
            let text = format!("the message ended after {} bytes, more were expected", self.bytes.len());
            return Err(io::Error::new(ErrorKind::UnexpectedEof, text));
        }
        if self.unread() == 0 {
            self.bytes.clear();
            self.taken = 0;
        }
        for _ in 0..EMPTY_PARTS {
            let part = more(want)?;
            if !part.bytes.is_empty() {
                self.bytes.extend_from_slice(&part.bytes);
                self.ended = part.ended;
                return Ok(());
            }
            if part.ended && !self.bytes.is_empty() {
                self.ended = true;
                return Ok(());
            }
        }
        Err(io::Error::new(ErrorKind::UnexpectedEof, format!("{EMPTY_PARTS} empty answers in a row")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    fn parts(list: &[(&[u8], bool)]) -> impl FnMut(Want) -> io::Result<Part> + use<> {
        let mut left: VecDeque<Part> =
            list.iter().map(|(b, e)| Part { bytes: b.to_vec(), ended: *e }).collect();
        move |_| left.pop_front().ok_or_else(|| ErrorKind::TimedOut.into())
    }

    #[test]
    fn a_line_ends_at_its_line_feed_or_with_the_message() {
        let mut more = parts(&[(b"A,", false), (b"B\r\n", true)]);
        let mut inbox = Inbox::default();
        assert_eq!(inbox.line(10, &mut more).unwrap(), b"A,B");
        assert_eq!(inbox.surplus(), b"");
        inbox.expect_message();
        assert_eq!(inbox.line(10, parts(&[(b"no feed", true)])).unwrap(), b"no feed");
    }

    #[test]
    fn a_missing_mark_costs_nothing_where_the_length_is_known() {
        let mut inbox = Inbox::default();
        let mut four = [0; 4];
        inbox.exact(&mut four, parts(&[(b"\n\0", false), (b"\n\n", false)])).unwrap();
        assert_eq!(&four, b"\n\0\n\n");
    }

    #[test]
    fn a_message_that_ends_early_is_said_at_once() {
        let mut inbox = Inbox::default();
        let mut more = parts(&[(b"#14ab", true)]);
        let error = inbox.exact(&mut [0; 8], &mut more).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
        assert!(error.to_string().contains("after 5 bytes"), "{error}");
    }

    #[test]
    fn empty_parts_are_borne_but_not_for_ever() {
        let mut inbox = Inbox::default();
        assert_eq!(inbox.line(9, parts(&[(b"", true), (b"", false), (b"x\n", true)])).unwrap(), b"x");
        inbox.expect_message();
        let error = inbox.line(9, |_| Ok(Part { bytes: Vec::new(), ended: true })).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    }

    #[test]
    fn a_line_over_its_limit_is_refused() {
        let mut inbox = Inbox::default();
        assert_eq!(
            inbox.line(3, parts(&[(b"abcd\n", true)])).unwrap_err().kind(),
            ErrorKind::InvalidData,
            "whether or not its end has come"
        );
    }

    proptest! {
        #[test]
        fn however_a_message_is_cut_the_same_comes_out(
            data in prop::collection::vec(any::<u8>(), 1..300),
            cuts in prop::collection::vec(1usize..40, 1..30),
        ) {
            let mut list = Vec::new();
            let mut rest: &[u8] = &data;
            let mut cuts = cuts.into_iter().cycle();
            while !rest.is_empty() {
                let n = cuts.next().unwrap().min(rest.len());
                let (part, after) = rest.split_at(n);
                list.push((part, after.is_empty()));
                rest = after;
            }
            let mut inbox = Inbox::default();
            let mut more = parts(&list);
            let mut out = vec![0; data.len()];
            let (head, tail) = out.split_at_mut(data.len() / 2);
            inbox.exact(head, &mut more).unwrap();
            inbox.exact(tail, &mut more).unwrap();
            prop_assert_eq!(out, data);
            prop_assert_eq!(inbox.surplus(), b"");
        }
    }
}
