//! The samples behind the worst latency of each configuration, for whoever doubts it.

use super::SessionError;
use crate::capture::Reader;
use crate::report::pictures::Waveform;
use crate::report::{ListedPair, Report, Row};

/// The waveform of the worst pair of each configuration, in the order of the report. Configurations without a pair have
/// none, nor those whose record can no longer be read as edges.
///
/// # Errors
/// When the evidence cannot be read.
pub fn worst_waveforms(reader: &Reader, report: &Report) -> Result<Vec<Waveform>, SessionError> {
    let plan = reader.plan()?.map(|p| p.configurations).unwrap_or_default();
    let mut found = Vec::new();
    for row in &report.rows {
        let configuration = plan.iter().find(|c| c.name == row.name);
        let (Some(configuration), Some(worst)) = (configuration, worst_of(row)) else { continue };
        let Some(stored) = reader.shot(&row.name, worst.shot)? else { continue };
        let thresholds = [configuration.stimulus_threshold, configuration.response_threshold];
        found.extend(Waveform::of(&row.name, &stored.shot, worst, thresholds).ok().flatten());
    }
    Ok(found)
}

/// The first of the latest.
fn worst_of(row: &Row) -> Option<&ListedPair> {
    let timed = row.pairs.iter().filter_map(|p| Some((p.pair.latency()?, p)));
    timed.reduce(|worst, next| if next.0 > worst.0 { next } else { worst }).map(|(_, pair)| pair)
}
