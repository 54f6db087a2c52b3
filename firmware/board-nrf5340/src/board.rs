//! The board as the console sees it, and what an image says about itself.

use crate::vectors::{self, Handler};
use crate::{capture, chip, pins, serial, shell, train};
use cortex_m::peripheral::{NVIC, SCB};
use latency_firmware_core::{Board, Conditions, Count, Fault, Identity, Train};
use nrf_pac::Interrupt;

/// NVIC priority of the measured interrupt in every image: urgent, with one level above it for a mode that is defined
/// as being above a kernel.
pub const MEASURED_PRIORITY: u8 = 1;
/// The lowest priority, for serial line and bookkeeping.
const LOWEST: u8 = 7;
/// The chip has 3 priority bits, at the top of the byte.
const fn shifted(priority: u8) -> u8 {
    priority << 5
}

/// Which code answers the edge.
#[derive(Debug, Clone, Copy)]
pub enum Isr {
    /// None: hardware answers.
    None,
    /// This handler.
    Handler(Handler),
    /// The handler the linker put into this interrupt's slot (a framework's, whose name cannot be taken).
    Linked(Interrupt),
}

/// What drives the response pin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// The port, by a store of the processor.
    Port,
    /// A GPIOTE task that the processor starts.
    Task,
    /// A GPIOTE task that the edge starts through DPPI.
    Hardware,
}

/// Which GPIOTE channel sees the edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// Channel 0.
    First,
    /// Channel 4, for a second waiter of an asynchronous runtime.
    Second,
}

/// One interrupt path of an image.
#[derive(Debug, Clone, Copy)]
pub struct Mode {
    /// Name in `MODES?`.
    pub name: &'static str,
    /// Code.
    pub isr: Isr,
    /// Output.
    pub output: Output,
    /// Input.
    pub input: Input,
    /// NVIC priority, [`MEASURED_PRIORITY`] unless the mode is defined by another one.
    pub priority: u8,
    /// Smallest spacing of a train.
    pub min_gap_us: u32,
}

impl Mode {
    /// A mode with one handler that stores to the port, at the common priority.
    #[must_use]
    pub const fn new(name: &'static str, handler: Handler, min_gap_us: u32) -> Mode {
        let isr = Isr::Handler(handler);
        Mode { name, isr, output: Output::Port, input: Input::First, priority: MEASURED_PRIORITY, min_gap_us }
    }
}

/// What an image is.
#[derive(Debug)]
pub struct Image {
    /// Runtime in `*IDN?`.
    pub runtime: &'static str,
    /// Its modes; the first is in force after reset.
    pub modes: &'static [Mode],
    /// How long before an edge the bookkeeping of the one before begins, see [`train`](crate::train).
    pub guard_us: u32,
    /// Whether the image takes the input event's interrupt itself (false where a framework enables it by itself).
    pub enable_edge: bool,
}

/// The board under one image.
#[derive(Debug)]
pub struct Nrf {
    image: &'static Image,
    mode: usize,
    reset: &'static str,
}

impl Nrf {
    /// Clock, cache and watchdog. To be called first, before a framework looks at the chip; the word it gives is for
    /// [`Nrf::start`].
    #[must_use]
    pub fn prepare() -> &'static str {
        chip::init()
    }

    /// Everything else; afterwards the first mode is in force and the console can be served.
    #[must_use]
    pub fn start(image: &'static Image, reset: &'static str) -> Nrf {
        vectors::init();
        pins::init();
        capture::init();
        train::init();
        serial::init();
        if image.enable_edge {
            pins::interrupt_on_edge();
        }
        for interrupt in [Interrupt::TIMER1, Interrupt::SERIAL0] {
            set_priority(interrupt, LOWEST);
            unmask(interrupt);
        }
        let mut board = Nrf { image, mode: 0, reset };
        board.select(0);
        board.arm();
        board
    }

    fn in_force(&self) -> Option<&'static Mode> {
        self.image.modes.get(self.mode)
    }

    fn enter(&mut self, mode: &'static Mode) {
        NVIC::mask(Interrupt::GPIOTE0);
        cortex_m::asm::dsb();
        cortex_m::asm::isb();
        pins::low();
        pins::drive(mode.output != Output::Port, mode.output == Output::Hardware);
        pins::listen(mode.input == Input::Second);
        let handler = match mode.isr {
            Isr::None => None,
            Isr::Handler(handler) => Some(handler as usize as u32),
            Isr::Linked(interrupt) => Some(vectors::linked(interrupt)),
        };
        set_priority(Interrupt::GPIOTE0, mode.priority);
        pins::forget_edges();
        NVIC::unpend(Interrupt::GPIOTE0);
        if let Some(handler) = handler {
            vectors::install(handler);
            unmask(Interrupt::GPIOTE0);
        }
    }
}

/// Sets the priority of an interrupt, 0 the most urgent, 7 the least. For start-up and idle code.
pub fn set_priority(interrupt: Interrupt, priority: u8) {
    // SAFETY: the core peripherals are taken for this one store; the priority byte of an interrupt is written nowhere
    // else at the same time, because only the idle code (or start-up code before it) comes here.
    let mut core = unsafe { cortex_m::Peripherals::steal() };
    // SAFETY: changing a priority can break a critical section that is built on priorities. There is none open here: the
    // idle code holds none, and the frameworks' own sections are left before their code returns.
    unsafe { core.NVIC.set_priority(interrupt, shifted(priority)) };
}

fn unmask(interrupt: Interrupt) {
    // SAFETY: unmasking can break a critical section that is built on masking. This function's callers hold none.
    unsafe { NVIC::unmask(interrupt) };
}

/// PendSV of an image without a kernel, one level under the measured interrupt.
pub fn set_pendsv_priority(priority: u8) {
    // SAFETY: as in `set_priority`; called once by start-up code.
    let mut core = unsafe { cortex_m::Peripherals::steal() };
    // SAFETY: no critical section is open in start-up code.
    unsafe { core.SCB.set_priority(cortex_m::peripheral::scb::SystemHandler::PendSV, shifted(priority)) };
}

/// Starts the board again; `CONF?` then says `reset=soft`.
pub fn restart() -> ! {
    SCB::sys_reset()
}

impl Board for Nrf {
    fn identity(&self) -> Identity<'static> {
        Identity {
            board: "nrf5340dk",
            runtime: self.image.runtime,
            version: env!("CARGO_PKG_VERSION"),
            build: option_env!("FIRMWARE_BUILD").unwrap_or("local"),
        }
    }

    fn conditions(&self) -> Conditions {
        let mode = self.in_force();
        let hardware = mode.is_none_or(|m| matches!(m.isr, Isr::None));
        Conditions {
            clock_hz: chip::clock_hz(),
            source: chip::clock_source(),
            gpiote: chip::latency(),
            cache: chip::cache(),
            isr: if hardware { "none" } else { vectors::place() },
            priority: NVIC::get_priority(Interrupt::GPIOTE0) >> 5,
            reset: self.reset,
        }
    }

    fn modes(&self) -> impl Iterator<Item = &'static str> {
        self.image.modes.iter().map(|m| m.name)
    }

    fn mode(&self) -> usize {
        self.mode
    }

    fn select(&mut self, mode: usize) {
        if let Some(chosen) = self.image.modes.get(mode) {
            self.mode = mode;
            self.enter(chosen);
        }
    }

    fn loads(&self) -> impl Iterator<Item = &'static str> {
        shell::LOADS.into_iter()
    }

    fn loaded(&self, load: usize) -> bool {
        shell::loaded(load)
    }

    fn load(&mut self, load: usize, on: bool) {
        shell::load(load, on);
    }

    fn arm(&mut self) {
        pins::low();
        pins::forget_edges();
        NVIC::unpend(Interrupt::GPIOTE0);
        capture::clear();
    }

    fn min_gap_us(&self) -> u32 {
        self.in_force().map_or(Train::MAX_GAP_US, |m| m.min_gap_us)
    }

    fn start(&mut self, train: Train) {
        pins::low();
        train::start(train, self.image.guard_us);
    }

    fn stop(&mut self) {
        train::stop();
    }

    fn count(&self) -> Count {
        // `busy` first: a train that ends between the two reads is then counted whole or still called busy.
        let busy = train::running();
        let (stimuli, edges, lost) = capture::counts();
        Count { stimuli, edges, lost, busy }
    }

    fn log_hz(&self) -> u32 {
        16_000_000
    }

    fn pop(&mut self) -> Option<u32> {
        capture::pop()
    }

    fn service(&mut self) -> Option<Fault> {
        chip::feed();
        train::fault()
    }
}

/// A panic is a defect of the firmware. The board starts again and says `reset=soft`; a silent halt would look like an
/// answer that is lost.
#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    restart()
}
