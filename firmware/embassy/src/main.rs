//! The image on embassy.
//!
//! Two tasks wait for the edge with embassy-nrf's own GPIOTE driver: `async` in the thread-mode executor, `async-irq` in an
//! interrupt executor on `EGU1`. Each has a GPIOTE channel of its own on the same pin, of which the board switches one
//! off: so a mode is a register, and neither path asks for it. The interrupt handler is embassy's.
//!
//! The console shares the thread executor with the task of mode `async`. Whoever talks to the board while a train runs
//! therefore measures a cooperative neighbour too; `latency-cli` asks when a train is over.
#![no_std]
#![no_main]

use embassy_executor::{InterruptExecutor, Spawner};
use embassy_nrf::config::{Config, Debug, HfclkSource};
use embassy_nrf::gpio::Pull;
use embassy_nrf::gpiote::{InputChannel, InputChannelPolarity};
use embassy_nrf::interrupt::Priority;
use embassy_sync::waitqueue::AtomicWaker;
use latency_board_nrf5340::firmware_core::Answer;
use latency_board_nrf5340::pac::{Interrupt, interrupt};
use latency_board_nrf5340::{
    Image, Input, Isr, MEASURED_PRIORITY, Mode, Nrf, Output, Shell, loads_wanted, mask_shortly, pins, serial,
    set_priority, train,
};

const fn waiting(name: &'static str, input: Input, min_gap_us: u32) -> Mode {
    let isr = Isr::Linked(Interrupt::GPIOTE0);
    Mode { name, isr, output: Output::Port, input, priority: MEASURED_PRIORITY, min_gap_us }
}

static IMAGE: Image = Image {
    runtime: "embassy",
    modes: &[waiting("async", Input::First, 20), waiting("async-irq", Input::Second, 20)],
    guard_us: 6,
    enable_edge: false,
};

/// NVIC priority of the interrupt executor: under the measured interrupt, over everything else.
const EXECUTOR_PRIORITY: u8 = 3;

static EXECUTOR: InterruptExecutor = InterruptExecutor::new();
static CONSOLE: AtomicWaker = AtomicWaker::new();

#[interrupt]
unsafe fn EGU1() {
    // SAFETY: this is the interrupt that `EXECUTOR.start` was given, and nothing else calls this.
    unsafe { EXECUTOR.on_interrupt() }
}

#[interrupt]
fn TIMER1() {
    train::on_timer();
    // The watchdog is fed by the console task: it has to come round while a train runs.
    CONSOLE.wake();
}

#[interrupt]
fn SERIAL0() {
    serial::on_interrupt();
    CONSOLE.wake();
}

#[embassy_executor::task(pool_size = 2)]
async fn answer_edges(mut input: InputChannel<'static>) {
    loop {
        input.wait().await;
        pins::respond();
    }
}

/// Waits until `done`, woken by either interrupt.
async fn until(mut done: impl FnMut() -> bool) {
    core::future::poll_fn(|context| {
        CONSOLE.register(context.waker());
        if done() { core::task::Poll::Ready(()) } else { core::task::Poll::Pending }
    })
    .await;
}

async fn send(answer: &Answer) {
    until(|| serial::begin(answer)).await;
    until(|| !serial::is_sending()).await;
}

/// Until an interrupt of line or train, or one round of the load that is on.
async fn idle() {
    if loads_wanted() {
        mask_shortly();
        embassy_futures::yield_now().await;
        return;
    }
    let mut woken = false;
    until(|| core::mem::replace(&mut woken, true) || !serial::is_empty()).await;
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    let reset = Nrf::prepare();
    let chip = embassy_nrf::init(config());
    let edge = || InputChannelPolarity::LoToHi;
    // SAFETY: a second handle of P0.05 for the second channel. Both only read the pin and set it up alike, and the board
    // keeps one of the two channels off at any time.
    let again = unsafe { chip.P0_05.clone_unchecked() };
    let first = InputChannel::new(chip.GPIOTE_CH0, chip.P0_05, Pull::Down, edge());
    let second = InputChannel::new(chip.GPIOTE_CH4, again, Pull::Down, edge());
    let mut shell = Shell::new(Nrf::start(&IMAGE, reset));
    set_priority(Interrupt::EGU1, EXECUTOR_PRIORITY);
    let urgent = EXECUTOR.start(Interrupt::EGU1);
    // Each fails only when its pool of two is used up; the mode would then lose every stimulus, which the counters show.
    if let Ok(task) = answer_edges(first) {
        spawner.spawn(task);
    }
    if let Ok(task) = answer_edges(second) {
        urgent.spawn(task);
    }
    loop {
        match shell.next_answer() {
            Some(answer) => {
                send(&answer).await;
                shell.sent();
            }
            None => idle().await,
        }
    }
}

/// The board crate has set the clock; debug port and UICR stay as they are found.
fn config() -> Config {
    let mut config = Config::default();
    config.hfclk_source = HfclkSource::Internal;
    config.gpiote_interrupt_priority = Priority::P1;
    config.debug = Debug::NotConfigured;
    config
}
