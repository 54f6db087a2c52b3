//! Lets images built for the secure state return from exceptions on a core without the Security Extension.
//!
//! The chip starts secure, so an image may construct `EXC_RETURN` values with the S and ES bits set (FreeRTOS' port
//! starts each task with 0xFFFFFFFD). The interpreter has one security state and refuses those bits. Before a
//! `BX Rm` in handler mode they are cleared in the register: the same return, in the only state there is. Without this
//! the emulated image would have to be compiled differently from the one on the board.

use super::memory::Memory;
use rsemu::cpu::arm::v7m::ArmV7m;

/// S (bit 6) and ES (bit 0) of `EXC_RETURN` (Armv8-M ARM, D1.2.95).
const SECURE: u32 = 0x41;

/// Translates the return the core is about to make; true if there was one to translate.
pub(super) fn translate(cpu: &ArmV7m, memory: &Memory) -> bool {
    let Some(register) = memory.halfword(cpu.pc()).and_then(bx_register) else { return false };
    let target = cpu.reg(register);
    let secure = target >= 0xffff_ff80 && target & SECURE != 0;
    if secure {
        cpu.set_reg(register, target & !SECURE);
    }
    secure
}

/// The register of `BX Rm` (encoding T1), the PC excluded.
fn bx_register(instruction: u16) -> Option<u8> {
    let register = u8::try_from((instruction >> 3) & 0xf).ok()?;
    (instruction & 0xff87 == 0x4700 && register != 15).then_some(register)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bx_is_recognised() {
        assert_eq!(bx_register(0x4770), Some(14));
        assert_eq!(bx_register(0x4718), Some(3));
        assert_eq!(bx_register(0x4798), None, "blx r3");
        assert_eq!(bx_register(0x4600), None, "mov r0, r0");
    }
}
