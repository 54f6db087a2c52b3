//! Access to registers by address: the one place of this crate that turns numbers into pointers.

/// System control.
pub(crate) const SYSCTL: u32 = 0x400F_E000;
/// GPIO port B.
pub(crate) const GPIOB: u32 = 0x4000_5000;
/// Serial line 0, a PL011.
pub(crate) const UART0: u32 = 0x4000_C000;
/// General-purpose timer 0.
pub(crate) const TIMER0: u32 = 0x4003_0000;

/// A 32-bit register of this chip's peripherals.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Register(u32);

impl Register {
    /// The register at `offset` of a block; an address outside the peripherals does not compile.
    pub(crate) const fn at(block: u32, offset: u32) -> Register {
        let address = block + offset;
        assert!(address >= 0x4000_0000 && address < 0x4010_0000 && address.is_multiple_of(4));
        Register(address)
    }

    #[inline(always)]
    pub(crate) fn read(self) -> u32 {
        // SAFETY: `at` only makes aligned addresses in this chip's peripheral range, where reading touches no memory of
        // the program; registers whose reading changes something (the UART's data) are read in one place each.
        unsafe { (self.0 as *const u32).read_volatile() }
    }

    #[inline(always)]
    pub(crate) fn write(self, value: u32) {
        // SAFETY: as above: no Rust object lies at these addresses, and none of the blocks used has a DMA that a write could
        // turn on memory.
        unsafe { (self.0 as *mut u32).write_volatile(value) }
    }

    /// Sets bits that were clear. For start-up code: it is no atomic access.
    pub(crate) fn set(self, bits: u32) {
        self.write(self.read() | bits);
    }
}
