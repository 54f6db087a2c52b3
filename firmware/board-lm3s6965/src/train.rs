//! The train by software: the idle code looks whether a gap is over and makes the edge.

use crate::board::Tick;
use crate::pins;
use crate::registers::{Register, SYSCTL, TIMER0};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use latency_firmware_core::{Gaps, Train};

const CONFIG: Register = Register::at(TIMER0, 0x000);
const MODE: Register = Register::at(TIMER0, 0x004);
const CONTROL: Register = Register::at(TIMER0, 0x00C);
const STATUS: Register = Register::at(TIMER0, 0x01C);
const CLEAR: Register = Register::at(TIMER0, 0x024);
const LOAD: Register = Register::at(TIMER0, 0x028);
const ONE_SHOT: u32 = 1;

/// Entries of the log; a longer train keeps its first ones.
const ENTRIES: usize = 1024;
/// Not inside [`Trains`], which may lie on the stack of a task.
static LOG: [AtomicU32; ENTRIES] = [const { AtomicU32::new(0) }; ENTRIES];

/// A train under way and its counters.
#[derive(Debug)]
pub(crate) struct Trains {
    tick: Tick,
    gaps: Option<Gaps>,
    left: u32,
    /// What the system timer said before the edge that waits for its answer.
    fired: Option<u32>,
    pub(crate) stimuli: u32,
    pub(crate) lost: u32,
    logged: usize,
    read: usize,
}

impl Trains {
    pub(crate) const fn new(tick: Tick) -> Trains {
        Trains { tick, gaps: None, left: 0, fired: None, stimuli: 0, lost: 0, logged: 0, read: 0 }
    }

    pub(crate) fn running(&self) -> bool {
        self.gaps.is_some()
    }

    pub(crate) fn start(&mut self, train: Train) {
        // One gap more than stimuli: the last answer gets its time too.
        self.gaps = Some(Gaps::new(Train { count: train.count.saturating_add(1), ..train }));
        self.left = train.count;
        self.fired = None;
        self.wait_a_gap();
    }

    pub(crate) fn stop(&mut self) {
        self.gaps = None;
        self.fired = None;
        CONTROL.write(0);
        pins::release();
    }

    pub(crate) fn clear(&mut self) {
        (self.stimuli, self.lost, self.logged, self.read) = (0, 0, 0, 0);
    }

    pub(crate) fn pop(&mut self) -> Option<u32> {
        let entry = LOG.get(self.read).filter(|_| self.read < self.logged)?;
        self.read += 1;
        Some(entry.load(Relaxed))
    }

    fn wait_a_gap(&mut self) {
        let Some(gap) = self.gaps.as_mut().and_then(Iterator::next) else { return self.stop() };
        CONTROL.write(0);
        CLEAR.write(1);
        // 12.5 ticks a microsecond; the longest gap of ten seconds fits.
        LOAD.write(gap.saturating_mul(25) / 2);
        CONTROL.write(1);
    }

    /// When a gap is over: books the stimulus before it and makes the next one.
    pub(crate) fn poll(&mut self) {
        if !self.running() || STATUS.read() & 1 == 0 {
            return;
        }
        if let Some(before) = self.fired.take() {
            self.book(before);
        }
        pins::release();
        pins::low();
        if self.left == 0 {
            return self.stop();
        }
        self.left -= 1;
        // The gap starts with the edge, not with the work after it.
        self.wait_a_gap();
        self.fired = Some(pins::edge());
    }

    fn book(&mut self, before: u32) {
        self.stimuli = self.stimuli.wrapping_add(1);
        if !pins::answered() {
            self.lost = self.lost.wrapping_add(1);
            return;
        }
        let period = self.tick.period();
        // The system timer counts down and starts again at its period.
        let ticks = (before + period - pins::STAMP.load(Relaxed)) % period;
        if let Some(entry) = LOG.get(self.logged) {
            entry.store(ticks, Relaxed);
            self.logged += 1;
        }
    }
}

/// One-shot, 32 bits.
pub(crate) fn init() {
    Register::at(SYSCTL, 0x104).set(1 << 16);
    CONTROL.write(0);
    CONFIG.write(0);
    MODE.write(ONE_SHOT);
}
