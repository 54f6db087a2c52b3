//! What the chip itself saw: edges counted by TIMER0, stamps of both edges by TIMER2, a log of their differences.
//!
//! No instruction takes part in the stamps. The log says the same as the scope on a grid of 62.5 ns.

use crate::pins::{DPPI_ANSWER, DPPI_EDGE, DPPI_UP, on};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use nrf_pac::timer::vals::{Bitmode, Mode};
use nrf_pac::{TIMER0_S, TIMER2_S};

/// Entries of the log. A longer train keeps its first ones.
const ENTRIES: usize = 1024;
/// No stamp: TIMER2 is cleared by each stimulus and would need 268 s to get there.
const NONE: u32 = u32::MAX;
const INPUT: usize = 0;
const ANSWER: usize = 1;

static LOG: [AtomicU32; ENTRIES] = [const { AtomicU32::new(0) }; ENTRIES];
static LOGGED: AtomicU32 = AtomicU32::new(0);
static READ: AtomicU32 = AtomicU32::new(0);
static STIMULI: AtomicU32 = AtomicU32::new(0);
static LOST: AtomicU32 = AtomicU32::new(0);

fn bump(counter: &AtomicU32) {
    // Written by one interrupt only, read by the idle code: no read-modify-write needed.
    counter.store(counter.load(Relaxed).wrapping_add(1), Relaxed);
}

fn push(delta: u32) {
    let logged = LOGGED.load(Relaxed);
    if let Some(entry) = LOG.get(logged as usize) {
        entry.store(delta, Relaxed);
        LOGGED.store(logged + 1, Relaxed);
    }
}

/// Books the stimulus that is over: answered with a stamp, or lost.
pub(crate) fn account() {
    let (input, answer) = (TIMER2_S.cc(INPUT).read(), TIMER2_S.cc(ANSWER).read());
    forget();
    bump(&STIMULI);
    match (input, answer) {
        (NONE, _) | (_, NONE) => bump(&LOST),
        _ => push(answer.wrapping_sub(input)),
    }
}

fn forget() {
    TIMER2_S.cc(INPUT).write_value(NONE);
    TIMER2_S.cc(ANSWER).write_value(NONE);
}

/// Everything back to nothing.
pub(crate) fn clear() {
    forget();
    TIMER0_S.tasks_clear().write_value(1);
    for counter in [&LOGGED, &READ, &STIMULI, &LOST] {
        counter.store(0, Relaxed);
    }
}

/// The oldest entry that was not read yet.
pub(crate) fn pop() -> Option<u32> {
    let read = READ.load(Relaxed);
    if read >= LOGGED.load(Relaxed) {
        return None;
    }
    READ.store(read + 1, Relaxed);
    LOG.get(read as usize).map(|entry| entry.load(Relaxed))
}

/// Stimuli, edges, lost.
pub(crate) fn counts() -> (u32, u32, u32) {
    TIMER0_S.tasks_capture(0).write_value(1);
    (STIMULI.load(Relaxed), TIMER0_S.cc(0).read(), LOST.load(Relaxed))
}

/// Starts both timers.
pub(crate) fn init() {
    TIMER0_S.mode().write(|w| w.set_mode(Mode::Counter));
    TIMER0_S.subscribe_count().write(|w| w.0 = on(DPPI_EDGE));
    TIMER2_S.prescaler().write(|w| w.set_prescaler(0));
    TIMER2_S.subscribe_clear().write(|w| w.0 = on(DPPI_UP));
    TIMER2_S.subscribe_capture(INPUT).write(|w| w.0 = on(DPPI_EDGE));
    TIMER2_S.subscribe_capture(ANSWER).write(|w| w.0 = on(DPPI_ANSWER));
    for timer in [TIMER0_S, TIMER2_S] {
        timer.bitmode().write(|w| w.set_bitmode(Bitmode::_32bit));
        timer.tasks_clear().write_value(1);
        timer.tasks_start().write_value(1);
    }
    clear();
}
