//! The board as console and images see it: the same names as the other board has, so that an image changes one `use`.

use crate::train::{self, Trains};
use crate::vectors::{self, GPIOB_INTERRUPT, Handler};
use crate::{pins, serial};
use cortex_m::interrupt::InterruptNumber;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m::peripheral::{NVIC, SCB};
use latency_firmware_core::{Board, Conditions, Console, Count, Fault, Identity, Train};

/// NVIC priority of the measured interrupt, as on the other board.
pub const MEASURED_PRIORITY: u8 = 1;
/// Smallest spacing: the edge is made by the idle code, which has to come round.
pub const MIN_GAP_US: u32 = 200;
const CLOCK_HZ: u32 = 12_500_000;
/// The chip has 3 priority bits, at the top of the byte.
const fn shifted(priority: u8) -> u8 {
    priority << 5
}

/// Who owns the system timer, whose value is the unit of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tick {
    /// The board: it counts its full 24 bits.
    Free,
    /// A kernel, at 1 kHz.
    Kernel,
}

impl Tick {
    pub(crate) const fn period(self) -> u32 {
        match self {
            Tick::Free => 1 << 24,
            Tick::Kernel => CLOCK_HZ / 1000,
        }
    }
}

/// One interrupt path of an image.
#[derive(Debug, Clone, Copy)]
pub struct Mode {
    /// Name in `MODES?`.
    pub name: &'static str,
    /// Code.
    pub isr: Handler,
    /// NVIC priority.
    pub priority: u8,
    /// Smallest spacing of a train.
    pub min_gap_us: u32,
}

impl Mode {
    /// A mode at the common priority.
    #[must_use]
    pub const fn new(name: &'static str, handler: Handler, min_gap_us: u32) -> Mode {
        Mode { name, isr: handler, priority: MEASURED_PRIORITY, min_gap_us }
    }
}

/// What an image is.
#[derive(Debug)]
pub struct Image {
    /// Runtime in `*IDN?`.
    pub runtime: &'static str,
    /// Its modes; the first is in force after reset.
    pub modes: &'static [Mode],
    /// Who owns the system timer.
    pub tick: Tick,
}

/// The board under one image.
#[derive(Debug)]
pub struct Lm3s {
    image: &'static Image,
    mode: usize,
    trains: Trains,
}

#[derive(Debug, Clone, Copy)]
struct PortB;

// SAFETY: the number is that of an interrupt of this chip, and always the same.
unsafe impl InterruptNumber for PortB {
    fn number(self) -> u16 {
        GPIOB_INTERRUPT
    }
}

impl Lm3s {
    /// Pins, serial line, timer; afterwards the first mode is in force.
    #[must_use]
    pub fn start(image: &'static Image) -> Lm3s {
        vectors::init();
        pins::init();
        serial::init();
        train::init();
        if image.tick == Tick::Free {
            free_running_tick();
        }
        let mut board = Lm3s { image, mode: 0, trains: Trains::new(image.tick) };
        board.select(0);
        board.arm();
        board
    }
}

fn free_running_tick() {
    // SAFETY: the system timer belongs to this image (it says so by `Tick::Free`), and nothing else runs yet.
    let mut core = unsafe { cortex_m::Peripherals::steal() };
    core.SYST.set_clock_source(SystClkSource::Core);
    core.SYST.set_reload(Tick::Free.period() - 1);
    core.SYST.clear_current();
    core.SYST.enable_counter();
}

/// PendSV of an image without a kernel.
pub fn set_pendsv_priority(priority: u8) {
    // SAFETY: for one store by start-up code; nothing else writes system priorities.
    let mut core = unsafe { cortex_m::Peripherals::steal() };
    // SAFETY: no critical section built on priorities is open in start-up code.
    unsafe { core.SCB.set_priority(cortex_m::peripheral::scb::SystemHandler::PendSV, shifted(priority)) };
}

/// Starts the board again.
pub fn restart() -> ! {
    SCB::sys_reset()
}

#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    restart()
}

impl Board for Lm3s {
    fn identity(&self) -> Identity<'static> {
        Identity {
            board: "lm3s6965evb",
            runtime: self.image.runtime,
            version: env!("CARGO_PKG_VERSION"),
            build: option_env!("FIRMWARE_BUILD").unwrap_or("local"),
        }
    }

    fn conditions(&self) -> Conditions {
        let priority = NVIC::get_priority(PortB) >> 5;
        let none = "none";
        Conditions {
            clock_hz: CLOCK_HZ,
            source: none,
            gpiote: none,
            cache: none,
            isr: "flash",
            priority,
            reset: none,
        }
    }

    fn modes(&self) -> impl Iterator<Item = &'static str> {
        self.image.modes.iter().map(|m| m.name)
    }

    fn mode(&self) -> usize {
        self.mode
    }

    fn select(&mut self, mode: usize) {
        let Some(chosen) = self.image.modes.get(mode) else { return };
        self.mode = mode;
        NVIC::mask(PortB);
        cortex_m::asm::dsb();
        pins::low();
        vectors::install(chosen.isr);
        pins::forget_edge();
        NVIC::unpend(PortB);
        // SAFETY: the core peripherals are taken for one store of the idle code, which alone writes this priority.
        let mut core = unsafe { cortex_m::Peripherals::steal() };
        // SAFETY: no critical section built on priorities or masks is open in the idle code.
        unsafe {
            core.NVIC.set_priority(PortB, shifted(chosen.priority));
            NVIC::unmask(PortB);
        }
    }

    fn loads(&self) -> impl Iterator<Item = &'static str> {
        core::iter::empty()
    }

    fn loaded(&self, _: usize) -> bool {
        false
    }

    fn load(&mut self, _: usize, _: bool) {}

    fn arm(&mut self) {
        pins::low();
        pins::forget_edge();
        NVIC::unpend(PortB);
        pins::clear_counter();
        self.trains.clear();
    }

    fn min_gap_us(&self) -> u32 {
        self.image.modes.get(self.mode).map_or(Train::MAX_GAP_US, |m| m.min_gap_us)
    }

    fn start(&mut self, train: Train) {
        pins::low();
        self.trains.start(train);
    }

    fn stop(&mut self) {
        self.trains.stop();
    }

    fn count(&self) -> Count {
        let trains = &self.trains;
        Count { stimuli: trains.stimuli, edges: pins::edges(), lost: trains.lost, busy: trains.running() }
    }

    fn log_hz(&self) -> u32 {
        CLOCK_HZ
    }

    fn pop(&mut self) -> Option<u32> {
        self.trains.pop()
    }

    fn service(&mut self) -> Option<Fault> {
        self.trains.poll();
        // An edge from outside: the response follows the input down.
        if !self.trains.running() && pins::answered() && !pins::input_is_high() {
            pins::low();
        }
        None
    }
}

/// Console and board together.
#[derive(Debug)]
pub struct Shell {
    console: Console,
    board: Lm3s,
}

impl Shell {
    /// The console of `board`.
    #[must_use]
    pub const fn new(board: Lm3s) -> Shell {
        Shell { console: Console::new(), board }
    }

    /// One turn of the idle code.
    pub fn step(&mut self) {
        self.console.poll(&mut self.board);
        let answer = serial::pop().and_then(|byte| self.console.byte(byte, &mut self.board));
        if let Some(answer) = answer {
            serial::send(&answer);
            self.console.sent(&mut self.board);
        }
    }
}
