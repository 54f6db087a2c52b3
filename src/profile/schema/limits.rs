//! `[limits]` (what the core can do) and `[defaults]` (what configurations share).

use crate::profile::model::{Spacing, StrategyChoice};
use crate::profile::section::Section;
use crate::units::{Hertz, Picos};

/// Pairs wanted when nothing is said: the article's sample.
const COUNT: u32 = 1000;
/// Most pairs of one configuration; a p99.9999 needs 3 million.
pub(in crate::profile) const MOST: u32 = 10_000_000;
/// Cycles from event to the first instruction of a handler on Cortex-M3 to M33 (ARMv7-M and ARMv8-M manuals).
const ENTRY_CYCLES: f64 = 12.0;

/// Longest gap that the board's START takes.
const LONGEST_GAP: Picos = Picos::from_s(10);

/// What all configurations share.
pub(super) struct Limits {
    pub clock: Option<Hertz>,
    pub floor: Picos,
    pub tick: Option<Picos>,
    pub seed: u32,
    pub count: u32,
    pub resolution: Option<Picos>,
    pub strategy: StrategyChoice,
    pub spacing: Option<Spacing>,
}

pub(super) fn limits(root: &Section<'_>) -> Limits {
    let section = root.section("limits");
    let clock = clock(&section);
    let floor = floor(&section).or_else(|| clock.map(entry_time)).unwrap_or(Picos::ZERO);
    let tick = section.duration("tick");
    section.finish();
    let section = root.section("defaults");
    let seed = section.whole("seed", 1, u64::from(u32::MAX));
    let limits = Limits {
        clock,
        floor,
        tick,
        seed: seed.and_then(|seed| u32::try_from(seed).ok()).unwrap_or(1),
        count: count(&section).unwrap_or(COUNT),
        resolution: section.duration("resolution"),
        strategy: strategy(&section).unwrap_or(StrategyChoice::Auto),
        spacing: spacing(&section),
    };
    section.finish();
    limits
}

fn clock(section: &Section<'_>) -> Option<Hertz> {
    let clock = section.quantity::<Hertz>("clock")?;
    if !(1e3..=1e11).contains(&clock.0) {
        section.fault("clock", format!("`{clock}` is no clock of a processor; use such as \"128 MHz\""));
        return None;
    }
    Some(clock)
}

/// Twelve cycles: no handler's first instruction runs earlier.
fn entry_time(clock: Hertz) -> Picos {
    Picos((ENTRY_CYCLES / clock.0 * 1e12) as i64)
}

/// The time nothing real can be faster than; zero switches the check off.
pub(super) fn floor(section: &Section<'_>) -> Option<Picos> {
    let floor = section.quantity::<Picos>("floor")?;
    if floor < Picos::ZERO {
        section.fault("floor", format!("`{floor}` must not be negative"));
        return None;
    }
    Some(floor)
}

pub(super) fn count(section: &Section<'_>) -> Option<u32> {
    section.whole("count", 1, u64::from(MOST)).and_then(|count| u32::try_from(count).ok())
}

pub(super) fn strategy(section: &Section<'_>) -> Option<StrategyChoice> {
    section.word("strategy", &StrategyChoice::WORDS)
}

/// `spacing = { min = "8 us", max = "16 us" }`: whole microseconds, which is what START can say.
pub(super) fn spacing(section: &Section<'_>) -> Option<Spacing> {
    let table = section.section("spacing");
    if !table.exists() {
        return None;
    }
    let min = table.required("min", "min = \"8 us\"", whole_microseconds(&table, "min"));
    let max = table.required("max", "max = \"16 us\"", whole_microseconds(&table, "max"));
    table.finish();
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        table.fault("min", format!("`{min}` is above max, `{max}`"));
    }
    // A faulty max is noted by now; with min in its place the rules about min still apply.
    Some(Spacing { min: min?, max: max.or(min)? })
}

fn whole_microseconds(table: &Section<'_>, key: &'static str) -> Option<Picos> {
    let gap = table.duration(key)?;
    let us = Picos::from_us(1).0;
    if gap.0 % us != 0 {
        let (below, above) = (Picos(gap.0 - gap.0 % us), Picos(gap.0 - gap.0 % us) + Picos(us));
        table.fault(
            key,
            format!("`{gap}` is no whole number of microseconds, the unit of START; use {below} or {above}"),
        );
        return None;
    }
    if gap > LONGEST_GAP {
        table.fault(key, format!("`{gap}` is longer than a gap of START can be, {LONGEST_GAP}"));
        return None;
    }
    Some(gap)
}
