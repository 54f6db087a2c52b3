//! The LM3S6965 evaluation board as QEMU's `lm3s6965evb` models it, as a second bench for the same images.
//!
//! It is no hardware bench: nothing here has the nRF5340's event system, so the stimulus is made by software and the only
//! figure it gives is a number of instructions. It exists because a second emulator on a second core catches what one alone
//! would believe, and because a port to another chip is shown best by doing one: the file `board.rs` is all that an image
//! sees of it.
//!
//! PB5 is the input, PB4 the response, UART0 the serial line. Registers are those of the LM3S6965 data sheet (chapters
//! System Control, GPIOs, General-Purpose Timers, UARTs).
//!
//! Without a train the input belongs to the outside: a rising edge is answered, and the response goes low again when the
//! input does. In a train the board makes the edge itself: PB5 is driven high as an output and then turned into an input,
//! which QEMU's GPIO model takes for a rising edge (it has no interrupt for outputs, and no other pin can drive PB5).
#![no_std]

mod board;
pub mod pins;
mod registers;
mod serial;
mod train;
mod vectors;

pub use board::{
    Image, Lm3s, MEASURED_PRIORITY, MIN_GAP_US, Mode, Shell, Tick, restart, set_pendsv_priority,
};
pub use vectors::Handler;
