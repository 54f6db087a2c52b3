//! The two levels of a channel of real values, in constant memory and without knowing its range beforehand.
//!
//! The method is that of `signal::trace` (modes of the two halves of the histogram, refined to the mean around each),
//! on a histogram that doubles its reach whenever a value falls outside. Every bin keeps sum and squares of its values,
//! so that the width of the bins does not enter the levels. Where the instrument had an 8-bit converter each code has
//! bins of its own and the levels are those that `signal` would find in the codes.

use super::error::{ForeignError, Named};
use crate::signal::edges::Edges;
use crate::signal::trace::{Levels, Thresholds};
use crate::units::Volts;

/// Enough for each code of an 8-bit converter to fill several bins after the last doubling.
const BINS: usize = 4096;
/// As in `signal`: amplitude over noise below which hysteresis cannot hold.
const SMALLEST_RATIO: f64 = 12.0;
/// Noise without a signal, split at its middle, looks like two levels two to four times its spread apart.
const FLAT_RATIO: f64 = 6.0;
/// Half of the hysteresis as a share of the amplitude, as in `signal`.
const HALF_HYSTERESIS: f64 = 0.2;
/// Slices of the range that are compared for the mode, as many as an 8-bit converter has codes.
const SLICES: usize = 256;

#[derive(Clone, Copy, Default)]
struct Bin {
    count: f64,
    /// Of the values less the first value, so that an offset costs no digits.
    sum: f64,
    squares: f64,
}

impl Bin {
    fn with(self, o: Bin) -> Bin {
        Bin { count: self.count + o.count, sum: self.sum + o.sum, squares: self.squares + o.squares }
    }
    fn mean(&self) -> f64 {
        self.sum / self.count
    }
}

/// Counts of values.
pub(super) struct Histogram {
    bins: Vec<Bin>,
    /// The first value; all others are counted relative to it.
    base: f64,
    /// Lower end of the first bin, relative to the base.
    low: f64,
    width: f64,
    /// Smallest value, relative to the base.
    min: f64,
    max: f64,
    begun: bool,
}

impl Histogram {
    pub fn new() -> Histogram {
        Histogram {
            bins: vec![Bin::default(); BINS],
            base: 0.0,
            low: 0.0,
            width: 1.0,
            min: 0.0,
            max: 0.0,
            begun: false,
        }
    }

    /// Counts `values` once each.
    pub fn add(&mut self, values: &[f64]) {
        let Some(&first) = values.first() else { return };
        self.begin(first);
        let (min, max) = values.iter().fold((f64::MAX, f64::MIN), |(lo, hi), &v| (lo.min(v), hi.max(v)));
        self.reach(min - self.base);
        self.reach(max - self.base);
        let (base, low, scale) = (self.base, self.low, 1.0 / self.width);
        for value in values {
            let value = value - base;
            // Saturating: what is outside lands in the end bins, but `reach` has left nothing outside.
            let at = ((value - low) * scale) as usize;
            if let Some(bin) = self.bins.get_mut(at.min(BINS - 1)) {
                bin.count += 1.0;
                bin.sum += value;
                bin.squares += value * value;
            }
        }
    }

    /// Counts one value `weight` times.
    pub fn add_weighted(&mut self, value: f64, weight: f64) {
        self.begin(value);
        let value = value - self.base;
        self.reach(value);
        let at = ((value - self.low) / self.width) as usize;
        if let Some(bin) = self.bins.get_mut(at.min(BINS - 1)) {
            *bin = bin.with(Bin { count: weight, sum: weight * value, squares: weight * value * value });
        }
    }

    fn begin(&mut self, first: f64) {
        if !self.begun {
            self.begun = true;
            self.base = first;
            self.width = (first.abs() * 1e-9).max(1e-12);
            self.low = -self.width * (BINS / 2) as f64;
        }
    }

    /// Makes room for `value`. A value is below 1e30, so this ends after some hundred doublings at most.
    fn reach(&mut self, value: f64) {
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        while value < self.low {
            self.low -= self.width * BINS as f64;
            self.double(BINS / 2);
        }
        while value >= self.low + self.width * BINS as f64 {
            self.double(0);
        }
    }

    /// Two bins become one; the result begins at bin `at`.
    fn double(&mut self, at: usize) {
        let merged: Vec<Bin> =
            self.bins.chunks(2).map(|two| two.iter().fold(Bin::default(), |a, b| a.with(*b))).collect();
        self.bins.fill(Bin::default());
        for (bin, sum) in self.bins.iter_mut().skip(at).zip(merged) {
            *bin = sum;
        }
        self.width *= 2.0;
    }

    /// Largest minus smallest value.
    pub fn span(&self) -> f64 {
        self.max - self.min
    }

    /// The two levels and what separates two values.
    pub fn plateaus(&self) -> Plateaus {
        let occupied: Vec<Bin> = self.bins.iter().filter(|b| b.count > 0.0).copied().collect();
        let span = self.span();
        let gaps = occupied.windows(2).filter_map(|w| Some(w.get(1)?.mean() - w.first()?.mean()));
        let quantum = gaps.fold(f64::MAX, f64::min).clamp(span / 65_536.0, span / 64.0);
        let split = self.min + span / 2.0;
        let seek = |low: bool| {
            let half = occupied.iter().filter(|b| (b.mean() <= split) == low);
            let mode = mode(half, self.min, span);
            Plateau::of(&occupied, mode, span / 8.0, quantum)
        };
        let (low, high) = (seek(true), seek(false));
        let noise = pooled(&low, &high);
        Plateaus {
            levels: Levels { low: low.mean + self.base, high: high.mean + self.base, noise },
            quantum,
            span,
        }
    }
}

/// Mean of the fullest of [`SLICES`] equal slices, the lowest of them where several are equally full.
fn mode<'a>(bins: impl Iterator<Item = &'a Bin>, min: f64, span: f64) -> f64 {
    let mut slices = vec![Bin::default(); SLICES];
    for bin in bins {
        let at = ((bin.mean() - min) / span * (SLICES - 1) as f64).round() as usize;
        if let Some(slice) = slices.get_mut(at.min(SLICES - 1)) {
            *slice = slice.with(*bin);
        }
    }
    let full = slices.iter().fold(Bin::default(), |best, s| if s.count > best.count { *s } else { best });
    if full.count > 0.0 { full.mean() } else { min }
}

/// What a channel of real values looks like.
pub(super) struct Plateaus {
    pub levels: Levels,
    /// Smallest step between two values: a code of the converter, where there was one.
    quantum: f64,
    span: f64,
}

/// Why there are no thresholds: a channel, in words of its own.
pub(super) struct Subject<'a> {
    pub named: Named<'a>,
    pub channel: &'a str,
}

impl Subject<'_> {
    pub fn flat(&self, span: f64) -> ForeignError {
        ForeignError::Flat {
            name: self.named.0.to_owned(),
            channel: self.channel.to_owned(),
            span: Volts(span),
        }
    }
}

impl Plateaus {
    /// The thresholds, in the middle of the levels or at `wanted`.
    ///
    /// # Errors
    /// Flat, noisy, or a threshold within a tenth of the amplitude of a level or beyond it.
    pub fn thresholds(&self, of: &Subject, wanted: Option<Volts>) -> Result<Thresholds, ForeignError> {
        let Levels { low, high, noise } = self.levels;
        let amplitude = self.levels.amplitude();
        if amplitude.is_nan() || amplitude <= 0.0 || amplitude < FLAT_RATIO * noise {
            return Err(of.flat(self.span));
        }
        let (name, channel) = (of.named.0.to_owned(), of.channel.to_owned());
        if amplitude < SMALLEST_RATIO * noise {
            return Err(ForeignError::Noisy {
                name,
                channel,
                amplitude: Volts(amplitude),
                noise: Volts(noise),
            });
        }
        let middle = wanted.map_or((low + high) / 2.0, |v| v.0);
        let margin = amplitude / 10.0;
        let reachable = middle > low + margin && middle < high - margin;
        if !reachable {
            let threshold = Volts(middle);
            return Err(ForeignError::Threshold {
                name,
                channel,
                threshold,
                low: Volts(low),
                high: Volts(high),
            });
        }
        let room = 0.8 * (middle - low).min(high - middle);
        let half = (HALF_HYSTERESIS * amplitude).max(3.0 * noise + self.quantum).min(room);
        Ok(Thresholds { middle, lower: middle - half, upper: middle + half })
    }
}

/// The values around a mode.
struct Plateau {
    mean: f64,
    variance: f64,
    count: f64,
}

impl Plateau {
    /// Starts `reach` around `mode` and narrows to four standard deviations until nothing changes.
    fn of(bins: &[Bin], mode: f64, reach: f64, quantum: f64) -> Plateau {
        let reach = reach.max(quantum);
        let mut plateau = Plateau::around(bins, mode, reach);
        for _ in 0..8 {
            let narrowed = (4.0 * plateau.variance.sqrt() + quantum).min(reach);
            let next = Plateau::around(bins, plateau.mean, narrowed);
            let settled = next.count == plateau.count;
            plateau = next;
            if settled {
                break;
            }
        }
        plateau
    }

    fn around(bins: &[Bin], centre: f64, reach: f64) -> Plateau {
        let near = bins.iter().filter(|b| (b.mean() - centre).abs() <= reach);
        let all = near.fold(Bin::default(), |sum, bin| sum.with(*bin));
        if all.count == 0.0 {
            return Plateau { mean: centre, variance: 0.0, count: 0.0 };
        }
        let mean = all.mean();
        let variance = (all.squares / all.count - mean * mean).max(0.0);
        // Cancellation leaves this much of nothing.
        let dust = (all.squares / all.count).abs() * 1e-14;
        Plateau { mean, variance: if variance < dust { 0.0 } else { variance }, count: all.count }
    }
}

fn pooled(a: &Plateau, b: &Plateau) -> f64 {
    let count = a.count + b.count;
    if count == 0.0 { 0.0 } else { ((a.variance * a.count + b.variance * b.count) / count).sqrt() }
}

/// What is known of a channel before any edge.
pub(super) fn without_edges(
    interval: crate::units::Picos,
    spans: Vec<(crate::units::Picos, crate::units::Picos)>,
) -> Edges {
    Edges {
        list: Vec::new(),
        levels: Levels { low: 0.0, high: 0.0, noise: 0.0 },
        thresholds: Thresholds { middle: 0.0, lower: 0.0, upper: 0.0 },
        interval,
        spans,
        clipped: 0,
        slope_codes_per_sample: 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUBJECT: Subject = Subject { named: Named("t.csv"), channel: "CH1" };

    fn plateaus(values: &[f64]) -> Plateaus {
        let mut histogram = Histogram::new();
        for part in values.chunks(7) {
            histogram.add(part);
        }
        histogram.plateaus()
    }

    #[test]
    fn levels_do_not_depend_on_offset_or_scale() {
        let shape: Vec<f64> = (0..400).map(|n| if (100..250).contains(&n) { 3.3 } else { 0.0 }).collect();
        for (scale, offset) in [(1.0, 0.0), (1e-3, 5.0), (40.0, -1000.0), (1e6, 0.25)] {
            let values: Vec<f64> = shape.iter().map(|v| v * scale + offset).collect();
            let Levels { low, high, noise } = plateaus(&values).levels;
            assert!((low - offset).abs() < 1e-9 * scale.max(1.0) && noise < 1e-6 * scale, "{low} {noise}");
            assert!((high - offset - 3.3 * scale).abs() < 1e-9 * scale.max(1.0), "{high}");
        }
    }

    #[test]
    fn a_short_pulse_in_a_long_quiet_record_still_shows_its_level() {
        let mut values: Vec<f64> = (0..200_000).map(|n| f64::from(n % 3) * 0.01).collect();
        values[150_001..150_021].fill(3.0);
        let Levels { low, high, .. } = plateaus(&values).levels;
        assert!((low - 0.01).abs() < 1e-4 && (high - 3.0).abs() < 1e-9, "{low} {high}");
    }

    #[test]
    fn overshoot_and_edges_stay_out_of_the_levels() {
        let mut values = vec![0.0; 100];
        values.extend([0.8, 2.4, 3.9, 3.5]);
        values.extend(vec![3.3; 100]);
        let Levels { low, high, .. } = plateaus(&values).levels;
        assert_eq!((low, (high * 1e9).round()), (0.0, 3.3e9));
    }

    #[test]
    fn a_channel_without_two_levels_is_refused() {
        let flat = plateaus(&[1.5; 1000]);
        assert!(matches!(flat.thresholds(&SUBJECT, None), Err(ForeignError::Flat { .. })));
        // A triangle of noise: sums of three dice.
        let dice = |n: u64| f64::from(((n * 2_654_435_761) >> 16) as u32 % 6);
        let noise: Vec<f64> = (0..30_000).map(|n| dice(n) + dice(n + 77_777) + dice(n * 3 + 5)).collect();
        assert!(matches!(plateaus(&noise).thresholds(&SUBJECT, None), Err(ForeignError::Flat { .. })));
    }

    #[test]
    fn a_threshold_must_cross_the_edge() {
        let values: Vec<f64> = (0..100).map(|n| if n < 50 { 0.0 } else { 2.0 }).collect();
        let plateaus = plateaus(&values);
        assert_eq!(plateaus.thresholds(&SUBJECT, Some(Volts(0.5))).unwrap().middle, 0.5);
        let refused = plateaus.thresholds(&SUBJECT, Some(Volts(1.9)));
        assert!(matches!(refused, Err(ForeignError::Threshold { .. })));
    }
}
