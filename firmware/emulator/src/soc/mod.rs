//! The nRF5340's application core without the core: register models, time between instructions, interrupt lines.
//!
//! Modelled: GPIO P0 and P1, GPIOTE0, DPPIC, TIMER0-2, UARTE0, CLOCK/POWER/RESET, RTC0-1, WDT0, EGU0-5; as plain
//! registers CACHE, NVMC, OSCILLATORS/REGULATORS, CTRLAP. Everything is secure, as after reset. Every other access
//! reads 0, does nothing, and is listed with its name.

mod block;
mod census;
mod clock;
mod counter;
mod dppic;
mod egu;
mod fabric;
mod gpio;
mod gpiote;
mod latch;
mod map;
mod port;
mod rtc;
#[cfg(test)]
mod tests;
mod timer;
mod uarte;
mod watchdog;

pub use census::Finding;
pub(crate) use uarte::Line;

use crate::cpu::{Bus, Memory};
use crate::pins::Pins;
use block::Block;
use fabric::{Fabric, ResetReason};
use port::Effect;

/// A block at its address.
#[derive(Debug)]
struct Slot {
    base: u32,
    length: u32,
    irq: Option<u16>,
    block: Box<dyn Block>,
}

impl Slot {
    fn new(base: u32, irq: Option<u16>, block: impl Block + 'static) -> Slot {
        // The two GPIO ports share a page.
        let length = if base & 0xfff == 0 { 0x1000 } else { 0x300 };
        Slot { base, length, irq, block: Box::new(block) }
    }
}

/// Everything on the chip but the core and its memory.
#[derive(Debug)]
pub(crate) struct Soc {
    fabric: Fabric,
    slots: Vec<Slot>,
    /// No block has anything to do before this cycle, unless a register is written.
    due: u64,
    touched: bool,
    lines: u64,
}

impl Soc {
    pub(crate) fn new(memory: Memory, baud: u32) -> Soc {
        let slots = slots(uarte::Uarte::new(baud), 0);
        Soc { fabric: Fabric::new(memory), slots, due: 0, touched: true, lines: 0 }
    }

    /// A chip reset; the wire of the UART, time, jumper wires and findings stay.
    pub(crate) fn reset(&mut self) {
        let reason = self.fabric.reset.take().unwrap_or(ResetReason::Software);
        let reasons = reason.bit() | self.reset_reasons();
        let serial = self.slots.iter_mut().find_map(|s| s.block.after_reset());
        self.slots = slots(serial.unwrap_or_else(|| uarte::Uarte::new(115_200)), reasons);
        self.fabric.reset();
        (self.touched, self.lines) = (true, 0);
        self.settle();
    }

    /// RESETREAS is cumulative: it keeps what no one cleared.
    fn reset_reasons(&mut self) -> u32 {
        let Soc { fabric, slots, .. } = self;
        let clock = slots.iter_mut().find(|s| s.base == CLOCK);
        clock.and_then(|s| s.block.read(0x400, fabric)).unwrap_or(0)
    }

    /// True when a block asks for a reset.
    pub(crate) fn wants_reset(&self) -> bool {
        self.fabric.reset.is_some()
    }

    /// 128 MHz cycles per core cycle.
    pub(crate) fn divider(&self) -> u64 {
        self.fabric.divider
    }

    /// When a block next does something on its own.
    pub(crate) fn due(&self) -> u64 {
        self.due
    }

    pub(crate) fn pins(&self) -> &Pins {
        &self.fabric.pins
    }

    /// Changes what is outside the chip, and lets the chip notice.
    pub(crate) fn with_pins<T>(&mut self, change: impl FnOnce(&mut Pins) -> T) -> T {
        let result = change(&mut self.fabric.pins);
        self.settle();
        self.touched = true;
        result
    }

    /// The host's end of the UART.
    pub(crate) fn with_line<T>(&mut self, act: impl FnOnce(&mut Line, u64) -> T) -> Option<T> {
        self.touched = true;
        let now = self.fabric.now;
        self.slots.iter_mut().find_map(|s| s.block.serial()).map(|line| act(line, now))
    }

    pub(crate) fn findings(&self) -> Vec<Finding> {
        self.fabric.census.findings()
    }

    /// The core sleeps for `cycles` of 128 MHz; to be said before [`Self::advance`].
    pub(crate) fn sleep(&mut self, cycles: u64) {
        self.slots.iter_mut().for_each(|s| s.block.core_slept(cycles));
        self.touched = true;
    }

    /// Lets time pass to `now`. `Some(lines)` when interrupt lines may have changed: bit n is the level of line n.
    pub(crate) fn advance(&mut self, now: u64) -> Option<u64> {
        if now < self.due && !self.touched {
            self.fabric.now = now;
            return None;
        }
        while let Some(at) = self.next_due().filter(|at| *at <= now) {
            self.fabric.now = self.fabric.now.max(at);
            self.run_due();
        }
        self.fabric.now = now;
        self.touched = false;
        self.due = self.next_due().unwrap_or(u64::MAX);
        let lines = self.interrupt_lines();
        let before = std::mem::replace(&mut self.lines, lines);
        (before != lines).then_some(lines)
    }

    fn next_due(&self) -> Option<u64> {
        let blocks = self.slots.iter().filter_map(|s| s.block.due());
        blocks.chain(self.fabric.due()).min()
    }

    fn run_due(&mut self) {
        let Soc { fabric, slots, .. } = self;
        for slot in slots.iter_mut() {
            if slot.block.due().is_some_and(|at| at <= fabric.now) {
                slot.block.advance(fabric);
            }
        }
        while let Some(channel) = fabric.arrived() {
            for slot in slots.iter_mut() {
                let tasks = slot.block.port().listeners(channel);
                (0..32).filter(|t| tasks & (1 << t) != 0).for_each(|task| slot.block.task(task, fabric));
            }
        }
        self.settle();
    }

    /// Levels follow from what was written; GPIOTE sees the edges.
    fn settle(&mut self) {
        let Soc { fabric, slots, .. } = self;
        fabric.pins.settle(fabric.now);
        let changed = fabric.pins.take_changed();
        for (pin, high) in &changed {
            for slot in slots.iter_mut() {
                slot.block.pin_changed(*pin, *high, fabric);
            }
        }
        if !changed.is_empty() && fabric.pins.drive.contended(fabric.pins.wires()) != 0 {
            fabric.census.misuse("two drivers fight over a pin");
        }
    }

    fn interrupt_lines(&self) -> u64 {
        let asserted = self.slots.iter().filter(|s| s.block.interrupt());
        asserted.filter_map(|s| s.irq).fold(0, |all, irq| all | (1 << irq))
    }
}

const CLOCK: u32 = 0x5000_5000;

/// Addresses and interrupt numbers: SVD, by way of `nrf5340-app-pac` 0.12.2 and `nrf-pac` 0.4.0.
fn slots(serial: uarte::Uarte, reset_reason: u32) -> Vec<Slot> {
    let mut clock = clock::Clock::new();
    clock.reset_reason = reset_reason;
    let mut slots = vec![
        Slot::new(0x5084_2500, None, gpio::Gpio::new(0)),
        Slot::new(0x5084_2800, None, gpio::Gpio::new(1)),
        Slot::new(0x5000_d000, Some(13), gpiote::Gpiote::new()),
        Slot::new(0x5001_7000, None, dppic::Dppic::new()),
        Slot::new(0x5000_f000, Some(15), timer::Timer::new()),
        Slot::new(0x5001_0000, Some(16), timer::Timer::new()),
        Slot::new(0x5001_1000, Some(17), timer::Timer::new()),
        Slot::new(0x5000_8000, Some(8), serial),
        Slot::new(CLOCK, Some(5), clock),
        Slot::new(0x5001_4000, Some(20), rtc::Rtc::new()),
        Slot::new(0x5001_5000, Some(21), rtc::Rtc::new()),
        Slot::new(0x5001_8000, Some(24), watchdog::Watchdog::new()),
        Slot::new(0x5000_1000, None, latch::Latch::new(latch::CACHE)),
        Slot::new(0x5000_4000, None, latch::Latch::new(latch::REGULATORS)),
        Slot::new(0x5000_6000, None, latch::Latch::new(latch::CTRLAP)),
        Slot::new(0x5003_9000, None, latch::Latch::new(latch::NVMC)),
    ];
    let egus =
        (0..6u16).map(|n| Slot::new(0x5001_b000 + 0x1000 * u32::from(n), Some(27 + n), egu::Egu::new()));
    slots.extend(egus);
    slots
}

impl Bus for Soc {
    fn read(&mut self, address: u32, _bytes: usize) -> u32 {
        let Soc { fabric, slots, .. } = self;
        let slot = slots.iter_mut().find(|s| address.wrapping_sub(s.base) < s.length);
        let value = slot.and_then(|s| {
            let offset = address.wrapping_sub(s.base);
            s.block.read(offset, fabric).or_else(|| s.block.port().read(offset))
        });
        value.unwrap_or_else(|| {
            fabric.census.read(address);
            0
        })
    }

    fn write(&mut self, address: u32, value: u32, bytes: usize) {
        let Soc { fabric, slots, .. } = self;
        self.touched = true;
        let slot = slots.iter_mut().find(|s| address.wrapping_sub(s.base) < s.length);
        let known = slot.is_some_and(|s| store(s, address.wrapping_sub(s.base), value, fabric));
        if !known || bytes != 4 {
            fabric.census.write(address);
        }
        self.settle();
    }
}

fn store(slot: &mut Slot, offset: u32, value: u32, fabric: &mut Fabric) -> bool {
    if slot.block.write(offset, value, fabric) {
        return true;
    }
    match slot.block.port_mut().write(offset, value) {
        Effect::Task(task) => slot.block.task(task, fabric),
        Effect::Done => {}
        Effect::Unknown => return false,
    }
    true
}
