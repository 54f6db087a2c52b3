//! Blocks of which only the registers matter: what was written is read back, nothing follows from it.
//!
//! The cache is such a block: the emulator has no flash wait states, so a cache changes nothing. Only the registers
//! listed exist; the rest goes to the census.

use super::block::Block;
use super::fabric::Fabric;
use super::port::{Port, Shape};
use std::collections::BTreeMap;

/// CACHE: enable, profiling, mode, lock; hit and miss counters stay 0.
pub(super) const CACHE: &[(u32, u32)] = &[
    (0x400, 0),
    (0x404, 0),
    (0x408, 0),
    (0x40c, 0),
    (0x500, 0),
    (0x504, 0),
    (0x508, 0),
    (0x50c, 0),
    (0x510, 0),
    (0x514, 0),
    (0x518, 0),
    (0x51c, 0),
    (0x520, 0),
];
/// NVMC: READY and READYNEXT; CONFIG accepts the write enables, erasing is not modelled. UICR takes stores always.
pub(super) const NVMC: &[(u32, u32)] = &[(0x400, 1), (0x408, 1), (0x504, 0), (0x584, 0)];
/// OSCILLATORS and REGULATORS: crystal capacitors, DC/DC enables.
pub(super) const REGULATORS: &[(u32, u32)] = &[
    (0x428, 0),
    (0x510, 0),
    (0x5c4, 0),
    (0x6c0, 0),
    (0x6d0, 0),
    (0x704, 0),
    (0x900, 0),
    (0x904, 0),
    (0xb00, 0),
];
/// CTRLAP, the side of the core: mailbox, ERASEPROTECT and APPROTECT locks and disables.
pub(super) const CTRLAP: &[(u32, u32)] =
    &[(0x500, 0), (0x504, 0), (0x540, 0), (0x544, 0), (0x548, 0), (0x54c, 0), (0x600, 0)];

/// Stored registers with their reset values.
#[derive(Debug)]
pub(super) struct Latch {
    port: Port,
    registers: BTreeMap<u32, u32>,
}

/// Status registers stand here in all of these blocks.
const READ_ONLY: std::ops::Range<u32> = 0x400..0x500;

impl Latch {
    pub(super) fn new(registers: &[(u32, u32)]) -> Latch {
        let port = Port::new(Shape { tasks: 0, events: 0 });
        Latch { port, registers: registers.iter().copied().collect() }
    }
}

impl Block for Latch {
    fn port(&self) -> &Port {
        &self.port
    }

    fn port_mut(&mut self) -> &mut Port {
        &mut self.port
    }

    fn read(&mut self, offset: u32, _fabric: &mut Fabric) -> Option<u32> {
        self.registers.get(&offset).copied()
    }

    fn write(&mut self, offset: u32, value: u32, _fabric: &mut Fabric) -> bool {
        let writable = !READ_ONLY.contains(&offset);
        match self.registers.get_mut(&offset) {
            Some(register) if writable => *register = value,
            Some(_) => {}
            None => return false,
        }
        true
    }

    fn task(&mut self, _task: usize, _fabric: &mut Fabric) {}
}
