//! GPIO port P0 or P1: OUT, DIR, IN, PIN_CNF, LATCH. There is no toggle register and no event here; edges become
//! events in GPIOTE.

use super::block::Block;
use super::fabric::Fabric;
use super::port::{Port, Shape};
use crate::pins::Pin;

const DIR_BIT: u32 = 1;
const SENSE: u32 = 16;
/// MCUSEL, bits 30:28: 0 is the application core.
const MCUSEL: u32 = 0x7000_0000;

#[derive(Debug)]
pub(super) struct Gpio {
    port: Port,
    number: u8,
    latch: u32,
    /// DETECTMODE and DETECTMODE_SEC: stored; PORT always follows DETECT itself.
    detect_mode: [u32; 2],
}

impl Gpio {
    pub(super) fn new(number: u8) -> Gpio {
        Gpio { port: Port::new(Shape { tasks: 0, events: 0 }), number, latch: 0, detect_mode: [0; 2] }
    }

    fn shift(&self) -> u32 {
        u32::from(self.number) * 32
    }

    fn part(&self, pins: u64) -> u32 {
        u32::try_from((pins >> self.shift()) & 0xffff_ffff).unwrap_or(0)
    }

    fn merge(&self, pins: u64, part: u32) -> u64 {
        let mask = 0xffff_ffffu64 << self.shift();
        ((pins & !mask) | (u64::from(part) << self.shift())) & ((1 << Pin::COUNT) - 1)
    }

    fn pin(&self, offset: u32) -> Option<Pin> {
        Pin::new(self.number, u8::try_from(offset.checked_sub(0x200)? / 4).ok()?)
    }

    fn out(&self, value: u32, fabric: &mut Fabric) {
        fabric.pins.drive.out = self.merge(fabric.pins.drive.out, value);
    }

    fn dir(&self, value: u32, fabric: &mut Fabric) {
        let dir = self.merge(fabric.pins.drive.dir(), value);
        fabric.pins.drive.set_dir(dir);
    }

    fn configure(&self, pin: Pin, value: u32, fabric: &mut Fabric) {
        if value & MCUSEL != 0 && value & DIR_BIT != 0 {
            fabric.census.misuse(format!("{pin} is an output that MCUSEL takes away from this core"));
        }
        fabric.pins.drive.set_config(pin, value);
    }

    /// Pins whose SENSE condition holds: 2 senses high, 3 senses low.
    fn sensed(&self, fabric: &Fabric) -> u32 {
        let levels = fabric.pins.levels();
        let senses = |pin: &Pin| match (fabric.pins.drive.config(*pin) >> SENSE) & 3 {
            2 => levels & pin.mask() != 0,
            3 => levels & pin.mask() == 0,
            _ => false,
        };
        self.part(Pin::all().filter(senses).fold(0, |all, p| all | p.mask()))
    }
}

impl Block for Gpio {
    fn port(&self) -> &Port {
        &self.port
    }

    fn port_mut(&mut self) -> &mut Port {
        &mut self.port
    }

    fn read(&mut self, offset: u32, fabric: &mut Fabric) -> Option<u32> {
        let drive = &fabric.pins.drive;
        Some(match offset {
            0x04 | 0x08 | 0x0c => self.part(drive.out),
            0x10 => self.part(fabric.pins.levels() & drive.connected()),
            0x14 | 0x18 | 0x1c => self.part(drive.dir()),
            0x20 => self.latch | self.sensed(fabric),
            0x24 => self.detect_mode.first().copied()?,
            0x28 => self.detect_mode.last().copied()?,
            0x200.. => drive.config(self.pin(offset)?),
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, fabric: &mut Fabric) -> bool {
        let (out, dir) = (self.part(fabric.pins.drive.out), self.part(fabric.pins.drive.dir()));
        match offset {
            0x04 => self.out(value, fabric),
            0x08 => self.out(out | value, fabric),
            0x0c => self.out(out & !value, fabric),
            0x14 => self.dir(value, fabric),
            0x18 => self.dir(dir | value, fabric),
            0x1c => self.dir(dir & !value, fabric),
            0x20 => self.latch = (self.latch & !value) | self.sensed(fabric),
            0x24 => self.detect_mode = [value, self.detect_mode[1]],
            0x28 => self.detect_mode = [self.detect_mode[0], value],
            0x200.. => match self.pin(offset) {
                Some(pin) => self.configure(pin, value, fabric),
                None => return false,
            },
            _ => return false,
        }
        true
    }

    fn task(&mut self, _task: usize, _fabric: &mut Fabric) {}

    fn pin_changed(&mut self, _pin: Pin, _high: bool, fabric: &mut Fabric) {
        self.latch |= self.sensed(fabric);
    }
}
