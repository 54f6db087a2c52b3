//! Records made for tests: edges of known instants, shape and noise, sampled and quantised as the scope does it. It
//! shares no code with what it tests.

use super::shot::{RawTrace, Role, Segment};
use crate::units::Picos;
use statrs::function::erf::erf;

/// SplitMix64 with a normal deviate on top; fixed seeds make each test the same everywhere.
pub(crate) struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// In (0, 1).
    pub fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }
    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// What a channel shows and how it is sampled. Times in nanoseconds, levels in codes.
#[derive(Clone)]
pub(crate) struct Wave {
    /// Rising instants; each pulse stays up for `width`.
    pub pulses: Vec<f64>,
    pub width: f64,
    /// 10 % to 90 % of a Gaussian edge.
    pub rise: f64,
    pub low: f64,
    pub high: f64,
    pub noise: f64,
    pub interval: f64,
    /// Time of the first sample.
    pub origin: f64,
    pub points: usize,
    pub seed: u64,
}

impl Default for Wave {
    fn default() -> Wave {
        Wave {
            pulses: Vec::new(),
            width: 200.0,
            rise: 7.0,
            low: 45.3,
            high: 210.4,
            noise: 1.0,
            interval: 2.0,
            origin: 0.0,
            points: 10_000,
            seed: 1,
        }
    }
}

impl Wave {
    pub fn codes(&self) -> Vec<u8> {
        let mut clean = vec![self.low; self.points];
        // 10 % to 90 % of a normal distribution are 2 * 1.281 551 6 standard deviations.
        let sigma = self.rise / 2.563_103_1;
        for &pulse in &self.pulses {
            self.edge(&mut clean, pulse, sigma, 1.0);
            self.edge(&mut clean, pulse + self.width, sigma, -1.0);
        }
        let mut random = Random(self.seed);
        clean
            .iter()
            .map(|v| if self.noise > 0.0 { v + self.noise * random.normal() } else { *v })
            .map(|v| v.round().clamp(0.0, 255.0) as u8)
            .collect()
    }

    /// Adds a step at `at`, of the full amplitude from its end to the end of the record; the caller's falling edge
    /// takes it back, so only the time between the two is touched.
    fn edge(&self, clean: &mut [f64], at: f64, sigma: f64, sign: f64) {
        let amplitude = self.high - self.low;
        let position =
            |t: f64| (((t - self.origin) / self.interval).ceil().max(0.0) as usize).min(clean.len());
        let (from, to) = (position(at - 8.0 * sigma), position(at + 8.0 * sigma));
        // A rising edge fills the plateau of its own pulse; the falling one only shapes its end.
        let plateau_end = if sign > 0.0 { position(at + self.width + 8.0 * sigma) } else { to };
        for (n, v) in clean.iter_mut().enumerate().take(to).skip(from) {
            let t = self.origin + n as f64 * self.interval;
            *v += sign * amplitude * 0.5 * (1.0 + erf((t - at) / sigma / std::f64::consts::SQRT_2));
        }
        for v in clean.iter_mut().take(plateau_end).skip(to) {
            *v += sign * amplitude;
        }
    }

    pub fn trace(&self, role: Role) -> RawTrace {
        let codes = self.codes();
        RawTrace {
            role,
            channel: if role == Role::Stimulus { "CHAN1" } else { "CHAN2" }.to_owned(),
            preamble: preamble(self.points, self.interval, self.origin),
            segments: vec![Segment { first: 0, codes }],
        }
    }
}

/// A RAW preamble of 20 mV a code; times in nanoseconds.
pub(crate) fn preamble(points: usize, interval: f64, origin: f64) -> String {
    format!("0,2,{points},1,{interval:.6}e-09,{origin:.6}e-09,0,2.000000e-02,-75,122")
}

/// Whole picoseconds of a time in nanoseconds.
pub(crate) fn picos(ns: f64) -> Picos {
    Picos((ns * 1000.0).round() as i64)
}
