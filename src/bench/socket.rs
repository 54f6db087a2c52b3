//! One TCP connection with a deadline, under the scope's raw socket and the board's `tcp://` link alike.
//!
//! Every read and write ends at the deadline that [`Socket::within`] set, however slowly bytes trickle in. Deadlines
//! are wall-clock time even over the simulated bench, since the socket is a real one. Nagle's algorithm is off: a
//! client that writes twice without a reply between stalls 40 ms on a server that delays its acknowledgements.

use super::Clock;
use crate::units::Picos;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

/// A connected socket.
pub struct Socket {
    stream: TcpStream,
    wall: Arc<dyn Clock>,
    deadline: Picos,
}

impl Socket {
    /// Connects to `host:port`, trying each of its addresses; `host` may be an IPv6 address in brackets.
    ///
    /// # Errors
    /// Those of the system, or of the last address tried.
    pub fn connect(host: &str, port: u16, budget: Picos, wall: Arc<dyn Clock>) -> io::Result<Socket> {
        let bare = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host);
        let mut last = io::Error::new(ErrorKind::NotFound, "the name has no address");
        for address in (bare, port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, at_least_a_millisecond(budget)) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    let deadline = wall.now() + budget;
                    return Ok(Socket { stream, wall, deadline });
                }
                Err(e) => last = e,
            }
        }
        Err(last)
    }

    /// Reads and writes from here on end within `budget`.
    pub fn within(&mut self, budget: Picos) {
        self.deadline = self.wall.now() + budget;
    }

    /// Reads what has arrived without waiting.
    ///
    /// # Errors
    /// `TimedOut` when nothing has, otherwise the system's.
    pub fn read_now(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.stream.set_nonblocking(true)?;
        let result = self.stream.read(into).map_err(expired);
        self.stream.set_nonblocking(false)?;
        result
    }

    /// Bytes have arrived that nobody has read. An end of the stream is none.
    pub fn pending(&mut self) -> bool {
        let mut one = [0u8; 1];
        let waiting = self.stream.set_nonblocking(true).and_then(|()| self.stream.peek(&mut one));
        // Back to blocking in any case; a failure shows at the next read.
        let _ = self.stream.set_nonblocking(false);
        waiting.is_ok_and(|n| n > 0)
    }

    fn remaining(&self) -> io::Result<Duration> {
        let left = self.deadline - self.wall.now();
        if left.0 <= 0 { Err(ErrorKind::TimedOut.into()) } else { Ok(at_least_a_millisecond(left)) }
    }
}

/// The operating system takes no zero time-out.
fn at_least_a_millisecond(time: Picos) -> Duration {
    time.to_duration().max(Duration::from_millis(1))
}

/// Unix calls an expired socket time-out "would block", Windows "timed out".
fn expired(e: io::Error) -> io::Error {
    if e.kind() == ErrorKind::WouldBlock { ErrorKind::TimedOut.into() } else { e }
}

impl Read for Socket {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.remaining()?))?;
        self.stream.read(into).map_err(expired)
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.remaining()?))?;
        self.stream.write(bytes).map_err(expired)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
