//! GPIOTE: pins to events, tasks to pins. Eight channels, and the PORT event of pins with a SENSE condition.
//!
//! A channel in event mode makes its pin an input, one in task mode an output, whatever GPIO says. An input edge is
//! seen at once (LATENCY and the synchroniser's cycles are not modelled), a task changes its pin at once.

use super::block::Block;
use super::fabric::Fabric;
use super::port::{Port, Shape};
use crate::pins::Pin;

const CHANNELS: usize = 8;
const PORT_EVENT: usize = 31;
const OUTINIT: u32 = 1 << 20;
const SHAPE: Shape = Shape { tasks: 0xff | (0xff << 12) | (0xff << 24), events: 0xff | (1 << PORT_EVENT) };

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Off,
    Event,
    Task,
}

#[derive(Debug)]
pub(super) struct Gpiote {
    port: Port,
    config: [u32; CHANNELS],
    high: [bool; CHANNELS],
    latency: u32,
    /// DETECT of both ports was high; PORT fires on its rise.
    detect: bool,
}

impl Gpiote {
    pub(super) fn new() -> Gpiote {
        // LATENCY: reset value LowLatency (SVD).
        Gpiote {
            port: Port::new(SHAPE),
            config: [0; CHANNELS],
            high: [false; CHANNELS],
            latency: 1,
            detect: false,
        }
    }

    fn mode(config: u32) -> Mode {
        match config & 3 {
            1 => Mode::Event,
            3 => Mode::Task,
            _ => Mode::Off,
        }
    }

    fn pin(config: u32) -> Option<Pin> {
        let number = u8::try_from((config >> 8) & 0x1f).ok()?;
        Pin::new(u8::try_from((config >> 13) & 1).ok()?, number)
    }

    fn configure(&mut self, channel: usize, value: u32, fabric: &mut Fabric) {
        let (Some(config), Some(high)) = (self.config.get_mut(channel), self.high.get_mut(channel)) else {
            return;
        };
        let old = std::mem::replace(config, value);
        *high = value & OUTINIT != 0;
        for pin in Self::pin(old).into_iter().chain(Self::pin(value)) {
            self.claim(pin, fabric);
        }
    }

    /// Gives the pin to the channels that have it now, or back to GPIO.
    fn claim(&self, pin: Pin, fabric: &mut Fabric) {
        let owners = self.config.iter().zip(&self.high).filter(|(c, _)| Self::pin(**c) == Some(pin));
        let (mut task, mut event, mut count) = (None, false, 0);
        for (config, high) in owners {
            match Self::mode(*config) {
                Mode::Off => continue,
                Mode::Event => event = true,
                Mode::Task => task = Some(*high),
            }
            count += 1;
        }
        if count > 1 {
            fabric.census.misuse(format!("{pin} is assigned to two GPIOTE channels"));
        }
        fabric.pins.drive.task(pin, task);
        fabric.pins.drive.event(pin, event);
    }

    fn set_pin(&mut self, channel: usize, decide: impl Fn(u32, bool) -> bool, fabric: &mut Fabric) {
        let (Some(config), Some(high)) = (self.config.get(channel), self.high.get_mut(channel)) else {
            return;
        };
        if Self::mode(*config) == Mode::Task {
            *high = decide(*config, *high);
            if let Some(pin) = Self::pin(*config) {
                fabric.pins.drive.task(pin, Some(*high));
            }
        }
    }

    /// DETECT: any pin whose SENSE condition (2 high, 3 low) holds.
    fn detects(fabric: &Fabric) -> bool {
        Pin::all().any(|pin| match (fabric.pins.drive.config(pin) >> 16) & 3 {
            2 => fabric.pins.levels() & pin.mask() != 0,
            3 => fabric.pins.levels() & pin.mask() == 0,
            _ => false,
        })
    }
}

/// POLARITY, bits 17:16: what TASKS_OUT does, and which edge is an event.
fn polarity(config: u32) -> u32 {
    (config >> 16) & 3
}

impl Block for Gpiote {
    fn port(&self) -> &Port {
        &self.port
    }

    fn port_mut(&mut self) -> &mut Port {
        &mut self.port
    }

    fn read(&mut self, offset: u32, _fabric: &mut Fabric) -> Option<u32> {
        match offset {
            0x504 => Some(self.latency),
            0x510..0x530 => self.config.get(usize::try_from((offset - 0x510) / 4).ok()?).copied(),
            _ => None,
        }
    }

    fn write(&mut self, offset: u32, value: u32, fabric: &mut Fabric) -> bool {
        match offset {
            0x504 => self.latency = value & 1,
            0x510..0x530 => self.configure(usize::try_from((offset - 0x510) / 4).unwrap_or(0), value, fabric),
            _ => return false,
        }
        true
    }

    fn task(&mut self, task: usize, fabric: &mut Fabric) {
        match task {
            0..8 => self.set_pin(
                task,
                |config, high| match polarity(config) {
                    1 => true,
                    2 => false,
                    3 => !high,
                    _ => high,
                },
                fabric,
            ),
            12..20 => self.set_pin(task - 12, |_, _| true, fabric),
            24.. => self.set_pin(task - 24, |_, _| false, fabric),
            _ => {}
        }
    }

    fn pin_changed(&mut self, pin: Pin, high: bool, fabric: &mut Fabric) {
        let sees = fabric.pins.drive.connected() & pin.mask() != 0;
        for channel in 0..CHANNELS {
            let config = self.config.get(channel).copied().unwrap_or(0);
            let edge = matches!((polarity(config), high), (1, true) | (2, false) | (3, _));
            if sees && edge && Self::mode(config) == Mode::Event && Self::pin(config) == Some(pin) {
                self.port.raise(channel, fabric);
            }
        }
        let detect = Self::detects(fabric);
        if detect && !self.detect {
            self.port.raise(PORT_EVENT, fabric);
        }
        self.detect = detect;
    }
}
