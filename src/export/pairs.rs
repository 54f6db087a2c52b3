//! Pairs as rows of a table.

use super::error::{ExportError, writing};
use crate::signal::{Pair, Pairing, Status};
use crate::units::Picos;
use std::io::Write;

/// One row: a stimulus with its response, or the one without the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairRow<'a> {
    /// Name of the configuration.
    pub configuration: &'a str,
    /// Number of the shot, from 1.
    pub shot: u32,
    /// Number of the pair in its shot, from 1.
    pub pair: u32,
    /// When the stimulus came.
    pub stimulus: Option<Picos>,
    /// When the response came.
    pub response: Option<Picos>,
    /// Their distance, of pairs only.
    pub latency: Option<Picos>,
    /// What became of it.
    pub status: Status,
}

/// The rows of the pairs of one shot.
pub fn rows<'a>(
    configuration: &'a str,
    shot: u32,
    pairing: &'a Pairing,
) -> impl Iterator<Item = PairRow<'a>> + 'a {
    (1..).zip(&pairing.pairs).map(move |(number, pair): (u32, &Pair)| PairRow {
        configuration,
        shot,
        pair: number,
        stimulus: pair.stimulus,
        response: pair.response,
        latency: pair.latency(),
        status: pair.status,
    })
}

/// The word for a status, as in the JSON report.
#[must_use]
pub fn status_name(status: Status) -> &'static str {
    match status {
        Status::Paired => "paired",
        Status::Unanswered => "unanswered",
        Status::CutOff => "cut_off",
        Status::Spurious => "spurious",
        Status::Ambiguous => "ambiguous",
    }
}

/// Writes `configuration,shot,pair,stimulus_ps,response_ps,latency_ps,status`, whole picoseconds, empty where there is
/// nothing.
///
/// # Errors
/// [`ExportError::Write`] when the target takes no more.
pub fn csv<'a>(rows: impl IntoIterator<Item = PairRow<'a>>, target: impl Write) -> Result<(), ExportError> {
    let failed = writing("csv");
    let mut writer = ::csv::Writer::from_writer(target);
    let names = ["configuration", "shot", "pair", "stimulus_ps", "response_ps", "latency_ps", "status"];
    writer.write_record(names).map_err(writing("csv"))?;
    for row in rows {
        let time = |t: Option<Picos>| t.map(|t| t.0.to_string()).unwrap_or_default();
        let numbers = [row.shot.to_string(), row.pair.to_string()];
        let [shot, pair] = &numbers;
        let times = [time(row.stimulus), time(row.response), time(row.latency)];
        let [stimulus, response, latency] = &times;
        let fields = [row.configuration, shot, pair, stimulus, response, latency, status_name(row.status)];
        writer.write_record(fields).map_err(writing("csv"))?;
    }
    writer.flush().map_err(failed)
}
