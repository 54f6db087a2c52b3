//! Calls as they arrive and replies as they leave (RFC 4506, RFC 5531); own code, so that a mistake of the client's is
//! not made here, too.

/// Mark of a record's last fragment.
const LAST: u32 = 1 << 31;
/// Longest record that is taken.
const LONGEST: usize = 256 * 1024;

/// Why a call is not carried out; the numbers of `accept_stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    NoProgram = 1,
    NoVersion = 2,
    NoProcedure = 3,
    BadArguments = 4,
}

/// The words and strings of a call, read one after the other.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes }
    }
    pub(super) fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(u32::from_be_bytes(*word))
    }
    pub(super) fn string(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.word()?).ok()?;
        let string = self.bytes.get(..length)?;
        self.bytes = self.bytes.get(length.checked_next_multiple_of(4)?..)?;
        Some(string)
    }
}

/// A call's head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) number: u32,
    pub(super) program: u32,
    pub(super) version: u32,
    pub(super) procedure: u32,
}

/// The head of a call; what is left in `reader` are its arguments.
pub(super) fn call(reader: &mut Reader<'_>) -> Option<Call> {
    let number = reader.word()?;
    let is_call = reader.word()? == 0;
    let rpc_version = reader.word()?;
    let call = Call { number, program: reader.word()?, version: reader.word()?, procedure: reader.word()? };
    for _ in 0..2 {
        reader.word()?;
        reader.string()?;
    }
    (is_call && rpc_version == 2).then_some(call)
}

/// A reply without the mark of its length.
pub(super) fn reply(number: u32, outcome: &Result<Vec<u8>, Refusal>) -> Vec<u8> {
    let status = outcome.as_ref().map_or_else(|refusal| *refusal as u32, |_| 0);
    // Reply, accepted, no verifier, status.
    let mut bytes = words(&[number, 1, 0, 0, 0, status]);
    match outcome {
        Ok(results) => bytes.extend_from_slice(results),
        Err(Refusal::NoVersion) => bytes.extend(words(&[1, 2])),
        Err(_) => {}
    }
    bytes
}

pub(super) fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_be_bytes()).collect()
}

pub(super) fn string(bytes: &[u8]) -> Vec<u8> {
    let mut out = words(&[u32::try_from(bytes.len()).unwrap_or(0)]);
    out.extend_from_slice(bytes);
    out.resize(out.len().next_multiple_of(4), 0);
    out
}

/// One record as a single fragment.
pub(super) fn record(bytes: &[u8]) -> Vec<u8> {
    let mut out = words(&[u32::try_from(bytes.len()).unwrap_or(0) | LAST]);
    out.extend_from_slice(bytes);
    out
}

/// A record, fragments joined. `fill` says whether it could read all that it was given room for.
pub(super) fn read_record(mut fill: impl FnMut(&mut [u8]) -> bool) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let mut head = [0; 4];
        fill(&mut head).then_some(())?;
        let head = u32::from_be_bytes(head);
        let start = bytes.len();
        let length = usize::try_from(head & !LAST).ok()?;
        let end = start.checked_add(length).filter(|n| *n <= LONGEST)?;
        bytes.resize(end, 0);
        fill(bytes.get_mut(start..)?).then_some(())?;
        if head & LAST != 0 {
            return Some(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_bytes_panic_or_take_much_room(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut rest: &[u8] = &bytes;
            let record = read_record(|room| {
                let Some((head, tail)) = rest.split_at_checked(room.len()) else { return false };
                room.copy_from_slice(head);
                rest = tail;
                true
            });
            prop_assert!(record.is_none_or(|r| r.len() <= bytes.len()));
            let mut reader = Reader::new(&bytes);
            let _ = call(&mut reader);
        }
    }
}
