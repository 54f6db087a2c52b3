//! Volts a division, offset and trigger level from the logic levels at the probe tip.

use super::error::Rule;
use super::setup::{Capabilities, ChannelSetup, Input};
use crate::profile::Signal;
use crate::units::Volts;

/// The signal takes at most seven eighths of the screen: what is left on both sides shows overshoot, so that clipping
/// is an observation and not a habit. 3.3 V lands on 500 mV a division, 165 codes (ds1000z.md 3.2).
const FILL: f64 = 7.0 / 8.0;
/// Fewer codes between the levels than this drown in a few codes of noise.
const FEWEST_CODES: f64 = 20.0;

/// The front end for one signal.
pub(super) fn channel(
    name: &'static str,
    signal: &Signal,
    capabilities: &Capabilities,
) -> Result<ChannelSetup, Rule> {
    if signal.channel == 0 || signal.channel > capabilities.inputs {
        let model = capabilities.model.clone();
        return Err(Rule::Input { channel: signal.channel, inputs: capabilities.inputs, model });
    }
    let swing = signal.high.0 - signal.low.0;
    let screen = capabilities.vertical_divisions as f64 * FILL;
    let at_tip = capabilities.scales.iter().map(|scale| scale.0 * signal.probe);
    let largest = at_tip.clone().fold(0.0, f64::max) * screen;
    let scale = at_tip.filter(|scale| scale * screen >= swing * (1.0 - 1e-9)).fold(f64::INFINITY, f64::min);
    if !scale.is_finite() {
        return Err(Rule::SwingTooLarge { signal: name, swing: Volts(swing), largest: Volts(largest) });
    }
    let smallest = scale * FEWEST_CODES / capabilities.codes_per_division;
    if swing < smallest {
        return Err(Rule::SwingTooSmall { signal: name, swing: Volts(swing), smallest: Volts(smallest) });
    }
    let offset = Volts(-(signal.high.0 + signal.low.0) / 2.0);
    Ok(ChannelSetup { input: Input(signal.channel), probe: signal.probe, scale: Volts(scale), offset })
}

/// Codes between the logic levels.
pub(super) fn swing_codes(signal: &Signal, setup: &ChannelSetup, capabilities: &Capabilities) -> f64 {
    (signal.high.0 - signal.low.0) / setup.scale.0 * capabilities.codes_per_division
}

/// Where the trigger sits: the threshold that was asked for, or the middle between the levels.
pub(super) fn trigger_level(signal: &Signal) -> Volts {
    signal.threshold.unwrap_or(Volts((signal.low.0 + signal.high.0) / 2.0))
}
