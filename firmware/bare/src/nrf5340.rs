//! Interrupt paths and start-up for the nRF5340.

use core::arch::naked_asm;
use cortex_m::peripheral::SCB;
use latency_board_nrf5340::pac::interrupt;
use latency_board_nrf5340::{
    Image, Input, Isr, MEASURED_PRIORITY, Mode, Nrf, Output, Shell, pins, serial, set_pendsv_priority, train,
};

// The three handlers below are written instruction by instruction, because the number of instructions up to the store is
// what they are for. Each is a whole function of the C calling convention: it changes r0 and r1 only, which the
// processor has stacked on exception entry, and returns by `bx lr`. They lie in `.data`, that is in RAM, where a miss of
// the flash cache cannot happen. After the response comes the same as in `pins::acknowledge`: clear EVENTS_IN[0] of
// GPIOTE0 (0x5000D100) and read it back.

/// `OUTSET = 1 << 4` at P0 (0x50842508): four instructions to the response.
#[unsafe(naked)]
// SAFETY: the section name is one that the linker script copies into RAM before anything runs.
#[unsafe(link_section = ".data.isr")]
unsafe extern "C" fn reg_set() {
    naked_asm!(
        "movw r0, #0x2500",
        "movt r0, #0x5084",
        "movs r1, #16",
        "str  r1, [r0, #8]",
        "movw r0, #0xd100",
        "movt r0, #0x5000",
        "movs r1, #0",
        "str  r1, [r0]",
        "ldr  r1, [r0]",
        "bx   lr",
    )
}

/// `TASKS_SET[1] = 1` at GPIOTE0 (0x5000D034): four instructions, and the peripheral drives the pin.
#[unsafe(naked)]
// SAFETY: as above.
#[unsafe(link_section = ".data.isr")]
unsafe extern "C" fn reg_task() {
    naked_asm!(
        "movw r0, #0xd000",
        "movt r0, #0x5000",
        "movs r1, #1",
        "str  r1, [r0, #0x34]",
        "movs r1, #0",
        "str  r1, [r0, #0x100]",
        "ldr  r1, [r0, #0x100]",
        "bx   lr",
    )
}

/// `OUT ^= 1 << 4` at P0 (0x50842504): five instructions; not atomic, as the code it stands for.
#[unsafe(naked)]
// SAFETY: as above.
#[unsafe(link_section = ".data.isr")]
unsafe extern "C" fn reg_rmw() {
    naked_asm!(
        "movw r0, #0x2504",
        "movt r0, #0x5084",
        "ldr  r1, [r0]",
        "eor  r1, r1, #16",
        "str  r1, [r0]",
        "movw r0, #0xd100",
        "movt r0, #0x5000",
        "movs r1, #0",
        "str  r1, [r0]",
        "ldr  r1, [r0]",
        "bx   lr",
    )
}

/// What a compiler makes of two lines, in flash.
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

#[interrupt]
fn TIMER1() {
    train::on_timer();
}

#[interrupt]
fn SERIAL0() {
    serial::on_interrupt();
}

const fn task(name: &'static str, isr: Isr, output: Output) -> Mode {
    Mode { name, isr, output, input: Input::First, priority: MEASURED_PRIORITY, min_gap_us: 8 }
}

/// Guard and smallest gap: the bookkeeping takes about a hundred instructions and two dozen register accesses, begins 4 us
/// before the next edge, and an answer has the 4 us before that.
static IMAGE: Image = Image {
    runtime: "bare",
    modes: &[
        Mode::new("isr", isr, 8),
        task("hw", Isr::None, Output::Hardware),
        Mode::new("reg-set", reg_set, 8),
        task("reg-task", Isr::Handler(reg_task), Output::Task),
        Mode::new("reg-rmw", reg_rmw, 8),
        Mode::new("pendsv", defer, 8),
    ],
    guard_us: 4,
    enable_edge: true,
};

#[cortex_m_rt::entry]
fn main() -> ! {
    let reset = Nrf::prepare();
    set_pendsv_priority(6);
    let mut shell = Shell::new(Nrf::start(&IMAGE, reset));
    loop {
        shell.step();
    }
}
