//! A board with programs of a few instructions: reset, lockup, what cannot be loaded.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use latency_emulator::{Cycles, Emulator, EmulatorError, Image, Segment};

/// `code` at 0x40, entered from reset, with 4 KiB of stack; every other vector is 0.
fn board(code: &[u16]) -> Emulator {
    let mut bytes = Vec::new();
    bytes.extend(0x2000_1000u32.to_le_bytes());
    bytes.extend(0x41u32.to_le_bytes());
    bytes.resize(0x40, 0);
    bytes.extend(code.iter().flat_map(|h| h.to_le_bytes()));
    Emulator::new(&image(0, bytes), 115_200).expect("it fits")
}

fn image(address: u32, bytes: Vec<u8>) -> Image {
    Image { segments: vec![Segment { address, bytes }], ..Image::default() }
}

/// `SCB.AIRCR = 0x05FA0004; b .` : every start asks for the next one.
#[test]
fn a_reset_the_image_asks_for_starts_it_again() {
    let code = [0xF64E, 0x500C, 0xF2CE, 0x0000, 0xF240, 0x0104, 0xF2C0, 0x51FA, 0x6001, 0xE7FE];
    let mut board = board(&code);
    board.run_for(Cycles::from_micros(10)).unwrap();
    let resets = board.statistics().resets;
    assert!(resets > 1, "{resets} resets");
    assert!((0x40..0x54).contains(&board.pc()), "{:#x}", board.pc());
}

#[test]
fn a_fault_without_a_handler_ends_the_run_with_its_place() {
    let mut board = board(&[0xBF00, 0xDE00, 0xE7FE]);
    let end = board.run_for(Cycles::from_millis(1)).unwrap_err();
    let EmulatorError::Lockup { cfsr, .. } = end else { panic!("{end}") };
    // UFSR.UNDEFINSTR, and INVSTATE of the handler at address 0.
    assert_eq!(cfsr & 0x0003_0000, 0x0003_0000, "{end}");
}

/// Stores to flash are refused, as on the chip while NVMC has not enabled them.
#[test]
fn a_store_through_a_null_pointer_is_no_success() {
    // movs r0,#0; str r0,[r0]; b .
    let mut board = board(&[0x2000, 0x6000, 0xE7FE]);
    let end = board.run_for(Cycles::from_millis(1)).unwrap_err();
    assert!(matches!(end, EmulatorError::Lockup { bus_faults: 1, fault_address: 0, .. }), "{end}");
}

#[test]
fn what_does_not_fit_the_chip_is_refused() {
    let outside = Emulator::new(&image(0x3000_0000, vec![0; 4]), 115_200).err().unwrap();
    assert!(matches!(outside, EmulatorError::Segment { address: 0x3000_0000, length: 4 }), "{outside}");
    let long = Emulator::new(&image(0x000f_fffe, vec![0; 4]), 115_200).err().unwrap();
    assert!(matches!(long, EmulatorError::Segment { .. }), "{long}");
    let elsewhere = Emulator::new(&image(0x0010_0000 - 16, vec![0; 16]), 115_200).err().unwrap();
    assert!(matches!(elsewhere, EmulatorError::Vectors { stack: u32::MAX, .. }), "{elsewhere}");
}
