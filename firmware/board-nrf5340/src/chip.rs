//! What has to be right before anything is measured: trim, clock, cache, watchdog; and what can be read back of it.

use nrf_pac as pac;
use pac::clock::vals::{Hclk, HfclkstatSrc};
use pac::{CACHE_S, CLOCK_S, FICR_S, GPIOTE0_S, RESET_S, WDT0_S};

/// The watchdog's reload word (product specification, WDT).
const RELOAD: u32 = 0x6E52_4635;
/// Four seconds of 32768 Hz.
const WATCHDOG_TICKS: u32 = 4 * 32_768;
/// Turns of the wait for the crystal: it starts within a millisecond, a turn takes at least four cycles.
const CRYSTAL_TURNS: u32 = 1_000_000;

/// Copies the factory's trim words to the registers they belong to, as the chip expects of secure start-up code.
fn trim() {
    for n in 0..32 {
        let word = FICR_S.trimcnf(n);
        let address = word.addr().read();
        if address == u32::MAX || address == 0 {
            break;
        }
        // SAFETY: the address comes out of the factory information block, which firmware cannot write: it is an aligned
        // register of this chip that the vendor asks start-up code to fill with the word beside it. No Rust object lies
        // there (registers are outside RAM), and nothing else runs yet.
        unsafe { (address as *mut u32).write_volatile(word.data().read()) };
    }
}

/// 128 MHz (the reset value divides by two) from the crystal, so that times on the chip are those of the scope.
fn clock() {
    CLOCK_S.hfclkctrl().write(|w| w.set_hclk(Hclk::Div1));
    CLOCK_S.tasks_hfclkstart().write_value(1);
    // A crystal that never starts is reported as `hfclk=rc` instead of hanging here.
    let _ = (0..CRYSTAL_TURNS).find(|_| CLOCK_S.events_hfclkstarted().read() != 0);
}

/// The cycle counter, for the length of the `mask` load. It answers only after trace has been enabled.
fn cycle_counter() {
    // SAFETY: taken for these two stores by start-up code; nothing else uses DCB and DWT.
    let mut core = unsafe { cortex_m::Peripherals::steal() };
    core.DCB.enable_trace();
    core.DWT.enable_cycle_counter();
}

/// The watchdog counts only while the processor runs: sleeping is no fault, not coming back to the idle code is. It
/// stands still while a debugger holds the core.
fn watchdog() {
    WDT0_S.config().write(|w| w.0 = 0);
    WDT0_S.crv().write_value(WATCHDOG_TICKS);
    WDT0_S.rren().write(|w| w.0 = 1);
    WDT0_S.tasks_start().write_value(1);
}

/// Tells the watchdog that the idle code runs.
pub(crate) fn feed() {
    WDT0_S.rr(0).write(|w| w.0 = RELOAD);
}

/// Brings the chip up and says what had reset it.
pub(crate) fn init() -> &'static str {
    trim();
    clock();
    CACHE_S.enable().write(|w| w.0 = 1);
    cycle_counter();
    watchdog();
    let reason = RESET_S.resetreas().read().0;
    // The reasons add up until they are written back.
    RESET_S.resetreas().write(|w| w.0 = reason);
    reset_name(reason)
}

/// The most telling of the reasons noted (bit numbers of RESETREAS: 0 pin, 1 watchdog, 3 soft, 4 lockup).
const fn reset_name(reason: u32) -> &'static str {
    match reason {
        r if r & 1 << 1 != 0 => "watchdog",
        r if r & 1 << 4 != 0 => "lockup",
        r if r & 1 << 3 != 0 => "soft",
        r if r & 1 != 0 => "pin",
        _ => "power",
    }
}

pub(crate) fn clock_hz() -> u32 {
    if CLOCK_S.hfclkctrl().read().hclk() == Hclk::Div1 { 128_000_000 } else { 64_000_000 }
}

pub(crate) fn clock_source() -> &'static str {
    if CLOCK_S.hfclkstat().read().src() == HfclkstatSrc::Hfxo { "xtal" } else { "rc" }
}

pub(crate) fn cache() -> &'static str {
    if CACHE_S.enable().read().0 & 1 == 1 { "on" } else { "off" }
}

pub(crate) fn latency() -> &'static str {
    match GPIOTE0_S.latency().read().latency() {
        pac::gpiote::vals::Latency::LowLatency => "low-latency",
        pac::gpiote::vals::Latency::LowPower => "low-power",
    }
}
