//! The seam below the protocol: bytes to and from a board.

use crate::bench::socket::Socket;
use crate::bench::{BenchError, Clock};
use crate::units::Picos;
use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;

/// A two-way stream of bytes.
pub trait ByteStream {
    /// The link, for messages.
    fn name(&self) -> &str;
    /// Sends all of `bytes` within `budget`.
    ///
    /// # Errors
    /// The link's.
    fn write_all(&mut self, bytes: &[u8], budget: Picos) -> io::Result<()>;
    /// Reads what there is, waiting for the first byte no longer than `wait`, or not at all when that is zero; 0 when
    /// nothing came.
    ///
    /// # Errors
    /// The link's; `UnexpectedEof` when the other end has closed it.
    fn read(&mut self, into: &mut [u8], wait: Picos) -> io::Result<usize>;
}

/// A board behind a TCP port.
pub struct TcpStreamLink {
    socket: Socket,
    name: String,
}

impl TcpStreamLink {
    /// Connects within `budget`; `wall` is real time.
    ///
    /// # Errors
    /// [`BenchError::Unreachable`].
    pub fn connect(
        host: &str,
        port: u16,
        budget: Picos,
        wall: Arc<dyn Clock>,
    ) -> Result<TcpStreamLink, BenchError> {
        let name = format!("tcp://{host}:{port}");
        match Socket::connect(host, port, budget, wall) {
            Ok(socket) => Ok(TcpStreamLink { socket, name }),
            Err(source) => Err(BenchError::Unreachable {
                what: "board",
                at: name,
                source,
                advice: "is the server (ser2net, emulator) running, and is no other program connected to it?",
            }),
        }
    }
}

impl ByteStream for TcpStreamLink {
    fn name(&self) -> &str {
        &self.name
    }
    fn write_all(&mut self, bytes: &[u8], budget: Picos) -> io::Result<()> {
        self.socket.within(budget);
        self.socket.write_all(bytes)
    }
    fn read(&mut self, into: &mut [u8], wait: Picos) -> io::Result<usize> {
        let result = if wait > Picos::ZERO {
            self.socket.within(wait);
            self.socket.read(into)
        } else {
            self.socket.read_now(into)
        };
        match result {
            Ok(0) => Err(io::Error::new(ErrorKind::UnexpectedEof, "the other end closed the connection")),
            Err(e) if e.kind() == ErrorKind::TimedOut => Ok(0),
            other => other,
        }
    }
}
