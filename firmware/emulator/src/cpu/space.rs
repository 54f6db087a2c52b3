//! The address space of the core: memory as memory, everything peripheral as word accesses of a [`Bus`].

use super::memory::{FLASH, INFO, Memory, RAM};
use crate::EmulatorError;
use rsemu::core::space::{AddressSpace, MemAttrs, MemOps, MemResult, Perms, Region};
use std::sync::{Arc, Mutex, PoisonError};

/// What answers the peripheral addresses.
pub(crate) trait Bus: std::fmt::Debug + Send + 'static {
    /// The word at `address`, a multiple of 4; `bytes` of it were asked for.
    fn read(&mut self, address: u32, bytes: usize) -> u32;
    /// A store of the low `bytes` of `value` at `address`.
    fn write(&mut self, address: u32, value: u32, bytes: usize);
}

/// Secure peripherals, and below them their non-secure aliases.
const WINDOWS: [(&str, u32, u64); 2] =
    [("peripherals", 0x5000_0000, 0x0100_0000), ("non-secure aliases", 0x4000_0000, 0x0100_0000)];

/// Flash and FICR refuse stores, as the chip does while NVMC has not enabled them; UICR (in the same pages as FICR)
/// accepts them.
pub(super) fn build<B: Bus>(memory: &Memory, bus: &Arc<Mutex<B>>) -> Result<AddressSpace, EmulatorError> {
    let space = AddressSpace::new("nrf5340", 32);
    let failed = |e: rsemu::core::error::Error| EmulatorError::Space(e.to_string());
    {
        let mut map = space.topology();
        let flash = Region::ram("flash", Arc::clone(&memory.flash));
        map.map_with_perms(flash, u64::from(FLASH), Perms::RX).map_err(failed)?;
        map.map(Region::ram("ram", Arc::clone(&memory.ram)), u64::from(RAM)).map_err(failed)?;
        map.map(Region::ram("ficr and uicr", Arc::clone(&memory.info)), u64::from(INFO)).map_err(failed)?;
        for (name, base, length) in WINDOWS {
            let window = Arc::new(Window { base, bus: Arc::clone(bus) });
            map.map(Region::io(name, length, window), u64::from(base)).map_err(failed)?;
        }
    }
    Ok(space)
}

#[derive(Debug)]
struct Window<B> {
    base: u32,
    bus: Arc<Mutex<B>>,
}

impl<B> Window<B> {
    fn address(&self, offset: u64) -> u32 {
        self.base.wrapping_add(u32::try_from(offset).unwrap_or(0))
    }
}

impl<B: Bus> MemOps for Window<B> {
    fn read(&self, offset: u64, into: &mut [u8], _attrs: MemAttrs) -> MemResult {
        let address = self.address(offset);
        let mut bus = self.bus.lock().unwrap_or_else(PoisonError::into_inner);
        let word = bus.read(address & !3, into.len()) >> (8 * (address & 3));
        for (byte, value) in into.iter_mut().zip(word.to_le_bytes()) {
            *byte = value;
        }
        Ok(())
    }

    fn write(&self, offset: u64, from: &[u8], _attrs: MemAttrs) -> MemResult {
        let mut word = [0; 4];
        for (byte, value) in word.iter_mut().zip(from) {
            *byte = *value;
        }
        let mut bus = self.bus.lock().unwrap_or_else(PoisonError::into_inner);
        bus.write(self.address(offset), u32::from_le_bytes(word), from.len());
        Ok(())
    }
}
