//! The raw socket: plain SCPI on a TCP port, 5555 on this family.

use super::Transport;
use crate::bench::socket::Socket;
use crate::bench::{BenchError, Clock};
use crate::units::Picos;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::sync::Arc;

/// Why nothing answers on an instrument's port, most frequent reasons first (quirks Q26, Q27, Q28).
const ADVICE: &str = "is it on and at this address, is LAN enabled under Utility > IO Setting > RemoteIO, is the USB \
                      cable unplugged (it takes LAN away), and is no other program connected?";

/// A scope behind a TCP port.
pub struct TcpTransport {
    host: String,
    port: u16,
    name: String,
    budget: Picos,
    wall: Arc<dyn Clock>,
    /// `None` between a failed reconnect and the next one.
    stream: Option<BufReader<Socket>>,
}

impl TcpTransport {
    /// Connects within `budget`; `wall` is real time.
    ///
    /// # Errors
    /// [`BenchError::Unreachable`].
    pub fn connect(
        host: &str,
        port: u16,
        budget: Picos,
        wall: Arc<dyn Clock>,
    ) -> Result<TcpTransport, BenchError> {
        let name = format!("{host}:{port}");
        let mut transport = TcpTransport { host: host.to_owned(), port, name, budget, wall, stream: None };
        transport.reconnect().map_err(|source| BenchError::Unreachable {
            what: "scope",
            at: transport.name.clone(),
            source,
            advice: ADVICE,
        })?;
        Ok(transport)
    }

    fn stream(&mut self) -> io::Result<&mut BufReader<Socket>> {
        self.stream.as_mut().ok_or_else(|| ErrorKind::NotConnected.into())
    }
}

impl Transport for TcpTransport {
    fn name(&self) -> &str {
        &self.name
    }
    fn begin(&mut self, budget: Picos) {
        if let Some(stream) = &mut self.stream {
            stream.get_mut().within(budget);
        }
    }
    fn unread(&mut self) -> io::Result<Vec<u8>> {
        let stream = self.stream()?;
        if stream.buffer().is_empty() && stream.get_mut().pending() {
            stream.fill_buf()?;
        }
        let bytes = stream.buffer().to_vec();
        stream.consume(bytes.len());
        Ok(bytes)
    }
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream()?.get_mut().write_all(bytes)
    }
    fn read_line(&mut self, limit: usize) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
        self.stream()?.take(most).read_until(b'\n', &mut line)?;
        if line.pop_if(|b| *b == b'\n').is_none() {
            let kind = if line.len() > limit { ErrorKind::InvalidData } else { ErrorKind::UnexpectedEof };
            return Err(io::Error::new(kind, format!("no line feed within {} bytes", line.len())));
        }
        line.pop_if(|b| *b == b'\r');
        Ok(line)
    }
    fn read_exact(&mut self, into: &mut [u8]) -> io::Result<()> {
        self.stream()?.read_exact(into)
    }
    fn reconnect(&mut self) -> io::Result<()> {
        // The old connection goes first: the scope serves one client only (Q28).
        self.stream = None;
        let socket = Socket::connect(&self.host, self.port, self.budget, Arc::clone(&self.wall))?;
        self.stream = Some(BufReader::new(socket));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::clock::SystemClock;
    use std::net::TcpListener;
    use std::thread;

    /// A server that accepts `replies.len()` connections and answers each with its bytes at once.
    fn serve(replies: Vec<&'static [u8]>) -> (u16, thread::JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let handle = thread::spawn(move || {
            let mut held = Vec::new();
            for reply in replies {
                let (mut stream, _) = listener.accept().unwrap();
                stream.write_all(reply).unwrap();
                held.push(stream);
            }
        });
        (port, handle)
    }

    fn connect(port: u16) -> TcpTransport {
        let wall = Arc::new(SystemClock::new());
        let mut transport = TcpTransport::connect("127.0.0.1", port, Picos::from_s(5), wall).unwrap();
        transport.begin(Picos::from_s(5));
        transport
    }

    #[test]
    fn line_feeds_and_zeros_inside_a_counted_read_are_data() {
        let (port, handle) = serve(vec![b"A,B\r\n\x0a\x00\x0aend\n"]);
        let mut transport = connect(port);
        assert_eq!(transport.read_line(10).unwrap(), b"A,B");
        let mut three = [1; 3];
        transport.read_exact(&mut three).unwrap();
        assert_eq!(three, [10, 0, 10]);
        assert_eq!(transport.unread().unwrap(), b"end\n");
        assert_eq!(transport.unread().unwrap(), b"");
        handle.join().unwrap();
    }

    #[test]
    fn an_endless_line_and_a_closed_connection_are_told_apart() {
        let (port, handle) = serve(vec![b"0123456789", b"012"]);
        let mut transport = connect(port);
        assert_eq!(transport.read_line(5).unwrap_err().kind(), ErrorKind::InvalidData);
        transport.reconnect().unwrap();
        handle.join().unwrap();
        assert_eq!(transport.read_line(5).unwrap_err().kind(), ErrorKind::UnexpectedEof);
    }

    #[test]
    fn silence_ends_at_the_deadline() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut transport = connect(listener.local_addr().unwrap().port());
        transport.begin(Picos::from_ms(20));
        assert_eq!(transport.read_line(5).unwrap_err().kind(), ErrorKind::TimedOut);
    }

    #[test]
    fn a_refused_port_says_what_to_check() {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let wall = Arc::new(SystemClock::new());
        let error = TcpTransport::connect("127.0.0.1", port, Picos::from_s(5), wall).err().unwrap();
        let text = error.to_string();
        assert!(text.contains(&format!("127.0.0.1:{port}")) && text.contains("RemoteIO"), "{text}");
    }
}
