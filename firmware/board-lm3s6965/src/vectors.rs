//! The vector table in RAM, as on the other board: a mode is one word.

use core::sync::atomic::{AtomicU32, Ordering};

/// An interrupt handler as the processor calls it.
pub type Handler = unsafe extern "C" fn();

/// 16 system exceptions and 48 interrupts, of which this board uses GPIO port B.
const WORDS: usize = 64;
pub(crate) const GPIOB_INTERRUPT: u16 = 1;
const SLOT: usize = 16 + GPIOB_INTERRUPT as usize;

/// Aligned to its size, as VTOR asks for.
#[repr(C, align(256))]
struct Table([AtomicU32; WORDS]);

static TABLE: Table = Table([const { AtomicU32::new(0) }; WORDS]);

unsafe extern "C" {
    /// Top of the stack, by the linker script of `cortex-m-rt`.
    static _stack_start: u32;
}

/// Copies the table into RAM and points the processor to it.
pub(crate) fn init() {
    for (word, entry) in TABLE.0.iter().enumerate() {
        let value = if word == 0 {
            // Read through VTOR by the FreeRTOS port; and address 0 would be a null pointer.
            (&raw const _stack_start) as u32
        } else {
            // SAFETY: the linked table starts at address 0 and has entries for 240 interrupts; flash is readable, the
            // address aligned and not null, and nothing writes there.
            unsafe { ((word * 4) as *const u32).read_volatile() }
        };
        entry.store(value, Ordering::Relaxed);
    }
    cortex_m::asm::dsb();
    // SAFETY: VTOR gets the address of a table that lives as long as the program, aligned to its size, and equal to the
    // one in force before.
    unsafe { (*cortex_m::peripheral::SCB::PTR).vtor.write((&raw const TABLE) as u32) };
    cortex_m::asm::dsb();
}

/// Puts `handler` into the slot of the measured interrupt, which has to be masked.
pub(crate) fn install(handler: Handler) {
    if let Some(slot) = TABLE.0.get(SLOT) {
        slot.store(handler as usize as u32, Ordering::Relaxed);
    }
    cortex_m::asm::dsb();
}
