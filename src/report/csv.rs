//! Every pair as a line, integers in picoseconds.

use super::Report;
use crate::export::{self, PairRow};

/// `configuration,shot,pair,stimulus_ps,response_ps,latency_ps,status`; an empty field where there is no edge. A
/// simulated run carries its mark in the first field, as `VIRTUAL:name`, so that no line of it can be taken for a
/// measurement.
#[must_use]
pub fn csv(report: &Report) -> String {
    let mut bytes = Vec::new();
    // Writing into memory cannot fail, and every field is text.
    let _ = export::csv(pair_rows(report, &marked_names(report)), &mut bytes);
    String::from_utf8(bytes).unwrap_or_default()
}

/// The names of the configurations as files carry them, in the order of the rows.
#[must_use]
pub fn marked_names(report: &Report) -> Vec<String> {
    report.rows.iter().map(|row| report.marked(&row.name)).collect()
}

/// Every pair of every configuration, under the names of [`marked_names`].
pub fn pair_rows<'a>(report: &'a Report, names: &'a [String]) -> impl Iterator<Item = PairRow<'a>> {
    report.rows.iter().zip(names).flat_map(|(row, name)| {
        row.pairs.iter().map(|listed| PairRow {
            configuration: name,
            shot: listed.shot,
            pair: listed.number,
            stimulus: listed.pair.stimulus,
            response: listed.pair.response,
            latency: listed.pair.latency(),
            status: listed.pair.status,
        })
    })
}
