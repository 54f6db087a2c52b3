//! The emulated board: core, chip, jumper wires and the host's end of the UART.

use crate::cpu::{Core, Memory, RAM};
use crate::elf::{Image, Symbols};
use crate::soc::{Finding, Soc};
use crate::trace::Step;
use crate::{Cycles, Edge, EmulatorError, Pin, Wire};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The serial speed of the companion firmware.
const BAUD: u32 = 115_200;

/// How often a wait for an answer looks: its end is known to about a tenth of a byte's time.
pub(crate) const POLL: Cycles = Cycles::from_micros(10);

/// Steps between two looks at what the core wants of the board: a reset it asked for, a lockup. Each look costs as much
/// as a simple instruction, and the chip takes some instructions to reset, too.
const LOOK: u64 = 16;

/// Counters about the run itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Instructions and exception entries executed.
    pub steps: u64,
    /// Core cycles slept through at once.
    pub slept: u64,
    /// Chip resets after power-on.
    pub resets: u64,
    /// Stacked IT states that had to be put back (a defect of the interpreter).
    pub it_repairs: u64,
    /// Returns of secure-state images that had to be translated.
    pub secure_returns: u64,
}

/// A board that runs one image.
///
/// It starts powered on, in reset, with the two jumper wires of the companion firmware: [`Pin::STIMULUS`] to
/// [`Pin::INPUT`] and [`Pin::RESPONSE`] to [`Pin::CAPTURE`].
pub struct Emulator {
    core: Core,
    soc: Arc<Mutex<Soc>>,
    symbols: Symbols,
    now: u64,
    lines: u64,
    statistics: Statistics,
    /// The previous step only slept and nothing happened since.
    dozing: bool,
    fast_forward: bool,
    trace: Option<Vec<Step>>,
}

impl Emulator {
    /// Time in which an image is up. A byte that comes before its UART is on is lost, as on the chip.
    pub const BOOT: Cycles = Cycles::from_millis(20);

    /// Powers on a board with the image of an ELF file, the UART at 115 200 Bd.
    ///
    /// # Errors
    /// [`EmulatorError`] when the file is none, is for another machine, or does not fit.
    pub fn from_elf(file: &[u8]) -> Result<Emulator, EmulatorError> {
        Emulator::new(&Image::parse(file)?, BAUD)
    }

    /// Powers on a board with `image`; the host's end of the UART runs at `baud` bits per second.
    ///
    /// # Errors
    /// [`EmulatorError::Segment`] or [`EmulatorError::Vectors`].
    pub fn new(image: &Image, baud: u32) -> Result<Emulator, EmulatorError> {
        let memory = Memory::erased();
        image.segments.iter().try_for_each(|s| memory.load(s))?;
        let (stack, reset) = (memory.word(0).unwrap_or(0), memory.word(4).unwrap_or(0));
        if stack < RAM || stack & 3 != 0 || reset & 1 == 0 || reset == u32::MAX {
            return Err(EmulatorError::Vectors { stack, reset });
        }
        let soc = Arc::new(Mutex::new(Soc::new(memory.clone(), baud)));
        let mut emulator = Emulator {
            core: Core::new(memory, &soc)?,
            soc,
            symbols: image.symbols.clone(),
            now: 0,
            lines: 0,
            statistics: Statistics::default(),
            dozing: false,
            fast_forward: true,
            trace: None,
        };
        emulator.set_wire(Wire { a: Pin::STIMULUS, b: Pin::INPUT }, true);
        emulator.set_wire(Wire { a: Pin::RESPONSE, b: Pin::CAPTURE }, true);
        Ok(emulator)
    }

    fn soc(&self) -> MutexGuard<'_, Soc> {
        self.soc.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The present moment.
    #[must_use]
    pub fn now(&self) -> Cycles {
        Cycles(self.now)
    }

    /// Runs until the first instruction boundary at or after `moment`.
    ///
    /// # Errors
    /// [`EmulatorError::Lockup`].
    pub fn step_until(&mut self, moment: Cycles) -> Result<(), EmulatorError> {
        while self.now < moment.0 {
            self.step(moment.0)?;
        }
        Ok(())
    }

    /// Runs for `span`.
    ///
    /// # Errors
    /// As [`Self::step_until`].
    pub fn run_for(&mut self, span: Cycles) -> Result<(), EmulatorError> {
        self.step_until(self.now() + span)
    }

    fn step(&mut self, limit: u64) -> Result<(), EmulatorError> {
        if self.dozing && self.fast_forward && self.doze(limit) {
            return Ok(());
        }
        let (pc, at) = (self.trace.is_some().then(|| self.core.pc()), self.now);
        let cycles = self.core.step();
        self.statistics.steps += 1;
        let asleep = cycles == 1 && self.core.is_asleep();
        if let (Some(pc), Some(trace)) = (pc, self.trace.as_mut()) {
            trace.push(Step { at: Cycles(at), pc, cycles, exception: self.core.exception(), asleep });
        }
        let look = self.statistics.steps.is_multiple_of(LOOK);
        if cycles == 0 || look && self.core.is_locked_up() {
            return Err(self.lockup());
        }
        if look && self.core.wants_reset() {
            self.reset();
        }
        self.dozing = asleep;
        self.pass(cycles, asleep);
        Ok(())
    }

    /// Passes over sleep: to the next thing a block does, or `SysTick`, or the limit, exactly as single steps would.
    fn doze(&mut self, limit: u64) -> bool {
        let (due, divider) = {
            let soc = self.soc();
            (soc.due(), soc.divider())
        };
        let to_event = due.min(limit).saturating_sub(self.now).div_ceil(divider);
        let cycles = self.core.cycles_to_systick().unwrap_or(u64::MAX).min(to_event);
        if cycles == 0 {
            return false;
        }
        self.core.sleep(cycles);
        self.statistics.slept += cycles;
        // Something may be pending now: the next step finds out.
        self.dozing = false;
        self.pass(cycles, true);
        true
    }

    /// Lets the chip catch up with `cycles` core cycles.
    fn pass(&mut self, cycles: u64, asleep: bool) {
        let (now, changed, reset) = {
            let mut soc = self.soc();
            let now = self.now + cycles * soc.divider();
            if asleep {
                soc.sleep(now - self.now);
            }
            (now, soc.advance(now), soc.wants_reset())
        };
        self.now = now;
        if let Some(lines) = changed {
            self.drive_lines(lines);
        }
        if reset {
            self.reset();
        }
    }

    fn drive_lines(&mut self, lines: u64) {
        let changes = lines ^ self.lines;
        for irq in (0..64u16).filter(|irq| changes & (1 << irq) != 0) {
            self.core.set_interrupt(irq, lines & (1 << irq) != 0);
        }
        self.lines = lines;
        self.dozing = false;
    }

    fn reset(&mut self) {
        self.statistics.resets += 1;
        self.core.reset();
        self.lines = 0;
        self.dozing = false;
        self.soc().reset();
    }

    fn lockup(&self) -> EmulatorError {
        let (cfsr, bus_faults, fault_address) = self.core.faults();
        let pc = self.core.pc();
        EmulatorError::Lockup { at: self.now(), pc, symbol: self.symbol(), cfsr, bus_faults, fault_address }
    }

    fn symbol(&self) -> String {
        self.symbols.name(self.core.pc()).to_owned()
    }

    /// Puts bytes on the UART to the chip; they arrive one after the other at the line's speed.
    pub fn push_uart(&mut self, bytes: &[u8]) {
        self.soc().with_line(|line, now| line.send(bytes, now));
        self.dozing = false;
    }

    /// Takes what the chip has sent since the last call.
    pub fn take_uart(&mut self) -> Vec<u8> {
        self.soc().with_line(|line, _| std::mem::take(&mut line.from_chip)).unwrap_or_default()
    }

    /// True when no byte is on its way in either direction.
    #[must_use]
    pub fn uart_is_quiet(&self) -> bool {
        self.soc().with_line(|line, _| line.is_quiet()).unwrap_or(true)
    }

    /// Sends `line` and a line feed, runs until an answer line came back and the UART is quiet, and returns the answer
    /// without its terminator.
    ///
    /// # Errors
    /// [`EmulatorError::Silent`] when that takes longer than `limit` of virtual time; [`EmulatorError::Lockup`].
    pub fn exchange(&mut self, line: &str, limit: Cycles) -> Result<String, EmulatorError> {
        self.take_uart();
        self.push_uart(format!("{line}\n").as_bytes());
        let until = self.now() + limit;
        let mut answer = Vec::new();
        while self.now() < until {
            self.run_for(POLL)?;
            answer.extend(self.take_uart());
            if answer.ends_with(b"\n") && self.uart_is_quiet() {
                return Ok(String::from_utf8_lossy(&answer).trim_end().to_owned());
            }
        }
        let (pc, symbol) = (self.core.pc(), self.symbol());
        Err(EmulatorError::Silent { line: line.to_owned(), limit, got: answer.len(), pc, symbol })
    }

    /// Plugs or pulls a jumper wire; false if it was already so.
    pub fn set_wire(&mut self, wire: Wire, connected: bool) -> bool {
        self.dozing = false;
        self.soc().with_pins(|pins| pins.set_wire(wire, connected))
    }

    /// The wires in place.
    #[must_use]
    pub fn wires(&self) -> Vec<Wire> {
        self.soc().pins().wires().to_vec()
    }

    /// Drives a pin from outside the chip, or lets go of it.
    pub fn drive(&mut self, pin: Pin, level: Option<bool>) {
        self.dozing = false;
        self.soc().with_pins(|pins| pins.drive.external(pin, level));
    }

    /// The level of a pin.
    #[must_use]
    pub fn level(&self, pin: Pin) -> bool {
        self.soc().pins().levels() & pin.mask() != 0
    }

    /// A mark for [`Self::edges_since`]: the number of edges so far.
    #[must_use]
    pub fn edge_mark(&self) -> usize {
        self.soc().pins().mark()
    }

    /// Every edge on every pin since `mark`, in order of time.
    #[must_use]
    pub fn edges_since(&self, mark: usize) -> Vec<Edge> {
        self.soc().pins().edges_since(mark).to_vec()
    }

    /// Forgets the edges before `mark`; marks stay valid.
    pub fn forget_edges_before(&mut self, mark: usize) {
        self.soc().with_pins(|pins| pins.forget_before(mark));
    }

    /// What the image relied on that is not modelled, or that the chip would not forgive.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        self.soc().findings()
    }

    /// Accesses that neither memory nor a peripheral answered, and the address of the last one.
    #[must_use]
    pub fn bus_faults(&self) -> (u64, u32) {
        let (_, count, address) = self.core.faults();
        (count, address)
    }

    /// Starts a trace, dropping an earlier one.
    pub fn start_trace(&mut self) {
        self.trace = Some(Vec::new());
    }

    /// Ends the trace and returns it; empty if there was none.
    pub fn take_trace(&mut self) -> Vec<Step> {
        self.trace.take().unwrap_or_default()
    }

    /// Names of the image's functions.
    #[must_use]
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// Address of the next instruction.
    #[must_use]
    pub fn pc(&self) -> u32 {
        self.core.pc()
    }

    /// Counters about the run itself.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        Statistics {
            it_repairs: self.core.it_repairs,
            secure_returns: self.core.secure_returns,
            ..self.statistics
        }
    }

    /// Switches passing over sleep off and on (it is on). It changes no result, only how long the run takes.
    pub fn set_fast_forward(&mut self, on: bool) {
        self.fast_forward = on;
    }
}
