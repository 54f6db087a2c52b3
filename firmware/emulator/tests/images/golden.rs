//! Path lengths per mode, and what is not modelled per image, against the committed files. A code change that lengthens
//! a path fails here with both numbers. `LATENCY_GOLDEN=write cargo test -p latency-emulator golden` writes them anew.

use crate::bench::Bench;
use crate::files::{Image, image, images};
use latency_emulator::{Emulator, breakdown};
use latency_protocol::Train;
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

const TRAIN: Train = Train { count: 200, min_us: 200, max_us: 900, seed: 7 };
const CYCLES: &str = "\
# Path lengths in the emulator: cycles of 128 MHz from the edge on P0.05 to the edge on P0.04, and instructions between
# them. 200 stimuli, 200-900 us, seed 7, nothing asked meanwhile. EMULATED: no wait states, no bus, no synchroniser.
# Depends on the compilers: rustc 1.95, arm-none-eabi-gcc 12.2 (FreeRTOS' kernel).
# image mode min median max instructions
";
const FINDINGS: &str = "\
# What the images touch that has no model, and what they do that the chip would not forgive.
# image: finding
";

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Key and value of a line, the key being its first `words` words.
fn split(line: &str, words: usize) -> (String, String) {
    let at = line.match_indices(' ').nth(words - 1).map_or(line.len(), |(at, _)| at);
    (line[..at].to_owned(), line[at..].trim().to_owned())
}

/// Compares found lines with the committed ones, image by image: images that could not be built are left alone.
fn compare(name: &str, header: &str, words: usize, found: &[String]) {
    let path = file(name);
    if env::var("LATENCY_GOLDEN").as_deref() == Ok("write") {
        fs::write(&path, format!("{header}{}\n", found.join("\n"))).expect("the golden file can be written");
        return;
    }
    let built: Vec<&str> = images().iter().map(|i| i.name).collect();
    let text = fs::read_to_string(&path).expect("the golden file is committed");
    let of = |line: &str| line.split([' ', ':']).next().unwrap_or_default().to_owned();
    let kept = text.lines().filter(|l| !l.starts_with('#') && built.contains(&of(l).as_str()));
    let expected: BTreeMap<_, _> = kept.map(|l| split(l, words)).collect();
    let found: BTreeMap<_, _> = found.iter().map(|l| split(l, words)).collect();
    let keys = expected.keys().chain(found.keys().filter(|k| !expected.contains_key(*k)));
    let differences: Vec<String> = keys
        .filter(|k| expected.get(*k) != found.get(*k))
        .map(|k| {
            let (was, is) = (expected.get(k), found.get(k));
            format!("  {k}: committed {}, now {}", was.map_or("none", |v| v), is.map_or("none", |v| v))
        })
        .collect();
    assert!(differences.is_empty(), "{name} ({}) differs:\n{}", columns(header), differences.join("\n"));
}

fn columns(header: &str) -> &str {
    header.lines().last().unwrap_or_default().trim_start_matches("# ")
}

fn cycles(image: &Image) -> Vec<String> {
    let mut bench = Bench::boot(&image.elf);
    let row = |mode: &String| {
        let mut latencies: Vec<u64> =
            bench.run_undisturbed(mode, TRAIN).latencies().into_iter().flatten().collect();
        latencies.sort_unstable();
        let at = |i: usize| latencies.get(i).copied().unwrap_or(0);
        let (min, median, max) = (at(0), at(latencies.len() / 2), at(latencies.len().saturating_sub(1)));
        format!("{} {mode} {min} {median} {max} {}", image.name, instructions(image, mode))
    };
    let modes = Bench::boot(&image.elf).modes();
    modes.iter().map(row).collect()
}

/// Instructions of one response, the store that makes the edge included.
fn instructions(image: &Image, mode: &str) -> u64 {
    let mut emulator = Emulator::from_elf(&image.elf).expect("the image loads");
    let found = breakdown(&mut emulator, mode).expect("the mode answers");
    let total: u64 = found.stages.iter().map(|s| s.cycles).sum();
    assert_eq!(total, found.latency.0, "{} {mode}: the stages don't add up", image.name);
    found.stages.iter().map(|s| s.instructions).sum()
}

/// What the companion firmware promises of its shortest paths, whatever the golden file says.
#[test]
fn short_paths_stay_short() {
    for (name, mode, most) in [
        ("bare", "hw", 0),
        ("bare", "reg-set", 4),
        ("bare", "reg-task", 4),
        ("bare", "reg-rmw", 5),
        ("bare", "isr", 8),
        ("rtic", "isr", 8),
    ] {
        let Some(image) = image(name) else { continue };
        let found = instructions(image, mode);
        assert!(
            found <= most,
            "{name} {mode}: {found} instructions from vector to store, at most {most} are promised"
        );
    }
}

#[test]
fn golden_cycles() {
    let found: Vec<String> = images().iter().flat_map(cycles).collect();
    compare("cycles.txt", CYCLES, 2, &found);
}

#[test]
fn golden_findings() {
    let mut found = Vec::new();
    for image in images() {
        let mut bench = Bench::boot(&image.elf);
        for mode in bench.modes() {
            bench.run(&mode, Train { count: 5, ..TRAIN });
        }
        found.extend(bench.emulator.findings().iter().map(|f| format!("{}: {f}", image.name)));
    }
    compare("findings.txt", FINDINGS, 99, &found);
}
