//! The serial line: UARTE0 on the development kit's first virtual port, 115200 baud, 8N1, no flow control.
//!
//! Receiving is a DMA of one byte that restarts itself by a shortcut, so that no byte falls between two transfers; the
//! interrupt has one character's time (87 us) to pick it up. Sending copies the answer into a buffer of its own first:
//! the DMA then never reads memory that belongs to somebody else, however the caller ends.

use core::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use cortex_m::asm;
use latency_firmware_core::{Answer, Ring};
use nrf_pac::uarte::vals::{Baudrate, Enable};
use nrf_pac::{P0_S, UARTE0_S};

const TX: u32 = 20;
const RX: u32 = 22;
/// SHORTS: end of reception starts the next one. INTEN: end of reception, end of transmission.
const ENDRX_STARTRX: u32 = 1 << 5;
const ENDRX: u32 = 1 << 4;
const ENDTX: u32 = 1 << 8;

static RECEIVED: AtomicU8 = AtomicU8::new(0);
static RING: Ring<512> = Ring::new();
static OUTGOING: [AtomicU8; 256] = [const { AtomicU8::new(0) }; 256];
static SENDING: AtomicBool = AtomicBool::new(false);

/// Every image calls this from its `SERIAL0` interrupt.
pub fn on_interrupt() {
    let events = UARTE0_S.events_dma();
    if events.rx().end().read() != 0 {
        events.rx().end().write_value(0);
        // A full ring drops the byte; the line is then refused as unreadable.
        let _ = RING.push(RECEIVED.load(Ordering::Relaxed));
    }
    if events.tx().end().read() != 0 {
        events.tx().end().write_value(0);
        SENDING.store(false, Ordering::Release);
    }
    let _ = events.tx().end().read();
    // Whoever is about to wait for an event sees this one, even if it came a moment before.
    asm::sev();
}

/// The oldest byte received.
pub fn pop() -> Option<u8> {
    RING.pop()
}

/// Whether there is nothing to read.
pub fn is_empty() -> bool {
    RING.is_empty()
}

/// Whether the last answer is still on its way.
pub fn is_sending() -> bool {
    SENDING.load(Ordering::Acquire)
}

/// Starts sending; false (and nothing happens) while the answer before is on its way.
pub fn begin(answer: &Answer) -> bool {
    if is_sending() {
        return false;
    }
    let bytes = answer.as_bytes();
    for (slot, byte) in OUTGOING.iter().zip(bytes) {
        slot.store(*byte, Ordering::Relaxed);
    }
    SENDING.store(true, Ordering::Release);
    let tx = UARTE0_S.dma().tx();
    tx.ptr().write_value((&raw const OUTGOING) as u32);
    let length = bytes.len().min(OUTGOING.len());
    tx.maxcnt().write(|w| w.0 = length as u32);
    // The DMA must not start before the buffer is written.
    asm::dmb();
    UARTE0_S.tasks_dma().tx().start().write_value(1);
    true
}

/// Sends an answer and comes back when it is out, asleep meanwhile.
pub fn send(answer: &Answer) {
    while !begin(answer) {
        asm::wfe();
    }
    while is_sending() {
        asm::wfe();
    }
}

/// Pins, rate, first reception.
pub(crate) fn init() {
    P0_S.outset().write(|w| w.0 = 1 << TX);
    P0_S.pin_cnf(TX as usize).write(|w| w.0 = 0b11);
    P0_S.pin_cnf(RX as usize).write(|w| w.0 = 0);
    UARTE0_S.psel().txd().write(|w| w.0 = TX);
    UARTE0_S.psel().rxd().write(|w| w.0 = RX);
    UARTE0_S.baudrate().write(|w| w.set_baudrate(Baudrate::Baud115200));
    UARTE0_S.enable().write(|w| w.set_enable(Enable::Enabled));
    UARTE0_S.shorts().write(|w| w.0 = ENDRX_STARTRX);
    UARTE0_S.intenset().write(|w| w.0 = ENDRX | ENDTX);
    let rx = UARTE0_S.dma().rx();
    rx.ptr().write_value(RECEIVED.as_ptr() as u32);
    rx.maxcnt().write(|w| w.0 = 1);
    UARTE0_S.tasks_dma().rx().start().write_value(1);
}
