//! Sockets: one thread a listener, one client at a time.
//!
//! A second client of the scope waits until the first has gone, as on the real port (Q28). A reply is one write, since
//! clients take a short read for its end. `TCP_NODELAY` and, where there is one, `TCP_QUICKACK` keep clients that leave
//! Nagle's algorithm on from waiting 40 ms for each acknowledgement.

use super::board::Response;
use super::faults::Fault;
use super::language::Messages;
use super::world::Shared;
use crate::bench::BenchError;
use latency_protocol::LineBuffer;
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Longest wait for a client that does not read its answer.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// Speaks with one client until it goes.
pub(super) trait Speaker: Send + 'static {
    /// Returns when the client is gone or the bench stops.
    fn speak(&mut self, shared: &Shared, stream: &mut TcpStream);
    /// A further client is turned away while one is served.
    fn refuses(&self, _shared: &Shared) -> bool {
        false
    }
}

/// A listening thread.
pub(super) struct Server {
    /// Where it listens.
    pub(super) address: SocketAddr,
    current: Arc<Mutex<Option<TcpStream>>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens and serves until [`Server::end`].
    ///
    /// # Errors
    /// [`BenchError::Unreachable`] when the address cannot be had.
    pub(super) fn start(
        shared: &Arc<Shared>,
        what: &'static str,
        host: IpAddr,
        port: u16,
        mut speaker: impl Speaker,
    ) -> Result<Server, BenchError> {
        let wanted = SocketAddr::new(host, port);
        let failed = |source| BenchError::Unreachable {
            what,
            at: wanted.to_string(),
            source,
            advice: "the virtual bench could not listen there: is another program using the port?",
        };
        let listener = TcpListener::bind(wanted).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let current = Arc::new(Mutex::new(None));
        let (of_thread, shared) = (Arc::clone(&current), Arc::clone(shared));
        let serve = move || serve(&listener, &shared, &of_thread, &mut speaker);
        let thread =
            std::thread::Builder::new().name(format!("virtual {what}")).spawn(serve).map_err(failed)?;
        Ok(Server { address, current, thread: Some(thread) })
    }

    /// Wakes the thread and waits for its end; the bench must be stopping.
    pub(super) fn end(&mut self) {
        if let Some(stream) = lock(&self.current).take() {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
        let mut wake = self.address;
        if wake.ip().is_unspecified() {
            wake.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
        }
        let woken = TcpStream::connect_timeout(&wake, Duration::from_secs(1)).is_ok();
        if let Some(thread) = self.thread.take().filter(|t| woken || t.is_finished()) {
            let _ = thread.join();
        }
    }
}

fn lock(current: &Mutex<Option<TcpStream>>) -> std::sync::MutexGuard<'_, Option<TcpStream>> {
    current.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(
    listener: &TcpListener,
    shared: &Shared,
    current: &Mutex<Option<TcpStream>>,
    speaker: &mut impl Speaker,
) {
    while !shared.stopping() {
        let Ok((mut stream, _)) = listener.accept() else { continue };
        let _ = stream.set_nonblocking(false);
        let _ = stream.set_nodelay(true);
        let _ = stream.set_write_timeout(Some(WRITE_TIMEOUT));
        *lock(current) = stream.try_clone().ok();
        if shared.stopping() {
            return;
        }
        if speaker.refuses(shared) {
            // Whoever waits in the backlog while this client is served is turned away: nothing is ever queued.
            refuse_others(listener, shared, &mut stream, speaker);
        } else {
            speaker.speak(shared, &mut stream);
        }
        lock(current).take();
    }
}

/// Serves one client on this thread while another turns further ones away.
fn refuse_others(
    listener: &TcpListener,
    shared: &Shared,
    stream: &mut TcpStream,
    speaker: &mut impl Speaker,
) {
    let Ok(second) = listener.try_clone() else { return speaker.speak(shared, stream) };
    let _ = second.set_nonblocking(true);
    let served = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !served.load(std::sync::atomic::Ordering::SeqCst) && !shared.stopping() {
                if second.accept().is_err() {
                    std::thread::park_timeout(Duration::from_millis(5));
                }
            }
        });
        speaker.speak(shared, stream);
        served.store(true, std::sync::atomic::Ordering::SeqCst);
    });
    let _ = listener.set_nonblocking(false);
}

/// Reads what there is; nothing when the client has gone.
pub(super) fn read(stream: &mut TcpStream, buffer: &mut [u8]) -> usize {
    loop {
        match stream.read(buffer) {
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            got => {
                #[cfg(any(target_os = "linux", target_os = "android"))]
                let _ = socket2::SockRef::from(&*stream).set_tcp_quickack(true);
                return got.unwrap_or(0);
            }
        }
    }
}

/// The scope's socket.
pub(super) struct ScopeSpeaker;

impl Speaker for ScopeSpeaker {
    fn speak(&mut self, shared: &Shared, stream: &mut TcpStream) {
        shared.scope_connected();
        if shared.strikes(Fault::Unplugged) {
            return;
        }
        let mut messages = Messages::default();
        let mut buffer = [0; 4096];
        loop {
            let n = read(stream, &mut buffer);
            if n == 0 || shared.stopping() {
                return;
            }
            messages.extend(buffer.get(..n).unwrap_or_default());
            while let Some(message) = messages.next() {
                let outcome = shared.scope(message.as_deref().ok());
                if !send(shared, stream, &outcome.bytes) {
                    return;
                }
            }
        }
    }

    fn refuses(&self, shared: &Shared) -> bool {
        shared.strikes(Fault::RefuseSecond)
    }
}

/// Sends a reply; false when the connection is over.
fn send(shared: &Shared, stream: &mut TcpStream, bytes: &[u8]) -> bool {
    if bytes.is_empty() {
        return true;
    }
    if shared.strikes(Fault::Drop) {
        let _ = stream.write_all(bytes.get(..bytes.len() / 2).unwrap_or_default());
        return false;
    }
    if shared.strikes(Fault::Pieces) {
        return bytes.chunks(bytes.len().div_ceil(3)).all(|piece| stream.write_all(piece).is_ok());
    }
    stream.write_all(bytes).is_ok()
}

/// The board's socket.
pub(super) struct BoardSpeaker;

impl Speaker for BoardSpeaker {
    fn speak(&mut self, shared: &Shared, stream: &mut TcpStream) {
        let mut console = Console::default();
        let mut buffer = [0; 512];
        loop {
            let n = read(stream, &mut buffer);
            if n == 0 || shared.stopping() {
                break;
            }
            let sent =
                console.take(shared, buffer.get(..n).unwrap_or_default(), |b| stream.write_all(b).is_ok());
            if !sent {
                break;
            }
        }
        shared.board_released();
    }
}

/// Bytes to lines to answers, for socket and pseudo-terminal alike.
#[derive(Default)]
pub(super) struct Console {
    line: LineBuffer,
}

impl Console {
    /// Takes what came; false when the link is to be closed.
    pub(super) fn take(
        &mut self,
        shared: &Shared,
        bytes: &[u8],
        mut send: impl FnMut(&[u8]) -> bool,
    ) -> bool {
        for byte in bytes {
            let Some(line) = self.line.push(*byte) else { continue };
            let go_on = match shared.board(line) {
                Response::Line(answer) => send(&answer),
                Response::Silence => true,
                Response::Closed => false,
            };
            if !go_on {
                return false;
            }
        }
        true
    }
}
