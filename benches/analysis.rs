//! How fast records become edges, beside a plain sum over the same bytes.
//!
//! ```text
//! cargo bench --bench analysis                 both, with the bytes a second of each
//! python3 benches/numpy_edges.py FILE          the same record with NumPy; FILE is written by the line below
//! LATENCY_RECORD=FILE cargo bench --bench analysis
//! ```
//!
//! The record is 12 million points of 2 ns with a thousand pulses of 7 ns edges and a code of noise: what a scope of this
//! family leaves after a train that fills its memory, made without any code of the analysis.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)] // a bench that fails is seen

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use latency_cli::signal::{PairingRule, RawTrace, Role, Segment, Slope, edges, pair};
use latency_cli::units::Picos;

const POINTS: usize = 12_000_000;
const PULSES: usize = 1_000;
const LOW: f64 = 45.0;
const HIGH: f64 = 210.0;
/// Samples from one tenth of an edge to nine tenths.
const RISE: f64 = 3.5;
/// Samples that a pulse stays up.
const WIDTH: usize = 600;

fn main() {
    if let Some(path) = std::env::var_os("LATENCY_RECORD") {
        std::fs::write(path, &trace(Role::Stimulus, 0.0).segments[0].codes).unwrap();
    }
    divan::main();
}

/// Pulses at even distances, each `late` samples behind its place.
fn trace(role: Role, late: f64) -> RawTrace {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut noise = || {
        let sum: f64 = (0..4)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 11) as f64 / (1u64 << 53) as f64
            })
            .sum();
        // Four uniform values have a variance of a third.
        (sum - 2.0) * 3f64.sqrt()
    };
    let distance = POINTS / PULSES;
    let codes = (0..POINTS)
        .map(|n| {
            let into = (n % distance) as f64 - (distance / 4) as f64 - late;
            let edge = |at: f64| 1.0 / (1.0 + (-(into - at) * 4.394 / RISE).exp());
            let level = if into.abs() < 2.0 * WIDTH as f64 { edge(0.0) - edge(WIDTH as f64) } else { 0.0 };
            (LOW + (HIGH - LOW) * level + noise()).round().clamp(0.0, 255.0) as u8
        })
        .collect();
    RawTrace {
        role,
        channel: if role == Role::Stimulus { "CHAN1" } else { "CHAN2" }.to_owned(),
        preamble: format!("0,2,{POINTS},1,2.000000e-09,0.000000e+00,0,2.000000e-02,-75,122"),
        segments: vec![Segment { first: 0, codes }],
    }
}

#[divan::bench(sample_count = 20)]
fn sum_of_the_bytes(bencher: Bencher) {
    let trace = trace(Role::Stimulus, 0.0);
    let codes = &trace.segments[0].codes;
    bencher
        .counter(BytesCount::new(POINTS))
        .bench_local(|| black_box(codes).iter().map(|c| u64::from(*c)).sum::<u64>());
}

#[divan::bench(sample_count = 20)]
fn edges_of_a_record(bencher: Bencher) {
    let trace = trace(Role::Stimulus, 0.0);
    assert_eq!(edges(&trace, None).unwrap().list.len(), 2 * PULSES);
    bencher.counter(BytesCount::new(POINTS)).bench_local(|| edges(black_box(&trace), None).unwrap());
}

#[divan::bench(sample_count = 20)]
fn pairs_of_two_channels(bencher: Bencher) {
    let (stimulus, response) = (trace(Role::Stimulus, 0.0), trace(Role::Response, 950.4));
    let rule = PairingRule {
        stimulus_slope: Slope::Rising,
        response_slope: Slope::Rising,
        window: None,
        floor: Picos::from_ns(94),
    };
    let pairs = || {
        let (a, b) = (edges(black_box(&stimulus), None).unwrap(), edges(black_box(&response), None).unwrap());
        pair(&a, &b, &rule)
    };
    assert_eq!(pairs().latencies().count(), PULSES);
    bencher.counter(BytesCount::new(2 * POINTS)).bench_local(pairs);
}
