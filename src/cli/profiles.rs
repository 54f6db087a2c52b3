//! Finds the profile and lays the command line over it.

use super::args::{BenchArgs, SelectionArgs};
use super::exit::Failure;
use crate::profile::{self, BenchSpec, Overrides, Profile};
use anyhow::Context;
use std::path::{Path, PathBuf};

/// A profile and the text it came from, which goes into the evidence verbatim.
pub(super) struct Loaded {
    pub profile: Profile,
    pub text: String,
    /// Where its calibration of skew lies, if there is one.
    pub calibration: PathBuf,
}

/// The profile that the arguments name: a file, a built-in name, `./latency.toml`, or the virtual bench with a word
/// about it.
pub(super) fn load(bench: &BenchArgs, selection: &SelectionArgs) -> Result<Loaded, Failure> {
    let (text, origin) = text(bench.profile.as_deref())?;
    let profile = profile::parse(&text, &origin).map_err(Failure::usage)?;
    let profile = profile.with(&overrides(bench, selection)).map_err(Failure::usage)?;
    // A built-in profile has no folder: its calibration lies where one works.
    let file = Path::new(&origin);
    let place =
        if file.is_file() { file.to_owned() } else { PathBuf::from(format!("{}.toml", profile.name)) };
    Ok(Loaded { profile, text, calibration: place.with_extension("calibration.toml") })
}

/// The bench of a verb that talks to one instrument only: the other one need not fit, so it is not checked.
pub(super) fn bench_spec(args: &BenchArgs) -> Result<BenchSpec, Failure> {
    let unchanged = BenchArgs { scope: None, dut: None, ..args.clone() };
    let mut spec = load(&unchanged, &SelectionArgs::default())?.profile.bench;
    spec.scope = args.scope.clone().unwrap_or(spec.scope);
    spec.dut = args.dut.clone().unwrap_or(spec.dut);
    Ok(spec)
}

fn text(named: Option<&str>) -> Result<(String, String), Failure> {
    let local = Path::new("latency.toml");
    match named {
        Some(name) if Path::new(name).is_file() => read(Path::new(name)),
        Some(name) => built_in(name).ok_or_else(|| {
            let names = profile::builtin_names().collect::<Vec<_>>().join(", ");
            Failure::usage(anyhow::anyhow!(
                "there is no profile `{name}`: neither a file of that name nor a built-in one ({names})"
            ))
        }),
        None if local.is_file() => read(local),
        None => {
            eprintln!(
                "warning: no --profile and no ./latency.toml: using the built-in VIRTUAL bench, no hardware"
            );
            Ok(built_in("virtual").unwrap_or_default())
        }
    }
}

fn built_in(name: &str) -> Option<(String, String)> {
    profile::builtin_text(name).map(|text| (text.to_owned(), format!("built-in {name}")))
}

fn read(path: &Path) -> Result<(String, String), Failure> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read the profile {}", path.display()));
    Ok((text.map_err(Failure::usage)?, path.display().to_string()))
}

fn overrides(bench: &BenchArgs, selection: &SelectionArgs) -> Overrides {
    Overrides {
        scope: bench.scope.clone(),
        dut: bench.dut.clone(),
        modes: selection.mode.clone(),
        count: selection.count,
        until: selection.until,
        seed: selection.seed,
        strategy: selection.strategy,
    }
}
