//! UARTE0 with EasyDMA, at the speed of its BAUDRATE register: a byte takes ten bit times, and is read from or written
//! to RAM when its time comes, so a buffer reused too early shows.
//!
//! Refuses what the chip refuses: EasyDMA outside RAM, bytes while the receiver is off (lost), more than the FIFO
//! holds (overrun), bytes at another speed than the register's (framing error), and pins the host is not wired to. Parity
//! and flow control (CONFIG) are not modelled.

use super::block::Block;
use super::fabric::Fabric;
use super::port::{Port, Shape};
use std::collections::VecDeque;

const RXDRDY: usize = 2;
const ENDRX: usize = 4;
const TXDRDY: usize = 7;
const ENDTX: usize = 8;
const ERROR: usize = 9;
const RXTO: usize = 17;
const RXSTARTED: usize = 19;
const TXSTARTED: usize = 20;
const TXSTOPPED: usize = 22;
/// STARTRX, STOPRX, STARTTX, STOPTX, FLUSHRX; CTS, NCTS and those above.
const SHAPE: Shape = Shape { tasks: 0xf | (1 << 11), events: 0x5a_0397 };
const OVERRUN: u32 = 1;
const FRAMING: u32 = 4;
const FIFO: usize = 4;
const ENABLED: u32 = 8;
/// Parity and flow control; only none of both is modelled.
const CONFIG: u32 = 0x56c;
/// PSEL of the development kit's first virtual serial port: TXD P0.20, RXD P0.22.
const TRANSMIT: u32 = 20;
const RECEIVE: u32 = 22;

/// The wire between host and chip.
#[derive(Debug)]
pub(crate) struct Line {
    /// Bits per second the host uses.
    pub(crate) baud: u32,
    /// Bytes on their way to the chip, with the cycle their stop bit ends.
    to_chip: VecDeque<(u64, u8)>,
    /// Bytes the chip has sent.
    pub(crate) from_chip: Vec<u8>,
    /// The chip has bytes to send.
    pub(crate) sending: bool,
}

impl Line {
    /// Puts bytes on the wire, one after the other.
    pub(crate) fn send(&mut self, bytes: &[u8], now: u64) {
        let byte_time = byte_time(self.baud);
        let mut at = self.to_chip.back().map_or(now, |(at, _)| (*at).max(now));
        for byte in bytes {
            at += byte_time;
            self.to_chip.push_back((at, *byte));
        }
    }

    /// Everything that was put on the wire has arrived.
    pub(crate) fn is_quiet(&self) -> bool {
        self.to_chip.is_empty() && !self.sending
    }
}

/// Cycles of 128 MHz for ten bits.
fn byte_time(baud: u32) -> u64 {
    crate::time::HERTZ * 10 / u64::from(baud.max(1))
}

#[derive(Debug, Clone, Copy, Default)]
struct Channel {
    pointer: u32,
    max: u32,
    amount: u32,
    /// Latched at the start of a transfer.
    from: u32,
    length: u32,
    running: bool,
}

impl Channel {
    fn start(&mut self) {
        (self.from, self.length, self.amount, self.running) = (self.pointer, self.max, 0, true);
    }

    fn register(&mut self, offset: u32) -> Option<&mut u32> {
        match offset {
            0 => Some(&mut self.pointer),
            4 => Some(&mut self.max),
            8 => Some(&mut self.amount),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(super) struct Uarte {
    port: Port,
    line: Line,
    rx: Channel,
    tx: Channel,
    /// When the byte being sent is out, and which it is.
    shifting: Option<(u64, u8)>,
    fifo: VecDeque<u8>,
    receiver: bool,
    errors: u32,
    shorts: u32,
    enable: u32,
    baud: u32,
    /// PSEL: RTS, TXD, CTS, RXD.
    pins: [u32; 4],
}

impl Uarte {
    pub(super) fn new(baud: u32) -> Uarte {
        let line = Line { baud, to_chip: VecDeque::new(), from_chip: Vec::new(), sending: false };
        Uarte {
            port: Port::new(SHAPE),
            line,
            rx: Channel::default(),
            tx: Channel::default(),
            shifting: None,
            fifo: VecDeque::new(),
            receiver: false,
            errors: 0,
            shorts: 0,
            enable: 0,
            baud: 0x0400_0000,
            pins: [0xffff_ffff; 4],
        }
    }

    /// BAUDRATE counts 2^32 / 16 MHz steps (115 200 is 0x01D60000, 1 000 000 is 0x10000000).
    fn bits_per_second(&self) -> u32 {
        u32::try_from((u64::from(self.baud) * 16_000_000) >> 32).unwrap_or(u32::MAX).max(1)
    }

    /// A receiver bears some five per cent between the two clocks.
    fn speeds_agree(&self) -> bool {
        let ours = self.bits_per_second();
        ours.abs_diff(self.line.baud) <= self.line.baud / 20
    }

    fn load(&mut self, fabric: &mut Fabric) {
        if self.tx.amount >= self.tx.length {
            (self.tx.running, self.line.sending) = (false, false);
            self.port.raise(ENDTX, fabric);
            return;
        }
        let mut byte = [0];
        if !fabric.memory.read_ram(self.tx.from.wrapping_add(self.tx.amount), &mut byte) {
            fabric.census.misuse("UARTE0 was given a transmit buffer outside RAM");
        }
        let [byte] = byte;
        self.shifting = Some((fabric.now + byte_time(self.bits_per_second()), byte));
    }

    fn sent(&mut self, byte: u8, fabric: &mut Fabric) {
        self.shifting = None;
        let [_, transmit, ..] = self.pins;
        if transmit != TRANSMIT {
            fabric.census.misuse("UARTE0 sends on another pin than P0.20, which the host listens to");
        } else if self.speeds_agree() {
            self.line.from_chip.push(byte);
        } else {
            fabric.census.misuse("UARTE0 sends at another speed than the host's");
        }
        self.tx.amount += 1;
        self.port.raise(TXDRDY, fabric);
        self.load(fabric);
    }

    fn fail(&mut self, error: u32, fabric: &mut Fabric) {
        self.errors |= error;
        self.port.raise(ERROR, fabric);
    }

    fn received(&mut self, byte: u8, fabric: &mut Fabric) {
        let [.., receive] = self.pins;
        if self.enable != ENABLED || !self.receiver {
            return;
        }
        if receive != RECEIVE {
            fabric.census.misuse("UARTE0 listens on another pin than P0.22, which the host sends to");
        } else if !self.speeds_agree() {
            self.fail(FRAMING, fabric);
        } else if self.fifo.len() >= FIFO {
            self.fail(OVERRUN, fabric);
        } else {
            self.fifo.push_back(byte);
            self.port.raise(RXDRDY, fabric);
            self.drain(fabric);
        }
    }

    /// FIFO to RAM, while a buffer is open.
    fn drain(&mut self, fabric: &mut Fabric) {
        while self.rx.running && self.rx.amount < self.rx.length {
            let Some(byte) = self.fifo.pop_front() else { return };
            if !fabric.memory.write_ram(self.rx.from.wrapping_add(self.rx.amount), &[byte]) {
                fabric.census.misuse("UARTE0 was given a receive buffer outside RAM");
            }
            self.rx.amount += 1;
        }
        if self.rx.running {
            self.end_receive(fabric);
        }
    }

    fn end_receive(&mut self, fabric: &mut Fabric) {
        self.rx.running = false;
        self.port.raise(ENDRX, fabric);
        if self.shorts & (1 << 5) != 0 {
            self.task(0, fabric);
        } else if self.shorts & (1 << 6) != 0 {
            self.task(1, fabric);
        }
    }

    fn start_receive(&mut self, fabric: &mut Fabric) {
        self.rx.start();
        self.receiver = true;
        self.port.raise(RXSTARTED, fabric);
        if self.rx.length > 0 {
            self.drain(fabric);
        }
    }

    fn stop_receive(&mut self, fabric: &mut Fabric) {
        if self.rx.running {
            self.rx.running = false;
            self.port.raise(ENDRX, fabric);
        }
        self.receiver = false;
        self.port.raise(RXTO, fabric);
    }

    fn register(&mut self, offset: u32) -> Option<&mut u32> {
        match offset {
            0x200 => Some(&mut self.shorts),
            0x500 => Some(&mut self.enable),
            0x508..0x518 => self.pins.get_mut(usize::try_from((offset - 0x508) / 4).ok()?),
            0x524 => Some(&mut self.baud),
            0x534..0x540 => self.rx.register(offset - 0x534),
            0x544..0x550 => self.tx.register(offset - 0x544),
            _ => None,
        }
    }
}

impl Block for Uarte {
    fn port(&self) -> &Port {
        &self.port
    }

    fn port_mut(&mut self) -> &mut Port {
        &mut self.port
    }

    fn read(&mut self, offset: u32, _fabric: &mut Fabric) -> Option<u32> {
        match offset {
            0x480 => Some(self.errors),
            CONFIG => Some(0),
            _ => self.register(offset).map(|r| *r),
        }
    }

    fn write(&mut self, offset: u32, value: u32, _fabric: &mut Fabric) -> bool {
        match offset {
            0x480 => self.errors &= !value,
            // AMOUNT is read only.
            0x53c | 0x54c => {}
            CONFIG => return value == 0,
            _ => match self.register(offset) {
                Some(register) => *register = value,
                None => return false,
            },
        }
        true
    }

    fn task(&mut self, task: usize, fabric: &mut Fabric) {
        if self.enable != ENABLED {
            fabric.census.misuse("a task of UARTE0 was triggered while ENABLE was off");
            return;
        }
        match task {
            0 => self.start_receive(fabric),
            1 => self.stop_receive(fabric),
            2 => {
                self.tx.start();
                self.line.sending = true;
                self.port.raise(TXSTARTED, fabric);
                self.load(fabric);
            }
            3 => {
                (self.shifting, self.tx.running, self.line.sending) = (None, false, false);
                self.port.raise(TXSTOPPED, fabric);
            }
            _ => {
                self.rx.start();
                self.drain(fabric);
                if self.rx.running {
                    self.end_receive(fabric);
                }
            }
        }
    }

    fn due(&self) -> Option<u64> {
        let arrives = self.line.to_chip.front().map(|(at, _)| *at);
        let leaves = self.shifting.map(|(at, _)| at);
        arrives.into_iter().chain(leaves).min()
    }

    fn advance(&mut self, fabric: &mut Fabric) {
        if let Some((at, byte)) = self.shifting
            && at <= fabric.now
        {
            self.sent(byte, fabric);
        }
        while let Some((at, byte)) = self.line.to_chip.front().copied() {
            if at > fabric.now {
                break;
            }
            self.line.to_chip.pop_front();
            self.received(byte, fabric);
        }
    }

    fn serial(&mut self) -> Option<&mut Line> {
        Some(&mut self.line)
    }

    fn after_reset(&mut self) -> Option<Uarte> {
        let mut fresh = Uarte::new(self.line.baud);
        std::mem::swap(&mut fresh.line, &mut self.line);
        fresh.line.sending = false;
        Some(fresh)
    }
}
