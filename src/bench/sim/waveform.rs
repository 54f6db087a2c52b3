//! One channel of a record: codes made when they are asked for.
//!
//! A trace keeps its edges and a key, not its samples. A sample is `level + noise`, rounded to 8 bits and clipped at 0
//! and 255; the level is constant between edges and follows a Gaussian step (the response of a Gaussian low pass)
//! around them; the noise is a table of normal deviates picked by a hash of key and index. So any stretch of a record
//! of millions of points costs its own length only, and is the same whenever it is read.

use super::random::{DEVIATES, deviates, mix};
use statrs::function::erf::erf;

/// Beyond this many standard deviations of the step the level is the final one: less than 1e-6 of it is left.
const REACH: f64 = 5.0;

/// How codes and volts belong together: `volts = (code - offset - reference) * increment`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scaling {
    /// Volts a code.
    pub(super) increment: f64,
    /// Offset in codes; the preamble prints it rounded.
    pub(super) offset: f64,
    /// Code of the screen's middle at offset 0.
    pub(super) reference: f64,
}

impl Scaling {
    /// Code of a voltage, not rounded or clipped.
    pub(super) fn code(&self, volts: f64) -> f64 {
        volts / self.increment + self.offset + self.reference
    }
    /// Voltage of a code.
    pub(super) fn volts(&self, code: f64) -> f64 {
        (code - self.offset - self.reference) * self.increment
    }
}

/// A level change, in samples from the record's first one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Step {
    pub(super) at: f64,
    pub(super) rising: bool,
}

/// What a channel recorded.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Trace {
    /// Key of the noise.
    pub(super) key: u64,
    pub(super) scaling: Scaling,
    /// Codes of the two logic levels.
    pub(super) low: f64,
    pub(super) high: f64,
    /// Level before the first step.
    pub(super) starts_high: bool,
    /// In rising order, rising and falling in turn.
    pub(super) steps: Vec<Step>,
    /// Standard deviation of a step, in samples.
    pub(super) width: f64,
    /// Noise in codes rms.
    pub(super) noise: f64,
}

impl Trace {
    /// The codes of samples `from..to`.
    pub(super) fn codes(&self, from: i64, to: i64) -> Vec<u8> {
        let length = usize::try_from(to - from).unwrap_or(0);
        let mut codes = Vec::with_capacity(length);
        let reach = self.width * REACH;
        let mut next = self.steps.partition_point(|s| s.at + reach < from as f64);
        let mut at = from;
        while at < to {
            let end = self.steps.get(next).map_or(to, |s| ((s.at - reach).ceil() as i64).clamp(at, to));
            self.flat(&mut codes, at, end, self.level(self.high_before(next)));
            at = end;
            if at < to {
                let cluster = self.cluster(next, reach);
                let end = (((self.steps.get(cluster - 1).map_or(0.0, |s| s.at) + reach).floor()) as i64 + 1)
                    .clamp(at + 1, to.max(at + 1))
                    .min(to);
                (at..end).for_each(|i| codes.push(self.moving(next, cluster, i)));
                (at, next) = (end, self.steps.partition_point(|s| s.at + reach < end as f64));
            }
        }
        codes
    }

    /// One code.
    pub(super) fn code(&self, index: i64) -> u8 {
        self.codes(index, index + 1).first().copied().unwrap_or(0)
    }

    fn level(&self, high: bool) -> f64 {
        if high { self.high } else { self.low }
    }

    fn high_before(&self, step: usize) -> bool {
        let previous = step.checked_sub(1).and_then(|i| self.steps.get(i));
        previous.map_or(self.starts_high, |s| s.rising)
    }

    /// End of the steps, from `first`, whose surroundings touch one another.
    fn cluster(&self, first: usize, reach: f64) -> usize {
        let mut end = first + 1;
        while let (Some(a), Some(b)) = (self.steps.get(end - 1), self.steps.get(end)) {
            if b.at - reach > a.at + reach + 1.0 {
                break;
            }
            end += 1;
        }
        end
    }

    /// A sample near steps: each adds its own share.
    fn moving(&self, first: usize, end: usize, index: i64) -> u8 {
        let steps = self.steps.get(first..end).unwrap_or_default();
        let x = index as f64;
        let share = |s: &Step| {
            let z = (x - s.at) / self.width;
            let part = if self.width > 0.0 && z.abs() < REACH + 1.0 {
                0.5 + 0.5 * erf(z / std::f64::consts::SQRT_2)
            } else {
                f64::from(u8::from(x >= s.at))
            };
            if s.rising { part } else { -part }
        };
        let start = f64::from(u8::from(self.high_before(first)));
        let fraction = start + steps.iter().map(share).sum::<f64>();
        let level = self.low + (self.high - self.low) * fraction;
        self.quantised(level as f32, index)
    }

    fn quantised(&self, level: f32, index: i64) -> u8 {
        let word = mix(self.key ^ (index >> 2) as u64);
        pick(word >> (16 * (index & 3)), level, self.noise as f32)
    }

    /// Samples `from..to` at one level, four to a hash.
    fn flat(&self, codes: &mut Vec<u8>, from: i64, to: i64, level: f64) {
        let (level, noise) = (level as f32, self.noise as f32);
        let mut at = from;
        while at < to && at & 3 != 0 {
            codes.push(self.quantised(level, at));
            at += 1;
        }
        let table = deviates();
        while at + 4 <= to {
            let word = mix(self.key ^ (at >> 2) as u64);
            codes.extend([0, 16, 32, 48].map(|shift| picked(table, word >> shift, level, noise)));
            at += 4;
        }
        (at..to).for_each(|i| codes.push(self.quantised(level, i)));
    }
}

fn pick(random: u64, level: f32, noise: f32) -> u8 {
    picked(deviates(), random, level, noise)
}

/// Rounds to the nearest code; the conversion to `u8` clips at 0 and 255.
#[inline]
#[allow(clippy::indexing_slicing)] // the remainder is within the table by construction
fn picked(table: &[f32; DEVIATES], random: u64, level: f32, noise: f32) -> u8 {
    (level + noise * table[random as usize % DEVIATES] + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(steps: &[(f64, bool)], width: f64, noise: f64) -> Trace {
        let steps = steps.iter().map(|(at, rising)| Step { at: *at, rising: *rising }).collect();
        let scaling = Scaling { increment: 0.02, offset: 0.0, reference: 127.0 };
        Trace { key: 9, scaling, low: 45.0, high: 210.0, starts_high: false, steps, width, noise }
    }

    #[test]
    fn a_step_crosses_the_middle_where_it_stands() {
        for at in [100.0, 100.25, 100.5, 100.9] {
            let codes = trace(&[(at, true)], 1.365, 0.0).codes(0, 200);
            let i = codes.iter().position(|c| *c >= 128).unwrap();
            let (a, b) = (f64::from(codes[i - 1]), f64::from(codes[i]));
            let crossing = (i - 1) as f64 + (127.5 - a) / (b - a);
            assert!((crossing - at).abs() < 0.02, "{at}: {crossing}");
            assert_eq!((codes[0], codes[199]), (45, 210));
        }
    }

    #[test]
    fn any_stretch_is_the_same_whenever_it_is_read() {
        let t = trace(&[(1000.3, true), (1010.0, false), (1500.0, true), (5000.0, false)], 3.0, 1.0);
        let whole = t.codes(0, 6000);
        assert_eq!(whole.len(), 6000);
        for (from, to) in [(0, 1), (3, 17), (995, 1015), (1001, 1002), (1499, 5003), (5999, 6000)] {
            assert_eq!(t.codes(from, to), whole[from as usize..to as usize], "{from}..{to}");
        }
        assert!(t.codes(7, 7).is_empty());
    }

    #[test]
    fn close_steps_overlap_and_levels_clip() {
        let mut t = trace(&[(50.0, true), (52.0, false)], 3.0, 0.0);
        let codes = t.codes(0, 100);
        let top = *codes.iter().max().unwrap();
        assert!(top > 60 && top < 150, "a short pulse does not reach the high level: {top}");
        (t.low, t.high) = (-40.0, 300.0);
        t.steps[1].at = 90.0;
        let codes = t.codes(0, 80);
        assert_eq!((codes[0], codes[79]), (0, 255));
    }

    #[test]
    fn noise_has_the_asked_width() {
        let codes = trace(&[], 1.0, 2.0).codes(0, 100_000);
        let mean = codes.iter().map(|c| f64::from(*c)).sum::<f64>() / 1e5;
        let variance = codes.iter().map(|c| (f64::from(*c) - mean).powi(2)).sum::<f64>() / 1e5;
        // Rounding to whole codes adds a twelfth.
        assert!((mean - 45.0).abs() < 0.05 && (variance - 4.0 - 1.0 / 12.0).abs() < 0.1, "{mean} {variance}");
    }

    #[test]
    fn edges_without_width_are_steps() {
        assert_eq!(trace(&[(3.5, true)], 0.0, 0.0).codes(0, 6), [45, 45, 45, 45, 210, 210]);
    }
}
