//! Profile and capabilities become a plan. PURE: knows no hardware, disk, clock or terminal.
//!
//! The plan decides depth, sample rate, spacing and strategy from the expected latency, the wanted resolution and the
//! cost of the link, and says beforehand what it will cost and which rule decided. The rules stand in `choose.rs`.
//!
//! It refuses what cannot give a true number: a resolution the instrument does not have, a record that cannot hold one
//! pair, signals that the screen cannot show, strategies that the instrument has no option for. All refusals are listed at once, each
//! with its way out. (That stimuli keep three times the expected worst latency apart is seen to by the profile.)

pub mod acquisition;
mod assumed;
pub mod calibration;
mod choose;
mod cost;
mod error;
pub mod identity;
mod reading;
mod records;
pub mod setup;
mod train;
mod vertical;

pub use acquisition::{ConfigurationPlan, Extent, Prediction, Purpose, RunPlan, SkewCorrection};
pub use assumed::assumed_capabilities;
pub use calibration::Calibration;
pub use error::{PlanError, Refusal, Rule};
pub use identity::{Hello, Identity};
pub use reading::{Around, Reading};
pub use setup::{Applied, Capabilities, ChannelLimits, ChannelSetup, Input, LinkFigures, Setup};

use crate::profile::{Configuration, Profile, Spacing, StimulusSource, Strategy};
use crate::units::Picos;
use choose::Choice;

/// What a shot may take beyond record and lag before it is given up: a scope under load, a slow bus.
const PATIENCE: Picos = Picos::from_s(2);
/// How long a free-running stimulus may keep silent.
const SILENCE: Picos = Picos::from_s(10);

/// Plans every configuration of a profile.
///
/// # Errors
/// [`PlanError::Refused`] with everything that cannot be done, for all configurations at once.
pub fn plan(profile: &Profile, capabilities: &Capabilities) -> Result<RunPlan, PlanError> {
    let mut refusals = Vec::new();
    let mut refuse = |configuration: Option<&str>, rule: Rule| {
        refusals.push(Refusal { configuration: configuration.map(str::to_owned), rule });
    };
    let mut front =
        |name, signal| vertical::channel(name, signal, capabilities).map_err(|rule| refuse(None, rule)).ok();
    let channels = [front("the stimulus", &profile.stimulus), front("the response", &profile.response)];
    let mut configurations = Vec::new();
    for (place, wanted) in profile.configurations.iter().enumerate() {
        match (choose::choose(wanted, profile.source, profile.seed, capabilities), &channels) {
            (Ok(choice), [Some(stimulus), Some(response)]) => {
                let setup = setup(profile, choice.record, stimulus, response);
                let mut row = configuration(profile, wanted, capabilities, choice, setup);
                row.prediction.setup = cost::setup(&capabilities.link, place == 0);
                configurations.push(row);
            }
            (Ok(_), _) => {}
            (Err(rule), _) => refuse(Some(&wanted.name), rule),
        }
    }
    if !refusals.is_empty() {
        return Err(PlanError::Refused(refusals));
    }
    Ok(RunPlan { model: capabilities.model.clone(), link: capabilities.link, configurations })
}

fn setup(
    profile: &Profile,
    record: records::Record,
    stimulus: &ChannelSetup,
    response: &ChannelSetup,
) -> Setup {
    Setup {
        stimulus: stimulus.clone(),
        response: response.clone(),
        timebase: record.timebase,
        delay: record.delay(),
        depth: record.depth,
        interval: record.interval,
        level: vertical::trigger_level(&profile.stimulus),
        slope: profile.stimulus.slope,
    }
}

fn configuration(
    profile: &Profile,
    wanted: &Configuration,
    capabilities: &Capabilities,
    choice: Choice,
    setup: Setup,
) -> ConfigurationPlan {
    let spacing = match profile.source {
        StimulusSource::Firmware => {
            Some(wanted.spacing.unwrap_or_else(|| train::preset_spacing(wanted.expected_worst)))
        }
        StimulusSource::External => None,
    };
    ConfigurationPlan {
        name: wanted.name.clone(),
        mode: wanted.mode.clone(),
        loads: wanted.loads.clone(),
        count: wanted.count,
        strategy: choice.strategy,
        source: profile.source,
        burst: choice.burst,
        spacing,
        seed: profile.seed,
        extent: choice.extent,
        around: choice.around,
        // An answer behind its stretch is not seen, so the stretch is the window.
        window: wanted.window.or(choice.window),
        floor: wanted.floor,
        response_slope: profile.response.slope,
        stimulus_threshold: profile.stimulus.threshold,
        response_threshold: profile.response.threshold,
        timeout: timeout(&choice, spacing, capabilities),
        prediction: prediction(profile, &choice, &setup, capabilities),
        reason: choice.reason,
        setup,
        purpose: Purpose::Latency,
        correction: None,
        until: wanted.until.map(|until| until.to_string()),
    }
}

/// Twice what record and first gap take, four times the lag, and patience.
fn timeout(choice: &Choice, spacing: Option<Spacing>, capabilities: &Capabilities) -> Picos {
    let first = spacing.map_or(SILENCE, |spacing| spacing.max);
    (choice.record.length() + first) * 2 + capabilities.link.lag * 4 + PATIENCE
}

fn prediction(profile: &Profile, choice: &Choice, setup: &Setup, capabilities: &Capabilities) -> Prediction {
    let interval = choice.record.interval;
    let codes = vertical::swing_codes(&profile.stimulus, &setup.stimulus, capabilities)
        .min(vertical::swing_codes(&profile.response, &setup.response, capabilities));
    Prediction {
        shots: choice.shots,
        bytes: choice.bytes,
        duration: choice.duration,
        setup: Picos::ZERO,
        resolution: cost::resolution(interval, capabilities.rise_time, codes),
    }
}

/// The plan for an external stimulus once the first record has shown its gaps: how many pairs a record surely holds,
/// and so how many shots the count needs. Settings stay as they are.
#[must_use]
pub fn refine(plan: &ConfigurationPlan, observed: Spacing) -> ConfigurationPlan {
    let tail = plan.window.unwrap_or(observed.min);
    let burst = match plan.strategy {
        Strategy::Single => 1,
        _ => train::capacity(plan.extent.to, observed, tail).max(1),
    };
    let shots = plan.count.div_ceil(burst);
    let before = plan.prediction;
    let each = i64::from(before.shots.max(1));
    let prediction = Prediction {
        shots,
        bytes: before.bytes / each.unsigned_abs() * u64::from(shots),
        duration: (before.duration / each) * i64::from(shots),
        ..before
    };
    ConfigurationPlan { burst, spacing: Some(observed), prediction, ..plan.clone() }
}

#[cfg(test)]
mod tests;
