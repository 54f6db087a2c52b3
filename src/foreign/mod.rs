//! Captures that other instruments and programs made become edges. PURE: takes anything that can be read and sought,
//! gives edges; it knows no file and no terminal.
//!
//! The format is told from the content ([`identify`]). Everything streams: a file of a gigabyte needs no more memory
//! than one of a megabyte, apart from the edges that are found. Analog channels go by the rules of `signal` (levels
//! from the histogram, hysteresis, interpolation), on volts instead of codes; digital ones stand where their file says.
//!
//! It refuses what would give a wrong number: screen points, envelopes, interpolated exports, files without a sample
//! rate, tables with gaps. What is only coarser than it looks is accepted with its true resolution and a [`Note`]. Files
//! that are no captures are named as what they are.

mod archive;
mod bytes;
mod capture;
mod channels;
mod decimal;
mod error;
mod grid;
mod header;
mod iso;
mod kind;
mod levels;
mod note;
mod npy;
mod npy_header;
mod sampled;
mod scan;
mod sigrok;
mod states;
mod table;
mod transitions;
mod vcd;
mod vcd_header;

pub use capture::{Capture, Choice, EdgeChoice, EdgeChoiceError, Selection, channels, open};
pub use error::ForeignError;
pub use kind::{HEAD, Kind, identify};
pub use note::Note;
