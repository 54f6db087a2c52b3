//! A bench that is not connected: what a stock DS1054Z can do by its documents.

use super::setup::{Capabilities, ChannelLimits, LinkFigures};
use crate::units::{Hertz, Picos, Volts};

/// A stock DS1054Z with two probes, and link figures that nobody measured ([`LinkFigures::measured`] is false): 5 ms a
/// round trip, 16 ms a confirmed setting, 1 MB/s and 20 ms a block, 0.3 s of status lag a shot (ds1000z.md 1.5, 3.1, 5
/// and 7, where the sources are).
#[must_use]
pub fn assumed_capabilities() -> Capabilities {
    Capabilities {
        model: "DS1054Z (assumed)".to_owned(),
        inputs: 4,
        divisions: 12,
        vertical_divisions: 8,
        codes_per_division: 25.0,
        timebases: timebases(),
        scales: scales(),
        limits: vec![
            limits(1, 1.0e9, 12_000),
            limits(2, 5.0e8, 6_000),
            limits(3, 2.5e8, 3_000),
            limits(4, 2.5e8, 3_000),
        ],
        block_points: 250_000,
        recording: false,
        rise_time: Picos::from_ns(7),
        link: LinkFigures {
            round_trip: Picos::from_ms(5),
            bytes_per_second: 1.0e6,
            lag: Picos::from_ms(300),
            setting: Picos::from_ms(16),
            block: Picos::from_ms(20),
            measured: false,
            gauged: false,
        },
    }
}

/// Four depths, a decade apart.
fn limits(channels: u8, rate: f64, least: u32) -> ChannelLimits {
    let depths = [1, 10, 100, 1000].map(|k| least * k).to_vec();
    ChannelLimits { channels, rate: Hertz(rate), depths }
}

/// 5 ns to 100 ms a division in 1-2-5 steps; from 200 ms on the scope rolls and has no trigger.
fn timebases() -> Vec<Picos> {
    let decades = (0..9u32).map(|n| 10i64.saturating_pow(n));
    let steps = decades.flat_map(|ns| [ns, ns.saturating_mul(2), ns.saturating_mul(5)]);
    steps.filter(|ns| (5..=100_000_000).contains(ns)).map(Picos::from_ns).collect()
}

/// 1 mV to 10 V a division at x1 in 1-2-5 steps.
fn scales() -> Vec<Volts> {
    let millivolts = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1e3, 2e3, 5e3, 1e4];
    millivolts.map(|mv| Volts(mv / 1e3)).to_vec()
}
