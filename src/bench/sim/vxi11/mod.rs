//! The scope's VXI-11 port: port mapper, core channel and abort channel in one.
//!
//! A call names its program, so one TCP port serves all three: with port 111 every VISA client finds it by address
//! alone, with any other port `TCPIP0::host,port::inst0::INSTR` does. The same port over UDP answers the broadcasts by
//! which clients look for instruments. Behind it is the same instrument that the raw socket shows; who uses both at once
//! gets their commands mixed, as on a real one. It refuses: more than sixteen connections, records over 256 kB.

mod links;
mod rpc;

use super::server;
use super::world::Shared;
use crate::bench::BenchError;
use links::{Links, Outcome};
use rpc::{Reader, Refusal};
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Connections at a time.
const MOST_CONNECTIONS: usize = 16;
/// Longest wait for a client that does not read its answer.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// How often the thread of the UDP port looks whether the bench stops.
const LOOK: Duration = Duration::from_millis(50);
/// Free TCP ports that are tried until the same UDP port is free, too.
const PORT_TRIES: usize = 8;

const PORT_MAPPER: u32 = 100_000;
const CORE: u32 = 0x0006_07AF;
const ABORT: u32 = 0x0006_07B0;

/// The listening port with its threads.
pub(super) struct Vxi11 {
    /// Where it listens.
    pub(super) address: SocketAddr,
    shared: Arc<Shared>,
    links: Arc<Links>,
    open: Arc<Mutex<Vec<Connection>>>,
    threads: Vec<JoinHandle<()>>,
}

struct Connection {
    stream: TcpStream,
    thread: JoinHandle<()>,
}

impl Vxi11 {
    /// Listens on `port`, 0 for a free one.
    ///
    /// # Errors
    /// [`BenchError::Unreachable`] when the port cannot be had.
    pub(super) fn start(shared: &Arc<Shared>, host: IpAddr, port: u16) -> Result<Vxi11, BenchError> {
        let failed = |source| BenchError::Unreachable {
            what: "scope",
            at: format!("{} for VXI-11", SocketAddr::new(host, port)),
            source,
            advice: "the virtual bench could not listen there: is another program using the port? ports below 1024, the \
                     port mapper's 111 among them, need privileges",
        };
        let (listener, datagrams) = bind(host, port).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        datagrams.set_read_timeout(Some(LOOK)).map_err(failed)?;
        let mut server = Vxi11 {
            address,
            shared: Arc::clone(shared),
            links: Arc::new(Links::default()),
            open: Arc::default(),
            threads: Vec::new(),
        };
        let (of_udp, of_tcp) = (Arc::clone(shared), Arc::clone(shared));
        let (links, open) = (Arc::clone(&server.links), Arc::clone(&server.open));
        server.spawn(move || answer_datagrams(&datagrams, &of_udp, address.port())).map_err(failed)?;
        server.spawn(move || accept(&listener, &of_tcp, &links, &open, address.port())).map_err(failed)?;
        Ok(server)
    }

    fn spawn(&mut self, run: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
        let thread = std::thread::Builder::new().name("virtual VXI-11".to_owned()).spawn(run)?;
        self.threads.push(thread);
        Ok(())
    }
}

impl Drop for Vxi11 {
    /// Ends the threads; the bench is stopping, or could not be started.
    fn drop(&mut self) {
        self.shared.stop();
        self.links.wake();
        let mut wake = self.address;
        if wake.ip().is_unspecified() {
            wake.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
        }
        let woken = TcpStream::connect_timeout(&wake, Duration::from_secs(1)).is_ok();
        for thread in self.threads.drain(..).filter(|t| woken || t.is_finished()) {
            let _ = thread.join();
        }
        let connections = std::mem::take(&mut *lock(&self.open));
        for connection in connections {
            let _ = connection.stream.shutdown(Shutdown::Both);
            let _ = connection.thread.join();
        }
    }
}

fn lock(open: &Mutex<Vec<Connection>>) -> std::sync::MutexGuard<'_, Vec<Connection>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The same port over TCP and UDP.
fn bind(host: IpAddr, port: u16) -> std::io::Result<(TcpListener, UdpSocket)> {
    let mut tries = PORT_TRIES;
    loop {
        let listener = TcpListener::bind((host, port))?;
        match UdpSocket::bind(listener.local_addr()?) {
            Ok(datagrams) => return Ok((listener, datagrams)),
            Err(e) if port != 0 || tries == 0 => return Err(e),
            Err(_) => tries -= 1,
        }
    }
}

fn answer_datagrams(socket: &UdpSocket, shared: &Shared, port: u16) {
    let mut room = [0; 512];
    while !shared.stopping() {
        let Ok((n, from)) = socket.recv_from(&mut room) else { continue };
        let mut reader = Reader::new(room.get(..n).unwrap_or_default());
        let Some(call) = rpc::call(&mut reader) else { continue };
        let outcome = match (call.program, call.version) {
            (PORT_MAPPER, 2) => port_mapper(call.procedure, &mut reader, port),
            (PORT_MAPPER, _) => Err(Refusal::NoVersion),
            _ => Err(Refusal::NoProgram),
        };
        // A client that has gone is no concern of the server's.
        let _ = socket.send_to(&rpc::reply(call.number, &outcome), from);
    }
}

fn port_mapper(procedure: u32, arguments: &mut Reader<'_>, port: u16) -> Result<Vec<u8>, Refusal> {
    const TCP: u32 = 6;
    match procedure {
        0 => Ok(Vec::new()),
        3 => {
            let program = arguments.word().ok_or(Refusal::BadArguments)?;
            let _version = arguments.word().ok_or(Refusal::BadArguments)?;
            let protocol = arguments.word().ok_or(Refusal::BadArguments)?;
            let known = matches!(program, CORE | ABORT) && protocol == TCP;
            Ok(rpc::words(&[if known { u32::from(port) } else { 0 }]))
        }
        _ => Err(Refusal::NoProcedure),
    }
}

fn accept(
    listener: &TcpListener,
    shared: &Arc<Shared>,
    links: &Arc<Links>,
    open: &Mutex<Vec<Connection>>,
    port: u16,
) {
    while !shared.stopping() {
        let Ok((stream, _)) = listener.accept() else { continue };
        let mut open = lock(open);
        open.retain(|connection| !connection.thread.is_finished());
        let Ok(kept) = stream.try_clone() else { continue };
        if open.len() >= MOST_CONNECTIONS || shared.stopping() {
            continue;
        }
        let (shared, links) = (Arc::clone(shared), Arc::clone(links));
        let serve = move || serve(stream, &shared, &links, port);
        if let Ok(thread) = std::thread::Builder::new().name("virtual VXI-11".to_owned()).spawn(serve) {
            open.push(Connection { stream: kept, thread });
        }
    }
}

/// Serves one connection until it ends; its links end with it.
fn serve(mut stream: TcpStream, shared: &Shared, links: &Links, port: u16) {
    let _ = stream.set_nodelay(true);
    let _ = stream.set_write_timeout(Some(WRITE_TIMEOUT));
    let mut made = Vec::new();
    while let Some(record) = rpc::read_record(|room| fill(&mut stream, room)) {
        let mut reader = Reader::new(&record);
        let Some(call) = rpc::call(&mut reader) else { break };
        let outcome: Outcome = match (call.program, call.version) {
            (PORT_MAPPER, 2) => Some(port_mapper(call.procedure, &mut reader, port)),
            (CORE, 1) => links.core(call.procedure, &mut reader, &mut made, port, shared),
            (ABORT, 1) => links.abort(call.procedure, &mut reader),
            (PORT_MAPPER | CORE | ABORT, _) => Some(Err(Refusal::NoVersion)),
            _ => Some(Err(Refusal::NoProgram)),
        };
        let Some(outcome) = outcome else { break };
        let reply = rpc::record(&rpc::reply(call.number, &outcome));
        if shared.stopping() || stream.write_all(&reply).is_err() {
            break;
        }
    }
    for id in made {
        links.destroy(id);
    }
    let _ = stream.shutdown(Shutdown::Both);
}

fn fill(stream: &mut TcpStream, room: &mut [u8]) -> bool {
    let mut at = 0;
    while at < room.len() {
        match server::read(stream, room.get_mut(at..).unwrap_or_default()) {
            0 => return false,
            n => at += n,
        }
    }
    true
}
