//! The encoding of VXI-11 (RFC 4506): big-endian words, byte strings with a length, padded to whole words.

use super::Vxi11Error;

/// Arguments being written.
#[derive(Debug, Default)]
pub(super) struct Encoder(Vec<u8>);

impl Encoder {
    /// Appends words.
    pub(super) fn words(mut self, words: &[u32]) -> Encoder {
        words.iter().for_each(|w| self.0.extend_from_slice(&w.to_be_bytes()));
        self
    }
    /// Appends a byte string.
    pub(super) fn opaque(self, bytes: &[u8]) -> Encoder {
        // What this room sends is far below 4 GB; should it ever not be, the length would not match and be refused.
        let mut out = self.words(&[u32::try_from(bytes.len()).unwrap_or(u32::MAX)]);
        out.0.extend_from_slice(bytes);
        out.0.resize(out.0.len().next_multiple_of(4), 0);
        out
    }
    /// The bytes.
    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// An answer being read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decoder<'a>(pub(super) &'a [u8]);

impl<'a> Decoder<'a> {
    /// A word.
    ///
    /// # Errors
    /// [`Vxi11Error::Reply`] when there are fewer than four bytes.
    pub(super) fn word(&mut self) -> Result<u32, Vxi11Error> {
        let (head, rest) = self.0.split_first_chunk::<4>().ok_or(Vxi11Error::Reply("it is too short"))?;
        self.0 = rest;
        Ok(u32::from_be_bytes(*head))
    }
    /// A byte string.
    ///
    /// # Errors
    /// [`Vxi11Error::Reply`] when it is longer than what is there.
    pub(super) fn opaque(&mut self) -> Result<&'a [u8], Vxi11Error> {
        let length = usize::try_from(self.word()?).unwrap_or(usize::MAX);
        let short = Vxi11Error::Reply("a byte string in it is longer than the reply");
        let padded = length.checked_next_multiple_of(4).filter(|n| *n <= self.0.len()).ok_or(short)?;
        let (head, rest) = self.0.split_at(padded);
        self.0 = rest;
        Ok(head.get(..length).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// RFC 4506, 4.10 and 7: length, bytes, zeros up to a multiple of four.
    #[test]
    fn strings_are_padded_with_zeros() {
        let bytes = Encoder::default().words(&[1, 0x8000_0000]).opaque(b"inst0").finish();
        assert_eq!(bytes, b"\0\0\0\x01\x80\0\0\0\0\0\0\x05inst0\0\0\0");
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut decoder = Decoder(&bytes);
            while decoder.opaque().is_ok_and(|b| !b.is_empty()) {}
            let _ = decoder.word();
            prop_assert!(decoder.0.len() <= bytes.len());
        }
    }
}
