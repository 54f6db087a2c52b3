//! The nRF5340 application core as a latency bench, the same for every runtime.
//!
//! Everything that must not differ between two images lies here: 128 MHz from the crystal, factory trim, cache, GPIOTE
//! in its low-latency setting, pins, priorities, stimulus, capture and the serial line. An image adds its interrupt
//! paths as [`Mode`]s, gives the three interrupts `GPIOTE0`, `TIMER1` and `SERIAL0` to the functions named here, and
//! runs [`Shell::step`] in its idle code.
//!
//! The chip is used as it comes out of reset: secure, all peripherals at their secure addresses, no secure partition.
//! Register names, offsets and reset values are those of Nordic's nRF5340 product specification as published in the
//! vendor's SVD file, by way of the crate `nrf-pac`.
//!
//! | block | used for |
//! |---|---|
//! | GPIOTE channels 0, 4 | input edge on P0.05 (4: second waiter of an asynchronous runtime; one of them is off) |
//! | GPIOTE channel 1 | response on P0.04, in the modes where a task drives it |
//! | GPIOTE channel 2 | stimulus on P0.06 |
//! | GPIOTE channel 3 | response seen on P0.07 |
//! | DPPI 0 to 3 | stimulus up, stimulus down, input edge, response edge |
//! | TIMER0 | counts input edges |
//! | TIMER1 | the train's time, 16 MHz |
//! | TIMER2 | stamps of input and response edge, cleared by each stimulus |
//! | UARTE0 | P0.20 and P0.22, 115200 baud: the first virtual serial port of the development kit |
//! | WDT0 | answers a processor that never comes back to its idle code |
#![no_std]

mod board;
mod capture;
mod chip;
pub mod pins;
pub mod serial;
mod shell;
pub mod train;
mod vectors;

pub use board::{
    Image, Input, Isr, MEASURED_PRIORITY, Mode, Nrf, Output, restart, set_pendsv_priority, set_priority,
};
pub use latency_firmware_core as firmware_core;
pub use nrf_pac as pac;
pub use shell::{Shell, idle, loads_wanted, mask_shortly};
pub use vectors::Handler;
