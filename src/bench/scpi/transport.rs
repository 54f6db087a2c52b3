//! The seam below SCPI: bytes out, bytes in, each exchange inside a budget of time.

use crate::units::Picos;
use std::io;

/// A way to an instrument. Message-based links (VXI-11, USBTMC) fit by keeping what a message left over.
///
/// After any error the state of the stream is unknown; the user of this trait goes on with [`Transport::reconnect`] or
/// not at all.
pub trait Transport: Send {
    /// The resource it leads to, for messages.
    fn name(&self) -> &str;
    /// Starts an exchange: every call until the next `begin` ends within `budget`, together.
    fn begin(&mut self, budget: Picos);
    /// Takes, without waiting, what has arrived and no read has taken. Between exchanges there should be nothing.
    ///
    /// # Errors
    /// The link's.
    fn unread(&mut self) -> io::Result<Vec<u8>>;
    /// Sends all of `bytes` in one piece.
    ///
    /// # Errors
    /// `TimedOut` when the budget is over, otherwise the link's.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Reads up to a line feed, which is taken and not given; a carriage return before it goes with it.
    ///
    /// # Errors
    /// `InvalidData` for a line longer than `limit`, `TimedOut` when the budget is over, otherwise the link's.
    fn read_line(&mut self, limit: usize) -> io::Result<Vec<u8>>;
    /// Fills `into`; a line feed is data here.
    ///
    /// # Errors
    /// `TimedOut` when the budget is over, otherwise the link's.
    fn read_exact(&mut self, into: &mut [u8]) -> io::Result<()>;
    /// Gives the connection up and makes a new one. What was unread is gone.
    ///
    /// # Errors
    /// The link's.
    fn reconnect(&mut self) -> io::Result<()>;
}
