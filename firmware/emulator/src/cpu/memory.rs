//! Flash, RAM and the information pages, shared by the core and by the peripherals' EasyDMA.
//!
//! EasyDMA reaches RAM only, as on the chip; [`Memory::read_ram`] and [`Memory::write_ram`] refuse everything else.

use crate::EmulatorError;
use crate::elf::Segment;
use rsemu::core::space::RamStore;
use std::sync::Arc;

pub(crate) const FLASH: u32 = 0;
pub(crate) const FLASH_BYTES: u32 = 0x10_0000;
pub(crate) const RAM: u32 = 0x2000_0000;
pub(crate) const RAM_BYTES: u32 = 0x8_0000;
/// FICR at its start, UICR at 0x00FF8000.
pub(crate) const INFO: u32 = 0x00ff_0000;
pub(crate) const INFO_BYTES: u32 = 0x1_0000;

/// Handles on the stores; clones share the bytes.
#[derive(Debug, Clone)]
pub(crate) struct Memory {
    pub(super) flash: Arc<RamStore>,
    pub(super) ram: Arc<RamStore>,
    pub(super) info: Arc<RamStore>,
}

impl Memory {
    /// Erased flash, zeroed RAM, erased information pages (so: no trim entries, no access port protection).
    pub(crate) fn erased() -> Memory {
        let store = |bytes: u32| Arc::new(RamStore::new(u64::from(bytes)));
        let memory = Memory { flash: store(FLASH_BYTES), ram: store(RAM_BYTES), info: store(INFO_BYTES) };
        // Filling a whole store cannot miss it, so there is no error to report.
        let _ = memory.flash.fill(0, u64::from(FLASH_BYTES), 0xff);
        let _ = memory.info.fill(0, u64::from(INFO_BYTES), 0xff);
        memory
    }

    /// Puts a segment where a flash tool would.
    pub(crate) fn load(&self, segment: &Segment) -> Result<(), EmulatorError> {
        let place = |base: u32, store: &RamStore| {
            let offset = segment.address.checked_sub(base);
            offset.is_some_and(|o| store.write_at(u64::from(o), &segment.bytes).is_ok())
        };
        if place(RAM, &self.ram) || place(INFO, &self.info) || place(FLASH, &self.flash) {
            return Ok(());
        }
        Err(EmulatorError::Segment { address: segment.address, length: segment.bytes.len() })
    }

    /// Reads RAM; false, and nothing read, outside it.
    #[must_use]
    pub(crate) fn read_ram(&self, address: u32, into: &mut [u8]) -> bool {
        address.checked_sub(RAM).is_some_and(|offset| self.ram.read_at(u64::from(offset), into).is_ok())
    }

    /// Writes RAM; false, and nothing written, outside it.
    #[must_use]
    pub(crate) fn write_ram(&self, address: u32, bytes: &[u8]) -> bool {
        address.checked_sub(RAM).is_some_and(|offset| self.ram.write_at(u64::from(offset), bytes).is_ok())
    }

    /// The word at `address` in RAM or flash.
    pub(crate) fn word(&self, address: u32) -> Option<u32> {
        let mut bytes = [0; 4];
        let found =
            self.read_ram(address, &mut bytes) || self.flash.read_at(u64::from(address), &mut bytes).is_ok();
        found.then(|| u32::from_le_bytes(bytes))
    }

    /// The halfword at `address` in RAM or flash.
    pub(crate) fn halfword(&self, address: u32) -> Option<u16> {
        let mut bytes = [0; 2];
        let found =
            self.read_ram(address, &mut bytes) || self.flash.read_at(u64::from(address), &mut bytes).is_ok();
        found.then(|| u16::from_le_bytes(bytes))
    }
}
