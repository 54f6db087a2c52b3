//! What the files of the nRF5340 images must say before anybody flashes them.
#![allow(clippy::expect_used, clippy::panic)]

use latency_image_tests::build::{self, BuildError, Target};
use latency_image_tests::elf::Elf;
use latency_image_tests::{skipped, thumb};

/// Interrupt numbers of the application core (SVD of the nRF5340): the slot is 16 words further.
const SERIAL0: u32 = 16 + 8;
const GPIOTE0: u32 = 16 + 13;
const TIMER1: u32 = 16 + 16;

fn image(name: &str) -> Option<Elf> {
    match build::image(Target::Nrf5340, name) {
        Ok(file) => Some(Elf::open(&file).expect("an image")),
        Err(BuildError::Missing(what)) => {
            skipped(&format!("{what}: {name} for the nRF5340 was not looked at"));
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn to_store(elf: &Elf, handler: &str) -> usize {
    let code = elf.at(elf.function(handler).expect("the handler")).expect("its code");
    thumb::to_store(code).expect("a store on the straight line")
}

/// Limits of the project: from the first instruction of the handler to the one that changes the pin.
#[test]
fn the_store_comes_within_its_number_of_instructions() {
    let (Some(bare), Some(rtic)) = (image("bare"), image("rtic")) else { return };
    assert!(to_store(&bare, "nrf5340::reg_set") <= 4);
    assert!(to_store(&bare, "nrf5340::reg_task") <= 4);
    assert!(to_store(&bare, "nrf5340::reg_rmw") <= 5);
    assert!(to_store(&bare, "nrf5340::isr") <= 8);
    assert!(to_store(&rtic, "GPIOTE0") <= 8);
}

/// Hand-written handlers lie in RAM, where the flash cache has no say.
#[test]
fn hand_written_handlers_lie_in_ram_and_compiled_ones_in_flash() {
    let Some(bare) = image("bare") else { return };
    for handler in ["nrf5340::reg_set", "nrf5340::reg_task", "nrf5340::reg_rmw"] {
        let address = bare.function(handler).expect("the handler");
        assert!((0x2000_0000..0x2008_0000).contains(&address), "{handler} at {address:#x}");
    }
    assert!(bare.function("nrf5340::isr").expect("the handler") < 0x0010_0000);
}

#[test]
fn the_vector_table_names_the_handlers() {
    for name in ["bare", "rtic", "embassy", "freertos", "freertos-emulator"] {
        let Some(elf) = image(name) else { continue };
        for (word, handler) in [(SERIAL0, "SERIAL0"), (TIMER1, "TIMER1")] {
            assert_eq!(
                elf.vector(word).expect("a vector"),
                elf.function(handler).expect("a handler"),
                "{name} {handler}"
            );
        }
    }
    // These two frameworks own the measured interrupt; the others put their handlers into the table at run time.
    for name in ["rtic", "embassy"] {
        let Some(elf) = image(name) else { continue };
        assert_eq!(
            elf.vector(GPIOTE0).expect("a vector"),
            elf.function("GPIOTE0").expect("a handler"),
            "{name}"
        );
    }
}

/// A formatting machinery or a kernel feature that creeps in shows here first. The chip has 1 MiB and 512 KiB.
#[test]
fn images_stay_small() {
    for name in ["bare", "rtic", "embassy", "freertos"] {
        let Some(elf) = image(name) else { continue };
        let (flash, ram) = elf.sizes().expect("sizes");
        assert!(flash <= 64 * 1024, "{name} takes {flash} bytes of flash");
        assert!(ram <= 32 * 1024, "{name} takes {ram} bytes of RAM");
    }
}
