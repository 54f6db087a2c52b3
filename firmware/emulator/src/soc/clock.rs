//! CLOCK, POWER and RESET, which share a page. Oscillators start at once; the core's divider is real, so an image that
//! forgets HFCLKCTRL runs at 64 MHz here too.

use super::block::Block;
use super::fabric::Fabric;
use super::port::{Port, Shape};
use std::collections::BTreeMap;

const HFCLKSTARTED: usize = 0;
const LFCLKSTARTED: usize = 1;
const DONE: usize = 7;
const AUDIO_STARTED: usize = 8;
const HFCLK192M_STARTED: usize = 9;
/// HFCLK, LFCLK, CAL, audio and 192 MHz start and stop, CONSTLAT and LOWPWR; their events, POFWARN, SLEEPENTER and
/// SLEEPEXIT.
const SHAPE: Shape = Shape { tasks: 0b11_1101_1111 | (3 << 30), events: 0b11_1110_0111 };
const HFCLKCTRL: u32 = 0x558;
/// HFCLKSRC, LFCLKSRC, HFCLKAUDIO, the ALWAYSRUN registers, HFCLK192MSRC and HFCLK192MCTRL, GPREGRET, NETWORK.FORCEOFF.
const LATCHED: [u32; 13] =
    [0x514, 0x518, 0x51c, 0x520, 0x55c, 0x570, 0x574, 0x57c, 0x580, 0x584, 0x5b8, 0x614, 0x618];

#[derive(Debug)]
pub(super) struct Clock {
    port: Port,
    latched: BTreeMap<u32, u32>,
    high_running: bool,
    low_running: bool,
    pub(super) reset_reason: u32,
}

impl Clock {
    pub(super) fn new() -> Clock {
        // NETWORK.FORCEOFF: the network core is held off after reset.
        let latched = BTreeMap::from([(0x514, 1), (0x614, 1)]);
        Clock { port: Port::new(SHAPE), latched, high_running: false, low_running: false, reset_reason: 0 }
    }

    fn source(&self, register: u32) -> u32 {
        self.latched.get(&register).copied().unwrap_or(0) & 3
    }
}

impl Block for Clock {
    fn port(&self) -> &Port {
        &self.port
    }

    fn port_mut(&mut self) -> &mut Port {
        &mut self.port
    }

    fn read(&mut self, offset: u32, fabric: &mut Fabric) -> Option<u32> {
        let running = |on: bool| u32::from(on) << 16;
        Some(match offset {
            0x400 => self.reset_reason,
            0x408 => u32::from(self.high_running),
            // HFCLKSTAT: source HFXO once started, and always running from something.
            0x40c => u32::from(self.high_running) | running(true),
            0x414 => u32::from(self.low_running),
            0x418 => self.source(0x518) | running(self.low_running),
            0x41c => self.source(0x518),
            0x450 | 0x458 => 0,
            0x454 | 0x45c => running(false),
            HFCLKCTRL => u32::from(fabric.divider == 2),
            _ if LATCHED.contains(&offset) => self.latched.get(&offset).copied().unwrap_or(0),
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, fabric: &mut Fabric) -> bool {
        match offset {
            0x400 => self.reset_reason &= !value,
            HFCLKCTRL => fabric.divider = if value & 1 == 0 { 1 } else { 2 },
            _ if LATCHED.contains(&offset) => drop(self.latched.insert(offset, value)),
            _ => return false,
        }
        true
    }

    fn task(&mut self, task: usize, fabric: &mut Fabric) {
        match task {
            0 => {
                self.high_running = true;
                self.port.raise(HFCLKSTARTED, fabric);
            }
            1 => self.high_running = false,
            2 => {
                (self.low_running, fabric.low_clock) = (true, true);
                self.port.raise(LFCLKSTARTED, fabric);
            }
            3 => (self.low_running, fabric.low_clock) = (false, false),
            4 => self.port.raise(DONE, fabric),
            6 => self.port.raise(AUDIO_STARTED, fabric),
            8 => self.port.raise(HFCLK192M_STARTED, fabric),
            _ => {}
        }
    }
}
