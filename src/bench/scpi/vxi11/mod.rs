//! VXI-11, for scopes that offer nothing else over the network: `TCPIP::host::INSTR`.
//!
//! `xdr` and `rpc` are the calls, `link` the procedures, this file a [`Transport`] of them. The raw socket is faster and
//! sturdier on the DS1000Z family (Q32, Q33); both give the same bytes. It refuses: answers larger than asked for, a port
//! mapper that knows no VXI-11, and waiting longer than the exchange's budget, but for half a second in which a device
//! that hangs is told to give up.

mod link;
mod rpc;
mod search;
mod xdr;

pub(in crate::bench) use search::hosts;

use super::inbox::{Inbox, Part};
use super::{Resource, Transport};
use crate::bench::{BenchError, Clock};
use crate::units::Picos;
use link::{Link, Place};
use std::io::{self, ErrorKind};
use std::sync::Arc;

/// Where a host's port mapper listens.
pub const PORT_MAPPER_PORT: u16 = 111;

const ADVICE: &str = "is it on and at this address, is LAN enabled under Utility > IO Setting > RemoteIO, is the USB \
                      cable unplugged (it takes LAN away)? the raw socket, host:5555, may answer where VXI-11 does not";

/// What can go wrong on a link, below SCPI.
#[derive(Debug, thiserror::Error)]
pub(super) enum Vxi11Error {
    /// The connection.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A reply that cannot be.
    #[error("a VXI-11 reply cannot be used: {0}")]
    Reply(&'static str),
    /// The host has a port mapper but no VXI-11.
    #[error("the host's port mapper knows no VXI-11 service")]
    NoService,
    /// The device says no.
    #[error("VXI-11 error {0}: {what}", what = meaning(*.0))]
    Device(u32),
}

/// Errors of the device, VXI-11 revision 1.0, table B.2.
fn meaning(code: u32) -> &'static str {
    match code {
        1 => "syntax error",
        3 => "the device is not accessible (its name usually is `inst0`)",
        4 => "the link is not valid any more",
        5 => "parameter error",
        6 => "the channel is not established",
        8 => "operation not supported",
        9 => "out of resources (another program may be connected)",
        11 => "the device is locked by another program",
        12 => "no lock is held",
        15 => "time-out of the device",
        17 => "input or output error",
        21 => "invalid address",
        23 => "aborted",
        29 => "the channel is already established",
        _ => "unknown",
    }
}

impl From<Vxi11Error> for io::Error {
    fn from(error: Vxi11Error) -> io::Error {
        const TIME_OUT: u32 = 15;
        let kind = match &error {
            Vxi11Error::Io(_) => ErrorKind::Other,
            Vxi11Error::Reply(_) => ErrorKind::InvalidData,
            Vxi11Error::NoService => ErrorKind::NotFound,
            Vxi11Error::Device(TIME_OUT) => ErrorKind::TimedOut,
            Vxi11Error::Device(_) => ErrorKind::Other,
        };
        match error {
            Vxi11Error::Io(source) => source,
            other => io::Error::new(kind, other),
        }
    }
}

/// A scope behind VXI-11.
pub struct Vxi11Transport {
    name: String,
    wire: Wire,
    inbox: Inbox,
}

/// The link and its deadline.
struct Wire {
    place: Place,
    budget: Picos,
    deadline: Picos,
    wall: Arc<dyn Clock>,
    /// `None` between a failed reconnect and the next one.
    link: Option<Link>,
}

impl Vxi11Transport {
    /// Opens a link to `device` on `host` within `budget`; `wall` is real time. The port of the core channel is asked
    /// for at `port_mapper` unless it is given.
    ///
    /// # Errors
    /// [`BenchError::Unreachable`].
    pub fn connect(
        host: &str,
        device: &str,
        core: Option<u16>,
        port_mapper: u16,
        budget: Picos,
        wall: Arc<dyn Clock>,
    ) -> Result<Vxi11Transport, BenchError> {
        let place = Place { host: host.to_owned(), port_mapper, core, device: device.to_owned() };
        let name = Resource::Lan { board: 0, host: host.to_owned(), port: core, device: device.to_owned() };
        let deadline = wall.now() + budget;
        let mut wire = Wire { place, budget, deadline, wall, link: None };
        match wire.open() {
            Ok(_) => Ok(Vxi11Transport { name: name.to_string(), wire, inbox: Inbox::default() }),
            Err(e) => Err(BenchError::Unreachable {
                what: "scope",
                at: name.to_string(),
                source: e.into(),
                advice: ADVICE,
            }),
        }
    }
}

impl Wire {
    fn open(&mut self) -> Result<&mut Link, Vxi11Error> {
        let link = Link::open(&self.place, self.budget, &self.wall)?;
        Ok(self.link.insert(link))
    }

    /// The link and the time that is left.
    fn link(&mut self) -> io::Result<(&mut Link, Picos)> {
        let left = self.deadline - self.wall.now();
        if left.0 <= 0 {
            return Err(ErrorKind::TimedOut.into());
        }
        Ok((self.link.as_mut().ok_or(ErrorKind::NotConnected)?, left))
    }

    fn part(&mut self) -> io::Result<Part> {
        let (link, left) = self.link()?;
        Ok(link.read(left)?)
    }
}

impl Transport for Vxi11Transport {
    fn name(&self) -> &str {
        &self.name
    }
    fn begin(&mut self, budget: Picos) {
        self.wire.deadline = self.wire.wall.now() + budget;
    }
    fn unread(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.inbox.surplus())
    }
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.inbox.expect_message();
        let (link, left) = self.wire.link()?;
        Ok(link.write(bytes, left)?)
    }
    fn read_line(&mut self, limit: usize) -> io::Result<Vec<u8>> {
        self.inbox.line(limit, |_| self.wire.part())
    }
    fn read_exact(&mut self, into: &mut [u8]) -> io::Result<()> {
        self.inbox.exact(into, |_| self.wire.part())
    }
    fn reconnect(&mut self) -> io::Result<()> {
        // Handed back before a new one is asked for: devices have few.
        self.wire.link = None;
        self.inbox = Inbox::default();
        let budget = self.wire.budget;
        // The late answer to a question before must not be taken for the next one (Q23); a device that cannot clear
        // itself drops it when the next question comes, as IEEE 488.2 has it.
        let _ = self.wire.open()?.clear(budget);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
