//! The Cortex-M33 core. **The only module that knows `rsemu`**: exchanging the interpreter changes this folder alone.
//!
//! The interpreter charges one cycle per instruction, one per data access, two per taken branch, and 20 for an
//! exception entry (12 and the eight stacked words). That is a repeatable path length, not a prediction of silicon: no
//! flash wait states, no bus contention, no write buffer. It has no Security Extension; what an image built for the
//! secure state needs of it is supplied in `secure_return`.

mod it_block;
mod memory;
mod secure_return;
mod space;

pub(crate) use memory::{Memory, RAM};
pub(crate) use space::Bus;

use crate::EmulatorError;
use rsemu::core::space::AddressSpace;
use rsemu::cpu::arm::v7m::sys::Exception;
use rsemu::cpu::arm::v7m::{ArmV7m, Config};
use std::sync::{Arc, Mutex};

/// Exception number bits of xPSR: not 0 means handler mode.
const IPSR: u32 = 0x1ff;

/// The core with its memory.
pub(crate) struct Core {
    cpu: ArmV7m,
    space: Arc<AddressSpace>,
    memory: Memory,
    xpsr: u32,
    /// Stacked IT states put back so far.
    pub(crate) it_repairs: u64,
    /// Secure-state returns translated so far.
    pub(crate) secure_returns: u64,
}

impl Core {
    /// A core in reset, with `bus` behind the peripheral addresses.
    pub(crate) fn new<B: Bus>(memory: Memory, bus: &Arc<Mutex<B>>) -> Result<Core, EmulatorError> {
        let space = Arc::new(space::build(&memory, bus)?);
        let cpu = ArmV7m::new(Config::CORTEX_M33F);
        cpu.attach_space(Arc::clone(&space));
        Ok(Core { cpu, space, memory, xpsr: 0, it_repairs: 0, secure_returns: 0 })
    }

    /// A fresh core on the same memory: the interpreter's own reset keeps enables and priorities of the NVIC.
    pub(crate) fn reset(&mut self) {
        self.cpu = ArmV7m::new(Config::CORTEX_M33F);
        self.cpu.attach_space(Arc::clone(&self.space));
        self.xpsr = 0;
    }

    /// One instruction or exception entry; the core cycles it took.
    pub(crate) fn step(&mut self) -> u64 {
        if self.xpsr & IPSR != 0 && secure_return::translate(&self.cpu, &self.memory) {
            self.secure_returns += 1;
        }
        let watch = it_block::Watch::before(&self.cpu, self.xpsr);
        let cycles = self.cpu.step();
        if watch.is_some_and(|w| w.repair(&self.cpu, &self.memory)) {
            self.it_repairs += 1;
        }
        self.xpsr = self.cpu.xpsr();
        cycles
    }

    /// Drives an interrupt input.
    pub(crate) fn set_interrupt(&self, irq: u16, asserted: bool) {
        self.cpu.set_irq(irq, asserted);
    }

    /// True while the core sleeps in WFI or WFE.
    pub(crate) fn is_asleep(&self) -> bool {
        self.cpu.is_asleep()
    }

    /// Core cycles until `SysTick` pends its exception, if it will.
    pub(crate) fn cycles_to_systick(&self) -> Option<u64> {
        self.cpu.with_sys(|sys| {
            let runs = sys.syst_csr & 0b11 == 0b11 && sys.syst_rvr != 0;
            let reload = u64::from(sys.syst_rvr & 0x00ff_ffff);
            let current = u64::from(sys.syst_cvr & 0x00ff_ffff);
            // A zero counter takes one clock to reload.
            runs.then_some(if current == 0 { reload + 1 } else { current })
        })
    }

    /// Lets `cycles` core cycles of sleep pass at once. The caller asks for no more than [`Self::cycles_to_systick`].
    pub(crate) fn sleep(&self, cycles: u64) {
        self.cpu.with_sys(|sys| {
            sys.tick_cyccnt(cycles);
            if sys.tick_systick(cycles) && sys.syst_csr & 0b10 != 0 {
                sys.set_pending(Exception::SYSTICK, true);
            }
        });
    }

    /// True once the image wrote SYSRESETREQ.
    pub(crate) fn wants_reset(&self) -> bool {
        self.cpu.reset_requested()
    }

    /// Address of the next instruction.
    pub(crate) fn pc(&self) -> u32 {
        self.cpu.pc()
    }

    /// Number of the running exception, 0 in thread mode.
    pub(crate) fn exception(&self) -> u16 {
        u16::try_from(self.xpsr & IPSR).unwrap_or(0)
    }

    /// True when nothing but a reset helps.
    pub(crate) fn is_locked_up(&self) -> bool {
        self.cpu.is_locked_up()
    }

    /// CFSR, refused accesses, and the address of the last one.
    pub(crate) fn faults(&self) -> (u32, u64, u32) {
        let (count, address) = self.cpu.bus_faults();
        (self.cpu.with_sys(|sys| sys.cfsr), count, address)
    }
}
