//! Remote procedure calls over TCP and UDP (RFC 5531), as far as VXI-11 needs them: no authentication, one call at a time.
//!
//! A call leaves in one write (two would wait for each other's acknowledgement). A reply may come in fragments; together
//! they may not be larger than what was asked for. Replies to earlier calls, which an abort sets free, are skipped, a few.

use super::Vxi11Error;
use super::xdr::{Decoder, Encoder};
use crate::bench::socket::Socket;
use crate::units::Picos;
use std::io::{Read, Write};

/// A program and its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Program(pub(super) u32, pub(super) u32);

/// The last fragment of a record.
const LAST: u32 = 0x8000_0000;
/// Late replies that are skipped before one call.
const LATE_REPLIES: u32 = 4;
/// Room for the head of a reply and its words beside a byte string.
const HEAD: usize = 1_024;

/// A connection to one program.
pub(super) struct Channel {
    socket: Socket,
    program: Program,
    call: u32,
    reply: Vec<u8>,
}

impl Channel {
    /// Calls `program` over a connected socket.
    pub(super) fn new(socket: Socket, program: Program) -> Channel {
        Channel { socket, program, call: 0, reply: Vec::new() }
    }

    /// One call; `payload` is the longest byte string that its answer may hold.
    ///
    /// # Errors
    /// [`Vxi11Error`]; after one the channel is good for closing only.
    pub(super) fn call(
        &mut self,
        procedure: u32,
        arguments: Encoder,
        payload: usize,
        budget: Picos,
    ) -> Result<Decoder<'_>, Vxi11Error> {
        self.call = self.call.wrapping_add(1);
        let message = request(self.call, self.program, procedure, &arguments.finish());
        let length = u32::try_from(message.len()).unwrap_or(u32::MAX) | LAST;
        let mut record = length.to_be_bytes().to_vec();
        record.extend_from_slice(&message);
        self.socket.within(budget);
        self.socket.write_all(&record)?;
        for _ in 0..=LATE_REPLIES {
            self.record(payload.saturating_add(HEAD))?;
            if Decoder(&self.reply).word()? == self.call {
                return answer(self.call, &self.reply);
            }
        }
        Err(Vxi11Error::Reply("it belongs to another call"))
    }

    fn record(&mut self, limit: usize) -> Result<(), Vxi11Error> {
        self.reply.clear();
        loop {
            let mut head = [0; 4];
            self.socket.read_exact(&mut head)?;
            let head = u32::from_be_bytes(head);
            let length = usize::try_from(head & !LAST).unwrap_or(usize::MAX);
            let start = self.reply.len();
            let end = start.checked_add(length).filter(|n| *n <= limit);
            self.reply.resize(end.ok_or(Vxi11Error::Reply("it is larger than what was asked for"))?, 0);
            self.socket.read_exact(self.reply.get_mut(start..).unwrap_or_default())?;
            if head & LAST != 0 {
                return Ok(());
            }
        }
    }
}

/// A call without the mark of its length, as it goes over UDP.
pub(super) fn request(call: u32, program: Program, procedure: u32, arguments: &[u8]) -> Vec<u8> {
    // Call, RPC version 2, and twice "no authentication" of no bytes.
    let head = [call, 0, 2, program.0, program.1, procedure, 0, 0, 0, 0];
    let mut bytes = Encoder::default().words(&head).finish();
    bytes.extend_from_slice(arguments);
    bytes
}

/// The results in a reply to `call`.
///
/// # Errors
/// [`Vxi11Error::Reply`] with what is wrong.
pub(super) fn answer(call: u32, bytes: &[u8]) -> Result<Decoder<'_>, Vxi11Error> {
    let mut decoder = Decoder(bytes);
    if decoder.word()? != call || decoder.word()? != 1 {
        return Err(Vxi11Error::Reply("it belongs to another call"));
    }
    if decoder.word()? != 0 {
        return Err(Vxi11Error::Reply("the call was denied"));
    }
    decoder.word()?;
    decoder.opaque()?;
    match decoder.word()? {
        0 => Ok(decoder),
        1 => Err(Vxi11Error::Reply("the program is not there")),
        2 => Err(Vxi11Error::Reply("the program has another version")),
        3 => Err(Vxi11Error::Reply("the procedure is not there")),
        _ => Err(Vxi11Error::Reply("the arguments were not understood")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::clock::SystemClock;
    use std::net::TcpListener;
    use std::sync::Arc;

    const ACCEPTED: [u32; 6] = [1, 1, 0, 0, 0, 0];

    /// Calls a server that answers with `reply`, whatever it is asked.
    fn ask(reply: Vec<u8>) -> Result<u32, Vxi11Error> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut question = [0; 44];
            stream.read_exact(&mut question).unwrap();
            stream.write_all(&reply).unwrap();
        });
        let wall = Arc::new(SystemClock::new());
        let socket = Socket::connect("127.0.0.1", port, Picos::from_s(5), wall).unwrap();
        let mut channel = Channel::new(socket, Program(7, 1));
        let result =
            channel.call(3, Encoder::default(), 16, Picos::from_s(5)).and_then(|mut reply| reply.word());
        server.join().unwrap();
        result
    }

    fn words(words: &[u32]) -> Vec<u8> {
        Encoder::default().words(words).finish()
    }

    fn record(head: u32, words_in: &[u32]) -> Vec<u8> {
        let body = words(words_in);
        let mut bytes = words(&[head | u32::try_from(body.len()).unwrap()]);
        bytes.extend(body);
        bytes
    }

    /// RFC 5531, section 9: xid, CALL, RPC version, program, version, procedure, two empty authentications.
    #[test]
    fn a_call_has_ten_words_and_its_arguments() {
        let bytes = request(9, Program(0x0006_07AF, 1), 10, b"args");
        assert_eq!(bytes.len(), 44);
        assert_eq!(bytes.get(..24).unwrap(), words(&[9, 0, 2, 0x0006_07AF, 1, 10]));
    }

    #[test]
    fn fragments_make_one_reply_and_late_replies_are_skipped() {
        let mut bytes = record(LAST, &[0xDEAD, 1, 0, 0, 0, 0, 1]);
        bytes.extend(record(0, ACCEPTED.get(..4).unwrap()));
        bytes.extend(record(0, &[]));
        bytes.extend(record(LAST, &[0, 0, 42]));
        assert_eq!(ask(bytes).unwrap(), 42);
    }

    #[test]
    fn replies_that_cannot_be_are_named() {
        let denied = record(LAST, &[1, 1, 1, 0, 2, 2]);
        let missing = record(LAST, &[1, 1, 0, 0, 0, 1]);
        let huge = words(&[LAST | 0x7FFF_FFFF]);
        let short = record(LAST, ACCEPTED.as_slice());
        let foreign = record(LAST, &[5, 1, 0, 0, 0, 0, 1]).repeat(5);
        for (bytes, why) in [
            (denied, "denied"),
            (missing, "program is not there"),
            (huge, "larger than what was asked for"),
            (short, "too short"),
            (foreign, "another call"),
        ] {
            let error = ask(bytes).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        assert!(matches!(ask(vec![0x80]), Err(Vxi11Error::Io(_))), "a connection that ends inside a reply");
    }
}
