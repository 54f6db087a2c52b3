//! The pseudo-random stimulus spacing, the same sequence on the board and on the host.

use crate::Train;

/// The gaps of a train in microseconds: the first stimulus comes one gap after `START`, and so on.
///
/// xorshift32 (Marsaglia, "Xorshift RNGs", 2003, triple 13/17/5) reduced to `min..=max` by remainder. The host knows
/// the seed it sent and so knows every stimulus time before the record is read.
#[derive(Debug, Clone)]
pub struct Gaps {
    state: u32,
    min_us: u32,
    span: u32,
    left: u32,
}

impl Gaps {
    /// The gaps of `train`. A seed of 0, a fixed point of the generator, is replaced by 1.
    #[must_use]
    pub fn new(train: Train) -> Gaps {
        let span = train.max_us.saturating_sub(train.min_us).saturating_add(1);
        Gaps { state: train.seed.max(1), min_us: train.min_us, span, left: train.count }
    }
}

impl Iterator for Gaps {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        let mut x = self.state;
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        self.state = x;
        Some(self.min_us + x % self.span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First outputs of xorshift32 (13, 17, 5) from seed 1: 270369, 67634689, 2647435461 (Marsaglia's generator,
    /// computed by hand with a calculator of unbounded integers).
    #[test]
    fn sequence_is_marsaglias() {
        let train = Train { count: 3, min_us: 100, max_us: 999, seed: 1 };
        let expected = [270_369u32, 67_634_689, 2_647_435_461].map(|x| 100 + x % 900);
        assert!(Gaps::new(train).eq(expected));
    }

    #[test]
    fn gaps_stay_inside_and_are_counted() {
        let train = Train { count: 10_000, min_us: 8, max_us: 16, seed: 7 };
        assert_eq!(Gaps::new(train).count(), 10_000);
        assert_eq!(Gaps::new(train).min(), Some(8));
        assert_eq!(Gaps::new(train).max(), Some(16));
    }
}
