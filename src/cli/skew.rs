//! Where the calibration of skew comes from, and whether it belongs to this bench.
//!
//! One that was named must fit; one that merely lies beside the profile and does not fit is set aside, kept in the
//! evidence, and the report says why.

use super::exit::Failure;
use super::profiles::Loaded;
use crate::capture::Writer;
use crate::plan::{Calibration, RunPlan};
use crate::profile::Profile;
use anyhow::{Context, anyhow};
use std::path::{Path, PathBuf};

/// A calibration that was found.
pub(super) struct Found {
    text: String,
    calibration: Calibration,
    path: PathBuf,
    named: bool,
}

/// The file that the arguments name, or the one beside the profile if there is one.
pub(super) fn find(named: Option<&str>, loaded: &Loaded) -> Result<Option<Found>, Failure> {
    let path = match named {
        Some("none") => return Ok(None),
        Some(file) => PathBuf::from(file),
        None if loaded.calibration.is_file() => loaded.calibration.clone(),
        None => return Ok(None),
    };
    let (text, calibration) = read(&path)?;
    Ok(Some(Found { text, calibration, path, named: named.is_some() }))
}

/// Text and content of a calibration file.
pub(super) fn read(path: &Path) -> Result<(String, Calibration), Failure> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the calibration {}", path.display()))
        .map_err(Failure::usage)?;
    let calibration = Calibration::parse(&text, &path.display().to_string()).map_err(Failure::usage)?;
    Ok((text, calibration))
}

/// Keeps the calibration in the evidence and takes it into the plan, where it fits.
pub(super) fn apply(
    found: Option<&Found>,
    profile: &Profile,
    plan: &mut RunPlan,
    writer: &Writer,
) -> Result<(), Failure> {
    let Some(found) = found else { return Ok(()) };
    writer.calibration(&found.text)?;
    let misfits = misfits(&found.calibration, profile, plan, writer);
    if !misfits.is_empty() && found.named {
        let (path, why) = (found.path.display(), misfits.join("; "));
        return Err(Failure::usage(anyhow!(
            "{path} is of another bench: {why}; calibrate again with `latency-cli calibrate`, or measure without it \
             with --calibration none"
        )));
    }
    if misfits.is_empty() {
        let correction = Some(found.calibration.correction());
        plan.configurations.iter_mut().for_each(|c| c.correction = correction);
    }
    Ok(())
}

/// What differs between a calibration and the bench of a run.
pub(super) fn misfits(
    calibration: &Calibration,
    profile: &Profile,
    plan: &RunPlan,
    writer: &Writer,
) -> Vec<String> {
    let record = writer.record();
    let probes = [profile.stimulus.probe_label(), profile.response.probe_label()];
    let first = plan.configurations.first().zip(record.scope.as_ref());
    first.map_or_else(Vec::new, |(c, scope)| calibration.misfits(record.bench, scope, &c.setup, &probes))
}
