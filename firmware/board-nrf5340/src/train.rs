//! The stimulus train: edges placed by TIMER1 in hardware, one short interrupt of the lowest priority between two.
//!
//! TIMER1 runs free at 16 MHz. Two compare registers take turns to raise P0.06 through DPPI, a third lowers it 2 us
//! later, so that an edge is never moved by what the processor does. The fourth interrupts `guard` before the next
//! edge: response low, last stimulus booked, the edge after the next one placed. An image chooses the guard so that
//! this is done before the edge comes; where it is not (somebody masked interrupts for too long) the train is ended
//! with the fault `late`, because an edge at another time than the host expects is worse than none.

use crate::{capture, pins};
use core::cell::RefCell;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use cortex_m::interrupt::{self, Mutex};
use cortex_m::peripheral::NVIC;
use latency_firmware_core::{Fault, Gaps, Train};
use nrf_pac::timer::vals::Bitmode;
use nrf_pac::{Interrupt, TIMER1_S};

const TICKS_PER_US: u32 = 16;
/// Width of a stimulus. Shorter than any gap less any guard.
const PULSE: u32 = 2 * TICKS_PER_US;
/// A bookkeeping interrupt that is overdue by 0.1 s will not come.
const OVERDUE: i32 = 1_600_000;

const CC_DOWN: usize = 2;
const CC_BOOK: usize = 3;
const CC_NOW_BOOK: usize = 4;
const CC_NOW_IDLE: usize = 5;

struct Schedule {
    gaps: Gaps,
    guard: u32,
    /// Stimuli not booked yet.
    left: u32,
    /// Time of the edge that is placed and comes next.
    next: u32,
    /// Which of the two compare registers is free.
    free: usize,
}

static SCHEDULE: Mutex<RefCell<Option<Schedule>>> = Mutex::new(RefCell::new(None));
static RUNNING: AtomicBool = AtomicBool::new(false);
static LATE: AtomicBool = AtomicBool::new(false);

fn ticks(gap_us: Option<u32>) -> u32 {
    gap_us.unwrap_or(Train::MAX_GAP_US).wrapping_mul(TICKS_PER_US)
}

fn now(register: usize) -> u32 {
    TIMER1_S.tasks_capture(register).write_value(1);
    TIMER1_S.cc(register).read()
}

/// Whether time `a` lies after time `b`, as long as they are within 134 s of each other.
fn after(a: u32, b: u32) -> bool {
    a.wrapping_sub(b).cast_signed() > 0
}

impl Schedule {
    /// Places the first two edges; the timer stands at 0 and does not run.
    fn begin(train: Train, guard_us: u32) -> Schedule {
        // One gap more than stimuli: the last answer gets as long as the ones before.
        let mut gaps = Gaps::new(Train { count: train.count.saturating_add(1), ..train });
        let guard = guard_us * TICKS_PER_US;
        let first = ticks(gaps.next());
        let next = first.wrapping_add(ticks(gaps.next()));
        TIMER1_S.cc(0).write_value(first);
        TIMER1_S.cc(1).write_value(if train.count > 1 { next } else { u32::MAX });
        TIMER1_S.cc(CC_DOWN).write_value(first.wrapping_add(PULSE));
        TIMER1_S.cc(CC_BOOK).write_value(next.wrapping_sub(guard));
        Schedule { gaps, guard, left: train.count, next, free: 0 }
    }

    /// Places the edge after the next one. False when there is nothing left to do.
    fn advance(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            return false;
        }
        let then = self.next.wrapping_add(ticks(self.gaps.next()));
        if self.left > 1 {
            TIMER1_S.cc(self.free & 1).write_value(then);
        }
        TIMER1_S.cc(CC_DOWN).write_value(self.next.wrapping_add(PULSE));
        TIMER1_S.cc(CC_BOOK).write_value(then.wrapping_sub(self.guard));
        let in_time = after(self.next, now(CC_NOW_BOOK));
        LATE.store(!in_time, Relaxed);
        self.next = then;
        self.free ^= 1;
        in_time
    }
}

/// The bookkeeping: every image calls this from its `TIMER1` interrupt.
pub fn on_timer() {
    TIMER1_S.events_compare(CC_BOOK).write_value(0);
    let _ = TIMER1_S.events_compare(CC_BOOK).read();
    pins::low();
    nrf_pac::GPIOTE0_S.events_in(pins::CH_CAPTURE).write_value(0);
    if !RUNNING.load(Relaxed) {
        return;
    }
    capture::account();
    let more = interrupt::free(|cs| {
        let Ok(mut schedule) = SCHEDULE.borrow(cs).try_borrow_mut() else { return false };
        schedule.as_mut().is_some_and(Schedule::advance)
    });
    if !more {
        halt();
    }
}

fn halt() {
    TIMER1_S.tasks_stop().write_value(1);
    // Low also when the train was ended in the middle of a pulse.
    nrf_pac::GPIOTE0_S.tasks_clr(pins::CH_STIMULUS).write_value(1);
    RUNNING.store(false, Relaxed);
}

/// Ends a train, if one runs.
pub(crate) fn stop() {
    interrupt::free(|_| {
        halt();
        TIMER1_S.events_compare(CC_BOOK).write_value(0);
        let _ = TIMER1_S.events_compare(CC_BOOK).read();
        NVIC::unpend(Interrupt::TIMER1);
    });
}

/// Fires `train` in the background.
pub(crate) fn start(train: Train, guard_us: u32) {
    stop();
    LATE.store(false, Relaxed);
    interrupt::free(|cs| {
        let Ok(mut schedule) = SCHEDULE.borrow(cs).try_borrow_mut() else { return };
        TIMER1_S.tasks_clear().write_value(1);
        *schedule = Some(Schedule::begin(train, guard_us));
        RUNNING.store(true, Relaxed);
        TIMER1_S.tasks_start().write_value(1);
    });
}

pub(crate) fn running() -> bool {
    RUNNING.load(Relaxed)
}

/// What is wrong with the train, told once.
pub(crate) fn fault() -> Option<Fault> {
    if LATE.swap(false, Relaxed) {
        return Some(Fault::Late);
    }
    // The deadline is read before the time: a bookkeeping interrupt between the two only moves the deadline on.
    let deadline = TIMER1_S.cc(CC_BOOK).read();
    let overdue = running() && now(CC_NOW_IDLE).wrapping_sub(deadline).cast_signed() > OVERDUE;
    overdue.then_some(Fault::Stuck)
}

/// Sets TIMER1 up; it does not run.
pub(crate) fn init() {
    TIMER1_S.bitmode().write(|w| w.set_bitmode(Bitmode::_32bit));
    TIMER1_S.prescaler().write(|w| w.set_prescaler(0));
    for compare in [0, 1] {
        TIMER1_S.publish_compare(compare).write(|w| w.0 = pins::on(pins::DPPI_UP));
    }
    TIMER1_S.publish_compare(CC_DOWN).write(|w| w.0 = pins::on(pins::DPPI_DOWN));
    TIMER1_S.intenset().write(|w| w.0 = 1 << (16 + CC_BOOK));
}
