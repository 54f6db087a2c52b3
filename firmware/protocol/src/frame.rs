//! Lines and their checksum.

use crate::MAX_LINE;
use core::fmt::{self, Write};

/// CRC-16/IBM-3740 (polynomial 0x1021, start 0xFFFF), often called CCITT-FALSE; check value of "123456789" is 0x29B1
/// (Greg Cook's catalogue of parametrised CRC algorithms).
#[must_use]
pub fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xFFFF, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(*byte) << 8), |crc, _| {
            if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 }
        })
    })
}

/// Why a received line is not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameError {
    /// No ` *XXXX` at the end.
    Unframed,
    /// The checksum differs.
    Checksum {
        /// What the line says.
        stated: u16,
        /// What its characters give.
        computed: u16,
    },
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::Unframed => f.write_str("the line has no checksum"),
            FrameError::Checksum { stated, computed } => {
                write!(f, "the checksum is {stated:04X} but the characters give {computed:04X}")
            }
        }
    }
}
impl core::error::Error for FrameError {}

/// Removes and checks the checksum of an answer line (terminator already removed).
///
/// # Errors
/// [`FrameError`] when there is none or it differs.
pub fn unframe(line: &str) -> Result<&str, FrameError> {
    let (payload, digits) = line.rsplit_once(" *").ok_or(FrameError::Unframed)?;
    let plain = digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let stated = u16::from_str_radix(digits, 16).ok().filter(|_| plain).ok_or(FrameError::Unframed)?;
    let computed = crc16(payload.as_bytes());
    if stated == computed { Ok(payload) } else { Err(FrameError::Checksum { stated, computed }) }
}

/// Writes `payload *XXXX` and a line feed.
///
/// # Errors
/// Those of the writer.
pub fn write_framed(out: &mut impl Write, payload: &str) -> fmt::Result {
    writeln!(out, "{payload} *{:04X}", crc16(payload.as_bytes()))
}

/// Why a collected line is unusable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineError {
    /// Longer than the buffer; dropped whole.
    Long,
    /// Not UTF-8.
    Text,
}

/// Collects bytes into lines; CR is ignored, an over-long line is dropped whole and reported once.
#[derive(Debug, Clone)]
pub struct LineBuffer {
    bytes: [u8; MAX_LINE],
    len: usize,
    over: bool,
}

impl LineBuffer {
    /// An empty buffer.
    #[must_use]
    pub const fn new() -> LineBuffer {
        LineBuffer { bytes: [0; MAX_LINE], len: 0, over: false }
    }

    /// Takes one byte; gives the line when `byte` ends it.
    pub fn push(&mut self, byte: u8) -> Option<Result<&str, LineError>> {
        match byte {
            b'\n' => Some(self.finish()),
            b'\r' => None,
            _ => {
                match self.bytes.get_mut(self.len) {
                    Some(slot) => {
                        *slot = byte;
                        self.len += 1;
                    }
                    None => self.over = true,
                }
                None
            }
        }
    }

    fn finish(&mut self) -> Result<&str, LineError> {
        let len = core::mem::take(&mut self.len);
        if core::mem::take(&mut self.over) {
            return Err(LineError::Long);
        }
        let line = self.bytes.get(..len).unwrap_or_default();
        core::str::from_utf8(line).map_err(|_| LineError::Text)
    }
}

impl Default for LineBuffer {
    fn default() -> LineBuffer {
        LineBuffer::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_has_its_catalogue_value() {
        assert_eq!(crc16(b"123456789"), 0x29B1);
    }

    #[test]
    fn a_changed_character_is_noticed() {
        assert_eq!(unframe("123456789 *29B1"), Ok("123456789"));
        assert!(matches!(unframe("123456780 *29B1"), Err(FrameError::Checksum { stated: 0x29B1, .. })));
        assert_eq!(unframe("123456789"), Err(FrameError::Unframed));
        assert_eq!(unframe("123456789 *+9B1"), Err(FrameError::Unframed));
    }

    #[test]
    fn a_long_line_is_dropped_whole_and_the_next_one_is_read() {
        let mut buffer = LineBuffer::new();
        for _ in 0..MAX_LINE + 5 {
            assert!(buffer.push(b'x').is_none());
        }
        assert_eq!(buffer.push(b'\n'), Some(Err(LineError::Long)));
        for byte in b"ok\r" {
            assert!(buffer.push(*byte).is_none());
        }
        assert_eq!(buffer.push(b'\n'), Some(Ok("ok")));
    }
}
