//! UART0 by polling: QEMU's PL011 holds back what does not fit its buffer, so that nothing is lost.

use crate::registers::{Register, SYSCTL, UART0};
use latency_firmware_core::Answer;

const DATA: Register = Register::at(UART0, 0x000);
const FLAGS: Register = Register::at(UART0, 0x018);
const LINE: Register = Register::at(UART0, 0x02C);
const CONTROL: Register = Register::at(UART0, 0x030);
const RECEIVE_EMPTY: u32 = 1 << 4;
const TRANSMIT_FULL: u32 = 1 << 5;

pub(crate) fn pop() -> Option<u8> {
    if FLAGS.read() & RECEIVE_EMPTY != 0 {
        return None;
    }
    // Bits 8 to 11 are error flags.
    Some(DATA.read() as u8)
}

pub(crate) fn send(answer: &Answer) {
    for byte in answer.as_bytes() {
        while FLAGS.read() & TRANSMIT_FULL != 0 {}
        DATA.write(u32::from(*byte));
    }
}

/// 8N1 with buffers; QEMU asks for no baud rate.
pub(crate) fn init() {
    Register::at(SYSCTL, 0x104).set(1);
    LINE.write(0b11 << 5 | 1 << 4);
    CONTROL.write(1 | 1 << 8 | 1 << 9);
}
