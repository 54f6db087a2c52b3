//! The two pins, and the two accesses that every mode is made of.

use crate::registers::{GPIOB, Register};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use cortex_m::peripheral::SYST;

const INPUT: u32 = 1 << 5;
const RESPONSE: u32 = 1 << 4;

/// The data register is addressed through a mask in the address bits 2 to 9: these words hold one pin each.
const INPUT_DATA: Register = Register::at(GPIOB, INPUT << 2);
const RESPONSE_DATA: Register = Register::at(GPIOB, RESPONSE << 2);
const DIRECTION: Register = Register::at(GPIOB, 0x400);
const BOTH_EDGES: Register = Register::at(GPIOB, 0x408);
const RISING: Register = Register::at(GPIOB, 0x40C);
const INTERRUPT_MASK: Register = Register::at(GPIOB, 0x410);
const RAW_STATUS: Register = Register::at(GPIOB, 0x414);
const CLEAR: Register = Register::at(GPIOB, 0x41C);
const DIGITAL: Register = Register::at(GPIOB, 0x51C);

static EDGES: AtomicU32 = AtomicU32::new(0);
/// What the system timer said after the last response. Public for handlers written in assembly.
pub static STAMP: AtomicU32 = AtomicU32::new(0);

/// Drives the response high by one store, and notes the system timer behind it.
#[inline(always)]
pub fn respond() {
    RESPONSE_DATA.write(RESPONSE);
    STAMP.store(SYST::get_current(), Relaxed);
}

/// Clears the input's interrupt, reads it back, counts the edge.
#[inline(always)]
pub fn acknowledge() {
    CLEAR.write(INPUT);
    let _ = RAW_STATUS.read();
    // Only the measured interrupt writes this while it is unmasked.
    EDGES.store(EDGES.load(Relaxed).wrapping_add(1), Relaxed);
}

/// [`acknowledge`] with an address, for handlers written in assembly to leave through.
pub extern "C" fn leave() {
    acknowledge();
}

pub(crate) fn edges() -> u32 {
    EDGES.load(Relaxed)
}

pub(crate) fn low() {
    RESPONSE_DATA.write(0);
}

pub(crate) fn answered() -> bool {
    RESPONSE_DATA.read() != 0
}

pub(crate) fn input_is_high() -> bool {
    INPUT_DATA.read() != 0
}

pub(crate) fn forget_edge() {
    CLEAR.write(INPUT);
}

pub(crate) fn clear_counter() {
    EDGES.store(0, Relaxed);
}

/// The input low and belonging to the outside.
pub(crate) fn release() {
    DIRECTION.write(RESPONSE | INPUT);
    INPUT_DATA.write(0);
    DIRECTION.write(RESPONSE);
}

/// Makes one rising edge at the input and says what the system timer said just before.
///
/// Interrupts are masked from the reading of the timer to the edge, so that the number of instructions between the two is
/// always the same: after the load come the store and `cpsie`, then the handler. It leaves interrupts on.
pub(crate) fn edge() -> u32 {
    DIRECTION.write(RESPONSE | INPUT);
    INPUT_DATA.write(INPUT);
    let before: u32;
    // SAFETY: the three addresses are those of the system timer's value (read only, no side effect) and of DIRECTION, which
    // `Register` writes as well; no other memory is touched. Interrupts are enabled when this is called (idle code).
    unsafe {
        core::arch::asm!(
            "cpsid i",
            "ldr {before}, [{timer}]",
            "str {value}, [{direction}]",
            "cpsie i",
            before = out(reg) before,
            timer = in(reg) 0xE000_E018u32,
            value = in(reg) RESPONSE,
            direction = in(reg) GPIOB + 0x400,
            options(nostack, preserves_flags)
        );
    }
    before
}

/// Directions, edge detection, interrupt.
pub(crate) fn init() {
    Register::at(crate::registers::SYSCTL, 0x108).set(1 << 1);
    DIGITAL.write(RESPONSE | INPUT);
    release();
    low();
    BOTH_EDGES.write(0);
    RISING.write(INPUT);
    CLEAR.write(0xFF);
    INTERRUPT_MASK.write(INPUT);
}
