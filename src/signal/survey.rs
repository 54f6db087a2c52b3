//! One fast look over the bytes of a record: smallest and largest code of each block, and counts of codes.
//!
//! A deep record is quiet nearly everywhere. With the range of each block known, everything that follows touches only
//! the few blocks in which something happens, and no sample is ever converted to a floating number. The loops are
//! plain folds over fixed-size blocks, which the compiler turns into vector instructions.

use super::shot::Segment;

/// Samples in a block: large enough that its range costs nothing, small enough that an edge leaves most blocks quiet.
pub(super) const BLOCK: usize = 512;

/// Blocks of either level that are counted for the levels when they are quiet: 65 536 samples settle a mean to a
/// hundredth of a code.
const QUIET_BLOCKS: usize = 128;

/// Smallest and largest code of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    pub min: u8,
    pub max: u8,
}

impl Range {
    const NOTHING: Range = Range { min: u8::MAX, max: 0 };

    fn of(block: &[u8]) -> Range {
        block.iter().fold(Range::NOTHING, |r, &c| Range { min: r.min.min(c), max: r.max.max(c) })
    }
    fn with(self, other: Range) -> Range {
        Range { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
    /// Distance of the extremes.
    pub fn width(self) -> u8 {
        self.max.saturating_sub(self.min)
    }
    fn centre(self) -> f64 {
        (f64::from(self.min) + f64::from(self.max)) / 2.0
    }
}

/// The blocks of one segment with their ranges.
pub(super) struct Survey<'a> {
    pub segment: &'a Segment,
    pub ranges: Vec<Range>,
}

impl<'a> Survey<'a> {
    /// Reads every byte once.
    pub fn of(segment: &'a Segment) -> Survey<'a> {
        let full = segment.codes.chunks_exact(BLOCK);
        let rest = full.remainder();
        let mut ranges: Vec<Range> = full.map(Range::of).collect();
        if !rest.is_empty() {
            ranges.push(Range::of(rest));
        }
        Survey { segment, ranges }
    }

    fn blocks(&self) -> impl Iterator<Item = (Range, &'a [u8])> + '_ {
        self.ranges.iter().copied().zip(self.segment.codes.chunks(BLOCK))
    }
}

/// Range over all segments; `None` without samples.
pub(super) fn total_range(surveys: &[Survey]) -> Option<Range> {
    surveys.iter().flat_map(|s| &s.ranges).copied().reduce(Range::with)
}

/// Number of samples at the limits of the converter (code 0 or 255).
pub(super) fn clipped(surveys: &[Survey]) -> u64 {
    let touched = |r: &Range| r.min == 0 || r.max == u8::MAX;
    let blocks = surveys.iter().flat_map(Survey::blocks).filter(|(range, _)| touched(range));
    blocks.map(|(_, block)| block.iter().filter(|&&c| c == 0 || c == u8::MAX).count() as u64).sum()
}

/// Every block in which something happens and an even choice of the quiet ones of either level, so that a pulse of a
/// few samples in a record of millions still shows its level.
pub(super) fn telling<'a>(surveys: &[Survey<'a>], total: Range) -> Vec<&'a [u8]> {
    let quiet = |r: Range| u16::from(r.width()) * 4 <= u16::from(total.width());
    let high = |r: Range| usize::from(r.centre() > total.centre());
    let mut population = [0usize; 2];
    for r in surveys.iter().flat_map(|s| &s.ranges).filter(|r| quiet(**r)) {
        if let Some(p) = population.get_mut(high(*r)) {
            *p += 1;
        }
    }
    let step = population.map(|n| n.div_ceil(QUIET_BLOCKS).max(1));
    let mut met = [0usize; 2];
    let blocks = surveys.iter().flat_map(Survey::blocks);
    blocks.filter(|(r, _)| !quiet(*r) || due(&mut met, &step, high(*r))).map(|(_, block)| block).collect()
}

/// Noise on the plateaus in codes rms, from the scatter within short runs of samples. The lower quartile of the runs is
/// taken, scaled to what it is of the mean for noise alone, so that edges and ringing in up to three quarters of them
/// do not count; `None` with too few runs to tell.
pub(super) fn quiet_noise(blocks: &[&[u8]]) -> Option<f64> {
    let mut scatter: Vec<u64> = blocks.iter().flat_map(|b| b.as_chunks::<RUN>().0).map(scatter).collect();
    let quarter = scatter.len() / 4;
    if scatter.len() < ENOUGH_RUNS {
        return None;
    }
    let lower = *scatter.select_nth_unstable(quarter).1;
    let variance = lower as f64 / (RUN * (RUN - 1)) as f64;
    Some((variance / LOWER_QUARTILE).sqrt())
}

/// Samples of a run of [`quiet_noise`].
const RUN: usize = 32;
/// Runs below which their quartile says nothing.
const ENOUGH_RUNS: usize = 16;
/// Lower quartile over mean of the variance of 32 normal values: `scipy.stats.chi2.ppf(0.25, 31) / 31`.
const LOWER_QUARTILE: f64 = 0.819_04;

/// `n * sum(x^2) - sum(x)^2`, which is `n (n - 1)` times the variance.
fn scatter(run: &[u8; RUN]) -> u64 {
    let (sum, squares) =
        run.iter().fold((0u64, 0u64), |(s, q), &c| (s + u64::from(c), q + u64::from(c).pow(2)));
    RUN as u64 * squares - sum * sum
}

/// How often each code occurs.
pub(super) struct Histogram([u64; 256]);

impl Histogram {
    /// Counts the codes of all `blocks`.
    pub fn of(blocks: &[&[u8]]) -> Histogram {
        let mut counter = Counter::new();
        for block in blocks {
            counter.add(block);
        }
        counter.total()
    }

    /// Code and count, over the codes from `from` to `to`.
    pub fn between(&self, from: u8, to: u8) -> impl Iterator<Item = (u8, u64)> + '_ {
        (0..=u8::MAX).zip(self.0).skip(usize::from(from)).take(usize::from(to.saturating_sub(from)) + 1)
    }
}

/// Is it the turn of this quiet block?
fn due(met: &mut [usize; 2], step: &[usize; 2], side: usize) -> bool {
    let (Some(met), Some(step)) = (met.get_mut(side), step.get(side)) else { return true };
    let turn = met.is_multiple_of(*step);
    *met += 1;
    turn
}

/// Four tables taken in turn: a run of equal codes, which is what a plateau is, would otherwise wait for its own
/// last increment each time.
struct Counter([[u64; 256]; 4]);

impl Counter {
    fn new() -> Counter {
        Counter([[0; 256]; 4])
    }
    fn add(&mut self, block: &[u8]) {
        let [a, b, c, d] = &mut self.0;
        let (quads, rest) = block.as_chunks::<4>();
        for &[p, q, r, s] in quads {
            bump(a, p);
            bump(b, q);
            bump(c, r);
            bump(d, s);
        }
        for &p in rest {
            bump(a, p);
        }
    }
    fn total(&self) -> Histogram {
        let mut sum = [0u64; 256];
        for table in &self.0 {
            for (s, t) in sum.iter_mut().zip(table) {
                *s += t;
            }
        }
        Histogram(sum)
    }
}

fn bump(table: &mut [u64; 256], code: u8) {
    if let Some(count) = table.get_mut(usize::from(code)) {
        *count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_pulse_in_a_long_quiet_record_still_shows_its_level() {
        let mut codes = vec![40u8; 1_000_000];
        codes[700_001..700_021].fill(210);
        let segment = Segment { first: 0, codes };
        let surveys = [Survey::of(&segment)];
        let total = total_range(&surveys).unwrap();
        assert_eq!(total, Range { min: 40, max: 210 });
        let histogram = Histogram::of(&telling(&surveys, total));
        assert_eq!(histogram.between(200, 255).map(|(_, n)| n).sum::<u64>(), 20);
        assert_eq!(histogram.between(210, 210).next(), Some((210, 20)));
    }

    #[test]
    fn clipped_samples_are_counted_one_by_one() {
        let segment = Segment { first: 0, codes: vec![0, 0, 100, 255, 254, 1] };
        assert_eq!(clipped(&[Survey::of(&segment)]), 3);
    }
}
