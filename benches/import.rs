//! How fast captures stream through `foreign`, edges included: bytes of the file a second, on one core.
//!
//! The files are made in memory, about 100 MB each, and look like what people have: a deep two-channel CSV with a code
//! of noise, a value change dump of eight wires. `cargo bench --bench import`.

#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use divan::Bencher;
use divan::counter::BytesCount;
use latency_cli::foreign::{Selection, open};
use std::fmt::Write;
use std::io::Cursor;

/// Length of the files.
const SIZE: usize = 100_000_000;

fn main() {
    divan::main();
}

/// A generator that gives the same numbers everywhere (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// Volts of a code of 40 mV as a Rigol writes them. A pulse every 5000 samples, the answer 500 to 900 samples later.
fn rigol(noisy: bool) -> Vec<u8> {
    let mut text = String::with_capacity(SIZE + 100);
    text += "X,CH1,CH2,Start,Increment,\nSequence,Volt,Volt,-1.000000e-03,2.000000e-09\n";
    let mut random = Random(7);
    let (mut row, mut answer) = (0u64, 0);
    while text.len() < SIZE {
        let place = row % 5_000;
        if place == 0 {
            answer = 500 + random.below(400);
        }
        let mut volts = |from: u64| {
            let code = if (from..from + 1_000).contains(&place) { 83 } else { 1 };
            let noise = if noisy { random.below(3) } else { 1 };
            (code + noise) as f64 * 0.04
        };
        writeln!(text, "{row},{:.2e},{:.2e},", volts(1_000), volts(1_000 + answer)).unwrap();
        row += 1;
    }
    text.into_bytes()
}

/// Times and volts with the digits of a Siglent.
fn siglent() -> Vec<u8> {
    let mut text = String::with_capacity(SIZE + 100);
    text +=
        "Record Length,Analog:0,\nSample Interval,Analog:2.000000E-09,\nSource,CH1,CH2\nSecond,Volt,Volt\n";
    let mut random = Random(7);
    let mut row = 0u64;
    while text.len() < SIZE {
        let mut volts = |from: u64| {
            let code = if (from..from + 1_000).contains(&(row % 5_000)) { 83 } else { 1 };
            (code + random.below(3)) as f64 * 0.04
        };
        writeln!(text, "{:.11},{:.5},{:.5}", row as f64 * 2e-9, volts(1_000), volts(1_600)).unwrap();
        row += 1;
    }
    text.into_bytes()
}

/// Eight wires of which two are wanted.
fn vcd() -> Vec<u8> {
    let mut text = String::with_capacity(SIZE + 100);
    text += "$timescale 1 ns $end\n$scope module top $end\n";
    for n in 0..8u8 {
        writeln!(text, "$var wire 1 {} D{n} $end", char::from(b'!' + n)).unwrap();
    }
    text += "$upscope $end\n$enddefinitions $end\n";
    let mut random = Random(7);
    let mut now = 0;
    while text.len() < SIZE {
        now += 4 * (1 + random.below(2_000));
        let wire = random.below(8) as u8;
        writeln!(text, "#{now}\n{}{}", random.below(2), char::from(b'!' + wire)).unwrap();
    }
    text.into_bytes()
}

/// A row for each change of four channels.
fn saleae() -> Vec<u8> {
    let mut text = String::with_capacity(SIZE + 100);
    text += "Time [s],D0,D1,D2,D3\n";
    let mut random = Random(7);
    let mut now = 0;
    while text.len() < SIZE {
        now += 8 * (1 + random.below(2_000));
        let states = random.below(16);
        let bit = |n: u64| states >> n & 1;
        let (seconds, nanoseconds) = (now / 1_000_000_000, now % 1_000_000_000);
        writeln!(text, "{seconds}.{nanoseconds:09},{},{},{},{}", bit(0), bit(1), bit(2), bit(3)).unwrap();
    }
    text.into_bytes()
}

fn stream(bencher: Bencher, file: &[u8], stimulus: &str, response: &str) {
    let selection = Selection::of(stimulus, response);
    bencher
        .counter(BytesCount::new(file.len()))
        .bench_local(|| open(Cursor::new(file), "bench", divan::black_box(&selection)).unwrap());
}

#[divan::bench(sample_count = 5)]
fn csv_rigol_noisy(bencher: Bencher) {
    stream(bencher, &rigol(true), "CH1", "CH2");
}

#[divan::bench(sample_count = 5)]
fn csv_rigol_quiet(bencher: Bencher) {
    stream(bencher, &rigol(false), "CH1", "CH2");
}

#[divan::bench(sample_count = 5)]
fn csv_siglent(bencher: Bencher) {
    stream(bencher, &siglent(), "CH1", "CH2");
}

#[divan::bench(sample_count = 5)]
fn csv_saleae_digital(bencher: Bencher) {
    stream(bencher, &saleae(), "D0", "D1");
}

#[divan::bench(sample_count = 5)]
fn vcd_wires(bencher: Bencher) {
    stream(bencher, &vcd(), "D0", "D1");
}
