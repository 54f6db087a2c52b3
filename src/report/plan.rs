//! What a plan says to people and programs before anything is measured.

use crate::plan::{Capabilities, ConfigurationPlan, RunPlan};
use crate::units::{Hertz, Picos};
use comfy_table::{ContentArrangement, Table};
use serde_json::json;
use std::fmt::Write as _;

/// The plan as JSON: capabilities and configurations, times in picoseconds.
#[must_use]
pub fn plan_json(plan: &RunPlan, capabilities: &Capabilities) -> String {
    let value = json!({
        "format": "latency-cli/plan/1",
        "capabilities": capabilities,
        "configurations": plan.configurations,
    });
    format!("{value:#}\n")
}

/// The plan as a table, with the settings and the rule behind each row beneath it.
#[must_use]
pub fn plan_table(plan: &RunPlan, width: Option<u16>) -> String {
    let mut table = Table::new();
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(width.unwrap_or(200).max(60));
    table.load_style(comfy_table::presets::UTF8_FULL_CONDENSED);
    table.set_header([
        "Configuration",
        "Mode",
        "Pairs",
        "Strategy",
        "Shots x stimuli",
        "Spacing",
        "Sample",
        "Resolution",
        "Bytes",
        "Time",
    ]);
    for c in &plan.configurations {
        table.add_row(cells(c));
    }
    let mut text = format!("{table}\n");
    let link = plan.link;
    let _ = writeln!(
        text,
        "{}: link {} a query, {} a setting, {} a block and {:.2} MB/s, {} lag an acquisition ({})",
        plan.model,
        link.round_trip,
        link.setting,
        link.block,
        link.bytes_per_second / 1e6,
        link.lag,
        match (link.gauged, link.measured) {
            (true, _) => "measured at connect",
            (false, true) => "the query measured at connect, the rest assumed",
            (false, false) => "assumed",
        }
    );
    for c in &plan.configurations {
        let _ = writeln!(text, "\n{}: {}\n{}", c.name, c.reason, settings(c));
    }
    let _ = writeln!(text, "\nAll together: {}, {}", bytes(total_bytes(plan)), total_time(plan));
    text
}

fn cells(c: &ConfigurationPlan) -> Vec<String> {
    let loads = c.loads.iter().map(|l| format!("+{l}")).collect::<String>();
    vec![
        c.name.clone(),
        format!("{}{loads}", c.mode),
        c.count.to_string(),
        c.strategy.to_string(),
        format!("{} x {}", c.prediction.shots, c.burst),
        c.spacing
            .map_or_else(|| "found in the first record".to_owned(), |s| format!("{} .. {}", s.min, s.max)),
        c.setup.interval.to_string(),
        c.prediction.resolution.to_string(),
        bytes(c.prediction.bytes),
        c.prediction.total().to_string(),
    ]
}

/// What will be set, in the order a person would turn the knobs.
fn settings(c: &ConfigurationPlan) -> String {
    let s = &c.setup;
    let mut text = String::new();
    for (role, channel) in [("stimulus", &s.stimulus), ("response", &s.response)] {
        let _ = writeln!(
            text,
            "  {role}: {}, probe x{}, {}/div, offset {}, DC, full bandwidth",
            channel.input, channel.probe, channel.scale, channel.offset
        );
    }
    let rate = Hertz(1e12 / s.interval.0.max(1) as f64);
    let _ = writeln!(
        text,
        "  time base {}/div, delay {}, {} points at {}Sa/s",
        s.timebase,
        s.delay,
        s.depth,
        sample_rate(rate)
    );
    let _ = writeln!(text, "  trigger: edge, {}, {}, level {}", s.stimulus.input, s.slope, s.level);
    let _ = write!(text, "  fetched: {} .. {} around the trigger", c.extent.from, c.extent.to);
    if let Some(around) = c.around {
        let _ = write!(text, ", of that {} before and {} behind each stimulus", around.before, around.after);
    }
    text
}

/// `500 M`, to stand before `Sa/s`.
fn sample_rate(rate: Hertz) -> String {
    rate.to_string().trim_end_matches("Hz").to_owned()
}

fn total_bytes(plan: &RunPlan) -> u64 {
    plan.configurations.iter().map(|c| c.prediction.bytes).sum()
}

fn total_time(plan: &RunPlan) -> Picos {
    plan.configurations.iter().fold(Picos::ZERO, |sum, c| sum + c.prediction.total())
}

/// `12.0 MB`, `48 kB`.
fn bytes(n: u64) -> String {
    match n {
        0..1_000 => format!("{n} B"),
        1_000..1_000_000 => format!("{:.0} kB", n as f64 / 1e3),
        _ => format!("{:.1} MB", n as f64 / 1e6),
    }
}
