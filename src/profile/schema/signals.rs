//! `[stimulus]` and `[response]`: which probe is where and what it sees.

use crate::profile::model::{Signal, StimulusSource};
use crate::profile::section::Section;
use crate::signal::Slope;
use crate::units::Volts;

/// Attenuations that the DS1000Z can be told (ds1000z.md 2.2, guide page 2-33).
const PROBES: [f64; 16] =
    [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0];

/// Both signals, as far as they can be read.
pub(super) struct Signals {
    pub source: Option<StimulusSource>,
    pub stimulus: Option<Signal>,
    pub response: Option<Signal>,
}

pub(super) fn signals(root: &Section<'_>) -> Signals {
    let section = root.section("stimulus");
    let words = [("firmware", StimulusSource::Firmware), ("external", StimulusSource::External)];
    let source =
        section.required("source", "source = \"firmware\" or \"external\"", section.word("source", &words));
    let taken = channel(&section);
    let stimulus = signal(&section, taken);
    section.finish();
    let section = root.section("response");
    let own = channel(&section);
    let response = signal(&section, own);
    section.finish();
    if let Some(channel) = own.filter(|channel| taken == Some(*channel)) {
        section.fault("channel", format!("CH{channel} already carries the stimulus; use another channel"));
    }
    Signals { source, stimulus, response }
}

fn channel(section: &Section<'_>) -> Option<u8> {
    let channel = section.required("channel", "channel = 1 (1 to 4)", section.whole("channel", 1, 4))?;
    u8::try_from(channel).ok()
}

fn signal(section: &Section<'_>, channel: Option<u8>) -> Option<Signal> {
    let probe = section.required("probe", "probe = 10 for a x10 probe", probe(section));
    let low = section.quantity::<Volts>("low").unwrap_or(Volts(0.0));
    let high = section.required("high", "high = \"3.3 V\"", section.quantity::<Volts>("high"));
    let slopes = [("rising", Slope::Rising), ("falling", Slope::Falling)];
    let slope = section.word("slope", &slopes).unwrap_or(Slope::Rising);
    let threshold = threshold(section, low, high);
    if let Some(high) = high.filter(|high| high.0 <= low.0) {
        section.fault("high", format!("`{high}` is not above the low level `{low}`"));
    }
    let probe_name = section.text("probe_name").map(str::to_owned);
    Some(Signal { channel: channel?, probe: probe?, low, high: high?, threshold, slope, probe_name })
}

fn probe(section: &Section<'_>) -> Option<f64> {
    let probe = section.number("probe", 0.01, 1000.0, "the attenuation of the probe")?;
    let known = PROBES.contains(&probe);
    if !known {
        section
            .fault("probe", format!("the scope has no factor {probe}, only 1-2-5 steps such as 1, 2, 5, 10"));
    }
    known.then_some(probe)
}

/// `"auto"` (the middle of the measured levels) or a potential inside the middle 80 % of the levels: nearer to a level,
/// ringing and noise cross it too.
fn threshold(section: &Section<'_>, low: Volts, high: Option<Volts>) -> Option<Volts> {
    if section.text_is("threshold", "auto") {
        return None;
    }
    let threshold = section.quantity::<Volts>("threshold")?;
    let high = high.filter(|high| high.0 > low.0)?;
    let margin = (high.0 - low.0) / 10.0;
    if !(low.0 + margin..=high.0 - margin).contains(&threshold.0) {
        let (from, to) = (Volts(low.0 + margin), Volts(high.0 - margin));
        section.fault(
            "threshold",
            format!("`{threshold}` is not well inside the levels; use {from} to {to}, or \"auto\""),
        );
    }
    Some(threshold)
}
