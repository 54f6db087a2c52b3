//! Four ways from the edge to the pin under one kernel.
//!
//! `isr` answers in a handler at the kernel's ceiling, which the kernel's critical sections hold up; `direct` is the same
//! handler above the ceiling, which they do not, and which must not call the kernel; `thread` wakes a task by a direct
//! notification; `workqueue` lets the timer daemon, which is what FreeRTOS has in that place, call a function.

#[cfg(all(feature = "nrf5340", feature = "lm3s6965"))]
compile_error!(
    "an image is for one board: build with --no-default-features --features lm3s6965, or with the defaults"
);

use crate::kernel;
use core::ffi::c_void;
#[cfg(feature = "lm3s6965")]
use latency_board_lm3s6965 as board;
#[cfg(feature = "nrf5340")]
use latency_board_nrf5340 as board;

use board::{Mode, pins};

/// Above the kernel's ceiling.
const ABOVE: u8 = 0;

extern "C" fn answer() {
    pins::respond();
    pins::acknowledge();
}

extern "C" fn notify() {
    kernel::notify_worker_from_isr();
    pins::acknowledge();
}

extern "C" fn pend() {
    kernel::pend_from_isr(deferred);
    pins::acknowledge();
}

extern "C" fn deferred(_: *mut c_void, _: u32) {
    pins::respond();
}

extern "C" fn worker(_: *mut c_void) {
    loop {
        kernel::wait();
        pins::respond();
    }
}

const DIRECT: Mode = Mode { priority: ABOVE, ..Mode::new("direct", answer, gaps::DIRECT) };
const MODES: &[Mode] = &[
    Mode::new("isr", answer, gaps::DIRECT),
    DIRECT,
    Mode::new("thread", notify, gaps::THREAD),
    Mode::new("workqueue", pend, gaps::WORKQUEUE),
];

/// Smallest gaps in microseconds. The kernel's tick (the same priority as the bookkeeping) and its critical sections hold the
/// bookkeeping up by some microseconds: hence the wider guard. The deferred modes take several hundred instructions.
#[cfg(feature = "nrf5340")]
mod gaps {
    pub const GUARD: u32 = 10;
    pub const DIRECT: u32 = 20;
    pub const THREAD: u32 = 40;
    pub const WORKQUEUE: u32 = 60;
}

#[cfg(feature = "lm3s6965")]
mod gaps {
    use latency_board_lm3s6965::MIN_GAP_US;
    pub const DIRECT: u32 = MIN_GAP_US;
    pub const THREAD: u32 = MIN_GAP_US;
    pub const WORKQUEUE: u32 = MIN_GAP_US;
}

#[cfg(feature = "nrf5340")]
mod start {
    use super::{MODES, console, gaps, kernel, worker};
    use core::cell::RefCell;
    use cortex_m::interrupt::Mutex;
    use latency_board_nrf5340::pac::interrupt;
    use latency_board_nrf5340::{Image, Nrf, Shell, restart, serial, train};

    static IMAGE: Image =
        Image { runtime: "freertos", modes: MODES, guard_us: gaps::GUARD, enable_edge: true };
    /// From start-up code to the console's task.
    static SHELL: Mutex<RefCell<Option<Shell>>> = Mutex::new(RefCell::new(None));

    #[interrupt]
    fn TIMER1() {
        train::on_timer();
    }

    #[interrupt]
    fn SERIAL0() {
        serial::on_interrupt();
    }

    pub fn shell() -> Option<Shell> {
        cortex_m::interrupt::free(|cs| SHELL.borrow(cs).try_borrow_mut().ok()?.take())
    }

    #[cortex_m_rt::entry]
    fn main() -> ! {
        let reset = Nrf::prepare();
        let shell = Shell::new(Nrf::start(&IMAGE, reset));
        cortex_m::interrupt::free(|cs| SHELL.borrow(cs).replace(Some(shell)));
        kernel::run(worker, console);
        restart()
    }
}

#[cfg(feature = "lm3s6965")]
mod start {
    use super::{MODES, console, kernel, worker};
    use latency_board_lm3s6965::{Image, Lm3s, Shell, Tick, restart};

    static IMAGE: Image = Image { runtime: "freertos", modes: MODES, tick: Tick::Kernel };

    pub fn shell() -> Option<Shell> {
        Some(Shell::new(Lm3s::start(&IMAGE)))
    }

    #[cortex_m_rt::entry]
    fn main() -> ! {
        kernel::run(worker, console);
        restart()
    }
}

extern "C" fn console(_: *mut c_void) {
    let Some(mut shell) = start::shell() else { board::restart() };
    loop {
        shell.step();
    }
}
