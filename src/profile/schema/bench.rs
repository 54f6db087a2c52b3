//! `[bench]` and `[virtual]`.

use crate::profile::model::{BenchKind, BenchSpec, Probes, Simulation, Timing};
use crate::profile::names;
use crate::profile::section::Section;
use crate::units::Picos;

/// Longest wait for one answer of the scope: a block of 250 000 bytes at 0.4 MB/s takes 0.6 s.
const SCOPE_TIMEOUT: Picos = Picos::from_s(5);
/// What the simulated probes touch.
const PROBES: [(&str, Probes); 3] =
    [("apart", Probes::Apart), ("one-edge", Probes::OneEdge), ("swapped", Probes::Swapped)];
/// Longest wait for one answer of the board.
const DUT_TIMEOUT: Picos = Picos::from_s(2);

pub(super) fn bench(root: &Section<'_>) -> Option<BenchSpec> {
    let section = root.section("bench");
    let words = [("virtual", BenchKind::Virtual), ("hardware", BenchKind::Hardware)];
    let kind = section.required("kind", "kind = \"virtual\" or \"hardware\"", section.word("kind", &words));
    let preset = (kind == Some(BenchKind::Virtual)).then_some("virtual");
    let scope = name(&section, "scope", "192.168.1.20", preset, names::check_scope);
    let dut = name(&section, "dut", "/dev/ttyACM0", preset, names::check_dut);
    let scope_timeout = section.duration("scope_timeout").unwrap_or(SCOPE_TIMEOUT);
    let dut_timeout = section.duration("dut_timeout").unwrap_or(DUT_TIMEOUT);
    section.finish();
    let simulation = simulation(root);
    let (kind, scope, dut) = (kind?, scope?, dut?);
    if let Err((key, message)) = check_kind(kind, &scope, &dut) {
        section.fault(key, message);
    }
    Some(BenchSpec { kind, scope, dut, scope_timeout, dut_timeout, simulation })
}

/// The name of an instrument; `preset` where the key may be left out.
fn name(
    section: &Section<'_>,
    key: &'static str,
    example: &str,
    preset: Option<&str>,
    check: fn(&str) -> Result<(), String>,
) -> Option<String> {
    let text = section.text(key).or(preset);
    let text = match preset {
        Some(_) => text,
        None => section.required(key, &format!("{key} = \"{example}\""), text),
    }?;
    if let Err(message) = check(text) {
        section.fault(key, message);
        return None;
    }
    Some(text.to_owned())
}

/// A virtual scope sees virtual pins only, and a real one real pins. Gives the key at fault.
pub(in crate::profile) fn check_kind(
    kind: BenchKind,
    scope: &str,
    dut: &str,
) -> Result<(), (&'static str, String)> {
    let (virtual_scope, virtual_dut) = (scope == "virtual", dut == "virtual");
    match kind {
        BenchKind::Virtual if !virtual_scope => Err((
            "scope",
            "a virtual bench has scope = \"virtual\"; for a real scope write kind = \"hardware\"".to_owned(),
        )),
        BenchKind::Virtual if !virtual_dut && dut != "none" => Err((
            "dut",
            "the virtual scope cannot see this board's pins; write \"virtual\" or \"none\"".to_owned(),
        )),
        BenchKind::Hardware if virtual_scope => Err((
            "scope",
            "a hardware bench has a real scope; for the built-in one write kind = \"virtual\"".to_owned(),
        )),
        BenchKind::Hardware if virtual_dut => Err((
            "dut",
            "a real scope cannot see the virtual board; name its port, or write \"none\"".to_owned(),
        )),
        _ => Ok(()),
    }
}

fn simulation(root: &Section<'_>) -> Simulation {
    let section = root.section("virtual");
    let preset = Simulation::default();
    let timing = section.word("timing", &[("instant", Timing::Instant), ("realistic", Timing::Realistic)]);
    let rate = |key| section.number(key, 0.0, 1.0, "a chance");
    let simulation = Simulation {
        seed: section.whole("seed", 0, i64::MAX.unsigned_abs()).unwrap_or(preset.seed),
        timing: timing.unwrap_or(preset.timing),
        noise_codes: section.number("noise_codes", 0.0, 50.0, "codes rms").unwrap_or(preset.noise_codes),
        skew: section.quantity("skew").unwrap_or(preset.skew),
        rise_time: section.duration("rise_time").unwrap_or(preset.rise_time),
        clock_error_ppm: ppm(&section).unwrap_or(preset.clock_error_ppm),
        bytes_per_second: link_rate(&section).unwrap_or(preset.bytes_per_second),
        command_latency: section.duration("command_latency").unwrap_or(preset.command_latency),
        miss_rate: rate("miss_rate"),
        double_rate: rate("double_rate"),
        late_rate: rate("late_rate"),
        spacing: section.duration("spacing").unwrap_or(preset.spacing),
        faults: section.texts("faults"),
        probes: section.word("probes", &PROBES).unwrap_or_default(),
    };
    section.finish();
    simulation
}

fn ppm(section: &Section<'_>) -> Option<f64> {
    section.number("clock_error_ppm", -1000.0, 1000.0, "parts per million")
}

fn link_rate(section: &Section<'_>) -> Option<f64> {
    section.number("bytes_per_second", 1e3, 1e12, "bytes a second")
}
