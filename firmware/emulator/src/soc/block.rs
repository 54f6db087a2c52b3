//! What a register model is.

use super::fabric::Fabric;
use super::port::Port;
use super::uarte::{Line, Uarte};
use crate::pins::Pin;
use std::fmt::Debug;

/// A peripheral. Offsets count from its base address.
pub(super) trait Block: Debug + Send {
    /// The shared register pattern.
    fn port(&self) -> &Port;
    /// The same, to be written.
    fn port_mut(&mut self) -> &mut Port;
    /// A register of its own; `None` if there is none at `offset`.
    fn read(&mut self, offset: u32, fabric: &mut Fabric) -> Option<u32>;
    /// Writes a register of its own; false if there is none at `offset`.
    fn write(&mut self, offset: u32, value: u32, fabric: &mut Fabric) -> bool;
    /// Does what the task does.
    fn task(&mut self, task: usize, fabric: &mut Fabric);
    /// When the block has something to do on its own.
    fn due(&self) -> Option<u64> {
        None
    }
    /// Does what is due at `fabric.now`.
    fn advance(&mut self, _fabric: &mut Fabric) {}
    /// The core slept for `cycles` of 128 MHz.
    fn core_slept(&mut self, _cycles: u64) {}
    /// A pin changed its level.
    fn pin_changed(&mut self, _pin: Pin, _high: bool, _fabric: &mut Fabric) {}
    /// The level of the interrupt line.
    fn interrupt(&self) -> bool {
        self.port().interrupt()
    }
    /// The serial port behind this block, if it is one.
    fn serial(&mut self) -> Option<&mut Line> {
        None
    }
    /// The serial port on a chip after reset, its wire kept.
    fn after_reset(&mut self) -> Option<Uarte> {
        None
    }
}
