//! Just enough of the Thumb instruction set to count straight-line code: how long an instruction is, and whether it is a
//! plain load or store of a word (ARMv7-M Architecture Reference Manual, A5.1 and A7.7).

/// What an instruction does, as far as the count asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `ldr` with a register base.
    Load,
    /// `str` with a register base.
    Store,
    /// Leaves the straight line.
    Branch,
    /// Anything else.
    Other,
}

/// The instructions of `code` from its first byte.
pub fn instructions(code: &[u8]) -> impl Iterator<Item = Kind> {
    let mut halves =
        code.chunks_exact(2).filter_map(|c| c.first_chunk::<2>()).map(|c| u16::from_le_bytes(*c));
    std::iter::from_fn(move || {
        let first = halves.next()?;
        // A5.1: 0b11101, 0b11110 and 0b11111 at the top mean that a second halfword follows.
        if first >> 11 >= 0b11101 {
            let second = halves.next()?;
            return Some(wide(first, second));
        }
        Some(narrow(first))
    })
}

const fn narrow(half: u16) -> Kind {
    match half {
        0x6000..=0x67FF => Kind::Store,
        0x6800..=0x6FFF => Kind::Load,
        // b<cond>, b, bx, blx, cbz, cbnz, pop with pc
        0xD000..=0xDFFF | 0xE000..=0xE7FF | 0x4700..=0x47FF | 0xBD00..=0xBDFF => Kind::Branch,
        _ if half & 0xF500 == 0xB100 => Kind::Branch,
        _ => Kind::Other,
    }
}

const fn wide(first: u16, second: u16) -> Kind {
    match first & 0xFFF0 {
        0xF8C0 => Kind::Store,
        0xF8D0 => Kind::Load,
        // mrs, msr and barriers share the branches' prefix (A5.3.4: op of the form x111xxx).
        _ if first & 0xFB80 == 0xF380 && second & 0xD000 == 0x8000 => Kind::Other,
        _ if first & 0xF800 == 0xF000 && second & 0x8000 != 0 => Kind::Branch,
        _ => Kind::Other,
    }
}

/// How many instructions run up to and with the first store; none when the straight line ends before.
#[must_use]
pub fn to_store(code: &[u8]) -> Option<usize> {
    let mut line = instructions(code).take_while(|k| *k != Kind::Branch);
    line.position(|k| k == Kind::Store).map(|n| n + 1)
}

/// How many instructions run up to and with the first load behind the first store.
#[must_use]
pub fn to_load_after_store(code: &[u8]) -> Option<usize> {
    let store = to_store(code)?;
    let mut line = instructions(code).skip(store).take_while(|k| *k != Kind::Branch);
    line.position(|k| k == Kind::Load).map(|n| store + n + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// movw r0, #0x2500; movt r0, #0x5084; movs r1, #16; str r1, [r0, #8]; ldr r1, [r0]; bx lr, as GNU as encodes them.
    const CODE: [u8; 16] =
        [0x42, 0xF2, 0x00, 0x50, 0xC5, 0xF2, 0x84, 0x00, 0x10, 0x21, 0x81, 0x60, 0x01, 0x68, 0x70, 0x47];

    #[test]
    fn straight_line_code_is_counted() {
        assert_eq!(to_store(&CODE), Some(4));
        assert_eq!(to_load_after_store(&CODE), Some(5));
        assert_eq!(to_store(&CODE[12..]), None);
    }

    /// mrs r0, BASEPRI; str r2, [r1] goes on; bl somewhere; str r2, [r1] does not.
    #[test]
    fn a_special_register_is_no_branch_and_a_call_is_one() {
        assert_eq!(to_store(&[0xEF, 0xF3, 0x11, 0x80, 0x0A, 0x60]), Some(2));
        assert_eq!(to_store(&[0x00, 0xF0, 0x02, 0xF8, 0x0A, 0x60]), None);
    }
}
