//! What can go wrong in the emulator.

use crate::Cycles;
use thiserror::Error;

/// Why an image could not be loaded, or why its run ended.
#[derive(Debug, Error)]
pub enum EmulatorError {
    /// The file is no ELF file the reader understands.
    #[error("the image is no readable ELF file: {0}")]
    Elf(#[from] object::Error),
    /// An ELF file for another machine.
    #[error(
        "the image is for {found}, not for a little-endian 32-bit Arm core; build it for thumbv8m.main-none-eabihf"
    )]
    Machine {
        /// What the file says it is for.
        found: String,
    },
    /// A segment lies outside the chip's memory.
    #[error(
        "the image wants {length} bytes at {address:#010x}, outside flash (0x00000000, 1 MiB) and RAM (0x20000000, 512 KiB)"
    )]
    Segment {
        /// Load address.
        address: u32,
        /// Its length in bytes.
        length: usize,
    },
    /// No vector table at the start of flash.
    #[error(
        "flash starts with no vector table (stack {stack:#010x}, reset {reset:#010x}); was the image linked at 0x00000000?"
    )]
    Vectors {
        /// First word of flash.
        stack: u32,
        /// Second word of flash.
        reset: u32,
    },
    /// The memory of the emulated chip could not be laid out.
    #[error("the address space of the core could not be built: {0}")]
    Space(String),
    /// The core locked up: a fault inside a fault handler.
    #[error(
        "the core locked up at {at}, pc {pc:#010x} ({symbol}), CFSR {cfsr:#010x}, {bus_faults} bus faults, the last at {fault_address:#010x}"
    )]
    Lockup {
        /// When.
        at: Cycles,
        /// Where the core stands.
        pc: u32,
        /// The function there.
        symbol: String,
        /// Configurable fault status register.
        cfsr: u32,
        /// Accesses that no memory or register block answered.
        bus_faults: u64,
        /// Address of the last of them.
        fault_address: u32,
    },
    /// The image did not answer a line in time.
    #[error(
        "no whole answer to `{line}` within {limit} of virtual time; {got} bytes came, the core stands at pc {pc:#010x} ({symbol})"
    )]
    Silent {
        /// What was sent.
        line: String,
        /// How long the answer may take.
        limit: Cycles,
        /// Bytes that came.
        got: usize,
        /// Where the core stands.
        pc: u32,
        /// The function there.
        symbol: String,
    },
}
