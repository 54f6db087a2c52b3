//! Definite-length blocks (IEEE 488.2, 8.7.9): `#`, one digit that counts the length's digits, the length, the bytes.
//!
//! Scopes of this family send `#9` and nine digits, older guides show other counts, so the header is read as it
//! comes. Whatever the header claims, no more than the caller's limit is allocated or read. The line feed behind the
//! block belongs to it (Q40): left in the stream it would start the next answer.

use std::io;

/// Why bytes are no block.
#[derive(Debug, thiserror::Error)]
pub enum BlockError {
    /// Does not start with `#` and a digit from 1 to 9, or the length is no number.
    #[error("it starts with `{0}` instead of `#`, a digit and that many digits")]
    Header(String),
    /// The header claims more than can be.
    #[error("its header claims {claimed} bytes where at most {limit} were asked for")]
    Claim {
        /// Bytes it claims.
        claimed: u64,
        /// Bytes that make sense.
        limit: usize,
    },
    /// Something else than a line feed behind the bytes.
    #[error("byte 0x{0:02x} follows it instead of a line feed")]
    Tail(u8),
    /// The bytes could not be read.
    #[error(transparent)]
    Read(#[from] io::Error),
}

impl BlockError {
    /// Something else than `#` came first.
    #[must_use]
    pub fn no_hash(first: [u8; 1]) -> BlockError {
        BlockError::Header(shown(&first))
    }
}

/// Reads one block with its line feed; `fill` reads exactly as many bytes as it is given room for.
///
/// # Errors
/// [`BlockError`]; where the stream then stands is unknown.
pub fn read(limit: usize, mut fill: impl FnMut(&mut [u8]) -> io::Result<()>) -> Result<Vec<u8>, BlockError> {
    let mut hash = [0u8; 1];
    fill(&mut hash)?;
    if hash != *b"#" {
        return Err(BlockError::no_hash(hash));
    }
    let length = length(limit, &mut fill)?;
    body(length, fill)
}

/// The length that a header claims, its `#` already taken: the part of a block whose arrival says how long the rest may
/// take.
///
/// # Errors
/// As [`read`].
pub fn length(limit: usize, mut fill: impl FnMut(&mut [u8]) -> io::Result<()>) -> Result<usize, BlockError> {
    let mut count = [0u8; 1];
    fill(&mut count)?;
    // `#0`, a block without a length, ends by END only; a socket has none.
    let digits = usize::from(count[0].wrapping_sub(b'0'));
    let mut room = [0u8; 9];
    let text = match digits {
        1..=9 => room.get_mut(..digits).unwrap_or_default(),
        _ => return Err(BlockError::Header(format!("#{}", shown(&count)))),
    };
    fill(text)?;
    let number = std::str::from_utf8(text).ok().filter(|t| t.bytes().all(|b| b.is_ascii_digit()));
    let claimed = number.and_then(|t| t.parse::<u64>().ok());
    let claimed = claimed.ok_or_else(|| BlockError::Header(format!("#{}{}", shown(&count), shown(text))))?;
    usize::try_from(claimed).ok().filter(|n| *n <= limit).ok_or(BlockError::Claim { claimed, limit })
}

/// The bytes of a block behind its header, and the line feed behind them.
///
/// # Errors
/// As [`read`].
pub fn body(length: usize, mut fill: impl FnMut(&mut [u8]) -> io::Result<()>) -> Result<Vec<u8>, BlockError> {
    let mut bytes = vec![0u8; length];
    fill(&mut bytes)?;
    let mut tail = [0u8; 1];
    fill(&mut tail)?;
    // A carriage return is tolerated: other firmware ends lines with both.
    if tail == *b"\r" {
        fill(&mut tail)?;
    }
    if tail == *b"\n" { Ok(bytes) } else { Err(BlockError::Tail(tail[0])) }
}

fn shown(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Read;

    fn decode(mut bytes: &[u8], limit: usize) -> (Result<Vec<u8>, BlockError>, usize) {
        let before = bytes.len();
        let result = read(limit, |into| bytes.read_exact(into));
        (result, before - bytes.len())
    }

    #[test]
    fn headers_of_any_width_are_read() {
        // Programming guide 2-219: `#9000000004` and data; IEEE 488.2: `#14`, `#2004` is three digits of two claimed.
        assert_eq!(decode(b"#9000000004a\nb\0\n", 10).0.unwrap(), b"a\nb\0");
        assert_eq!(decode(b"#14abcd\n", 10).0.unwrap(), b"abcd");
        assert_eq!(decode(b"#10\n", 10).0.unwrap(), b"");
        assert_eq!(decode(b"#204abcd\r\nrest", 10).1, 10);
    }

    #[test]
    fn wrong_blocks_are_named() {
        let cases: [(&[u8], &str); 7] = [
            (b"@9000000004abcd\n", "starts with `@`"),
            (b"#0abcd\n", "starts with `#0`"),
            (b"#x", "starts with `#x`"),
            (b"#3 12abc\n", "starts with `#3 12`"),
            (b"#3+12abc\n", "starts with `#3+12`"),
            (b"#9999999999", "claims 999999999 bytes where at most 10"),
            (b"#14abcdX", "byte 0x58 follows"),
        ];
        for (bytes, expected) in cases {
            let message = decode(bytes, 10).0.unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn a_block_short_by_half_is_a_read_error() {
        assert!(matches!(decode(b"#14ab", 10).0, Err(BlockError::Read(_))));
    }

    proptest! {
        #[test]
        fn what_was_encoded_comes_back_and_nothing_behind_it_is_touched(
            data in prop::collection::vec(any::<u8>(), 0..2000),
            rest in prop::collection::vec(any::<u8>(), 0..20),
            width in 4usize..=9,
        ) {
            let mut wire = format!("#{width}{:0width$}", data.len()).into_bytes();
            wire.extend_from_slice(&data);
            wire.push(b'\n');
            let used = wire.len();
            wire.extend_from_slice(&rest);
            let (block, consumed) = decode(&wire, 2000);
            prop_assert_eq!(block.unwrap(), data);
            prop_assert_eq!(consumed, used);
        }

        #[test]
        fn no_bytes_panic_or_read_past_the_limit(
            wire in prop_oneof![
                prop::collection::vec(any::<u8>(), 0..64),
                "#[0-9]{0,12}.{0,20}".prop_map(String::into_bytes),
            ],
            limit in 0usize..64,
        ) {
            let (block, consumed) = decode(&wire, limit);
            prop_assert!(consumed <= limit + 13);
            prop_assert!(block.map_or(0, |b| b.len()) <= limit);
        }
    }
}
