//! How late each kind of interrupt code answers.
//!
//! Typical and worst-of-1000 figures of `bare-metal`, `direct`, `thread`, `workqueue` and `freertos` are those the
//! project's reference article publishes, with its two loads (`i2c`: direct 2.4 -> 3.1 us worst, `pm`: +1.2 us). Those
//! of `hw`, `rtic` and `embassy`, and freertos' worst, are assumptions of this simulator and no measurements.
//!
//! The shape is a narrow symmetric body, four events in a thousand in a tail up to the worst, and one in ten thousand
//! beyond it, because that is what makes a worst case hard to find.

use super::random::{Draw, scaled};
use crate::units::Picos;

/// Background loads that can be switched on.
pub(super) const LOADS: [&str; 2] = ["i2c", "pm"];

/// Which loads are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Loads {
    /// A priority-5 thread talks on I2C.
    pub(super) i2c: bool,
    /// Power management puts the core to sleep between edges.
    pub(super) pm: bool,
}

impl Loads {
    /// Switches one by name; false when there is none of that name.
    pub(super) fn switch(&mut self, name: &str, on: bool) -> bool {
        match name {
            "i2c" => self.i2c = on,
            "pm" => self.pm = on,
            _ => return false,
        }
        true
    }
    /// Names of those that are on, joined by `+`, or `none`.
    pub(super) fn names(self) -> String {
        let on: Vec<&str> =
            LOADS.into_iter().zip([self.i2c, self.pm]).filter(|(_, on)| *on).map(|(n, _)| n).collect();
        if on.is_empty() { "none".to_owned() } else { on.join("+") }
    }
}

/// The latency distribution of a mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Law {
    /// Name of the mode.
    pub(super) name: &'static str,
    /// What it stands for.
    pub(super) what: &'static str,
    /// Median.
    typical: Picos,
    /// Half width of the body.
    spread: Picos,
    /// About the largest of 1000.
    worst: Picos,
}

const fn law(name: &'static str, what: &'static str, typical: i64, spread: i64, worst: i64) -> Law {
    Law {
        name,
        what,
        typical: Picos::from_ns(typical),
        spread: Picos::from_ns(spread),
        worst: Picos::from_ns(worst),
    }
}

/// All modes of the virtual board, in nanoseconds: typical, half width of the body, worst of 1000.
pub(super) const LAWS: [Law; 8] = [
    law("hw", "event to task in hardware, no processor", 110, 31, 142),
    law("bare-metal", "register-level interrupt, no runtime", 380, 50, 520),
    law("direct", "Zephyr edge callback in the interrupt", 1_900, 150, 2_400),
    law("thread", "Zephyr callback waking a thread", 8_200, 900, 14_000),
    law("workqueue", "Zephyr callback handing to the system work queue", 22_000, 3_000, 45_000),
    law("freertos", "FreeRTOS interrupt", 1_400, 110, 1_900),
    law("rtic", "RTIC hardware task", 450, 60, 640),
    law("embassy", "Embassy task woken by the interrupt", 1_650, 160, 2_700),
];

/// The law of a mode.
pub(super) fn find(name: &str) -> Option<&'static Law> {
    LAWS.iter().find(|law| law.name == name)
}

/// Events in a thousand that lie in the tail.
const TAIL: f64 = 0.004;
/// Events that lie beyond the worst.
const BEYOND: f64 = 0.000_1;
/// What the I2C load does to the tail: 3.1 us instead of 2.4 us.
const I2C_WORST: f64 = 3.1 / 2.4;
/// What waking from sleep adds.
const PM_WAKE: Picos = Picos::from_ns(1_200);

impl Law {
    /// One latency.
    pub(super) fn sample(&self, loads: Loads, draw: &mut Draw) -> Picos {
        let worst = if loads.i2c { scaled(self.worst, I2C_WORST) } else { self.worst };
        let wake = if loads.pm { PM_WAKE } else { Picos::ZERO };
        let (which, where_) = (draw.unit(), draw.unit());
        wake + if which < BEYOND {
            scaled(worst, 1.0 + 0.2 * where_)
        } else if which < BEYOND + TAIL {
            self.typical + scaled(worst - self.typical, 0.5 + 0.5 * where_)
        } else {
            // Three uniform draws: bell-shaped, with hard ends at +-spread.
            let bell = (where_ + draw.unit() + draw.unit() - 1.5) / 1.5;
            self.typical + scaled(self.spread, bell)
        }
    }

    /// No answer comes sooner.
    pub(super) fn least(&self, loads: Loads) -> Picos {
        self.typical - self.spread + if loads.pm { PM_WAKE } else { Picos::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Median and worst of 1000 events of a law, in nanoseconds.
    fn figures(name: &str, loads: Loads, seed: u64) -> (i64, i64) {
        let law = find(name).unwrap();
        let mut all: Vec<i64> =
            (0..1000).map(|k| law.sample(loads, &mut Draw::new(&[seed, k])).0 / 1000).collect();
        all.sort_unstable();
        assert!(all[0] >= law.least(loads).0 / 1000);
        (all[500], all[999])
    }

    #[test]
    fn typical_and_worst_are_about_those_published() {
        let published = [
            ("bare-metal", 380, 520),
            ("direct", 1_900, 2_400),
            ("thread", 8_200, 14_000),
            ("workqueue", 22_000, 45_000),
        ];
        for (name, typical, worst) in published {
            for seed in 1..20 {
                let (median, largest) = figures(name, Loads::default(), seed);
                assert!((median - typical).abs() * 100 < typical * 4, "{name}: median {median}");
                assert!(
                    largest * 100 > worst * 72 && largest * 100 <= worst * 120,
                    "{name}: worst {largest}"
                );
            }
        }
    }

    #[test]
    fn loads_do_what_the_article_says() {
        let (_, worst) = figures("direct", Loads { i2c: true, pm: false }, 3);
        assert!((2_500..=3_720).contains(&worst), "{worst}");
        let (median, _) = figures("direct", Loads { i2c: false, pm: true }, 3);
        assert!((median - 3_100).abs() < 60, "{median}");
    }
}
