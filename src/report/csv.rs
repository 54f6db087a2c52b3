//! Every pair as a line, integers in picoseconds.

use super::Report;
use crate::signal::Status;
use crate::units::Picos;

/// Name of a status in files.
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

/// `configuration,shot,pair,stimulus_ps,response_ps,latency_ps,status`; an empty field where there is no edge. A
/// simulated run carries its mark in the first field, as `VIRTUAL:name`, so that no line of it can be taken for a
/// measurement.
#[must_use]
pub fn csv(report: &Report) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let _ = writer.write_record([
        "configuration",
        "shot",
        "pair",
        "stimulus_ps",
        "response_ps",
        "latency_ps",
        "status",
    ]);
    for row in &report.rows {
        let name = report.marked(&row.name);
        for listed in &row.pairs {
            let pair = &listed.pair;
            let _ = writer.write_record([
                name.as_str(),
                &listed.shot.to_string(),
                &listed.number.to_string(),
                &number(pair.stimulus),
                &number(pair.response),
                &number(pair.latency()),
                status_name(pair.status),
            ]);
        }
    }
    // Writing into memory cannot fail, and every field is text.
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

fn number(time: Option<Picos>) -> String {
    time.map(|t| t.0.to_string()).unwrap_or_default()
}
