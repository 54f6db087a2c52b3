//! Programs that this project did not write take the virtual scope for a DS1054Z.
//!
//! Each test starts a virtual bench in this process and the client as a child. A client that is not installed makes
//! its test say SKIPPED on stderr, uncaptured. `LATENCY_PYTHON` names a Python that has `pyvisa` and `pyvisa-py`.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a failing step is a failing test

use latency_cli::bench::sim::{Options, VirtualBench};
use latency_cli::profile::Simulation;
use latency_cli::units::Picos;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Longest time a client may take.
const PATIENCE: Duration = Duration::from_secs(120);

fn skipped(test: &str, why: &str) {
    // Not `eprintln!`: the test harness would swallow it.
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {why}");
}

fn installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    found.is_ok()
}

/// Runs a client to its end, or ends it after [`PATIENCE`]; gives what it printed.
fn run(command: &mut Command) -> (bool, String) {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pipes: [Box<dyn Read + Send>; 2] =
        [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
    let readers = pipes.map(|mut pipe| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = pipe.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        })
    });
    let rounds = PATIENCE.as_millis() / 20;
    let ended = (0..rounds).find_map(|_| {
        std::thread::park_timeout(Duration::from_millis(20));
        child.try_wait().unwrap()
    });
    if ended.is_none() {
        let _ = child.kill();
        let _ = child.wait();
    }
    let said = readers.map(|r| r.join().unwrap()).concat();
    assert!(ended.is_some(), "{command:?} did not end within {PATIENCE:?}: {said}");
    (ended.unwrap().success(), said)
}

#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);
impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A bench with a live signal and nothing hidden between true and shown latency.
fn bench(truth: Paper) -> VirtualBench {
    let simulation = Simulation { skew: Picos::ZERO, clock_error_ppm: 0.0, ..Simulation::default() };
    let options =
        Options { simulation, free_running: true, truth: Some(Box::new(truth)), ..Options::default() };
    VirtualBench::start(options).unwrap()
}

#[test]
fn sigrok_finds_it_and_captures_screen_and_memory() {
    if !installed("sigrok-cli") {
        return skipped("sigrok", "sigrok-cli is not installed (Debian: apt install sigrok-cli)");
    }
    let bench = bench(Paper::default());
    let device = format!("rigol-ds:conn=tcp-raw/127.0.0.1/{}", bench.scope_address().port());
    let sigrok = |arguments: &[&str]| run(Command::new("sigrok-cli").args(["-d", &device]).args(arguments));
    let (ok, found) = sigrok(&["--scan"]);
    assert!(ok && found.contains("Rigol DS1054Z") && found.contains("CH1 CH2 CH3 CH4"), "{found}");
    let screen = ["-c", "timebase=100us:data_source=Live", "--frames", "1", "-O", "analog"];
    // Not its exit code: over raw TCP this driver of libsigrok 0.5 complains about its own last read.
    let (_, samples) = sigrok(&screen);
    assert!(samples.contains("FRAME-END"), "{samples}");
    let volts: Vec<f64> =
        samples.lines().filter_map(|l| l.strip_prefix("CH1: ")?.strip_suffix(" V")?.parse().ok()).collect();
    assert_eq!(volts.len(), 1200, "{samples}");
    let near = |level: f64| volts.iter().filter(|v| (**v - level).abs() < 0.2).count();
    assert!(near(0.0) > 100 && near(3.3) > 100, "3.3 V logic: {} low, {} high", near(0.0), near(3.3));
    let memory = ["-c", "data_source=Memory", "--frames", "1", "-O", "analog"];
    let (_, samples) = sigrok(&memory);
    let points = samples.lines().filter(|l| l.starts_with("CH1: ")).count();
    assert!(samples.contains("FRAME-END") && points >= 30_000, "{points} points");
}

#[test]
fn lxi_tools_talk_to_it() {
    if !installed("lxi") {
        return skipped("lxi", "lxi is not installed (Debian: apt install lxi-tools)");
    }
    let bench = bench(Paper::default());
    let port = bench.scope_address().port().to_string();
    let lxi = |command: &str| {
        run(Command::new("lxi").args(["scpi", "-r", "-a", "127.0.0.1", "-p", &port, command]))
    };
    let (ok, said) = lxi("*IDN?");
    assert!(ok && said.starts_with("RIGOL TECHNOLOGIES,DS1054Z,"), "{said}");
    let (ok, said) = lxi(":TIM:SCAL?");
    assert!(ok && said.starts_with("1.000000e-06"), "{said}");
}

#[test]
fn pyvisa_reads_screen_memory_and_picture() {
    let python = std::env::var("LATENCY_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let imports =
        Command::new(&python).args(["-c", "import pyvisa, pyvisa_py"]).stderr(Stdio::null()).status();
    if !imports.is_ok_and(|status| status.success()) {
        let why =
            format!("{python} has no pyvisa and pyvisa-py (pip install pyvisa pyvisa-py; LATENCY_PYTHON)");
        return skipped("pyvisa", &why);
    }
    let truth = Paper::default();
    let bench = bench(truth.clone());
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("screen.png");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/pyvisa_session.py");
    let port = bench.scope_address().port().to_string();
    let (ok, said) = run(Command::new(&python).args([script, "127.0.0.1", &port]).arg(&picture));
    assert!(ok, "{said}");
    let line = said.lines().find(|l| l.starts_with('{')).unwrap();
    let result: serde_json::Value = serde_json::from_str(line).unwrap();
    assert!(result["identity"].as_str().unwrap().contains("DS1054Z"));
    assert_eq!((result["depth"].as_str(), result["points"].as_i64()), (Some("600000"), Some(600_000)));
    assert_eq!((result["screen"].as_i64(), result["error"].as_str()), (Some(1200), Some("0,\"No error\"")));
    let picture = std::fs::read(picture).unwrap();
    assert!(picture.starts_with(b"\x89PNG") && picture.len() < 100_000);
    compare_with_truth(&result, &String::from_utf8(truth.0.lock().unwrap().clone()).unwrap());
}

/// Each latency that the client found is that of the simulator's own list, within a nanosecond.
fn compare_with_truth(result: &serde_json::Value, truth: &str) {
    let times = |name: &str| -> Vec<f64> {
        result[name].as_array().unwrap().iter().map(|t| t.as_f64().unwrap()).collect()
    };
    let (stimuli, responses) = (times("stimuli"), times("responses"));
    let rows: Vec<Vec<f64>> = truth
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|f| f.parse().unwrap_or(f64::NAN)).collect())
        .collect();
    let mut compared = 0;
    for stimulus in stimuli {
        let row = rows.iter().find(|r| (r[2] / 1000.0 - stimulus).abs() < 10.0).unwrap();
        if let Some(response) = responses.iter().find(|r| **r > stimulus) {
            assert!((response - stimulus - row[4] / 1000.0).abs() < 1.0, "{stimulus} {response} {row:?}");
            compared += 1;
        }
    }
    // 1.2 ms of record at about 100 us spacing.
    assert!((10..=14).contains(&compared), "{compared} pairs");
}
