//! RTC: a 24-bit counter of the 32 768 Hz clock. Its events exist only where INTEN or EVTEN asks for them, and only
//! EVTEN publishes them.

use super::block::Block;
use super::counter::Counter;
use super::fabric::Fabric;
use super::port::{Effect, Port, Shape};

const REGISTERS: usize = 4;
const MODULUS: u64 = 1 << 24;
const TICK: usize = 0;
const OVERFLOW: usize = 1;
const COMPARE: usize = 16;
/// START, STOP, CLEAR, TRIGOVRFLW, CAPTURE[0..4]; TICK, OVRFLW, COMPARE[0..4].
const SHAPE: Shape = Shape { tasks: 0xf | (0xf << 16), events: 0x3 | (0xf << 16) };
/// Ticks per cycles of 128 MHz: 32 768 / 128 000 000.
const RATE: u64 = 4;
const SPAN: u64 = 15_625;

#[derive(Debug)]
pub(super) struct Rtc {
    port: Port,
    counter: Counter,
    cc: [u32; REGISTERS],
    shorts: u32,
    routed: u32,
    prescaler: u32,
}

impl Rtc {
    pub(super) fn new() -> Rtc {
        let counter = Counter::new(MODULUS, RATE, SPAN);
        Rtc { port: Port::new(SHAPE), counter, cc: [0; REGISTERS], shorts: 0, routed: 0, prescaler: 0 }
    }

    fn wanted(&self, event: usize) -> bool {
        (self.port.enables | self.routed) & (1 << event) != 0
    }

    /// When each event that somebody wants comes next.
    fn moments(&self) -> impl Iterator<Item = (usize, u64)> {
        let compares =
            self.cc.iter().enumerate().map(|(n, cc)| (COMPARE + n, self.counter.next_match(u64::from(*cc))));
        let own = [(TICK, self.counter.next_tick()), (OVERFLOW, self.counter.next_match(0))];
        let all = own.into_iter().chain(compares);
        all.filter(|(event, _)| self.wanted(*event)).filter_map(|(event, at)| Some((event, at?)))
    }

    fn fire(&mut self, event: usize, fabric: &mut Fabric) {
        if self.routed & (1 << event) == 0 {
            // An event that is not routed is seen by the interrupt alone.
            self.port.set(event);
        } else {
            self.port.raise(event, fabric);
        }
        if event >= COMPARE && self.shorts & (1 << (event - COMPARE)) != 0 {
            self.counter.set(0, fabric.now);
        }
    }
}

impl Block for Rtc {
    fn port(&self) -> &Port {
        &self.port
    }

    fn port_mut(&mut self) -> &mut Port {
        &mut self.port
    }

    fn read(&mut self, offset: u32, fabric: &mut Fabric) -> Option<u32> {
        match offset {
            0x200 => Some(self.shorts),
            0x340 | 0x344 | 0x348 => Some(self.routed),
            0x504 => u32::try_from(self.counter.value(fabric.now)).ok(),
            0x508 => Some(self.prescaler),
            _ => self.cc.get(usize::try_from(offset.checked_sub(0x540)? / 4).ok()?).copied(),
        }
    }

    fn write(&mut self, offset: u32, value: u32, fabric: &mut Fabric) -> bool {
        // What was not wanted until now is no event of the past.
        self.counter.saw(fabric.now);
        match offset {
            0x300 | 0x304 | 0x308 => return self.port.write(offset, value) == Effect::Done,
            0x200 => self.shorts = value,
            0x340 => self.routed = value,
            0x344 => self.routed |= value,
            0x348 => self.routed &= !value,
            0x508 => {
                self.prescaler = value & 0xfff;
                let span = SPAN * (u64::from(self.prescaler) + 1);
                self.counter.configure(MODULUS, RATE, span, fabric.now);
            }
            0x540..0x550 => {
                if let Some(cc) = usize::try_from((offset - 0x540) / 4).ok().and_then(|r| self.cc.get_mut(r))
                {
                    *cc = value & 0x00ff_ffff;
                }
            }
            _ => return false,
        }
        true
    }

    fn task(&mut self, task: usize, fabric: &mut Fabric) {
        let now = fabric.now;
        match task {
            0 => {
                if !fabric.low_clock {
                    fabric.census.misuse("an RTC was started while LFCLK stood still");
                }
                self.counter.start(now);
            }
            1 => self.counter.stop(now),
            2 => self.counter.set(0, now),
            3 => self.counter.set(MODULUS - 16, now),
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
        self.moments().map(|(_, at)| at).min()
    }

    fn advance(&mut self, fabric: &mut Fabric) {
        let due: Vec<usize> =
            self.moments().filter(|(_, at)| *at <= fabric.now).map(|(event, _)| event).collect();
        self.counter.saw(fabric.now);
        for event in due {
            self.fire(event, fabric);
        }
    }
}
