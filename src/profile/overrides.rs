//! Options of the command line, laid over a profile.

use super::error::{Fault, ProfileError};
use super::model::{BenchKind, Configuration, Profile, StimulusSource, StrategyChoice};
use super::names;
use super::schema::{MOST, check_kind};
use super::section::shortened;
use super::suggest;
use crate::stats::Until;

/// What a command line says differently from the profile; empty means "as the profile says".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `--scope RESOURCE`
    pub scope: Option<String>,
    /// `--dut LINK`
    pub dut: Option<String>,
    /// `--mode M`, each the name of a configuration or else a mode; empty means all configurations.
    pub modes: Vec<String>,
    /// `--count N`
    pub count: Option<u32>,
    /// `--until QUANTILE@CONFIDENCE`: as many pairs as that takes, or `--count` where that is more.
    pub until: Option<Until>,
    /// `--strategy S`
    pub strategy: Option<StrategyChoice>,
    /// `--seed N`: seeds the virtual bench, and with its low 32 bits the stimulus trains.
    pub seed: Option<u64>,
}

impl Profile {
    /// The profile with the options of a command line.
    ///
    /// `--dut none` also makes the stimulus external: without a link nobody can send START, so the stimulus is whatever
    /// runs freely, with gaps of its own. `--scope` decides whether the bench is virtual.
    ///
    /// # Errors
    /// [`ProfileError::Options`] with everything that does not fit.
    pub fn with(mut self, overrides: &Overrides) -> Result<Profile, ProfileError> {
        let mut faults = Vec::new();
        self.set_bench(overrides, &mut faults);
        self.select(&overrides.modes, &mut faults);
        self.set_count(overrides, &mut faults);
        if let Some(seed) = overrides.seed {
            self.bench.simulation.seed = seed;
            self.seed = ((seed & u64::from(u32::MAX)) as u32).max(1);
        }
        for configuration in &mut self.configurations {
            configuration.strategy = overrides.strategy.unwrap_or(configuration.strategy);
        }
        if faults.is_empty() { Ok(self) } else { Err(ProfileError::Options { profile: self.name, faults }) }
    }

    fn set_bench(&mut self, overrides: &Overrides, faults: &mut Vec<Fault>) {
        if let Some(scope) = &overrides.scope {
            check_name("--scope", names::check_scope(scope), faults);
            self.bench.scope.clone_from(scope);
            self.bench.kind = if scope == "virtual" { BenchKind::Virtual } else { BenchKind::Hardware };
        }
        if let Some(dut) = &overrides.dut {
            check_name("--dut", names::check_dut(dut), faults);
            self.bench.dut.clone_from(dut);
        }
        if overrides.scope.is_some() || overrides.dut.is_some() {
            let outcome = check_kind(self.bench.kind, &self.bench.scope, &self.bench.dut);
            check_name(
                "--dut",
                outcome.map_err(|(_, message)| format!("`{}`: {message}", self.bench.dut)),
                faults,
            );
        }
        if overrides.dut.as_deref() == Some("none") {
            self.run_free();
        }
    }

    fn run_free(&mut self) {
        self.source = StimulusSource::External;
        for configuration in &mut self.configurations {
            configuration.spacing = None;
        }
    }

    /// Keeps the configurations that were asked for, in the order of the profile.
    fn select(&mut self, modes: &[String], faults: &mut Vec<Fault>) {
        if modes.is_empty() {
            return;
        }
        let mut wanted = vec![false; self.configurations.len()];
        for mode in modes {
            let hits = matching(&self.configurations, mode);
            if !hits.contains(&true) {
                faults.push(Fault::option("--mode", self.no_such(mode)));
            }
            wanted = wanted.into_iter().zip(hits).map(|(a, b)| a || b).collect();
        }
        let mut wanted = wanted.into_iter();
        self.configurations.retain(|_| wanted.next().unwrap_or(false));
    }

    fn no_such(&self, mode: &str) -> String {
        let known: Vec<&str> = self.configurations.iter().map(|c| c.name.as_str()).collect();
        let modes = self.configurations.iter().map(|c| c.mode.as_str());
        let near = suggest::nearest(mode, known.iter().copied().chain(modes));
        let guess = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let (name, mode) = (&self.name, shortened(mode));
        format!(
            "no configuration of profile `{name}` has the name or mode `{mode}`; it has {}{guess}",
            known.join(", ")
        )
    }

    fn set_count(&mut self, overrides: &Overrides, faults: &mut Vec<Fault>) {
        let needed = overrides.until.map(Until::needed);
        let Some(count) = overrides.count.map(u64::from).max(needed) else { return };
        let option = if needed == Some(count) { "--until" } else { "--count" };
        let fits = u32::try_from(count).ok().filter(|count| (1..=MOST).contains(count));
        let Some(fits) = fits else {
            let why = format!("{count} pairs cannot be measured; use 1 to {MOST}");
            return faults.push(Fault::option(option, why));
        };
        for configuration in &mut self.configurations {
            (configuration.count, configuration.until) = (fits, overrides.until);
        }
    }
}

/// Which configurations a `--mode` means: the one of that name, or else all with that mode.
fn matching(configurations: &[Configuration], mode: &str) -> Vec<bool> {
    let named: Vec<bool> = configurations.iter().map(|c| c.name == mode).collect();
    if named.contains(&true) { named } else { configurations.iter().map(|c| c.mode == mode).collect() }
}

fn check_name(option: &str, outcome: Result<(), String>, faults: &mut Vec<Fault>) {
    if let Err(message) = outcome {
        faults.push(Fault::option(option, message));
    }
}
