//! The bytes of a file, a window at a time, with the place of each in the file.

use super::error::{ForeignError, Named};
use std::io::{Read, Seek, SeekFrom};

/// Bytes in the window. A line or token that is longer is no part of any known format.
const WINDOW: usize = 128 * 1024;

/// A window that moves over a source.
pub(super) struct Bytes<'a, R> {
    source: R,
    named: Named<'a>,
    window: Vec<u8>,
    /// Filled and unread part of the window.
    begin: usize,
    end: usize,
    /// Place in the file of the byte at `begin`.
    offset: u64,
    ended: bool,
}

impl<'a, R: Read + Seek> Bytes<'a, R> {
    /// Begins at `offset` of `source`.
    pub fn at(source: R, named: Named<'a>, offset: u64) -> Result<Bytes<'a, R>, ForeignError> {
        let window = vec![0; WINDOW];
        let mut bytes = Bytes { source, named, window, begin: 0, end: 0, offset: u64::MAX, ended: false };
        bytes.seek(offset)?;
        Ok(bytes)
    }

    /// Goes to `offset`; what the window holds is used again.
    pub fn seek(&mut self, offset: u64) -> Result<(), ForeignError> {
        let held = (self.end - self.begin) as u64;
        match offset.checked_sub(self.offset) {
            Some(on) if on <= held => self.consume(on as usize),
            _ => {
                self.source.seek(SeekFrom::Start(offset)).map_err(|e| self.named.read(e))?;
                (self.begin, self.end, self.ended, self.offset) = (0, 0, false, offset);
            }
        }
        Ok(())
    }

    /// What is unread in the window.
    pub fn unread(&self) -> &[u8] {
        self.window.get(self.begin..self.end).unwrap_or_default()
    }

    /// Place in the file of the first unread byte.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Does nothing follow the window?
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Leaves `n` unread bytes behind.
    pub fn consume(&mut self, n: usize) {
        let n = n.min(self.end - self.begin);
        self.begin += n;
        self.offset += n as u64;
    }

    /// Makes more unread bytes, keeping those there are. False when the source has no more or the window is full.
    pub fn more(&mut self) -> Result<bool, ForeignError> {
        if self.ended {
            return Ok(false);
        }
        self.window.copy_within(self.begin..self.end, 0);
        (self.begin, self.end) = (0, self.end - self.begin);
        let Some(room) = self.window.get_mut(self.end..).filter(|r| !r.is_empty()) else { return Ok(false) };
        let got = read(&mut self.source, room).map_err(|e| self.named.read(e))?;
        self.end += got;
        self.ended = got == 0;
        Ok(got > 0)
    }

    /// Length of the unread whole lines in the window, more being read where there is none. At the end of the source
    /// the last line counts as whole. 0 is the end.
    pub fn lines(&mut self) -> Result<usize, ForeignError> {
        loop {
            if let Some(last) = memchr::memrchr(b'\n', self.unread()) {
                return Ok(last + 1);
            }
            if self.more()? {
                continue;
            }
            return match self.ended {
                true => Ok(self.unread().len()),
                false => Err(self.named.row(self.offset, 0, "a line without an end; the file is no text")),
            };
        }
    }
}

/// One read that interruptions do not end.
fn read(source: &mut impl Read, room: &mut [u8]) -> std::io::Result<usize> {
    loop {
        match source.read(room) {
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// The first `limit` bytes of a source that is at its beginning.
pub(super) fn head(source: &mut impl Read, named: Named, limit: usize) -> Result<Vec<u8>, ForeignError> {
    let mut head = Vec::new();
    source.take(limit as u64).read_to_end(&mut head).map_err(|e| named.read(e))?;
    Ok(head)
}
