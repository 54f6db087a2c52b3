//! Random choices that depend on the seed and on what is chosen, not on the order of the choosing.
//!
//! Every draw is a hash of the seed and a few counters (purpose, stimulus, sample ...), so the virtual bench gives the
//! same bytes whichever thread asks first. The mixer is the finalizer of SplitMix64 (Steele, Lea and Flood, "Fast
//! splittable pseudorandom number generators", 2014).

use crate::units::Picos;
use statrs::function::erf::erf_inv;
use std::sync::OnceLock;

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// One round of SplitMix64: a bijection that changes about half of the bits for each bit of the input.
#[inline]
pub(super) const fn mix(z: u64) -> u64 {
    let z = z.wrapping_add(GOLDEN);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A key out of several counters.
pub(super) fn key(parts: &[u64]) -> u64 {
    parts.iter().fold(0, |k, part| mix(k ^ *part))
}

/// A short sequence of draws from one key.
#[derive(Debug, Clone)]
pub(super) struct Draw {
    state: u64,
}

impl Draw {
    /// The sequence that belongs to `parts`.
    pub(super) fn new(parts: &[u64]) -> Draw {
        Draw { state: key(parts) }
    }
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }
    /// Uniform in [0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
    /// True with this probability.
    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
    /// Uniform from `low` up to `high`.
    pub(super) fn between(&mut self, low: Picos, high: Picos) -> Picos {
        low + scaled(high - low, self.unit())
    }
}

/// `time * factor`, rounded to the picosecond.
pub(super) fn scaled(time: Picos, factor: f64) -> Picos {
    Picos((time.0 as f64 * factor).round() as i64)
}

/// Size of the table of Gaussian deviates: 16 KiB, so that it stays in the first-level cache while samples are made.
pub(super) const DEVIATES: usize = 4096;

/// Standard normal deviates at equally likely places, from -3.67 to 3.67.
pub(super) fn deviates() -> &'static [f32; DEVIATES] {
    static TABLE: OnceLock<Box<[f32; DEVIATES]>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Box::new([0.0; DEVIATES]);
        for (i, slot) in table.iter_mut().enumerate() {
            let p = (i as f64 + 0.5) / DEVIATES as f64;
            *slot = (std::f64::consts::SQRT_2 * erf_inv(2.0 * p - 1.0)) as f32;
        }
        table
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_depend_on_every_part_of_the_key() {
        let draw = |parts: &[u64]| Draw::new(parts).next();
        assert_eq!(draw(&[1, 2, 3]), draw(&[1, 2, 3]));
        assert_ne!(draw(&[1, 2, 3]), draw(&[1, 3, 2]));
        assert_ne!(draw(&[1, 2, 3]), draw(&[2, 2, 3]));
    }

    #[test]
    fn deviates_are_standard_normal() {
        let n = DEVIATES as f64;
        let mean = deviates().iter().map(|d| f64::from(*d)).sum::<f64>() / n;
        let variance = deviates().iter().map(|d| f64::from(*d).powi(2)).sum::<f64>() / n;
        assert!(mean.abs() < 1e-6, "{mean}");
        assert!((variance - 1.0).abs() < 0.01, "{variance}");
    }

    #[test]
    fn unit_draws_fill_the_interval_evenly() {
        let mut draw = Draw::new(&[7]);
        let mut bins = [0u32; 10];
        for _ in 0..10_000 {
            bins[(draw.unit() * 10.0) as usize] += 1;
        }
        // Binomial(10 000, 0.1): standard deviation 30, so 6 of them.
        assert!(bins.iter().all(|b| (820..1180).contains(b)), "{bins:?}");
    }
}
