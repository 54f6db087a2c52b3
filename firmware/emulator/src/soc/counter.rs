//! A counter that is never ticked: its value follows from when it was started, so that idle time costs nothing.
//!
//! `rate` is the number of ticks in `span` cycles (TIMER: 1 in 8 << prescaler; RTC: 4 in 15 625 x (prescaler + 1)).

/// Start, stop, value and the moments of equality.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counter {
    running: bool,
    /// The cycle of tick 0.
    base: u64,
    /// The value at tick 0.
    start: u64,
    /// Ticks whose matches have been dealt with.
    seen: u64,
    modulus: u64,
    rate: u64,
    span: u64,
}

impl Counter {
    pub(super) const fn new(modulus: u64, rate: u64, span: u64) -> Counter {
        Counter { running: false, base: 0, start: 0, seen: 0, modulus, rate, span }
    }

    /// Changes width and speed; meant for a stopped counter.
    pub(super) fn configure(&mut self, modulus: u64, rate: u64, span: u64, now: u64) {
        let value = self.value(now);
        (self.modulus, self.rate, self.span) = (modulus, rate, span);
        self.set(value, now);
    }

    pub(super) fn is_running(&self) -> bool {
        self.running
    }

    fn ticks(&self, now: u64) -> u64 {
        let cycles = now.saturating_sub(self.base);
        if self.running { cycles.saturating_mul(self.rate) / self.span } else { 0 }
    }

    /// The value at `now`.
    pub(super) fn value(&self, now: u64) -> u64 {
        (self.start + self.ticks(now)) % self.modulus
    }

    /// Goes on from `value` at `now`.
    pub(super) fn set(&mut self, value: u64, now: u64) {
        (self.base, self.start, self.seen) = (now, value % self.modulus, 0);
    }

    pub(super) fn start(&mut self, now: u64) {
        if !self.running {
            self.set(self.start, now);
            self.running = true;
        }
    }

    pub(super) fn stop(&mut self, now: u64) {
        let value = self.value(now);
        self.set(value, now);
        self.running = false;
    }

    /// Matches up to `now` are history: a compare register written later waits for the next time round.
    pub(super) fn saw(&mut self, now: u64) {
        self.seen = self.ticks(now);
    }

    /// The cycle at which the counter next becomes equal to `target` after what was seen.
    pub(super) fn next_match(&self, target: u64) -> Option<u64> {
        if !self.running || target >= self.modulus {
            return None;
        }
        let value = (self.start + self.seen) % self.modulus;
        let ahead = (target + self.modulus - value) % self.modulus;
        let ticks = self.seen + if ahead == 0 { self.modulus } else { ahead };
        Some(self.base + ticks.saturating_mul(self.span).div_ceil(self.rate))
    }

    /// The cycle of the next tick after what was seen.
    pub(super) fn next_tick(&self) -> Option<u64> {
        let ticks = self.seen + 1;
        self.running.then(|| self.base + ticks.saturating_mul(self.span).div_ceil(self.rate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_and_matches_follow_the_clock() {
        let mut counter = Counter::new(1 << 16, 1, 8);
        counter.start(100);
        assert_eq!(counter.value(100 + 8 * 5 - 1), 4);
        assert_eq!(counter.next_match(5), Some(140));
        counter.saw(140);
        assert_eq!(counter.next_match(5), Some(140 + 8 * 65_536));
        counter.stop(180);
        assert_eq!(counter.value(999), 10);
        assert_eq!(counter.next_match(11), None);
    }

    /// 32 768 Hz in cycles of 128 MHz is 3906.25: the fourth tick falls on a whole cycle.
    #[test]
    fn the_low_clock_does_not_drift() {
        let mut counter = Counter::new(1 << 24, 4, 15_625);
        counter.start(0);
        assert_eq!(counter.next_match(1), Some(3_907));
        assert_eq!(counter.next_match(4), Some(15_625));
        assert_eq!(counter.value(128_000_000), 32_768);
    }
}
