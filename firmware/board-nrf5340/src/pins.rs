//! Pins, GPIOTE channels and their wiring through DPPI; the two register writes that every mode is made of.

use nrf_pac as pac;
use pac::{DPPIC_S, GPIOTE0_S, P0_S};

/// Response output, CH2 of the scope.
pub const RESPONSE: u32 = 4;
/// Stimulus input, CH1 of the scope.
pub const INPUT: u32 = 5;
/// Stimulus output, wired to [`INPUT`].
pub const STIMULUS: u32 = 6;
/// Capture input, wired to [`RESPONSE`]. An event channel on P0.04 itself would turn that pin into an input.
pub const CAPTURE: u32 = 7;

/// GPIOTE channel of the input edge.
pub const CH_INPUT: usize = 0;
/// GPIOTE channel that drives the response in task modes.
pub const CH_RESPONSE: usize = 1;
pub(crate) const CH_STIMULUS: usize = 2;
pub(crate) const CH_CAPTURE: usize = 3;
/// GPIOTE channel of the input edge for a second waiter.
pub const CH_INPUT_SECOND: usize = 4;

pub(crate) const DPPI_UP: u32 = 0;
pub(crate) const DPPI_DOWN: u32 = 1;
pub(crate) const DPPI_EDGE: u32 = 2;
pub(crate) const DPPI_ANSWER: u32 = 3;

const EVENT: u32 = 1;
const TASK: u32 = 3;
const RISING: u32 = 1 << 16;
const TOGGLE: u32 = 3 << 16;
/// PIN_CNF: output with the input buffer off.
const CNF_OUTPUT: u32 = 0b11;
/// PIN_CNF: input with its buffer on (the reset value has it off, and no event would ever come) and pulled down.
const CNF_INPUT: u32 = 1 << 2;

/// A publish or subscribe word: channel and enable bit.
pub(crate) const fn on(channel: u32) -> u32 {
    1 << 31 | channel
}

const fn config(mode: u32, pin: u32, polarity: u32) -> u32 {
    mode | pin << 8 | polarity
}

/// Drives the response high: one store to OUTSET.
#[inline(always)]
pub fn respond() {
    P0_S.outset().write(|w| w.0 = 1 << RESPONSE);
}

/// Clears the input event. The read back makes sure that the clear has reached the peripheral before the interrupt
/// returns; without it the interrupt is entered a second time.
#[inline(always)]
pub fn acknowledge() {
    GPIOTE0_S.events_in(CH_INPUT).write_value(0);
    let _ = GPIOTE0_S.events_in(CH_INPUT).read();
}

/// Response low, whichever of port and task drives it.
pub(crate) fn low() {
    GPIOTE0_S.tasks_clr(CH_RESPONSE).write_value(1);
    P0_S.outclr().write(|w| w.0 = 1 << RESPONSE);
}

/// Drops an edge that was seen and not yet answered.
pub(crate) fn forget_edges() {
    for channel in [CH_INPUT, CH_INPUT_SECOND, CH_CAPTURE] {
        GPIOTE0_S.events_in(channel).write_value(0);
    }
    let _ = GPIOTE0_S.events_in(CH_CAPTURE).read();
}

/// Who drives P0.04: the port, a GPIOTE task, or a task fired by the input edge itself.
pub(crate) fn drive(task: bool, by_edge: bool) {
    GPIOTE0_S.subscribe_set(CH_RESPONSE).write(|w| w.0 = if by_edge { on(DPPI_EDGE) } else { 0 });
    let word = if task { config(TASK, RESPONSE, TOGGLE) } else { 0 };
    GPIOTE0_S.config(CH_RESPONSE).write(|w| w.0 = word);
}

/// Which of the two input channels sees the edge; a pin may have one channel only.
pub(crate) fn listen(second: bool) {
    let (seeing, blind) = if second { (CH_INPUT_SECOND, CH_INPUT) } else { (CH_INPUT, CH_INPUT_SECOND) };
    GPIOTE0_S.config(blind).write(|w| w.0 = 0);
    GPIOTE0_S.config(seeing).write(|w| w.0 = config(EVENT, INPUT, RISING));
}

/// Lets the input event of channel 0 interrupt.
pub(crate) fn interrupt_on_edge() {
    GPIOTE0_S.intenset(0).write(|w| w.0 = 1 << CH_INPUT);
}

/// Pins, channels and wiring; the output is low and nothing listens yet.
pub(crate) fn init() {
    P0_S.outclr().write(|w| w.0 = 1 << RESPONSE | 1 << STIMULUS);
    for pin in [RESPONSE, STIMULUS] {
        P0_S.pin_cnf(pin as usize).write(|w| w.0 = CNF_OUTPUT);
    }
    for pin in [INPUT, CAPTURE] {
        P0_S.pin_cnf(pin as usize).write(|w| w.0 = CNF_INPUT);
    }
    GPIOTE0_S.latency().write(|w| w.set_latency(pac::gpiote::vals::Latency::LowLatency));
    GPIOTE0_S.config(CH_STIMULUS).write(|w| w.0 = config(TASK, STIMULUS, TOGGLE));
    GPIOTE0_S.config(CH_CAPTURE).write(|w| w.0 = config(EVENT, CAPTURE, RISING));
    for channel in [CH_INPUT, CH_INPUT_SECOND] {
        GPIOTE0_S.publish_in(channel).write(|w| w.0 = on(DPPI_EDGE));
    }
    GPIOTE0_S.publish_in(CH_CAPTURE).write(|w| w.0 = on(DPPI_ANSWER));
    GPIOTE0_S.subscribe_set(CH_STIMULUS).write(|w| w.0 = on(DPPI_UP));
    GPIOTE0_S.subscribe_clr(CH_STIMULUS).write(|w| w.0 = on(DPPI_DOWN));
    DPPIC_S.chenset().write(|w| w.0 = 0b1111);
}
