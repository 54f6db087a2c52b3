//! Interrupt paths and start-up for the Cortex-M3 board of QEMU.

use core::arch::naked_asm;
use cortex_m::peripheral::SCB;
use latency_board_lm3s6965::{Image, Lm3s, MIN_GAP_US, Mode, Shell, Tick, pins, set_pendsv_priority};

// Both handlers change r0 to r3 only, which the processor has stacked, and leave by a jump to a function of the C calling
// convention with the link register as they found it, so that its return is theirs. After the response they do what
// `pins::respond` does: the system timer's value (0xE000E018) goes to `STAMP`.

/// `DATA[4] = 1` of port B (0x40005040): four instructions to the response.
#[unsafe(naked)]
unsafe extern "C" fn reg_set() {
    naked_asm!(
        "movw r0, #0x5040",
        "movt r0, #0x4000",
        "movs r1, #16",
        "str  r1, [r0]",
        "movw r2, #0xe018",
        "movt r2, #0xe000",
        "ldr  r2, [r2]",
        "movw r3, :lower16:{stamp}",
        "movt r3, :upper16:{stamp}",
        "str  r2, [r3]",
        "b    {leave}",
        stamp = sym pins::STAMP,
        leave = sym pins::leave,
    )
}

/// `DATA[4] ^= 1`: five instructions.
#[unsafe(naked)]
unsafe extern "C" fn reg_rmw() {
    naked_asm!(
        "movw r0, #0x5040",
        "movt r0, #0x4000",
        "ldr  r1, [r0]",
        "eor  r1, r1, #16",
        "str  r1, [r0]",
        "movw r2, #0xe018",
        "movt r2, #0xe000",
        "ldr  r2, [r2]",
        "movw r3, :lower16:{stamp}",
        "movt r3, :upper16:{stamp}",
        "str  r2, [r3]",
        "b    {leave}",
        stamp = sym pins::STAMP,
        leave = sym pins::leave,
    )
}

/// What a compiler makes of two lines.
extern "C" fn isr() {
    pins::respond();
    pins::acknowledge();
}

/// Leaves the response to PendSV.
extern "C" fn defer() {
    SCB::set_pendsv();
    pins::acknowledge();
}

#[cortex_m_rt::exception]
fn PendSV() {
    pins::respond();
}

static IMAGE: Image = Image {
    runtime: "bare",
    modes: &[
        Mode::new("isr", isr, MIN_GAP_US),
        Mode::new("reg-set", reg_set, MIN_GAP_US),
        Mode::new("reg-rmw", reg_rmw, MIN_GAP_US),
        Mode::new("pendsv", defer, MIN_GAP_US),
    ],
    tick: Tick::Free,
};

#[cortex_m_rt::entry]
fn main() -> ! {
    set_pendsv_priority(6);
    let mut shell = Shell::new(Lm3s::start(&IMAGE));
    loop {
        shell.step();
    }
}
