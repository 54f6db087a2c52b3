//! Who drives a pin: GPIO, a GPIOTE task channel, the outside, a wire, a pull resistor.

use super::{Pin, Wire};

/// PIN_CNF after reset: input buffer disconnected.
const PIN_CNF_RESET: u32 = 2;

/// The state that levels follow from.
#[derive(Debug)]
pub(crate) struct Drive {
    /// GPIO.OUT, bit = [`Pin::index`].
    pub(crate) out: u64,
    /// GPIO.DIR.
    dir: u64,
    config: [u32; Pin::COUNT as usize],
    /// Pins whose input buffer is connected (PIN_CNF.INPUT = 0).
    connected: u64,
    pulled_up: u64,
    /// Pins owned by GPIOTE task channels and their levels; such a pin is an output whatever OUT and DIR say.
    task: u64,
    task_high: u64,
    /// Pins of GPIOTE event channels; such a pin is an input whatever DIR says.
    event: u64,
    outside: u64,
    outside_high: u64,
}

impl Default for Drive {
    fn default() -> Drive {
        let config = [PIN_CNF_RESET; Pin::COUNT as usize];
        let (connected, pulled_up) = (0, 0);
        let (task, task_high, event, outside, outside_high) = (0, 0, 0, 0, 0);
        Drive { out: 0, dir: 0, config, connected, pulled_up, task, task_high, event, outside, outside_high }
    }
}

impl Drive {
    /// What a chip reset leaves: the outside.
    pub(crate) fn after_reset(&self) -> Drive {
        Drive { outside: self.outside, outside_high: self.outside_high, ..Drive::default() }
    }

    pub(crate) fn dir(&self) -> u64 {
        self.dir
    }

    /// DIR and PIN_CNF.DIR are one bit with two addresses.
    pub(crate) fn set_dir(&mut self, dir: u64) {
        self.dir = dir;
        for (bit, config) in self.config.iter_mut().enumerate() {
            *config = (*config & !1) | u32::from(dir & (1 << bit) != 0);
        }
    }

    pub(crate) fn config(&self, pin: Pin) -> u32 {
        self.config.get(usize::from(pin.index())).copied().unwrap_or(PIN_CNF_RESET)
    }

    pub(crate) fn set_config(&mut self, pin: Pin, value: u32) {
        if let Some(config) = self.config.get_mut(usize::from(pin.index())) {
            *config = value;
            set(&mut self.dir, pin, value & 1 != 0);
            set(&mut self.connected, pin, value & 2 == 0);
            set(&mut self.pulled_up, pin, (value >> 2) & 3 == 3);
        }
    }

    /// Pins whose input buffer is connected.
    pub(crate) fn connected(&self) -> u64 {
        self.connected
    }

    /// Gives the pin to a task channel with this level, or back to GPIO.
    pub(crate) fn task(&mut self, pin: Pin, level: Option<bool>) {
        assign(&mut self.task, &mut self.task_high, pin, level);
    }

    /// Makes the pin an input for an event channel, or gives it back.
    pub(crate) fn event(&mut self, pin: Pin, on: bool) {
        set(&mut self.event, pin, on);
    }

    /// Drives the pin from outside the chip, or lets go of it.
    pub(crate) fn external(&mut self, pin: Pin, level: Option<bool>) {
        assign(&mut self.outside, &mut self.outside_high, pin, level);
    }

    /// Pins the chip drives, and their levels.
    fn chip(&self) -> (u64, u64) {
        let gpio = self.dir & !self.event & !self.task;
        (gpio | self.task, (self.out & gpio) | (self.task_high & self.task))
    }

    pub(super) fn levels(&self, wires: &[Wire]) -> u64 {
        let (chip, chip_high) = self.chip();
        let outside = self.outside & !chip;
        let driven = chip | outside;
        let high = chip_high | (self.outside_high & outside);
        let mut levels = high | (self.pulled_up & !driven);
        for wire in wires {
            for (from, to) in [(wire.a, wire.b), (wire.b, wire.a)] {
                if driven & from.mask() != 0 && driven & to.mask() == 0 {
                    set(&mut levels, to, high & from.mask() != 0);
                }
            }
        }
        levels
    }

    /// Pins that two drivers fight over: a wire between outputs, or the outside against an output.
    pub(crate) fn contended(&self, wires: &[Wire]) -> u64 {
        let (chip, high) = self.chip();
        let fights = |w: &Wire| {
            let both = w.a.mask() | w.b.mask();
            let different = (high & w.a.mask() == 0) != (high & w.b.mask() == 0);
            if chip & both == both && different { both } else { 0 }
        };
        let outside = chip & self.outside & (high ^ self.outside_high);
        wires.iter().map(fights).fold(outside, |all, pins| all | pins)
    }
}

fn assign(owned: &mut u64, high: &mut u64, pin: Pin, level: Option<bool>) {
    set(owned, pin, level.is_some());
    set(high, pin, level == Some(true));
}

fn set(pins: &mut u64, pin: Pin, on: bool) {
    *pins = (*pins & !pin.mask()) | if on { pin.mask() } else { 0 };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Product specification, GPIOTE: event mode makes the pin an input, overriding DIR.
    #[test]
    fn an_event_channel_silences_an_output() {
        let mut drive = Drive { out: Pin::RESPONSE.mask(), ..Drive::default() };
        drive.set_config(Pin::RESPONSE, 1);
        assert_eq!(drive.levels(&[]), Pin::RESPONSE.mask());
        drive.event(Pin::RESPONSE, true);
        assert_eq!(drive.levels(&[]), 0);
    }

    #[test]
    fn a_task_channel_overrides_out() {
        let mut drive = Drive { out: Pin::RESPONSE.mask(), ..Drive::default() };
        drive.task(Pin::RESPONSE, Some(false));
        assert_eq!(drive.levels(&[]), 0);
        drive.task(Pin::RESPONSE, Some(true));
        assert_eq!(drive.levels(&[]), Pin::RESPONSE.mask());
    }

    #[test]
    fn two_outputs_on_one_wire_are_named() {
        let mut drive = Drive { out: Pin::RESPONSE.mask(), ..Drive::default() };
        drive.set_dir(Pin::RESPONSE.mask() | Pin::CAPTURE.mask());
        let wire = Wire { a: Pin::RESPONSE, b: Pin::CAPTURE };
        assert_eq!(drive.contended(&[wire]), Pin::RESPONSE.mask() | Pin::CAPTURE.mask());
        drive.set_dir(Pin::RESPONSE.mask());
        assert_eq!(drive.contended(&[wire]), 0);
    }
}
