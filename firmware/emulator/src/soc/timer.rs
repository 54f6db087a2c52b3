//! TIMER: a 16 MHz counter with six capture and compare registers.
//!
//! A compare fires when the counter *becomes* equal; a compare register written behind the counter waits for the next
//! time round, as on the chip.

use super::block::Block;
use super::counter::Counter;
use super::fabric::{Fabric, PERIPHERAL_CLOCK};
use super::port::{Port, Shape};

const REGISTERS: usize = 6;
const COMPARE: usize = 16;
/// START, STOP, COUNT, CLEAR, SHUTDOWN, CAPTURE[0..6]; COMPARE[0..6].
const SHAPE: Shape = Shape { tasks: 0x1f | (0x3f << 16), events: 0x3f << 16 };

#[derive(Debug)]
pub(super) struct Timer {
    port: Port,
    counter: Counter,
    cc: [u32; REGISTERS],
    shorts: u32,
    mode: u32,
    width: u32,
    prescaler: u32,
}

impl Timer {
    pub(super) fn new() -> Timer {
        let mut timer = Timer {
            port: Port::new(SHAPE),
            counter: Counter::new(1 << 16, 1, PERIPHERAL_CLOCK),
            cc: [0; REGISTERS],
            shorts: 0,
            mode: 0,
            width: 0,
            prescaler: 4,
        };
        timer.configure(0);
        timer
    }

    /// BITMODE: 0 is 16 bits, 1 is 8, 2 is 24, 3 is 32 (SVD).
    fn modulus(&self) -> u64 {
        match self.width & 3 {
            0 => 1 << 16,
            1 => 1 << 8,
            2 => 1 << 24,
            _ => 1 << 32,
        }
    }

    fn configure(&mut self, now: u64) {
        let span = PERIPHERAL_CLOCK << self.prescaler.min(9);
        self.counter.configure(self.modulus(), 1, span, now);
    }

    fn changed_while_running(&self, what: &str, fabric: &mut Fabric) {
        if self.counter.is_running() {
            fabric.census.misuse(format!("TIMER.{what} was written while the timer ran"));
        }
    }

    fn next_match(&self, register: usize) -> Option<u64> {
        let cc = self.cc.get(register).copied()?;
        self.counter.next_match(u64::from(cc) % self.modulus()).filter(|_| self.mode == 0)
    }

    fn fire(&mut self, register: usize, fabric: &mut Fabric) {
        self.port.raise(COMPARE + register, fabric);
        if self.shorts & (1 << register) != 0 {
            self.counter.set(0, fabric.now);
        }
        if self.shorts & (1 << (8 + register)) != 0 {
            self.counter.stop(fabric.now);
        }
    }

    /// One more in counter mode, and what becomes equal by it.
    fn count(&mut self, fabric: &mut Fabric) {
        self.counter.set(self.counter.value(fabric.now) + 1, fabric.now);
        let value = self.counter.value(fabric.now);
        for register in 0..REGISTERS {
            if self.cc.get(register).is_some_and(|cc| u64::from(*cc) == value) {
                self.fire(register, fabric);
            }
        }
    }

    fn register(offset: u32, base: u32) -> Option<usize> {
        usize::try_from(offset.checked_sub(base)? / 4).ok().filter(|r| *r < REGISTERS)
    }
}

impl Block for Timer {
    fn port(&self) -> &Port {
        &self.port
    }

    fn port_mut(&mut self) -> &mut Port {
        &mut self.port
    }

    fn read(&mut self, offset: u32, _fabric: &mut Fabric) -> Option<u32> {
        match offset {
            0x200 => Some(self.shorts),
            0x504 => Some(self.mode),
            0x508 => Some(self.width),
            0x510 => Some(self.prescaler),
            _ => self.cc.get(Self::register(offset, 0x540)?).copied(),
        }
    }

    fn write(&mut self, offset: u32, value: u32, fabric: &mut Fabric) -> bool {
        match offset {
            0x200 => self.shorts = value,
            0x504 => self.mode = value & 3,
            0x508 | 0x510 => {
                let what = if offset == 0x508 { "BITMODE" } else { "PRESCALER" };
                self.changed_while_running(what, fabric);
                *(if offset == 0x508 { &mut self.width } else { &mut self.prescaler }) = value;
                self.configure(fabric.now);
            }
            _ => {
                let register = Self::register(offset, 0x540).and_then(|r| self.cc.get_mut(r));
                let Some(register) = register else { return false };
                *register = value;
                self.counter.saw(fabric.now);
            }
        }
        true
    }

    fn task(&mut self, task: usize, fabric: &mut Fabric) {
        let now = fabric.now;
        match task {
            0 if self.mode == 0 => self.counter.start(now),
            1 => self.counter.stop(now),
            2 if self.mode != 0 => self.count(fabric),
            3 => self.counter.set(0, now),
            4 => {
                self.counter.stop(now);
                self.counter.set(0, now);
            }
            16.. => {
                if let (Some(cc), Ok(value)) =
                    (self.cc.get_mut(task - 16), u32::try_from(self.counter.value(now)))
                {
                    *cc = value;
                }
            }
            _ => {}
        }
    }

    fn due(&self) -> Option<u64> {
        (0..REGISTERS).filter_map(|r| self.next_match(r)).min()
    }

    fn advance(&mut self, fabric: &mut Fabric) {
        let due: Vec<usize> =
            (0..REGISTERS).filter(|r| self.next_match(*r).is_some_and(|at| at <= fabric.now)).collect();
        self.counter.saw(fabric.now);
        for register in due {
            self.fire(register, fabric);
        }
    }
}
