//! Bytes from the sockets to whole lines, in one queue. One client at a time on each port.

use super::LONGEST;
use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;

/// Which port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Uart,
    Control,
}

/// What the sockets brought.
#[derive(Debug)]
pub(super) enum Event {
    /// A client, to be answered over this stream.
    Connected(Source, TcpStream),
    /// A line with its line feed, or [`LONGEST`] bytes without, or what a client left behind.
    Line(Source, Vec<u8>),
}

/// Serves a listener on a thread of its own, until the receiver of `events` is gone.
pub(super) fn spawn(listener: TcpListener, source: Source, events: mpsc::Sender<Event>) {
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if serve(stream, source, &events).is_err() {
                return;
            }
        }
    });
}

/// Reads one client to its end. An error means that nobody listens to the events any more.
fn serve(
    mut stream: TcpStream,
    source: Source,
    events: &mpsc::Sender<Event>,
) -> Result<(), mpsc::SendError<Event>> {
    // Without it small answers wait for the peer's acknowledgement; the session works either way.
    let _ = stream.set_nodelay(true);
    let Ok(answers) = stream.try_clone() else { return Ok(()) };
    events.send(Event::Connected(source, answers))?;
    let (mut line, mut chunk) = (Vec::new(), [0; 512]);
    while let Some(bytes) = stream.read(&mut chunk).ok().filter(|n| *n > 0).and_then(|n| chunk.get(..n)) {
        for byte in bytes {
            line.push(*byte);
            if *byte == b'\n' || line.len() >= LONGEST {
                events.send(Event::Line(source, std::mem::take(&mut line)))?;
            }
        }
    }
    if line.is_empty() { Ok(()) } else { events.send(Event::Line(source, line)) }
}
