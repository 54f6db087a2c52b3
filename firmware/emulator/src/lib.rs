//! Runs the nRF5340 images of the companion firmware on the host, the very ELF files that are flashed to the board.
//!
//! ```text
//! elf        the file: segments, function names
//! cpu        the Cortex-M33 core, the only place that knows the interpreter crate
//! pins       levels, jumper wires, the log of edges
//! soc        register models, time, interrupt lines
//! emulator   all of it together: `Emulator`
//! trace      where the cycles between two edges went, by function
//! breakdown  one edge of one mode, cut into such stages
//! serve      the UART and the pins on loopback ports, for other programs
//! ```
//!
//! What it gives: path lengths, repeatable to the cycle, and edges on every pin as an exact log. What it refuses to
//! be: a measurement. Flash wait states, the bus, the GPIO synchroniser and the Security Extension are not modelled;
//! whoever prints a figure from here says EMULATED beside it. Whatever an image touches that has no model is listed
//! by name ([`Emulator::findings`]), never guessed.
//!
//! Time is virtual and advances only when the caller says so; two runs with the same calls are identical.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use latency_emulator::{Cycles, Emulator, Pin, Wire};
//!
//! let mut board = Emulator::from_elf(&std::fs::read("bare")?)?;
//! board.step_until(Emulator::BOOT)?;
//! board.set_wire(Wire { a: Pin::RESPONSE, b: Pin::CAPTURE }, false);
//! let mark = board.edge_mark();
//! board.exchange("START 10 200 900 7", Cycles::from_millis(500))?;
//! board.run_for(Cycles::from_millis(20))?;
//! for edge in board.edges_since(mark) {
//!     println!("{} ps: {} {}", edge.at.picos(), edge.pin, if edge.high { "rises" } else { "falls" });
//! }
//! # Ok(())
//! # }
//! ```

mod breakdown;
mod cpu;
mod elf;
mod emulator;
mod error;
mod pins;
mod serve;
mod soc;
mod time;
mod trace;

pub use breakdown::{Breakdown, BreakdownError, breakdown};
pub use elf::{Image, Segment, Symbols};
pub use emulator::{Emulator, Statistics};
pub use error::EmulatorError;
pub use pins::{Edge, Pin, Wire};
pub use serve::{ServeError, Server, Settings};
pub use soc::Finding;
pub use time::{Cycles, HERTZ};
pub use trace::{Stage, Step, stages};
