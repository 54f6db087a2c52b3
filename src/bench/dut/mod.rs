//! The link to the board's firmware: typed requests, checked answers.
//!
//! A [`ByteStream`] moves bytes (serial port or TCP), `wire` makes checked exchanges of them, [`BoardLink`] speaks the
//! requests of `latency-protocol`. What a damaged line can do decides what is repeated: queries and settings freely,
//! `START` only after the board's own counters have said that it did not begin.
//!
//! It refuses: answers whose checksum is wrong, an echo that is not what was asked, firmware of another protocol
//! version, and ports on which something else talks.

mod address;
mod link;
mod serial;
mod stream;
mod wire;

pub use address::DutAddress;
pub use link::BoardLink;
pub use serial::SerialStream;
pub use stream::{ByteStream, TcpStreamLink};
