//! The instants of evenly sampled points, exact for any rate: 24 MHz has no whole number of picoseconds.

use crate::units::Picos;

/// Attoseconds in a picosecond.
pub(super) const AS_PER_PS: i128 = 1_000_000;
/// Attoseconds in a second.
pub(super) const AS_PER_S: i128 = 1_000_000_000_000_000_000;

/// `t(i) = origin + i * span / steps`, in attoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grid {
    origin: i128,
    span: i128,
    steps: i128,
}

impl Grid {
    /// Points every `interval` attoseconds, the first at `origin`. `None` when the interval is not positive.
    pub fn every(origin: i128, interval: i128) -> Option<Grid> {
        Grid::over(origin, interval, 1)
    }

    /// `steps` equal intervals that make up `span`.
    pub fn over(origin: i128, span: i128, steps: u64) -> Option<Grid> {
        let limit = 1i128 << 86;
        let sound = span > 0 && span < limit && steps > 0 && origin.abs() < limit;
        sound.then_some(Grid { origin, span, steps: i128::from(steps) })
    }

    /// `rate` points a second, the first at 0. The rate is in millihertz.
    pub fn of_rate(millihertz: u64) -> Option<Grid> {
        Grid::over(0, AS_PER_S.checked_mul(1_000)?, millihertz)
    }

    /// The instant of a point, and a fraction of the interval (in 2^-32) beyond it.
    pub fn at(&self, index: u64, fraction: u32) -> Picos {
        to_picos(self.attoseconds(index, fraction))
    }

    /// The same in attoseconds. Beyond 2^40 points the instants stay at the last that can be told.
    pub fn attoseconds(&self, index: u64, fraction: u32) -> i128 {
        let index = i128::from(index.min(1 << 40));
        let within = (i128::from(fraction) * self.span / self.steps) >> 32;
        self.origin + index.saturating_mul(self.span) / self.steps + within
    }

    /// Time between points.
    pub fn interval(&self) -> Picos {
        to_picos((self.span + self.steps / 2) / self.steps).max(Picos(1))
    }

    /// Time of so many intervals.
    pub fn intervals(&self, n: u64) -> Picos {
        to_picos(i128::from(n).saturating_mul(self.span) / self.steps).max(Picos(1))
    }
}

/// Rounded to the nearest picosecond, limited to what [`Picos`] holds.
pub(super) fn to_picos(attoseconds: i128) -> Picos {
    let rounded = attoseconds.saturating_add(AS_PER_PS / 2).div_euclid(AS_PER_PS);
    Picos(i64::try_from(rounded).unwrap_or(if rounded < 0 { i64::MIN } else { i64::MAX }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_without_a_whole_interval_does_not_drift() {
        let grid = Grid::of_rate(24_000_000_000).unwrap();
        assert_eq!(grid.interval(), Picos(41_667));
        // One second later the grid is at one second sharp.
        assert_eq!(grid.at(24_000_000, 0), Picos::from_s(1));
        assert_eq!(grid.at(3, 1 << 31), Picos(145_833));
    }

    #[test]
    fn times_before_the_trigger_are_rounded_like_those_after() {
        let grid = Grid::every(-1_500_000, 1_000_000).unwrap();
        assert_eq!([grid.at(0, 0), grid.at(1, 0), grid.at(2, 0)], [Picos(-1), Picos(0), Picos(1)]);
    }

    #[test]
    fn nonsense_is_no_grid() {
        assert_eq!(Grid::every(0, 0), None);
        assert_eq!(Grid::every(0, -5), None);
        assert_eq!(Grid::over(0, 10, 0), None);
        assert_eq!(Grid::of_rate(0), None);
    }
}
