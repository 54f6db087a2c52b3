//! The vector table in RAM: a mode is switched by exchanging one word, so that no mode pays for a branch.

use core::sync::atomic::{AtomicU32, Ordering};
use nrf_pac::Interrupt;

/// An interrupt handler as the processor calls it.
pub type Handler = unsafe extern "C" fn();

/// 16 system exceptions and the 69 interrupts of the application core.
const WORDS: usize = 16 + 69;
const SLOT: usize = 16 + Interrupt::GPIOTE0 as usize;

/// Aligned to the next power of two over its size, as VTOR asks for. The words are atomics because the processor reads
/// them whenever it likes.
#[repr(C, align(512))]
struct Table([AtomicU32; WORDS]);

static TABLE: Table = Table([const { AtomicU32::new(0) }; WORDS]);

unsafe extern "C" {
    /// Top of the stack, by the linker script of `cortex-m-rt`.
    static _stack_start: u32;
}

/// The word of the table in flash.
fn in_flash(word: usize) -> u32 {
    // SAFETY: the table of `cortex-m-rt` starts at address 0 with `WORDS` words (the device's interrupts are linked behind
    // the 16 exceptions), flash is always readable, the address is aligned, and nothing writes there. Word 0 is never
    // asked for, see `init`, so that the address is not null.
    unsafe { ((word * 4) as *const u32).read_volatile() }
}

/// Copies the table into RAM and points the processor to it.
pub(crate) fn init() {
    for (word, entry) in TABLE.0.iter().enumerate() {
        // The initial stack pointer is also read through VTOR, by the FreeRTOS port when it starts the first task.
        let value = if word == 0 { (&raw const _stack_start) as u32 } else { in_flash(word) };
        entry.store(value, Ordering::Relaxed);
    }
    cortex_m::asm::dsb();
    // SAFETY: VTOR is a register of this core, written with the address of a table that lives as long as the program, is
    // aligned as asked for, and at this moment says the same as the table in force before.
    unsafe { (*cortex_m::peripheral::SCB::PTR).vtor.write((&raw const TABLE) as u32) };
    cortex_m::asm::dsb();
    cortex_m::asm::isb();
}

/// Puts `handler` into the slot of the measured interrupt. The interrupt has to be masked.
pub(crate) fn install(handler: u32) {
    if let Some(slot) = TABLE.0.get(SLOT) {
        slot.store(handler, Ordering::Relaxed);
    }
    cortex_m::asm::dsb();
    cortex_m::asm::isb();
}

/// What the linker put into the slot of `interrupt`.
pub(crate) fn linked(interrupt: Interrupt) -> u32 {
    in_flash(16 + interrupt as usize)
}

/// Where the installed handler lies.
pub(crate) fn place() -> &'static str {
    let handler = TABLE.0.get(SLOT).map_or(0, |slot| slot.load(Ordering::Relaxed));
    if handler >= 0x2000_0000 { "ram" } else { "flash" }
}
