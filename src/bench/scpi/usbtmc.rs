//! USB by the kernel's own driver: `/dev/usbtmcN` on Linux, no library needed.
//!
//! The driver wraps and unwraps the packets of the USB test and measurement class; a write is a message, a read gives
//! one up to its end. The DS1000Z family is a high-speed device whose endpoints claim 64-byte packets, and on many
//! machines the kernel then cuts every answer to 52 bytes (64 less a header of 12, Q34). So the first thing over a new
//! link is the identity, which is longer than that on this family: a link that cuts it is refused, since it would cut
//! records, too. Every later answer of exactly 52 bytes without an end is refused the same way. No device is ever
//! cleared: this family hangs on it (Q36).

#![expect(unsafe_code, reason = "the driver's time-out is set by ioctl; the argument stands beside the call")]

use super::Transport;
use super::inbox::{Inbox, Part};
use crate::bench::{BenchError, Clock};
use crate::units::Picos;
use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

/// `USBTMC_IOCTL_SET_TIMEOUT` of linux/usb/tmc.h: write a 32-bit number of milliseconds, group 91, number 10.
const SET_TIMEOUT: rustix::ioctl::Opcode = rustix::ioctl::opcode::write::<u32>(91, 10);
/// Shortest time-out that the driver takes, in milliseconds.
const SHORTEST: u32 = 100;
/// Bytes of one read: a whole block of a deep record.
const READ_SIZE: usize = 512 * 1024;
/// What is left of a 64-byte packet behind the class's header.
const CUT: usize = 52;
/// Empty answers that are borne at the start (Q38).
const EMPTY_ANSWERS: u32 = 8;
/// Devices that are looked at when one is searched.
const MOST_DEVICES: u32 = 16;
/// Where the kernel lists them.
const CLASS: &str = "/sys/class/usbmisc";

const ADVICE: &str = "is the scope on and its cable plugged in, may this user open the file (a udev rule stands in \
                      docs/usb.md), and does no other program use it? LAN is the sturdier way on this family";
const TRUNCATES: &str = "the USB link cuts answers to 52 bytes: the scope claims 64-byte packets on a high-speed link, and \
                         this machine's driver takes the first packet for the whole answer; records over it would be \
                         damaged. Use LAN (host:5555), a USB 2 port, or the driver's option that docs/usb.md names";

/// The device file, or what stands for it in a test.
trait Port: Send {
    fn open(&mut self) -> io::Result<()>;
    fn within(&mut self, time: Picos) -> io::Result<()>;
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize>;
}

struct DeviceFile {
    path: String,
    file: Option<OwnedFd>,
}

impl DeviceFile {
    fn file(&self) -> io::Result<&OwnedFd> {
        self.file.as_ref().ok_or_else(|| ErrorKind::NotConnected.into())
    }
}

impl Port for DeviceFile {
    fn open(&mut self) -> io::Result<()> {
        // The driver gives a device to one program at a time: the old file goes first.
        self.file = None;
        let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOCTTY;
        self.file = Some(rustix::fs::open(self.path.as_str(), flags, Mode::empty())?);
        Ok(())
    }
    fn within(&mut self, time: Picos) -> io::Result<()> {
        let milliseconds = u32::try_from(time.to_duration().as_millis()).unwrap_or(u32::MAX).max(SHORTEST);
        // SAFETY: the number says that a `u32` is read from the pointer, which is what `Setter` hands over; the driver
        // writes nothing. A file of another driver answers ENOTTY.
        let result = unsafe {
            rustix::ioctl::ioctl(self.file()?, rustix::ioctl::Setter::<SET_TIMEOUT, u32>::new(milliseconds))
        };
        match result {
            Err(rustix::io::Errno::NOTTY) => {
                Err(io::Error::new(ErrorKind::Unsupported, "it is no device of the kernel's USBTMC driver"))
            }
            other => Ok(other?),
        }
    }
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let file = self.file()?;
        Ok(rustix::io::retry_on_intr(|| rustix::io::write(file, bytes))?)
    }
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let file = self.file()?;
        Ok(rustix::io::retry_on_intr(|| rustix::io::read(file, &mut *room))?)
    }
}

/// A scope behind the kernel's USBTMC driver.
pub struct UsbTmcTransport {
    name: String,
    wire: Wire,
    inbox: Inbox,
}

struct Wire {
    port: Box<dyn Port>,
    budget: Picos,
    deadline: Picos,
    wall: Arc<dyn Clock>,
}

impl UsbTmcTransport {
    /// Opens the device file and tests the link; everything within `budget`. `wall` is real time.
    ///
    /// # Errors
    /// [`BenchError::Unreachable`], [`BenchError::Unsupported`] for a link that cuts answers.
    pub fn connect(path: &str, budget: Picos, wall: Arc<dyn Clock>) -> Result<UsbTmcTransport, BenchError> {
        UsbTmcTransport::over(Box::new(DeviceFile { path: path.to_owned(), file: None }), path, budget, wall)
    }

    fn over(
        port: Box<dyn Port>,
        path: &str,
        budget: Picos,
        wall: Arc<dyn Clock>,
    ) -> Result<UsbTmcTransport, BenchError> {
        let mut wire = Wire { port, budget, deadline: wall.now() + budget, wall };
        match wire.open() {
            Ok(()) => Ok(UsbTmcTransport { name: path.to_owned(), wire, inbox: Inbox::default() }),
            Err(e) if is_cut(&e) => Err(BenchError::Unsupported(format!("`{path}` is refused: {TRUNCATES}"))),
            Err(source) => {
                Err(BenchError::Unreachable { what: "scope", at: path.to_owned(), source, advice: ADVICE })
            }
        }
    }
}

fn is_cut(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.to_string() == TRUNCATES)
}

impl Wire {
    fn open(&mut self) -> io::Result<()> {
        self.port.open()?;
        self.deadline = self.wall.now() + self.budget;
        self.self_test()
    }

    /// The identity must come whole. It is the one answer that every instrument has.
    fn self_test(&mut self) -> io::Result<()> {
        self.write(b"*IDN?\n")?;
        for _ in 0..EMPTY_ANSWERS {
            let answer = self.part()?.bytes;
            match answer.last() {
                None => {}
                Some(b'\n') => return Ok(()),
                Some(_) => {
                    let text = format!("the identity has no end after {} bytes", answer.len());
                    return Err(io::Error::new(ErrorKind::InvalidData, text));
                }
            }
        }
        Err(io::Error::new(ErrorKind::UnexpectedEof, "the identity came empty"))
    }

    fn left(&self) -> io::Result<Picos> {
        let left = self.deadline - self.wall.now();
        if left.0 <= 0 { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.port.within(self.left()?)?;
        let taken = self.port.write(bytes)?;
        if taken == bytes.len() {
            return Ok(());
        }
        let text = format!("{taken} of {} bytes were taken", bytes.len());
        Err(io::Error::new(ErrorKind::WriteZero, text))
    }

    fn part(&mut self) -> io::Result<Part> {
        self.port.within(self.left()?)?;
        let mut bytes = vec![0; READ_SIZE];
        let got = self.port.read(&mut bytes)?;
        bytes.truncate(got);
        if got == CUT && bytes.last() != Some(&b'\n') {
            return Err(io::Error::new(ErrorKind::InvalidData, TRUNCATES));
        }
        Ok(Part { bytes, ended: got < READ_SIZE })
    }
}

impl Transport for UsbTmcTransport {
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
        self.wire.write(bytes)
    }
    fn read_line(&mut self, limit: usize) -> io::Result<Vec<u8>> {
        self.inbox.line(limit, |_| self.wire.part())
    }
    fn read_exact(&mut self, into: &mut [u8]) -> io::Result<()> {
        self.inbox.exact(into, |_| self.wire.part())
    }
    fn reconnect(&mut self) -> io::Result<()> {
        self.inbox = Inbox::default();
        self.wire.open()
    }
}

/// A device of the kernel's driver, as `/sys` describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsbDevice {
    /// Its device file.
    pub path: String,
    /// USB vendor.
    pub vendor: u16,
    /// USB product.
    pub product: u16,
    /// Serial number; empty where it has none.
    pub serial: String,
    /// What it calls itself; may be empty.
    pub title: String,
}

/// All devices of the driver.
#[must_use]
pub fn list() -> Vec<UsbDevice> {
    list_in(Path::new(CLASS))
}

/// The device file of a scope, by what its resource name says of it.
#[must_use]
pub fn find(vendor: u16, product: u16, serial: &str) -> Option<String> {
    let same = |d: &UsbDevice| d.vendor == vendor && d.product == product && d.serial == serial;
    list().into_iter().find(same).map(|d| d.path)
}

fn list_in(class: &Path) -> Vec<UsbDevice> {
    let one = |n| {
        let name = format!("usbtmc{n}");
        // The class's device is the interface; what is above it is the instrument.
        let above = class.join(&name).join("device/..");
        let number = |file| u16::from_str_radix(&attribute(&above.join(file))?, 16).ok();
        Some(UsbDevice {
            path: format!("/dev/{name}"),
            vendor: number("idVendor")?,
            product: number("idProduct")?,
            serial: attribute(&above.join("serial")).unwrap_or_default(),
            title: attribute(&above.join("product")).unwrap_or_default(),
        })
    };
    (0..MOST_DEVICES).filter_map(one).collect()
}

/// The text of an attribute file.
fn attribute(path: &Path) -> Option<String> {
    let file = rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut room = [0; 256];
    let got = rustix::io::read(&file, &mut room).ok()?;
    Some(String::from_utf8_lossy(room.get(..got)?).trim().to_owned())
}

#[cfg(test)]
mod tests;
