//! One VXI-11 link: the procedures of the core and abort channels (VXI-11 revision 1.0, section B).

use super::Vxi11Error;
use super::rpc::{Channel, Program};
use super::xdr::Encoder;
use crate::bench::Clock;
use crate::bench::scpi::inbox::Part;
use crate::bench::socket::Socket;
use crate::units::Picos;
use std::sync::Arc;

/// The port mapper of a host, which knows the ports of its programs.
pub(super) const PORT_MAPPER: Program = Program(100_000, 2);
/// The core channel.
pub(super) const CORE: Program = Program(0x0006_07AF, 1);
/// The abort channel.
pub(super) const ABORT: Program = Program(0x0006_07B0, 1);
/// `PMAPPROC_GETPORT`.
pub(super) const GETPORT: u32 = 3;

const DEVICE_ABORT: u32 = 1;
const CREATE_LINK: u32 = 10;
const DEVICE_WRITE: u32 = 11;
const DEVICE_READ: u32 = 12;
const DEVICE_CLEAR: u32 = 15;
const DESTROY_LINK: u32 = 23;

/// Flag of a write: the message ends with it. Bit of a read's reason: the message ended.
const WRITE_END: u32 = 8;
const READ_END: u32 = 4;

/// Bytes asked for in one read: a whole block of a deep record, header and all. The receive size that the device
/// advertises limits writes only; applying it to reads costs a call for each 1500 bytes (Q32).
const READ_SIZE: u32 = 512 * 1024;
/// Least receive size that the standard allows.
const LEAST_RECEIVE: usize = 1_024;
/// Most that is written in one call, whatever the device would take.
const MOST_RECEIVE: usize = 64 * 1024;
/// Longest wait for what is done on the way out: an abort, the end of a link.
const PARTING: Picos = Picos::from_ms(500);

/// Where a device is.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) host: String,
    pub(super) port_mapper: u16,
    /// Port of the core channel, where the user names it.
    pub(super) core: Option<u16>,
    pub(super) device: String,
}

/// An open link.
pub(super) struct Link {
    core: Channel,
    id: u32,
    receive_size: usize,
    abort_port: u16,
    host: String,
    wall: Arc<dyn Clock>,
}

impl Link {
    /// Asks the port mapper, connects, creates the link; everything within `budget`.
    ///
    /// # Errors
    /// [`Vxi11Error`].
    pub(super) fn open(place: &Place, budget: Picos, wall: &Arc<dyn Clock>) -> Result<Link, Vxi11Error> {
        let deadline = wall.now() + budget;
        let left = || deadline - wall.now();
        let port = match place.core {
            Some(port) => port,
            None => port_of(place, left(), wall)?,
        };
        let socket = Socket::connect(&place.host, port, left(), Arc::clone(wall))?;
        let mut core = Channel::new(socket, CORE);
        // Client id (any), no lock, no wait for a lock.
        let arguments = Encoder::default().words(&[std::process::id(), 0, 0]).opaque(place.device.as_bytes());
        let mut reply = core.call(CREATE_LINK, arguments, 0, left())?;
        accepted(reply.word()?)?;
        let (id, abort_port, receive_size) = (reply.word()?, reply.word()?, reply.word()?);
        let receive_size = usize::try_from(receive_size).unwrap_or(MOST_RECEIVE);
        Ok(Link {
            core,
            id,
            receive_size: receive_size.clamp(LEAST_RECEIVE, MOST_RECEIVE),
            abort_port: u16::try_from(abort_port).unwrap_or(0),
            host: place.host.clone(),
            wall: Arc::clone(wall),
        })
    }

    /// Writes one message in as many calls as the device's receive size asks for.
    ///
    /// # Errors
    /// [`Vxi11Error`].
    pub(super) fn write(&mut self, message: &[u8], budget: Picos) -> Result<(), Vxi11Error> {
        let deadline = self.wall.now() + budget;
        let mut rest = message;
        while !rest.is_empty() {
            let left = deadline - self.wall.now();
            let part = rest.get(..self.receive_size).unwrap_or(rest);
            let flags = if part.len() == rest.len() { WRITE_END } else { 0 };
            let arguments = Encoder::default().words(&[self.id, patience(left), 0, flags]).opaque(part);
            let mut reply = self.core.call(DEVICE_WRITE, arguments, 0, left)?;
            accepted(reply.word()?)?;
            let taken = usize::try_from(reply.word()?).unwrap_or(0).min(part.len());
            if taken == 0 {
                return Err(Vxi11Error::Reply("the device took no byte"));
            }
            rest = rest.get(taken..).unwrap_or_default();
        }
        Ok(())
    }

    /// Reads what there is, up to the end of the message.
    ///
    /// # Errors
    /// [`Vxi11Error`]. When the device does not answer in time, what it does is aborted first.
    pub(super) fn read(&mut self, budget: Picos) -> Result<Part, Vxi11Error> {
        let result = self.read_call(budget);
        if matches!(&result, Err(Vxi11Error::Io(e)) if e.kind() == std::io::ErrorKind::TimedOut) {
            // The time-out is what the user must see; an abort that fails as well is not.
            let _ = self.abort();
        }
        result
    }

    fn read_call(&mut self, budget: Picos) -> Result<Part, Vxi11Error> {
        let most = usize::try_from(READ_SIZE).unwrap_or(usize::MAX);
        // No lock, no termination character: messages end by END, blocks by their length.
        let arguments = Encoder::default().words(&[self.id, READ_SIZE, patience(budget), 0, 0, 0]);
        let mut reply = self.core.call(DEVICE_READ, arguments, most, budget)?;
        accepted(reply.word()?)?;
        let reason = reply.word()?;
        Ok(Part { bytes: reply.opaque()?.to_vec(), ended: reason & READ_END != 0 })
    }

    /// Tells the device to give up the call in progress, over the abort channel.
    fn abort(&self) -> Result<(), Vxi11Error> {
        if self.abort_port == 0 {
            return Ok(());
        }
        let socket = Socket::connect(&self.host, self.abort_port, PARTING, Arc::clone(&self.wall))?;
        let arguments = Encoder::default().words(&[self.id]);
        accepted(Channel::new(socket, ABORT).call(DEVICE_ABORT, arguments, 0, PARTING)?.word()?)
    }

    /// Empties the device's input and output.
    ///
    /// # Errors
    /// [`Vxi11Error`].
    pub(super) fn clear(&mut self, budget: Picos) -> Result<(), Vxi11Error> {
        let arguments = Encoder::default().words(&[self.id, 0, 0, patience(budget)]);
        accepted(self.core.call(DEVICE_CLEAR, arguments, 0, budget)?.word()?)
    }
}

impl Drop for Link {
    /// Some devices have few links to give: this one is handed back.
    fn drop(&mut self) {
        let _ = self.core.call(DESTROY_LINK, Encoder::default().words(&[self.id]), 0, PARTING);
    }
}

/// The port of the core channel.
fn port_of(place: &Place, budget: Picos, wall: &Arc<dyn Clock>) -> Result<u16, Vxi11Error> {
    let socket = Socket::connect(&place.host, place.port_mapper, budget, Arc::clone(wall))?;
    let mut mapper = Channel::new(socket, PORT_MAPPER);
    let port = mapper.call(GETPORT, getport(), 0, budget)?.word()?;
    u16::try_from(port).ok().filter(|p| *p != 0).ok_or(Vxi11Error::NoService)
}

/// Arguments of GETPORT: the core channel over TCP.
pub(super) fn getport() -> Encoder {
    const TCP: u32 = 6;
    Encoder::default().words(&[CORE.0, CORE.1, TCP, 0])
}

/// Milliseconds that the device may take: less than the call, so that its own answer comes first.
fn patience(budget: Picos) -> u32 {
    let milliseconds = budget.to_duration().as_millis().saturating_mul(9) / 10;
    u32::try_from(milliseconds).unwrap_or(u32::MAX).max(1)
}

fn accepted(error: u32) -> Result<(), Vxi11Error> {
    if error == 0 { Ok(()) } else { Err(Vxi11Error::Device(error)) }
}
