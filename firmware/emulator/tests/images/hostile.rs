//! Bytes that no client should send: the image goes on answering, without a reset and without a bus fault.

use crate::bench::Bench;
use crate::files::images;
use latency_emulator::Cycles;
use latency_protocol::{Count, Identity, Request, Train};

/// Marsaglia's xorshift64 (13, 7, 17): the same bytes in every run.
struct Bytes(u64);

impl Iterator for Bytes {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        Some((self.0 >> 32) as u8)
    }
}

/// Anything; printable with line ends; requests with bytes changed; a line that never ends.
fn batches(seed: u64) -> [Vec<u8>; 4] {
    let mut noise = Bytes(seed);
    let raw = noise.by_ref().take(400).collect();
    let text = noise.by_ref().take(400).map(|b| if b % 29 == 0 { b'\n' } else { b' ' + b % 95 }).collect();
    let requests = b"MODE isr\nSTART 5 100 200 7\nSTART 4294967295 1 1 1\nLOAD spin on\nLOG?\nMODES?\nSTOP\nARM\n*IDN?\n";
    let damaged = requests.repeat(4).into_iter().zip(noise.by_ref());
    let damaged = damaged.map(|(byte, dice)| if dice < 8 { dice.wrapping_mul(37) } else { byte }).collect();
    [raw, text, damaged, noise.map(|b| b | 0x80).take(600).collect()]
}

fn assert_alive(bench: &mut Bench, what: &str) {
    bench.emulator.push_uart(b"\n");
    bench.emulator.run_for(Cycles::from_millis(30)).unwrap();
    bench.ask_line("STOP");
    // A request that got through may have taken the idle code's sleep away, and this test's speed with it.
    bench.ask_line("LOAD spin off");
    let answer = bench.ask(&Request::Identity);
    assert!(Identity::parse(&answer).is_ok(), "{what}: `{answer}`");
    assert_eq!(bench.emulator.statistics().resets, 0, "{what}: the chip was reset");
    assert_eq!(bench.emulator.bus_faults().0, 0, "{what}: an access nobody answered");
}

#[test]
fn an_image_survives_anything_on_its_uart() {
    for image in images() {
        let mut bench = Bench::boot(&image.elf);
        for seed in 1..=3u64 {
            for (kind, bytes) in batches(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)).iter().enumerate() {
                bench.emulator.push_uart(bytes);
                while !bench.emulator.uart_is_quiet() {
                    bench.emulator.run_for(Cycles::from_millis(10)).unwrap();
                }
                assert_alive(&mut bench, &format!("{}, seed {seed}, batch {kind}", image.name));
            }
        }
    }
}

/// The serial line has the lowest priority: what it brings during a train costs no stimulus.
#[test]
fn noise_during_a_train_loses_nothing() {
    let train = Train { count: 60, min_us: 300, max_us: 900, seed: 3 };
    for image in images() {
        let mut bench = Bench::boot(&image.elf);
        bench.ask(&Request::Arm);
        bench.ask(&Request::Start(train));
        let noise: Vec<u8> =
            Bytes(99).filter(|b| *b != b'S' && *b != b'A').take(400).chain([b'\n']).collect();
        bench.emulator.push_uart(&noise);
        bench.emulator.run_for(Cycles::from_millis(100)).unwrap();
        let count = bench.wait(train);
        assert_eq!(count, Count { stimuli: 60, edges: 60, lost: 0, busy: false }, "{}", image.name);
    }
}
