//! A serial port, by the `serialport` crate.

use super::ByteStream;
use crate::bench::BenchError;
use crate::units::Picos;
use serialport::{ErrorKind as SerialError, SerialPort};
use std::io::{self, ErrorKind};
use std::time::Duration;

/// A port: 8 data bits, no parity, one stop bit, no flow control; opened for this program alone.
pub struct SerialStream {
    port: Box<dyn SerialPort>,
    name: String,
}

impl SerialStream {
    /// Opens `path`.
    ///
    /// # Errors
    /// [`BenchError::Unreachable`].
    pub fn open(path: &str, baud: u32) -> Result<SerialStream, BenchError> {
        let opened = serialport::new(path, baud).timeout(Duration::from_millis(1)).open();
        match opened {
            Ok(port) => Ok(SerialStream { port, name: path.to_owned() }),
            Err(e) => Err(BenchError::Unreachable {
                what: "board",
                at: path.to_owned(),
                advice: advice(&e),
                source: io::Error::from(e),
            }),
        }
    }
}

fn advice(error: &serialport::Error) -> &'static str {
    match error.kind() {
        SerialError::NoDevice | SerialError::Io(ErrorKind::NotFound) => {
            "is the board plugged in, and is this its port? A board may have two; the other one is a debugger's"
        }
        SerialError::Io(ErrorKind::PermissionDenied) => {
            "may this user open it (group dialout or uucp on Linux)?"
        }
        _ => "is another program, a terminal perhaps, holding it?",
    }
}

impl ByteStream for SerialStream {
    fn name(&self) -> &str {
        &self.name
    }
    fn write_all(&mut self, bytes: &[u8], budget: Picos) -> io::Result<()> {
        self.port.set_timeout(limited(budget))?;
        self.port.write_all(bytes)?;
        self.port.flush()
    }
    fn read(&mut self, into: &mut [u8], wait: Picos) -> io::Result<usize> {
        if wait <= Picos::ZERO && self.port.bytes_to_read()? == 0 {
            return Ok(0);
        }
        self.port.set_timeout(limited(wait))?;
        match self.port.read(into) {
            // An unplugged port reads as an end of file.
            Ok(0) => {
                Err(io::Error::new(ErrorKind::UnexpectedEof, "the port is gone; was the board unplugged?"))
            }
            Err(e) if matches!(e.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) => Ok(0),
            Err(e) if e.kind() == ErrorKind::Interrupted => Ok(0),
            other => other,
        }
    }
}

/// The driver below takes no zero time-out.
fn limited(time: Picos) -> Duration {
    time.to_duration().clamp(Duration::from_millis(1), Duration::from_secs(3_600))
}
