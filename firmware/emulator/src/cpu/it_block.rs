//! Works round a defect of rsemu 0.0.7: an exception taken inside an IT block stacks xPSR without its IT bits, so the
//! rest of the block runs unconditionally after the return (Armv8-M ARM, B3.18: the stacked RETPSR carries ITSTATE).
//!
//! Seen from outside: when the IT bits were set before a step and the step entered an exception, the bits are put
//! into the frame. `the_defect_is_still_there` fails when rsemu learns to do it; then this file goes.

use super::memory::Memory;
use rsemu::cpu::arm::v7m::ArmV7m;

/// ITSTATE in xPSR: bits 7:2 in 15:10, bits 1:0 in 26:25.
const IT: u32 = 0x0600_fc00;
/// Offsets of the return address and of xPSR in the frame.
const RETURN_ADDRESS: u32 = 24;
const STACKED_XPSR: u32 = 28;

/// What was known before the step.
pub(super) struct Watch {
    it: u32,
    pc: u32,
    active: u32,
}

impl Watch {
    /// Nothing to watch outside an IT block, which is nearly always.
    pub(super) fn before(cpu: &ArmV7m, xpsr: u32) -> Option<Watch> {
        let it = xpsr & IT;
        (it != 0).then(|| Watch { it, pc: cpu.pc(), active: active(cpu) })
    }

    /// Repairs the frame if the step entered an exception; true if it did.
    pub(super) fn repair(self, cpu: &ArmV7m, memory: &Memory) -> bool {
        active(cpu) > self.active && self.write_back(cpu, memory).is_some()
    }

    fn write_back(&self, cpu: &ArmV7m, memory: &Memory) -> Option<()> {
        let frame = if cpu.reg(14) & 4 == 0 { cpu.msp() } else { cpu.psp() };
        let returns_to = memory.word(frame.wrapping_add(RETURN_ADDRESS))?;
        // An interrupt returns to the instruction it displaced; a supervisor call returns behind itself.
        let it = if returns_to == self.pc { self.it } else { advanced(self.it) };
        let at = frame.wrapping_add(STACKED_XPSR);
        let xpsr = memory.word(at)? | it;
        memory.write_ram(at, &xpsr.to_le_bytes()).then_some(())
    }
}

fn active(cpu: &ArmV7m) -> u32 {
    cpu.with_sys(|sys| sys.active_count())
}

/// ITSTATE after one more instruction (Armv8-M ARM, `ITAdvance`).
fn advanced(it: u32) -> u32 {
    let state = ((it >> 8) & 0xfc) | ((it >> 25) & 3);
    let next = if state & 7 == 0 { 0 } else { (state & 0xe0) | ((state << 1) & 0x1f) };
    ((next & 0xfc) << 8) | ((next & 3) << 25)
}

#[cfg(test)]
mod tests {
    use super::super::{Bus, Core, Memory, RAM};
    use super::*;
    use crate::elf::Segment;
    use rsemu::cpu::arm::v7m::sys::Exception;
    use std::sync::{Arc, Mutex};

    #[derive(Debug)]
    struct Nothing;
    impl Bus for Nothing {
        fn read(&mut self, _: u32, _: usize) -> u32 {
            0
        }
        fn write(&mut self, _: u32, _: u32, _: usize) {}
    }

    /// `movs r0,#0; movs r1,#0; cmp r0,#1; ittt eq; 3 x addeq r1,#1; b .`, and `bx lr` for interrupt 0.
    fn core_inside_the_block() -> Core {
        let memory = Memory::erased();
        let mut table = [0u8; 0x80];
        table[..8].copy_from_slice(&[0x00, 0x10, 0x00, 0x20, 0x81, 0x00, 0x00, 0x00]);
        table[0x40..0x44].copy_from_slice(&0xA1u32.to_le_bytes());
        let code = [0x2000u16, 0x2100, 0x2801, 0xBF02, 0x3101, 0x3101, 0x3101, 0xE7FE];
        let mut bytes = table.to_vec();
        bytes.extend(code.iter().flat_map(|h| h.to_le_bytes()));
        bytes.resize(0xA0, 0);
        bytes.extend(0x4770u16.to_le_bytes());
        memory.load(&Segment { address: 0, bytes }).unwrap();
        let mut core = Core::new(memory, &Arc::new(Mutex::new(Nothing))).unwrap();
        core.cpu.with_sys(|sys| sys.set_enable(Exception(16), true));
        // Reset, three instructions, the IT itself and the first of its three.
        (0..6).for_each(|_| assert!(core.step() > 0));
        assert_eq!(core.pc(), 0x8A, "the program is not where the test thinks");
        core
    }

    fn stacked_it(core: &Core) -> u32 {
        core.memory.word(core.cpu.msp() + STACKED_XPSR).unwrap() & IT
    }

    #[test]
    fn an_interrupt_inside_a_block_does_not_make_the_rest_unconditional() {
        let mut core = core_inside_the_block();
        core.set_interrupt(0, true);
        core.step();
        core.set_interrupt(0, false);
        assert_eq!(core.it_repairs, 1);
        assert_ne!(stacked_it(&core), 0);
        (0..6).for_each(|_| assert!(core.step() > 0));
        assert_eq!(core.cpu.reg(1), 0, "skipped instructions were executed after the return");
        assert!(core.cpu.msp() == RAM + 0x1000);
    }

    #[test]
    fn the_defect_is_still_there() {
        let core = core_inside_the_block();
        core.set_interrupt(0, true);
        core.cpu.step();
        assert_eq!(stacked_it(&core), 0, "rsemu stacks ITSTATE now: delete src/cpu/it_block.rs and its use");
    }

    #[test]
    fn the_state_advances_as_the_manual_says() {
        // ITTT EQ: 0b0000_0010 -> 0b0000_0100 -> 0b0000_1000 -> none.
        let bits = |state: u32| ((state & 0xfc) << 8) | ((state & 3) << 25);
        assert_eq!(advanced(bits(0b0000_0010)), bits(0b0000_0100));
        assert_eq!(advanced(bits(0b0000_0100)), bits(0b0000_1000));
        assert_eq!(advanced(bits(0b0000_1000)), 0);
    }
}
