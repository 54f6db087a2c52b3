//! WDT: resets the chip two low-clock periods after its time-out, unless every enabled reload register was fed.

use super::block::Block;
use super::fabric::{Fabric, ResetReason};
use super::port::{Port, Shape};

const TIMEOUT: usize = 0;
const FEED: u32 = 0x6E52_4635;
const CHANNELS: u32 = 8;
/// Cycles of 128 MHz in four ticks of 32 768 Hz.
const FOUR_TICKS: u64 = 15_625;

#[derive(Debug)]
pub(super) struct Watchdog {
    port: Port,
    reload: u32,
    enabled: u32,
    /// Enabled channels that were not fed since the last reload.
    hungry: u32,
    config: u32,
    deadline: Option<u64>,
    reset_at: Option<u64>,
}

impl Watchdog {
    pub(super) fn new() -> Watchdog {
        let port = Port::new(Shape { tasks: 0b11, events: 0b11 });
        Watchdog { port, reload: u32::MAX, enabled: 1, hungry: 1, config: 1, deadline: None, reset_at: None }
    }

    /// (CRV + 1) ticks from now (product specification, WDT).
    fn restart(&mut self, fabric: &Fabric) {
        let ticks = u64::from(self.reload) + 1;
        self.deadline = Some(fabric.now + (ticks * FOUR_TICKS).div_ceil(4));
        self.hungry = self.enabled;
    }

    fn feed(&mut self, channel: u32, fabric: &Fabric) {
        self.hungry &= !(1 << channel);
        if self.hungry == 0 && self.deadline.is_some() {
            self.restart(fabric);
        }
    }
}

impl Block for Watchdog {
    fn port(&self) -> &Port {
        &self.port
    }

    fn port_mut(&mut self) -> &mut Port {
        &mut self.port
    }

    fn read(&mut self, offset: u32, _fabric: &mut Fabric) -> Option<u32> {
        Some(match offset {
            0x400 => u32::from(self.deadline.is_some() || self.reset_at.is_some()),
            0x404 => self.hungry,
            0x504 => self.reload,
            0x508 => self.enabled,
            0x50c => self.config,
            0x520 => 0,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, fabric: &mut Fabric) -> bool {
        let running = self.deadline.is_some();
        match offset {
            // Configuration is locked once the watchdog runs.
            0x504 if !running => self.reload = value.max(0xf),
            0x508 if !running => self.enabled = value & 0xff,
            0x50c if !running => self.config = value,
            0x504 | 0x508 | 0x50c => fabric.census.misuse("WDT was configured while it ran"),
            0x520 => {}
            0x600..0x620 if (offset - 0x600) / 4 < CHANNELS => {
                if value == FEED {
                    self.feed((offset - 0x600) / 4, fabric);
                }
            }
            _ => return false,
        }
        true
    }

    fn task(&mut self, task: usize, fabric: &mut Fabric) {
        if task == 0 && self.deadline.is_none() {
            self.restart(fabric);
        }
    }

    /// CONFIG.SLEEP = 0 pauses the watchdog while the core sleeps.
    fn core_slept(&mut self, cycles: u64) {
        if self.config & 1 == 0 {
            self.deadline = self.deadline.map(|at| at.saturating_add(cycles));
        }
    }

    fn due(&self) -> Option<u64> {
        self.deadline.into_iter().chain(self.reset_at).min()
    }

    fn advance(&mut self, fabric: &mut Fabric) {
        if self.reset_at.is_some_and(|at| at <= fabric.now) {
            self.reset_at = None;
            fabric.reset = Some(ResetReason::Watchdog);
        }
        if self.deadline.is_some_and(|at| at <= fabric.now) {
            self.deadline = None;
            self.reset_at = Some(fabric.now + FOUR_TICKS / 2);
            self.port.raise(TIMEOUT, fabric);
        }
    }
}
