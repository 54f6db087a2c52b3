//! Text and blocks over a byte link: what every SCPI instrument shares.
//!
//! A [`Transport`] moves bytes (today the raw socket), [`block`] reads definite-length blocks, [`Dialogue`] makes
//! exchanges of both and writes them to the transcript, [`Resource`] reads VISA names. Nothing here knows an instrument.
//!
//! It refuses: reads without a length or a terminator, answers without a deadline, blocks that claim more than was asked
//! for, and any exchange on a connection that once was late (the late answer would be taken for the next one).

pub mod block;
mod dialogue;
mod resource;
#[cfg(test)]
pub(in crate::bench) mod scripted;
mod tcp;
mod transport;

pub use dialogue::{Answer, Dialogue};
pub use resource::Resource;
pub use tcp::TcpTransport;
pub use transport::Transport;
