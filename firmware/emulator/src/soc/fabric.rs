//! What the blocks share: time, the DPPI channels, pins, memory, clocks, and the list of findings.

use super::census::Census;
use crate::cpu::Memory;
use crate::pins::Pins;
use std::collections::VecDeque;

/// Cycles of 128 MHz in one of the 16 MHz clock that GPIOTE, TIMER and DPPI run from.
pub(super) const PERIPHERAL_CLOCK: u64 = 8;

/// Why the chip resets; bits of RESETREAS (SVD).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResetReason {
    /// Watchdog 0.
    Watchdog,
    /// The image asked for it.
    Software,
}

impl ResetReason {
    pub(super) const fn bit(self) -> u32 {
        match self {
            ResetReason::Watchdog => 1 << 1,
            ResetReason::Software => 1 << 3,
        }
    }
}

/// Shared state.
#[derive(Debug)]
pub(super) struct Fabric {
    /// Cycles of 128 MHz since power-on.
    pub(super) now: u64,
    /// 128 MHz cycles per core cycle: 2 after reset, 1 once HFCLKCTRL says Div1.
    pub(super) divider: u64,
    /// LFCLK runs.
    pub(super) low_clock: bool,
    pub(super) memory: Memory,
    pub(super) pins: Pins,
    pub(super) census: Census,
    /// DPPIC.CHEN.
    pub(super) channels: u32,
    /// A reset that a block asks for.
    pub(super) reset: Option<ResetReason>,
    in_flight: VecDeque<(u64, u32)>,
}

impl Fabric {
    pub(super) fn new(memory: Memory) -> Fabric {
        Fabric {
            now: 0,
            divider: 2,
            low_clock: false,
            memory,
            pins: Pins::default(),
            census: Census::default(),
            channels: 0,
            reset: None,
            in_flight: VecDeque::new(),
        }
    }

    /// What a chip reset clears here. Time, pins' wires, findings and memory stay.
    pub(super) fn reset(&mut self) {
        (self.divider, self.low_clock, self.channels, self.reset) = (2, false, 0, None);
        self.in_flight.clear();
        self.pins.drive = self.pins.drive.after_reset();
    }

    /// Puts an event on a channel. Each channel synchronises to the 16 MHz clock: an event on that clock arrives one
    /// period later, another one at its next edge (Nordic's designers on DPPI of the nRF53 series, DevZone 61968).
    pub(super) fn publish(&mut self, channel: u32) {
        let arrival = (self.now / PERIPHERAL_CLOCK + 1) * PERIPHERAL_CLOCK;
        self.in_flight.push_back((arrival, channel));
    }

    /// When the next event arrives.
    pub(super) fn due(&self) -> Option<u64> {
        self.in_flight.front().map(|(at, _)| *at)
    }

    /// The next channel whose event has arrived and that is enabled.
    pub(super) fn arrived(&mut self) -> Option<u32> {
        while let Some((at, channel)) = self.in_flight.front().copied() {
            if at > self.now {
                return None;
            }
            self.in_flight.pop_front();
            if channel < 32 && self.channels & (1 << channel) != 0 {
                return Some(channel);
            }
        }
        None
    }
}
