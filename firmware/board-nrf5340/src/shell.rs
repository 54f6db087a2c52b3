//! The idle code of an image: console, watchdog, background loads, sleep.

use crate::{Nrf, serial};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use cortex_m::peripheral::DWT;
use cortex_m::{asm, interrupt};
use latency_firmware_core::{Answer, Console};

/// Names of the loads every image of this board has. `spin`: the idle code never sleeps. `mask`: it masks interrupts
/// for about a microsecond again and again, as a driver with a short critical section does.
pub(crate) const LOADS: [&str; 2] = ["spin", "mask"];
static ON: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];
/// One microsecond at 128 MHz, well inside every guard.
const MASKED_CYCLES: u32 = 128;
/// A turn of the wait takes several cycles: were the cycle counter to stand still, it ends all the same.
const MASKED_TURNS: u32 = 64;

pub(crate) fn loaded(load: usize) -> bool {
    ON.get(load).is_some_and(|on| on.load(Relaxed))
}

pub(crate) fn load(load: usize, on: bool) {
    if let Some(flag) = ON.get(load) {
        flag.store(on, Relaxed);
    }
}

/// Whether a load wants the idle code to run without sleep.
#[must_use]
pub fn loads_wanted() -> bool {
    loaded(0) || loaded(1)
}

/// One round of the `mask` load, if it is on.
pub fn mask_shortly() {
    if loaded(1) {
        interrupt::free(|_| {
            let start = DWT::cycle_count();
            let over = |_: &u32| DWT::cycle_count().wrapping_sub(start) >= MASKED_CYCLES;
            let _ = (0..MASKED_TURNS).find(over);
        });
    }
}

/// What an image does when there is nothing to do: sleep until an interrupt, or the load that is on.
pub fn idle() {
    if loads_wanted() {
        mask_shortly();
    } else {
        // A byte that came after the last look has left an event behind (see `serial::on_interrupt`): no wake-up is lost.
        asm::wfe();
    }
}

/// Console and board together.
#[derive(Debug)]
pub struct Shell {
    console: Console,
    board: Nrf,
}

impl Shell {
    /// The console of `board`.
    #[must_use]
    pub const fn new(board: Nrf) -> Shell {
        Shell { console: Console::new(), board }
    }

    /// The next answer, if the bytes received so far give one. Feeds the watchdog.
    pub fn next_answer(&mut self) -> Option<Answer> {
        self.console.poll(&mut self.board);
        core::iter::from_fn(serial::pop).find_map(|byte| self.console.byte(byte, &mut self.board))
    }

    /// To be called when the answer is out.
    pub fn sent(&mut self) {
        self.console.sent(&mut self.board);
    }

    /// One turn of the idle code: answer what was asked, or idle.
    pub fn step(&mut self) {
        match self.next_answer() {
            Some(answer) => {
                serial::send(&answer);
                self.sent();
            }
            None => idle(),
        }
    }
}
