//! The two sources of time.
//!
//! Nothing else in the program asks for the time or sleeps: a run on the virtual bench with [`SteppedClock`] then
//! depends on its exchanges alone, and gives the same numbers on a slow and on a fast machine.

use super::Clock;
use crate::units::Picos;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

/// Wall-clock time since the clock was made.
#[derive(Debug, Clone)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock that reads zero now.
    #[must_use]
    pub fn new() -> SystemClock {
        SystemClock { start: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> SystemClock {
        SystemClock::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Picos {
        Picos::from_duration(self.start.elapsed())
    }
    fn sleep(&self, duration: Picos) {
        std::thread::sleep(duration.to_duration());
    }
}

/// Time that passes only when somebody lets it: `sleep` moves it forward and returns at once.
#[derive(Debug, Default)]
pub struct SteppedClock {
    now: AtomicI64,
}

impl SteppedClock {
    /// A clock that reads zero.
    #[must_use]
    pub fn new() -> SteppedClock {
        SteppedClock::default()
    }
}

impl Clock for SteppedClock {
    fn now(&self) -> Picos {
        Picos(self.now.load(Ordering::SeqCst))
    }
    /// Moves time forward; a negative duration moves nothing, and time stops at [`Picos::MAX`].
    fn sleep(&self, duration: Picos) {
        let step = duration.0.max(0);
        // The closure always gives a value, so the update cannot fail.
        let _ = self.now.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |t| Some(t.saturating_add(step)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stepped_time_moves_by_what_is_slept_and_never_back() {
        let clock = SteppedClock::new();
        clock.sleep(Picos::from_ms(3));
        clock.sleep(Picos(-5));
        assert_eq!(clock.now(), Picos(3_000_000_000));
        clock.sleep(Picos::MAX);
        assert_eq!(clock.now(), Picos::MAX);
    }

    #[test]
    fn system_time_lets_at_least_the_slept_time_pass() {
        let clock = SystemClock::new();
        let before = clock.now();
        clock.sleep(Picos::from_ms(2));
        assert!(clock.now() - before >= Picos::from_ms(2));
    }
}
