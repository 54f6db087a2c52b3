//! Text and blocks over a byte link: what every SCPI instrument shares.
//!
//! A [`Transport`] moves bytes (raw socket, VXI-11, USBTMC, the machine's VISA library), [`connect`] picks the one that
//! serves a [`Resource`], [`block`] reads definite-length blocks, [`Dialogue`] makes
//! exchanges of both and writes them to the transcript, [`Resource`] reads VISA names. Nothing here knows an instrument.
//!
//! It refuses: reads without a length or a terminator, answers without a deadline, blocks that claim more than was asked
//! for, and any exchange on a connection that once was late (the late answer would be taken for the next one).

pub mod block;
mod connect;
mod dialogue;
mod inbox;
mod resource;
#[cfg(test)]
pub(in crate::bench) mod scripted;
mod tcp;
mod transport;
#[cfg(target_os = "linux")]
pub mod usbtmc;
pub mod visa;
pub mod vxi11;

pub use connect::connect;
pub use dialogue::{Answer, Dialogue};
pub use resource::Resource;
pub use tcp::TcpTransport;
pub use transport::Transport;
pub use visa::VisaTransport;
pub use vxi11::Vxi11Transport;
