//! Register by register, without a core: what is written, when it takes effect, what is refused.

use super::*;
use crate::cpu::RAM;
use crate::{Edge, Pin};

const P0: u32 = 0x5084_2500;
const GPIOTE: u32 = 0x5000_d000;
const DPPIC: u32 = 0x5001_7000;
const TIMER1: u32 = 0x5001_0000;
const TIMER2: u32 = 0x5001_1000;
const UARTE: u32 = 0x5000_8000;
const RTC0: u32 = 0x5001_4000;
const WDT0: u32 = 0x5001_8000;
const PUBLISHED: u32 = 1 << 31;

fn soc() -> Soc {
    Soc::new(Memory::erased(), 115_200)
}

fn set(soc: &mut Soc, registers: &[(u32, u32)]) {
    registers.iter().for_each(|(address, value)| soc.write(*address, *value, 4));
}

fn edges(soc: &Soc) -> Vec<(u64, Pin, bool)> {
    soc.pins().edges_since(0).iter().map(|Edge { at, pin, high }| (at.0, *pin, *high)).collect()
}

fn findings(soc: &Soc) -> Vec<String> {
    soc.findings().iter().map(ToString::to_string).collect()
}

/// TIMER1 16 MHz, 32 bits; COMPARE0 over channel 0 sets P0.06, COMPARE1 over channel 1 clears it.
fn stimulus(soc: &mut Soc) {
    set(
        soc,
        &[
            (GPIOTE + 0x518, 3 | 6 << 8 | 3 << 16),
            (GPIOTE + 0xb8, PUBLISHED),
            (GPIOTE + 0xe8, PUBLISHED | 1),
            (DPPIC + 0x504, 3),
            (TIMER1 + 0x508, 3),
            (TIMER1 + 0x510, 0),
            (TIMER1 + 0x540, 16),
            (TIMER1 + 0x544, 48),
            (TIMER1 + 0x1c0, PUBLISHED),
            (TIMER1 + 0x1c4, PUBLISHED | 1),
            (TIMER1, 1),
        ],
    );
}

/// Compare at 16 ticks of 8 cycles, and one period of 16 MHz on the DPPI channel.
#[test]
fn a_compare_event_moves_a_pin_through_dppi_after_one_peripheral_clock() {
    let mut soc = soc();
    stimulus(&mut soc);
    soc.advance(10_000);
    assert_eq!(edges(&soc), [(16 * 8 + 8, Pin::STIMULUS, true), (48 * 8 + 8, Pin::STIMULUS, false)]);
    assert_eq!(findings(&soc), [""; 0]);
}

#[test]
fn a_disabled_channel_carries_nothing() {
    let mut soc = soc();
    stimulus(&mut soc);
    soc.write(DPPIC + 0x508, 1, 4);
    soc.advance(10_000);
    assert_eq!(edges(&soc), []);
}

#[test]
fn a_compare_register_behind_the_counter_waits_for_the_next_round() {
    let mut soc = soc();
    set(&mut soc, &[(TIMER1 + 0x508, 1), (TIMER1 + 0x510, 0), (TIMER1 + 0x304, 1 << 16), (TIMER1, 1)]);
    soc.advance(100 * 8);
    soc.write(TIMER1 + 0x540, 50, 4);
    assert_eq!(soc.advance((256 + 50) * 8 - 1), None);
    assert_eq!(soc.advance((256 + 50) * 8), Some(1 << 16), "line 16 is TIMER1's");
}

#[test]
fn an_input_edge_is_captured_and_interrupts_only_with_its_buffer_connected() {
    let mut soc = soc();
    let event = 1 | 5 << 8 | 1 << 16;
    set(
        &mut soc,
        &[
            (GPIOTE + 0x510, event),
            (GPIOTE + 0x180, PUBLISHED | 2),
            (GPIOTE + 0x304, 1),
            (DPPIC + 0x504, 4),
            (TIMER2 + 0x508, 3),
            (TIMER2 + 0x510, 0),
            (TIMER2 + 0xc0, PUBLISHED | 2),
            (TIMER2, 1),
        ],
    );
    soc.advance(803);
    soc.with_pins(|p| p.drive.external(Pin::INPUT, Some(true)));
    assert_eq!(soc.advance(900), None, "PIN_CNF resets to a disconnected input");
    soc.write(P0 + 0x214, 0, 4);
    soc.with_pins(|p| p.drive.external(Pin::INPUT, Some(false)));
    soc.with_pins(|p| p.drive.external(Pin::INPUT, Some(true)));
    assert_eq!(soc.advance(1_000), Some(1 << 13));
    // 900 is no edge of the 16 MHz clock; the next one is 904.
    assert_eq!(soc.read(TIMER2 + 0x540, 4), 904 / 8);
    soc.write(GPIOTE + 0x100, 0, 4);
    assert_eq!(soc.advance(1_001), Some(0));
}

#[test]
fn output_set_and_clear_leave_the_other_pins_alone() {
    let mut soc = soc();
    set(&mut soc, &[(P0 + 0x18, 0x30), (P0 + 0x08, 0x10), (P0 + 0x08, 0x20), (P0 + 0x0c, 0x10)]);
    assert_eq!(soc.read(P0 + 0x04, 4), 0x20);
    assert_eq!((soc.read(P0 + 0x14, 4), soc.read(P0 + 0x210, 4) & 1), (0x30, 1));
    assert!(soc.pins().levels() & Pin::INPUT.mask() != 0);
}

#[test]
fn what_has_no_model_is_reported_by_name() {
    let mut soc = soc();
    assert_eq!(soc.read(0x5000_e500, 4), 0);
    soc.write(0x4000_d510, 1, 4);
    soc.write(GPIOTE + 0x900, 1, 4);
    assert_eq!(
        findings(&soc),
        [
            "GPIOTE0 (non-secure alias)+0x510 (0x4000d510) is not modelled: 0 reads, 1 writes",
            "GPIOTE0+0x900 (0x5000d900) is not modelled: 0 reads, 1 writes",
            "SAADC+0x500 (0x5000e500) is not modelled: 1 reads, 0 writes",
        ]
    );
}

/// On, at 115 200 Bd, on the pins the host is wired to.
const LINE: [(u32, u32); 4] =
    [(UARTE + 0x500, 8), (UARTE + 0x524, 0x01d6_0000), (UARTE + 0x50c, 20), (UARTE + 0x514, 22)];

fn receiver(soc: &mut Soc, length: u32) {
    set(soc, &LINE);
    set(soc, &[(UARTE + 0x534, RAM + 0x100), (UARTE + 0x538, length), (UARTE, 1)]);
}

/// Ten bits at 115 200 Bd are 11 111 cycles of 128 MHz.
#[test]
fn bytes_take_their_time_to_ram() {
    let mut soc = soc();
    receiver(&mut soc, 2);
    soc.with_line(|line, now| line.send(b"ok", now));
    soc.advance(11_110);
    assert_eq!(soc.read(UARTE + 0x108, 4), 0);
    soc.advance(2 * 11_111);
    assert_eq!((soc.read(UARTE + 0x110, 4), soc.read(UARTE + 0x53c, 4)), (1, 2));
    let mut bytes = [0; 2];
    assert!(soc.fabric.memory.read_ram(RAM + 0x100, &mut bytes));
    assert_eq!(&bytes, b"ok");
}

#[test]
fn a_receiver_that_is_not_read_overruns_after_its_fifo() {
    let mut soc = soc();
    receiver(&mut soc, 1);
    soc.with_line(|line, now| line.send(b"1234567", now));
    soc.advance(100_000);
    assert_eq!((soc.read(UARTE + 0x124, 4), soc.read(UARTE + 0x480, 4)), (1, 1));
    receiver(&mut soc, 6);
    assert_eq!(soc.read(UARTE + 0x53c, 4), 4, "the FIFO held 2345, 67 are gone");
}

#[test]
fn sending_out_of_flash_is_a_finding() {
    let mut soc = soc();
    set(&mut soc, &LINE);
    set(&mut soc, &[(UARTE + 0x544, 0x1000), (UARTE + 0x548, 1), (UARTE + 0x08, 1)]);
    soc.advance(20_000);
    assert_eq!(findings(&soc), ["UARTE0 was given a transmit buffer outside RAM, 1 times"]);
}

#[test]
fn a_byte_at_another_speed_is_a_framing_error() {
    let mut soc = Soc::new(Memory::erased(), 57_600);
    receiver(&mut soc, 1);
    soc.with_line(|line, now| line.send(b"x", now));
    soc.advance(50_000);
    assert_eq!((soc.read(UARTE + 0x480, 4), soc.read(UARTE + 0x110, 4)), (4, 0));
}

/// 10 ticks of 32 768 Hz are 39 062.5 cycles.
#[test]
fn an_rtc_compares_only_when_somebody_wants_it() {
    let mut soc = soc();
    set(&mut soc, &[(CLOCK + 0x08, 1), (RTC0 + 0x540, 10), (RTC0, 1)]);
    soc.advance(100_000);
    assert_eq!((soc.read(RTC0 + 0x140, 4), soc.read(RTC0 + 0x504, 4)), (0, 25));
    set(&mut soc, &[(RTC0 + 0x540, 30), (RTC0 + 0x304, 1 << 16)]);
    assert_eq!(soc.advance(117_187), None);
    assert_eq!(soc.advance(117_188), Some(1 << 20));
    assert_eq!(findings(&soc), [""; 0]);
}

#[test]
fn an_rtc_without_its_clock_is_a_finding() {
    let mut soc = soc();
    soc.write(RTC0, 1, 4);
    assert_eq!(findings(&soc), ["an RTC was started while LFCLK stood still, 1 times"]);
}

/// CRV 15 is 16 ticks = 62 500 cycles, and two ticks (7 812) to the reset.
#[test]
fn a_watchdog_that_is_not_fed_resets_and_leaves_its_reason() {
    let mut soc = soc();
    set(&mut soc, &[(WDT0 + 0x504, 15), (WDT0, 1)]);
    soc.advance(60_000);
    soc.write(WDT0 + 0x600, 0x6E52_4635, 4);
    soc.advance(60_000 + 62_499);
    assert!(!soc.wants_reset());
    soc.advance(60_000 + 62_500 + 7_812);
    assert!(soc.wants_reset());
    soc.reset();
    assert_eq!(soc.read(CLOCK + 0x400, 4), 1 << 1);
    soc.write(CLOCK + 0x400, 1 << 1, 4);
    assert_eq!(soc.read(CLOCK + 0x400, 4), 0);
}

#[test]
fn the_core_runs_at_64_mhz_until_told_otherwise() {
    let mut soc = soc();
    assert_eq!((soc.divider(), soc.read(CLOCK + 0x558, 4)), (2, 1));
    soc.write(CLOCK + 0x558, 0, 4);
    assert_eq!(soc.divider(), 1);
    soc.reset();
    assert_eq!(soc.divider(), 2);
}

#[test]
fn two_channels_on_one_pin_are_a_finding() {
    let mut soc = soc();
    let event = 1 | 5 << 8 | 1 << 16;
    set(&mut soc, &[(GPIOTE + 0x510, event), (GPIOTE + 0x514, event)]);
    assert_eq!(findings(&soc), ["P0.05 is assigned to two GPIOTE channels, 1 times"]);
}

#[test]
fn a_serial_pin_that_nobody_is_wired_to_is_a_finding() {
    let mut soc = soc();
    receiver(&mut soc, 1);
    set(&mut soc, &[(UARTE + 0x514, 21), (UARTE + 0x56c, 1)]);
    soc.with_line(|line, now| line.send(b"x", now));
    soc.advance(20_000);
    assert_eq!(soc.read(UARTE + 0x110, 4), 0);
    assert_eq!(
        findings(&soc),
        [
            "UARTE0+0x56c (0x5000856c) is not modelled: 0 reads, 1 writes",
            "UARTE0 listens on another pin than P0.22, which the host sends to, 1 times",
        ]
    );
}

#[test]
fn a_counting_timer_compares_too() {
    let mut soc = soc();
    set(&mut soc, &[(TIMER1 + 0x504, 1), (TIMER1 + 0x540, 2), (TIMER1 + 0x08, 1)]);
    assert_eq!(soc.read(TIMER1 + 0x140, 4), 0);
    set(&mut soc, &[(TIMER1 + 0x08, 1), (TIMER1 + 0x44, 1)]);
    assert_eq!((soc.read(TIMER1 + 0x140, 4), soc.read(TIMER1 + 0x544, 4)), (1, 2));
}
