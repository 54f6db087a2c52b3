//! Virtual time: cycles of the 128 MHz clock since power-on.
//!
//! Everything on the chip that matters here is derived from that clock (the core at 128 or 64 MHz, the peripherals at
//! 16 MHz), so integers of it are exact. A core left at 64 MHz by its image spends two of them per core cycle.

use std::fmt;
use std::ops::{Add, Sub};

/// Frequency of the time base.
pub const HERTZ: u64 = 128_000_000;

/// A moment or a span in cycles of 128 MHz (7812.5 ps).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Cycles(pub u64);

impl Cycles {
    /// No time at all; the moment of power-on.
    pub const ZERO: Cycles = Cycles(0);

    /// The span of `us` microseconds.
    #[must_use]
    pub const fn from_micros(us: u64) -> Cycles {
        Cycles(us.saturating_mul(HERTZ / 1_000_000))
    }

    /// The span of `ms` milliseconds.
    #[must_use]
    pub const fn from_millis(ms: u64) -> Cycles {
        Cycles(ms.saturating_mul(HERTZ / 1_000))
    }

    /// In picoseconds, rounded down (a cycle is 7812.5 ps).
    #[must_use]
    pub const fn picos(self) -> u64 {
        (self.0 / 2).saturating_mul(15_625).saturating_add((self.0 % 2) * 7_812)
    }

    /// The span from `earlier` to here, zero if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Cycles) -> Cycles {
        Cycles(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Cycles {
    type Output = Cycles;

    fn add(self, other: Cycles) -> Cycles {
        Cycles(self.0.saturating_add(other.0))
    }
}

impl Sub for Cycles {
    type Output = Cycles;

    fn sub(self, other: Cycles) -> Cycles {
        self.since(other)
    }
}

impl fmt::Display for Cycles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cycles", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_7812_and_a_half_picoseconds() {
        assert_eq!(Cycles(1).picos(), 7_812);
        assert_eq!(Cycles(2).picos(), 15_625);
        assert_eq!(Cycles(HERTZ).picos(), 1_000_000_000_000);
        assert_eq!(Cycles::from_micros(1).picos(), 1_000_000);
    }
}
