//! `[[configuration]]`: the rows of the matrix.

use super::limits::{self, Limits};
use crate::profile::model::{Configuration, Reference, Spacing, StimulusSource};
use crate::profile::names;
use crate::profile::section::{Section, shortened};
use crate::units::Picos;

/// Smallest gap between stimuli in units of the expected worst latency: with less, an answer that comes late would be
/// taken for a quick answer to the next stimulus.
const SPACING_FACTOR: i64 = 3;
/// Sampling finer than this share of the typical latency tells nothing more about it.
const RESOLUTION_SHARE: i64 = 1000;
/// Two channels of a DS1054Z are sampled every 2 ns at best.
const FINEST: Picos = Picos::from_ns(2);
/// Samples that a typical latency must span, or the row says nothing.
const COARSEST_SHARE: i64 = 10;

/// Every row; `None` for one that cannot be used.
pub(super) fn configurations(
    root: &Section<'_>,
    limits: &Limits,
    source: Option<StimulusSource>,
) -> Vec<Option<Configuration>> {
    let sections = root.sections("configuration");
    root.demand("configuration", "a table headed [[configuration]] for each row of the matrix");
    let rows: Vec<_> = sections.iter().map(|section| configuration(section, limits, source)).collect();
    check_unique(&sections);
    rows
}

fn configuration(
    section: &Section<'_>,
    limits: &Limits,
    source: Option<StimulusSource>,
) -> Option<Configuration> {
    let mode = mode(section);
    let name = name(section, mode);
    let loads = loads(section);
    let expected = expected(section);
    let limit = pair(section, "limit");
    let (typical, worst) = expected;
    let spacing = spacing(section, limits, source, worst);
    let window = window(section, spacing, worst);
    let resolution = resolution(section, limits, typical);
    let image = section.text("image").map(str::to_owned);
    let count = limits::count(section).unwrap_or(limits.count);
    let strategy = limits::strategy(section).unwrap_or(limits.strategy);
    let floor = limits::floor(section).unwrap_or(limits.floor);
    let reference = reference(section);
    section.finish();
    Some(Configuration {
        name: name?.to_owned(),
        mode: mode?.to_owned(),
        loads,
        image,
        count,
        until: None,
        expected_typical: typical?,
        expected_worst: worst?,
        limit_worst: limit.1,
        limit_typical: limit.0,
        spacing,
        window,
        resolution: resolution?,
        strategy,
        floor,
        reference,
    })
}

fn mode<'t>(section: &Section<'t>) -> Option<&'t str> {
    let mode = section.required("mode", "mode = \"direct\"", section.text("mode"))?;
    if let Err(message) = names::check_mode(mode) {
        section.fault("mode", format!("`{}` {message}", shortened(mode)));
    }
    Some(mode)
}

/// The row's name; the mode's when there is none.
fn name<'t>(section: &Section<'t>, mode: Option<&'t str>) -> Option<&'t str> {
    let given = section.text("name");
    if let Some(Err(message)) = given.map(names::check_folder) {
        section.fault("name", message);
    }
    given.or(mode)
}

fn loads(section: &Section<'_>) -> Vec<String> {
    let loads = section.texts("loads");
    for (i, load) in loads.iter().enumerate() {
        if let Err(message) = names::check_mode(load) {
            section.fault("loads", format!("`{}` {message}", shortened(load)));
        }
        if loads.iter().take(i).any(|other| other == load) {
            section.fault("loads", format!("`{}` is there twice", shortened(load)));
        }
    }
    loads
}

fn expected(section: &Section<'_>) -> (Option<Picos>, Option<Picos>) {
    let example = "expected = { typical = \"1.9 us\", worst = \"2.4 us\" } (the plan needs it)";
    section.demand("expected", example);
    let table = section.section("expected");
    if !table.exists() {
        return (None, None);
    }
    table.demand("typical", "typical = \"1.9 us\"");
    table.demand("worst", "worst = \"2.4 us\"");
    pair(section, "expected")
}

/// `{ typical, worst }`, each optional, in that order.
fn pair(section: &Section<'_>, key: &'static str) -> (Option<Picos>, Option<Picos>) {
    let table = section.section(key);
    let (typical, worst) = (table.duration("typical"), table.duration("worst"));
    table.finish();
    check_order(&table, typical, worst);
    (typical, worst)
}

fn check_order(table: &Section<'_>, typical: Option<Picos>, worst: Option<Picos>) {
    if let (Some(typical), Some(worst)) = (typical, worst)
        && typical > worst
    {
        table.fault("typical", format!("`{typical}` is above worst, `{worst}`"));
    }
}

/// Own or shared gaps. A free-running generator has its own, found from the first record.
fn spacing(
    section: &Section<'_>,
    limits: &Limits,
    source: Option<StimulusSource>,
    worst: Option<Picos>,
) -> Option<Spacing> {
    let own = limits::spacing(section);
    if source == Some(StimulusSource::External) {
        if own.is_some() {
            section.fault(
                "spacing",
                "an external stimulus keeps its own gaps, found from the first record; leave the key out",
            );
        }
        return None;
    }
    let spacing = own.or(limits.spacing)?;
    let least = worst? * SPACING_FACTOR;
    if spacing.min < least {
        let need = Picos::from_us(least.0.saturating_add(999_999) / 1_000_000);
        let why = format!(
            "min `{}` is under three times the expected worst latency; use at least {need}",
            spacing.min
        );
        section.fault("spacing", why);
    }
    Some(spacing)
}

/// Longest latency that counts. Longer than the smallest gap it could not tell whose answer it is.
fn window(section: &Section<'_>, spacing: Option<Spacing>, worst: Option<Picos>) -> Option<Picos> {
    let window = section.duration("window")?;
    if let Some(spacing) = spacing.filter(|spacing| window > spacing.min) {
        let why = "an answer could belong to either of two stimuli";
        section
            .fault("window", format!("`{window}` is longer than the smallest gap, {}: {why}", spacing.min));
    }
    if let Some(worst) = worst.filter(|worst| window < *worst) {
        section.fault("window", format!("`{window}` would cut off the expected worst latency, {worst}"));
    }
    Some(window)
}

/// The coarsest sample interval that will do: as said, or a thousandth of the typical latency but not under 2 ns. Slow
/// modes don't pay for fine sampling that their spread would bury.
fn resolution(section: &Section<'_>, limits: &Limits, typical: Option<Picos>) -> Option<Picos> {
    let own = section.duration("resolution");
    let typical = typical?;
    let preset = (typical / RESOLUTION_SHARE).max(FINEST);
    let resolution = own.or(limits.resolution).unwrap_or(preset);
    let coarsest = (typical / COARSEST_SHARE).max(FINEST);
    if resolution > coarsest {
        let why = "is more than a tenth of the typical latency";
        section.fault(
            "resolution",
            format!("`{resolution}` {why}; use at most {coarsest}, or leave it to the plan"),
        );
    }
    Some(resolution)
}

fn reference(section: &Section<'_>) -> Option<Reference> {
    let table = section.section("reference");
    if !table.exists() {
        return None;
    }
    let source = table.required("source", "source = \"where it was published\"", table.text("source"));
    let (typical, worst) = (table.duration("typical"), table.duration("worst"));
    table.finish();
    check_order(&table, typical, worst);
    if typical.is_none() && worst.is_none() {
        table.fault("", "states neither typical nor worst; a reference needs at least one");
    }
    Some(Reference { typical, worst, source: source?.to_owned() })
}

/// Names are folders, and some file systems don't tell upper from lower case.
fn check_unique(sections: &[Section<'_>]) {
    let named = |section: &Section<'_>| {
        section.text("name").map(str::to_owned).or_else(|| section.text("mode").map(str::to_owned))
    };
    let mut seen: Vec<String> = Vec::new();
    for section in sections {
        let Some(name) = named(section) else { continue };
        let folded = name.to_ascii_lowercase();
        if seen.contains(&folded) {
            let why = "another configuration has this name; give each its own";
            section.fault("name", format!("`{}`: {why}", shortened(&name)));
        }
        seen.push(folded);
    }
}
