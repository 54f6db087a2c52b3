//! Figures that survive a review, through the program itself: stopping, budget, calibration, checks, comparison, gate,
//! tail. What is expected comes from the simulator's settings and truth, or from a calculation of the test's own.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a failing step is a failing test

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use std::fs;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// An empty folder to run in: no `latency.toml`, no calibration of somebody else.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        Place(TempDir::new().expect("a temporary folder"))
    }
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    fn run(&self, args: &[&str]) -> Command {
        let mut command = Command::cargo_bin("latency-cli").expect("built");
        command.env_remove("LATENCY_SCOPE").env_remove("LATENCY_DUT");
        command.current_dir(self.0.path()).args(args).timeout(std::time::Duration::from_secs(120));
        command
    }
    fn json(&self, args: &[&str]) -> Value {
        let output = self.run(args).args(["--format", "json"]).output().expect("runs");
        let said = String::from_utf8_lossy(&output.stderr);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}: {said}"))
    }
    /// Measures into the folder `out` and gives the run's folder.
    fn measure(&self, out: &str, args: &[&str]) -> String {
        self.run(&["measure", "--quiet", "--out", out]).args(args).assert().success();
        let mut runs = fs::read_dir(self.path(out)).expect("a folder").flatten();
        let run = runs.next().expect("a run").file_name();
        assert!(runs.next().is_none(), "{out} holds one run");
        format!("{out}/{}", run.to_string_lossy())
    }
    /// The built-in profile with texts replaced, as `name`.
    fn profile(&self, name: &str, changes: &[(&str, &str)]) -> String {
        let mut text =
            fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("profiles/virtual.toml"))
                .expect("the profile");
        for (old, new) in changes {
            assert!(text.contains(old), "{old} is not in the profile");
            text = text.replacen(old, new, 1);
        }
        fs::write(self.path(name), text).expect("written");
        name.to_owned()
    }
    /// Latencies of a run in picoseconds, in the order of time.
    fn latencies(&self, run: &str) -> Vec<i64> {
        let output = self.run(&["analyze", run, "--format", "csv"]).output().expect("runs");
        latencies(&String::from_utf8(output.stdout).expect("text"), 5)
    }
}

/// The numbers of a column of CSV, empty fields left out.
fn latencies(csv: &str, column: usize) -> Vec<i64> {
    csv.lines().skip(1).filter_map(|l| l.split(',').nth(column)?.parse().ok()).collect()
}

fn warned(report: &Value, code: &str) -> Option<String> {
    let all = report["warnings"].as_array().expect("warnings");
    let found = all.iter().find(|w| w["code"] == code)?;
    Some(found["message"].as_str().expect("a message").to_owned())
}

const DIRECT: &str = "name = \"direct\"\nmode = \"direct\"\n";

#[test]
fn until_captures_what_a_quantile_takes() {
    let place = Place::new();
    // ln 0.05 / ln 0.99 = 298.07: the 299th pair bounds p99.
    let report = place.json(&["measure", "--mode", "direct", "--until", "p99@95", "--count", "20"]);
    let row = &report["configurations"][0];
    assert!((299..310).contains(&row["count"].as_u64().expect("count")), "{}", row["count"]);
    assert_eq!((&row["asked"]["until"], &row["asked"]["needed"]), (&"p99@95".into(), &299.into()));
    assert_eq!(row["asked"]["value_ps"], row["p99_ps"]);
    assert_eq!(row["p99_ci95_ps"][1], row["worst_ps"], "with 299 pairs the largest is the bound");
    assert!(row["p999_ps"].is_null() && row["p999_ci95_ps"].is_null());
    let larger =
        place.json(&["plan", "--offline", "--mode", "direct", "--until", "p99@95", "--count", "400"]);
    assert_eq!(larger["configurations"][0]["count"], 400);
}

#[test]
fn a_quantile_that_the_sample_cannot_give_is_said_to_be_so() {
    let place = Place::new();
    place
        .run(&["measure", "--mode", "direct", "--count", "50"])
        .assert()
        .success()
        .stdout(contains("p99 not resolvable with n = 50 (takes 299)"))
        .stdout(contains("p99.9 not resolvable with n = 50 (takes 2995)"));
    for (rule, why) in [
        ("worst-stable:500", "seen so far"),
        ("p99.9", "p99.9@95"),
        ("p99.9999@99.9999", "cannot be measured"),
    ] {
        place.run(&["measure", "--until", rule, "--out", "refused"]).assert().code(2).stderr(contains(why));
    }
    assert!(!place.path("refused").exists(), "a refusal leaves no run behind");
}

#[test]
fn explain_prints_each_term_with_its_source() {
    let place = Place::new();
    let coarse = place.profile(
        "coarse.toml",
        &[
            (DIRECT, &format!("{DIRECT}resolution = \"20 ns\"\n")),
            ("rise_time = \"7 ns\"", "rise_time = \"3 ns\""),
        ],
    );
    let run = place.measure("a", &["--profile", &coarse, "--mode", "direct", "--count", "100"]);
    let analyzed = place.run(&["analyze", &run, "--explain"]).assert().success();
    let text = String::from_utf8_lossy(&analyzed.get_output().stdout).into_owned();
    for term in ["sampling", "noise", "threshold", "skew", "time base", "combined", "JCGM 100:2008"] {
        assert!(text.contains(term), "{term} is missing in {text}");
    }
    assert!(text.contains("bound: one sample interval, 20 ns"), "{text}");
    let report = place.json(&["analyze", &run]);
    let budget = &report["configurations"][0]["uncertainty"];
    let terms = budget["terms"].as_array().expect("terms");
    let squares: f64 = terms.iter().map(|t| t["standard_ps"].as_f64().expect("ps").powi(2)).sum();
    assert!((squares.sqrt() - budget["combined_ps"].as_f64().expect("ps")).abs() <= 1.0, "{budget}");
    assert_eq!(budget["bound_ps"], 20_000);
    assert_eq!(budget["expanded_k2_ps"], report["configurations"][0]["uncertainty_k2_ps"]);
}

/// A `simulate` of its own, ended when dropped.
struct Served {
    child: std::process::Child,
    scope: String,
    board: String,
}

impl Served {
    fn start(args: &[&str]) -> Served {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_latency-cli"))
            .args(["simulate", "--scope-port", "0", "--timing", "instant"])
            .args(args)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("started");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("piped");
        std::io::BufReader::new(stdout).read_line(&mut line).expect("a line");
        let field = |key: &str| line.split_whitespace().find_map(|w| w.strip_prefix(key)).expect("a field");
        let (scope, board) = (field("scope=").to_owned(), format!("tcp://{}", field("dut=")));
        Served { child, scope, board }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Over sockets, against the truth that the simulator wrote: without calibration latencies are off by the hidden
/// skew, with it by nothing.
#[test]
fn calibration_takes_out_the_hidden_skew() {
    let place = Place::new();
    let profile =
        place.profile("rig.toml", &[("kind = \"virtual\"", "kind = \"virtual\"\nscope_timeout = \"20 s\"")]);
    let skew = ["--skew", "-1300 ps"];
    {
        let bench = Served::start(&[skew.as_slice(), &["--probes", "one-edge"]].concat());
        place
            .run(&["calibrate", "--profile", &profile, "--scope", &bench.scope, "--dut", &bench.board])
            .assert()
            .success()
            .stdout(contains("VIRTUAL").and(contains("stored in rig.calibration.toml")));
    }
    let bias = |out: &str, calibration: &str| {
        let truth = format!("{out}.csv");
        let bench = Served::start(
            &[skew.as_slice(), &["--truth", place.path(&truth).to_str().expect("utf-8")]].concat(),
        );
        let run = place.measure(
            out,
            &[
                "--profile",
                &profile,
                "--scope",
                &bench.scope,
                "--dut",
                &bench.board,
                "--mode",
                "direct",
                "--count",
                "400",
                "--calibration",
                calibration,
            ],
        );
        let found = place.latencies(&run);
        let truth = latencies(&fs::read_to_string(place.path(&truth)).expect("the truth"), 4);
        assert_eq!(found.len(), truth.len());
        let off: i64 = found.iter().zip(&truth).map(|(a, b)| a - b).sum();
        off as f64 / found.len() as f64
    };
    let raw = bias("raw", "none");
    // 3 ppm of 1.9 us are 6 ps, the noise of 400 pairs about 4 ps, that of the calibration as much.
    assert!((raw + 1_300.0).abs() < 25.0, "uncalibrated bias {raw} ps");
    let calibrated = bias("calibrated", "rig.calibration.toml");
    assert!(calibrated.abs() < 25.0, "calibrated bias {calibrated} ps");
}

/// A quarter of the virtual bench's skew of 400 ps comes from the probes.
#[test]
fn exchanged_probes_tell_inputs_from_probes() {
    let place = Place::new();
    place
        .run(&["calibrate", "--swapped"])
        .assert()
        .code(2)
        .stderr(contains("run `latency-cli calibrate` first"));
    place.run(&["calibrate"]).assert().success().stdout(contains("calibrate --swapped"));
    place.run(&["calibrate", "--swapped"]).assert().success();
    let text = fs::read_to_string(place.path("virtual.calibration.toml")).expect("stored");
    let file: toml::Table = text.parse().expect("toml");
    let ps = |table: &toml::Table, key: &str| table[key].as_integer().expect("ps");
    assert!((ps(&file, "skew_ps") - 400).abs() < 20, "{text}");
    let swapped = file["swapped"].as_table().expect("a table");
    assert!(
        (ps(swapped, "inputs_ps") - 300).abs() < 20 && (ps(swapped, "probes_ps") - 100).abs() < 20,
        "{text}"
    );
    for key in ["scope_serial", "date", "standard_uncertainty_ps", "run"] {
        assert!(file.contains_key(key), "{key}");
    }
    assert!(file["stimulus"]["volts_per_division"].is_float() && file["response"]["probe"].is_str());
}

#[test]
fn a_calibration_of_another_bench_is_refused_with_the_reason() {
    let place = Place::new();
    let rig = place.profile("rig.toml", &[]);
    place.run(&["calibrate", "--profile", &rig]).assert().success();
    let run = place.measure("fits", &["--profile", &rig, "--mode", "hw", "--count", "60"]);
    let report = place.json(&["analyze", &run]);
    assert_eq!(warned(&report, "skew-not-calibrated"), None);
    assert!((report["calibration"]["skew_ps"].as_i64().expect("ps") - 400).abs() < 20);
    let kept = fs::read(place.path(&run).join("calibration.toml")).expect("kept as evidence");
    assert_eq!(kept, fs::read(place.path("rig.calibration.toml")).expect("stored"), "verbatim");

    let response = "[response]\nchannel = 2\nprobe = 10\nlow = \"0 V\"\nhigh = \"3.3 V\"";
    let scale = response.replace("3.3 V", "6 V");
    let probe = format!("{response}\nprobe_name = \"blue\"");
    for (n, (change, seed, why)) in [
        (scale.as_str(), "1", "response scale was"),
        (probe.as_str(), "1", "response probe was `probe on CH2`, is `blue`"),
        (response, "2", "scope serial was"),
    ]
    .into_iter()
    .enumerate()
    {
        let other = place.profile("other.toml", &[(response, change)]);
        fs::copy(place.path("rig.calibration.toml"), place.path("other.calibration.toml")).expect("copied");
        let args = ["--profile", &other, "--mode", "hw", "--count", "60", "--seed", seed];
        let report = place.json(&["analyze", &place.measure(&format!("found{n}"), &args)]);
        let reason = warned(&report, "calibration-refused").expect("a warning");
        assert!(reason.contains(why), "{reason}");
        assert!(warned(&report, "skew-not-calibrated").is_some() && report["calibration"].is_null());
        // Named, it must fit.
        let named = ["measure", "--out", "named", "--calibration", "rig.calibration.toml"];
        place.run(&named).args(args).assert().code(2).stderr(contains(why));
    }
    let stored = fs::read_to_string(place.path("rig.calibration.toml")).expect("stored");
    let absurd = stored.replace("standard_uncertainty_ps = ", "standard_uncertainty_ps = 9000000000");
    fs::write(place.path("absurd.toml"), absurd).expect("written");
    place
        .run(&["measure", "--calibration", "absurd.toml"])
        .assert()
        .code(2)
        .stderr(contains("no skew of two probes"));
    fs::write(place.path("other.calibration.toml"), "skew = 3").expect("written");
    place
        .run(&["measure", "--profile", "other.toml", "--out", "broken"])
        .assert()
        .code(2)
        .stderr(contains("other.calibration.toml").and(contains("no usable calibration")));
    assert!(!place.path("broken").exists(), "found out before the run began");
}

/// The clock of the simulated scope is made to run fast by a known amount.
#[test]
fn the_clock_is_held_against_a_known_period() {
    let place = Place::new();
    for (ppm, period, code) in [("12.5", "1 ms", 0), ("-60.0", "100 us", 1)] {
        let fast =
            place.profile("fast.toml", &[("clock_error_ppm = 3.0", &format!("clock_error_ppm = {ppm}"))]);
        let output = place.run(&["calibrate", "--profile", &fast, "--period", period]).assert().code(code);
        let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
        let found: f64 = text
            .split("time base: ")
            .nth(1)
            .and_then(|rest| rest.split(' ').next()?.parse().ok())
            .unwrap_or_else(|| panic!("no figure in {text}"));
        assert!((found - ppm.parse::<f64>().expect("a number")).abs() < 2.0, "{text}");
    }
    place.run(&["calibrate", "--period", "1.5 us"]).assert().code(2).stderr(contains("whole microseconds"));
}

#[test]
fn what_is_odd_about_a_sample_is_named() {
    let place = Place::new();
    let sound = place.json(&["measure", "--mode", "direct", "--count", "200"]);
    assert!(
        sound["warnings"].as_array().expect("warnings").iter().all(|w| w["code"] == "skew-not-calibrated"),
        "{sound}"
    );

    // Nothing that the board runs takes less than 1.75 us; the row says that nothing can take less than 1.85 us.
    let floor = place.profile("floor.toml", &[(DIRECT, &format!("{DIRECT}floor = \"1.85 us\"\n"))]);
    let run = place
        .run(&["measure", "--profile", &floor, "--mode", "direct", "--count", "200", "--format", "json"])
        .output()
        .expect("runs");
    let report: Value = serde_json::from_slice(&run.stdout).expect("json");
    let said = warned(&report, "below-floor").expect("a warning");
    assert!(said.contains("1.85 us"), "{said}");

    // Stimuli every 12 us meet three phases of a tick of 36 us and no other.
    let locked = place.profile(
        "locked.toml",
        &[
            ("clock = \"128 MHz\"", "tick = \"36 us\"\nclock = \"128 MHz\""),
            (
                "spacing = { min = \"8 us\", max = \"16 us\" }",
                "spacing = { min = \"12 us\", max = \"12 us\" }",
            ),
        ],
    );
    let report = place.json(&["measure", "--profile", &locked, "--mode", "direct", "--count", "200"]);
    let said = warned(&report, "phase-not-covered").expect("a warning");
    assert!(said.contains("33 % of the tick of 36 us"), "{said}");
}

#[test]
fn the_cold_first_latency_is_listed_apart() {
    let place = Place::new();
    let run = place.measure("a", &["--mode", "thread", "--count", "60", "--strategy", "burst"]);
    let first = place.latencies(&run)[0];
    let report = place.json(&["analyze", &run]);
    let row = &report["configurations"][0];
    assert_eq!(row["checks"]["cold_ps"], first);
    assert_eq!(row["count"], 60, "it still counts");
    place.run(&["analyze", &run]).assert().stdout(contains("thread: cold first latency"));
}

/// Against a calculation by brute force over the pairs of both runs.
#[test]
fn compare_gives_the_shift_and_the_chance_of_being_slower() {
    let place = Place::new();
    let a = place.measure("a", &["--mode", "direct", "--count", "80"]);
    let b = place.measure("b", &["--mode", "direct+i2c", "--count", "70", "--seed", "9"]);
    let value = place.json(&["compare", &a, &b]);
    let row = &value["configurations"][0];
    let (x, y) = (place.latencies(&a), place.latencies(&b));
    let mut differences: Vec<i64> = x.iter().flat_map(|x| y.iter().map(move |y| y - x)).collect();
    differences.sort_unstable();
    let middle = differences.len() / 2;
    let shift = if differences.len() % 2 == 1 {
        differences[middle]
    } else {
        i64::midpoint(differences[middle - 1], differences[middle])
    };
    assert_eq!(row["shift_ps"], shift);
    let above: f64 =
        differences.iter().map(|d| f64::from(i32::from(*d > 0)) + f64::from(i32::from(*d == 0)) / 2.0).sum();
    let chance = above / differences.len() as f64;
    assert!((row["superiority"].as_f64().expect("a number") - chance).abs() < 1e-4, "{chance}: {row}");
    let kinds: Vec<&str> = value["differences"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|d| d["kind"].as_str().expect("text"))
        .collect();
    assert_eq!(kinds, ["scope", "build", "configurations", "mode"], "seeds, names and loads differ");
}

#[test]
fn compare_calls_a_difference_one_only_where_it_matters() {
    let place = Place::new();
    let a = place.measure("a", &["--mode", "direct", "--count", "500"]);
    let pm = place.measure("pm", &["--mode", "direct+pm", "--count", "500"]);
    let other = place.measure("other", &["--mode", "direct", "--count", "500", "--seed", "5"]);
    // Waking from sleep takes 1.2 us on the simulated board.
    let slower = place.json(&["compare", &a, &pm]);
    let row = &slower["configurations"][0];
    assert!((row["shift_ps"].as_i64().expect("ps") - 1_200_000).abs() < 20_000, "{row}");
    assert_eq!((&row["verdict"], &row["superiority"]), (&"slower".into(), &1.0.into()));
    let irrelevant = place.json(&["compare", &a, &pm, "--relevance", "2 us"]);
    assert_eq!(irrelevant["configurations"][0]["verdict"], "negligible");
    let faster = place.json(&["compare", &pm, &a]);
    assert_eq!(faster["configurations"][0]["verdict"], "faster");
    let same = place.json(&["compare", &a, &other]);
    assert_eq!(same["configurations"][0]["verdict"], "undecided");
    place
        .run(&["compare", &a, &pm, "--format", "markdown"])
        .assert()
        .success()
        .stdout(contains("VIRTUAL").and(contains("| direct / direct+pm |")).and(contains("What differs")));
    place.run(&["compare", &a, "nowhere"]).assert().code(2).stderr(contains("nowhere"));
    let few = place.measure("few", &["--mode", "direct", "--count", "10"]);
    place.run(&["compare", &a, &few]).assert().code(2).stderr(contains("needs 20 latencies"));
}

#[test]
fn a_gate_passes_what_has_not_changed() {
    let place = Place::new();
    let baseline = place.measure("baseline", &["--mode", "direct", "--mode", "bare-metal", "--seed", "1"]);
    for seed in ["2", "3"] {
        let run = place.measure(seed, &["--mode", "direct", "--mode", "bare-metal", "--seed", seed]);
        // Each seed is another simulated scope.
        let gate = ["gate", "--baseline", &baseline, &run];
        place.run(&gate).assert().code(2).stderr(contains("DS1ZVIRTUAL").and(contains("[scope]")));
        place
            .run(&gate)
            .args(["--accept", "scope", "--junit", "gate.xml"])
            .assert()
            .success()
            .stdout(contains("PASS").and(contains("VIRTUAL")));
        let xml = fs::read_to_string(place.path("gate.xml")).expect("written");
        assert!(xml.contains("tests=\"4\" failures=\"0\""), "{xml}");
    }
}

/// Responses 60 ns later than in the baseline, then one in twenty missing.
#[test]
fn a_gate_fails_what_has_become_slower_or_silent() {
    let place = Place::new();
    let baseline = place.measure("baseline", &["--mode", "direct"]);
    let late = place.profile("late.toml", &[("skew = \"400 ps\"", "skew = \"60400 ps\"")]);
    let slower = place.measure("slower", &["--mode", "direct", "--profile", &late]);
    place
        .run(&["gate", "--baseline", &baseline, &slower, "--junit", "gate.xml"])
        .assert()
        .code(1)
        .stdout(contains("FAIL").and(contains("direct: typically slower by 60")));
    let xml = fs::read_to_string(place.path("gate.xml")).expect("written");
    assert!(
        xml.contains("<failure message=\"slower by 60") || xml.contains("<failure message=\"slower by 59"),
        "{xml}"
    );
    let value = place.json(&["gate", "--baseline", &baseline, &slower]);
    let row = &value["configurations"][0];
    assert_eq!((&value["passes"], &row["tests"]["shift_regressed"]), (&false.into(), &true.into()));
    // The relevance of the user: 60 ns are none.
    place.run(&["gate", "--baseline", &baseline, &slower, "--relevance", "100 ns"]).assert().success();

    let deaf = place.profile("deaf.toml", &[("# miss_rate = 0.01 ", "miss_rate = 0.05 ")]);
    let silent = place.measure("silent", &["--mode", "direct", "--profile", &deaf]);
    let value = place.json(&["gate", "--baseline", &baseline, &silent]);
    let row = &value["configurations"][0];
    assert!(row["missed"][1].as_u64().expect("a count") > 20, "{row}");
    assert_eq!(row["tests"]["tail_regressed"], true);
}

#[test]
fn limits_are_held_with_and_without_a_baseline() {
    let place = Place::new();
    let limited =
        place.profile("limited.toml", &[(DIRECT, &format!("{DIRECT}limit = {{ worst = \"2 us\" }}\n"))]);
    let plain = place.measure("plain", &["--mode", "direct"]);
    let gate = |limit: &str| place.run(&["gate", &plain, "--limit", limit]);
    // The simulated worst of a thousand is about 2.4 us, the typical 1.9 us.
    gate("worst <= 3 us").assert().success().stdout(contains("PASS"));
    gate("direct: typical <= 2 us").assert().success();
    gate("missed <= 0").assert().success();
    gate("worst <= 2 us").assert().code(1).stdout(contains("limit worst <= 2 us exceeded: worst is 2."));
    gate("p99.9 <= 1 s").assert().code(1).stdout(contains("p99.9 not resolvable with n = 1000"));
    gate("worst < 2 us").assert().code(2).stderr(contains("worst <= 3 us"));
    gate("thread: worst <= 2 us").assert().code(2).stderr(contains("`thread`"));
    place.run(&["gate", &plain]).assert().code(2).stderr(contains("nothing to hold the run against"));
    let output =
        place.run(&["measure", "--mode", "direct", "--profile", &limited, "--quiet", "--out", "over"]);
    { output }.assert().code(1);
    let over = fs::read_dir(place.path("over")).expect("a folder").flatten().next().expect("a run").path();
    place
        .run(&["gate", over.to_str().expect("utf-8")])
        .assert()
        .code(1)
        .stdout(contains("limit worst <= 2 us exceeded"));
    let few = place.measure("few", &["--mode", "direct", "--count", "20"]);
    place.run(&["gate", "--baseline", &plain, &few]).assert().code(2).stderr(contains("needs 50 latencies"));
    place
        .run(&["gate", "--baseline", &plain, &few, "--alpha", "0"])
        .assert()
        .code(2)
        .stderr(contains("alpha"));
}

#[test]
fn a_tail_is_refused_or_has_intervals() {
    let place = Place::new();
    let few = place.json(&["measure", "--mode", "direct", "--count", "200", "--tail"]);
    let refused = few["configurations"][0]["tail"]["refused"].as_str().expect("a reason");
    assert!(refused.contains("needs 10000 latencies"), "{refused}");
    let mut estimated = 0;
    for seed in ["1", "2", "6"] {
        let run = place.measure(seed, &["--mode", "hw", "--count", "10000", "--seed", seed]);
        assert!(place.json(&["analyze", &run])["configurations"][0]["tail"].is_null(), "only when asked for");
        let report = place.json(&["analyze", &run, "--tail"]);
        let tail = &report["configurations"][0]["tail"];
        let Some(quantiles) = tail["quantiles"].as_array() else {
            assert!(
                tail["refused"].as_str().is_some_and(|why| why.starts_with("no tail estimate: ")),
                "{tail}"
            );
            continue;
        };
        for q in quantiles {
            let ps = |v: &Value| v.as_i64().unwrap_or_else(|| panic!("a number without interval: {tail}"));
            assert!(ps(&q["ci95_ps"][0]) <= ps(&q["value_ps"]) && ps(&q["value_ps"]) <= ps(&q["ci95_ps"][1]));
            estimated += 1;
        }
    }
    assert!(estimated > 0, "no seed gave an estimate");
}
