//! The delay between the two inputs with their probes, as a file: measured once, taken out of every latency after.
//!
//! A skew belongs to one scope, two probes and one vertical setting. What differs in any of them is no calibration of
//! this bench, and [`Calibration::misfits`] says what differs; a correction that belongs to another bench would be
//! worse than none.

use super::acquisition::SkewCorrection;
use super::error::PlanError;
use super::identity::Identity;
use super::setup::{ChannelSetup, Setup};
use crate::profile::BenchKind;
use crate::units::{Picos, Volts};
use serde::{Deserialize, Serialize};

/// What the first line says.
pub const FORMAT: &str = "latency-cli/calibration/1";

/// `NAME.calibration.toml`. Times in whole picoseconds, potentials in volts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// [`FORMAT`].
    pub format: String,
    /// Virtual or hardware.
    pub bench: BenchKind,
    /// When, RFC 3339 in UTC.
    pub date: String,
    /// The run whose evidence it rests on.
    pub run: String,
    /// Model of the scope.
    pub scope_model: String,
    /// Its serial number.
    pub scope_serial: String,
    /// Response channel behind the stimulus channel.
    pub skew_ps: Picos,
    /// Standard uncertainty of that (k = 1).
    pub standard_uncertainty_ps: Picos,
    /// Differences behind it.
    pub pairs: u64,
    /// Time between two samples.
    pub sample_interval_ps: Picos,
    /// Front end of the stimulus channel.
    pub stimulus: FrontEnd,
    /// Front end of the response channel.
    pub response: FrontEnd,
    /// The second half, with the probes exchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swapped: Option<Swapped>,
}

/// What a channel was while it was calibrated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrontEnd {
    /// Input, from 1.
    pub channel: u8,
    /// Name of its probe.
    pub probe: String,
    /// Attenuation.
    pub attenuation: f64,
    /// Volts a division, probe included.
    pub volts_per_division: Volts,
}

/// What the second half says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Swapped {
    /// The run of the second half.
    pub run: String,
    /// Response channel behind the stimulus channel, probes exchanged.
    pub skew_ps: Picos,
    /// Standard uncertainty of that (k = 1).
    pub standard_uncertainty_ps: Picos,
    /// Differences behind it.
    pub pairs: u64,
    /// Part of the skew that stays with the inputs.
    pub inputs_ps: Picos,
    /// Part that goes with the probes.
    pub probes_ps: Picos,
}

impl FrontEnd {
    /// Of a channel as it is set.
    #[must_use]
    pub fn of(setup: &ChannelSetup, probe: String) -> FrontEnd {
        let (channel, attenuation, volts_per_division) = (setup.input.0, setup.probe, setup.scale);
        FrontEnd { channel, probe, attenuation, volts_per_division }
    }

    /// What differs, in words.
    fn differences<'a>(&'a self, now: &'a FrontEnd, role: &'a str) -> impl Iterator<Item = String> + 'a {
        let volts = |f: &FrontEnd| format!("{}/div", f.volts_per_division);
        let rows = [
            ("input", format!("CH{}", self.channel), format!("CH{}", now.channel)),
            ("probe", self.probe.clone(), now.probe.clone()),
            ("attenuation", format!("x{}", self.attenuation), format!("x{}", now.attenuation)),
            ("scale", volts(self), volts(now)),
        ];
        let differ = rows.into_iter().filter(|(_, then, now)| then != now);
        differ.map(move |(what, then, now)| format!("{role} {what} was `{then}`, is `{now}`"))
    }
}

impl Calibration {
    /// Reads the file's text; `origin` is its name, for messages.
    ///
    /// # Errors
    /// [`PlanError::Calibration`] for a text that is none, or one of a newer format.
    pub fn parse(text: &str, origin: &str) -> Result<Calibration, PlanError> {
        let complaint = |why: String| PlanError::Calibration { origin: origin.to_owned(), why };
        let read: Calibration = toml::from_str(text).map_err(|e| complaint(e.message().to_owned()))?;
        if read.format != FORMAT {
            return Err(complaint(format!("its format is `{}`, this program reads `{FORMAT}`", read.format)));
        }
        let largest = Picos::from_us(1);
        if read.skew_ps.abs() > largest || !(Picos(1)..=largest).contains(&read.standard_uncertainty_ps) {
            let (skew, standard) = (read.skew_ps, read.standard_uncertainty_ps);
            return Err(complaint(format!(
                "{skew} with a standard uncertainty of {standard} is no skew of two probes"
            )));
        }
        Ok(read)
    }

    /// The file's text.
    ///
    /// # Errors
    /// When it cannot be written as TOML.
    pub fn text(&self) -> Result<String, PlanError> {
        let complaint = |e: toml::ser::Error| PlanError::Calibration {
            origin: "the calibration".to_owned(),
            why: e.to_string(),
        };
        let head = "# Delay between the inputs with their probes, found with both probes on one edge. Written by\n\
                    # `latency-cli calibrate`; holds for this scope, these probes and these scales only.\n";
        Ok(format!("{head}{}", toml::to_string(self).map_err(complaint)?))
    }

    /// What is different on this bench, in words; empty where the calibration fits. `probes` are the names of the
    /// probes on stimulus and response.
    #[must_use]
    pub fn misfits(
        &self,
        bench: BenchKind,
        scope: &Identity,
        setup: &Setup,
        probes: &[String; 2],
    ) -> Vec<String> {
        let [stimulus, response] = probes.clone();
        let stimulus = FrontEnd::of(&setup.stimulus, stimulus);
        let response = FrontEnd::of(&setup.response, response);
        let mut found = Vec::new();
        if self.bench != bench {
            found.push("simulated and real bench are not the same".to_owned());
        }
        if self.scope_serial != scope.serial {
            let (then, now) = (&self.scope_serial, &scope.serial);
            found.push(format!("scope serial was `{then}`, is `{now}`"));
        }
        found.extend(self.stimulus.differences(&stimulus, "stimulus"));
        found.extend(self.response.differences(&response, "response"));
        found
    }

    /// What to take off every response.
    #[must_use]
    pub fn correction(&self) -> SkewCorrection {
        SkewCorrection { offset: self.skew_ps, standard: self.standard_uncertainty_ps }
    }
}
