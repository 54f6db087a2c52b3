//! The program as a user meets it: what it prints where, its exit codes, and that nothing measured is lost.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a failing step is a failing test

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn program() -> Command {
    let mut command = Command::cargo_bin("latency-cli").expect("built");
    command.env_remove("LATENCY_SCOPE").env_remove("LATENCY_DUT");
    command
}

/// Runs in an empty folder, so that no `latency.toml` is found.
fn in_folder(folder: &TempDir, args: &[&str]) -> Command {
    let mut command = program();
    command.current_dir(folder.path()).args(args);
    command
}

fn folder() -> TempDir {
    TempDir::new().expect("a temporary folder")
}

fn only_run(folder: &Path) -> PathBuf {
    let runs: Vec<PathBuf> =
        fs::read_dir(folder.join("captures")).expect("captures").flatten().map(|e| e.path()).collect();
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs.into_iter().next().expect("a run")
}

/// The built-in profile with something changed.
fn profile(folder: &TempDir, change: impl Fn(String) -> String) -> String {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("profiles/virtual.toml"))
        .expect("profile");
    let changed = change(text.clone());
    assert_ne!(text, changed, "the change did not apply");
    fs::write(folder.path().join("changed.toml"), changed).expect("written");
    "changed.toml".to_owned()
}

fn with_fault(folder: &TempDir, fault: &str) -> String {
    profile(folder, |text| text.replace("[virtual]\n", &format!("[virtual]\nfaults = [\"{fault}\"]\n")))
}

#[test]
fn the_main_job_prints_a_table_that_says_virtual() {
    let folder = folder();
    let output = in_folder(&folder, &["measure", "--mode", "direct"]).assert().success();
    output
        .stdout(
            contains("VIRTUAL").and(contains("direct")).and(contains("(1000)")).and(contains("0 of 1000")),
        )
        .stderr(contains("built-in VIRTUAL bench").and(contains("evidence: captures")));
}

/// The built-in bench is seeded, so the README's table is what everybody gets.
#[test]
fn the_readme_shows_what_the_main_job_prints() {
    let folder = folder();
    let output = in_folder(&folder, &["measure", "--mode", "direct"]).output().expect("runs");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("README");
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a table");
    for line in shown.lines().filter(|line| !line.starts_with("Run ")) {
        assert!(printed.contains(line), "the README shows `{line}`, the program prints:\n{printed}");
    }
}

#[test]
fn analyze_gives_the_bytes_that_measure_gave() {
    let folder = folder();
    for format in ["table", "markdown", "csv", "json"] {
        let measured =
            in_folder(&folder, &["measure", "--mode", "direct", "--count", "20", "--format", format])
                .output()
                .expect("runs");
        let run = only_run(folder.path());
        let analyzed = program().arg("analyze").arg(&run).args(["--format", format]).output().expect("runs");
        assert!(measured.status.success());
        assert_eq!(
            String::from_utf8_lossy(&measured.stdout),
            String::from_utf8_lossy(&analyzed.stdout),
            "{format}"
        );
        fs::remove_dir_all(run).expect("removed");
    }
}

#[test]
fn one_seed_gives_one_report() {
    let folder = folder();
    let report = |seed: &str| {
        let args = ["measure", "--mode", "direct", "--count", "100", "--seed", seed, "--format", "json"];
        let output = in_folder(&folder, &args).output().expect("runs");
        let mut value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("json");
        for key in ["run", "started"] {
            assert!(value[key].is_string(), "{key}");
            value[key] = serde_json::Value::Null;
        }
        value.to_string()
    };
    let (first, second, other) = (report("7"), report("7"), report("8"));
    assert_eq!(first, second);
    assert_ne!(first, other);
}

#[test]
fn json_has_the_keys_of_the_design() {
    let folder = folder();
    let args = ["measure", "--mode", "direct", "--mode", "thread", "--count", "50", "--format", "json"];
    let output = in_folder(&folder, &args).output().expect("runs");
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("json");
    assert_eq!(value["format"], "latency-cli/report/1");
    assert_eq!(value["bench"], "virtual");
    let row = &value["configurations"][0];
    for key in [
        "name",
        "mode",
        "count",
        "stimuli",
        "paired",
        "unanswered",
        "spurious",
        "ambiguous",
        "cut_off",
        "typical_ps",
        "typical_ci95_ps",
        "worst_ps",
        "exceedance_bound_95",
        "min_ps",
        "mean_ps",
        "sd_ps",
        "p90_ps",
        "p99_ps",
        "p999_ps",
        "jitter_ps",
        "uncertainty_k2_ps",
        "sample_interval_ps",
        "shots",
        "elapsed_s",
        "bytes_read",
    ] {
        assert!(row.get(key).is_some(), "{key}");
    }
    assert!(row["p999_ps"].is_null(), "p99.9 cannot be resolved with 50 pairs");
    assert_eq!(value["configurations"][1]["name"], "thread");
}

#[test]
fn wrong_words_are_named_with_the_way_out() {
    let folder = folder();
    in_folder(&folder, &["measure", "--mode", "dirct"])
        .assert()
        .code(2)
        .stderr(contains("dirct").and(contains("direct")));
    in_folder(&folder, &["measure", "--profile", "nothing"])
        .assert()
        .code(2)
        .stderr(contains("nothing").and(contains("nrf5340dk")));
    in_folder(&folder, &["measure", "--count", "0"]).assert().code(2);
    in_folder(&folder, &["analyze", "nowhere"])
        .assert()
        .code(2)
        .stderr(contains("nowhere").and(contains("no run folder")));
    assert!(!folder.path().join("captures").exists(), "a usage error leaves no run behind");
}

#[test]
fn a_broken_profile_lists_all_its_faults() {
    let folder = folder();
    let unknown =
        profile(&folder, |text| text.replace("[defaults]\n", "[defaults]\ncuont = 3\nresolution = 2\n"));
    in_folder(&folder, &["measure", "--profile", &unknown])
        .assert()
        .code(2)
        .stderr(contains("cuont").and(contains("defaults.resolution")).and(contains("changed.toml")));
    let cut = profile(&folder, |text| text[..text.len() / 2].to_owned());
    in_folder(&folder, &["measure", "--profile", &cut]).assert().code(2);
}

#[test]
fn a_port_that_refuses_is_a_bench_failure_with_evidence() {
    let folder = folder();
    // Port 1 of the loopback: nothing listens there.
    in_folder(&folder, &["measure", "--mode", "direct", "--scope", "127.0.0.1:1", "--dut", "none"])
        .assert()
        .code(3)
        .stderr(contains("127.0.0.1").and(contains("cannot reach the scope")));
    let text = fs::read_to_string(only_run(folder.path()).join("run.toml")).expect("run.toml");
    assert!(text.contains("outcome = \"failed\"") && text.contains("127.0.0.1"), "{text}");
}

#[test]
fn each_bad_instrument_gets_its_own_message() {
    for (fault, code, message) in [
        ("command-error", 3, "RemoteIO"),
        ("bad-header", 3, "block"),
        ("no-trigger", 3, "no trigger"),
        ("missing-mode", 3, "no mode `direct`"),
        ("version", 3, "protocol"),
        ("foreign", 3, "companion firmware"),
    ] {
        let folder = folder();
        let changed = with_fault(&folder, fault);
        in_folder(&folder, &["measure", "--mode", "direct", "--count", "10", "--profile", &changed])
            .timeout(std::time::Duration::from_secs(60))
            .assert()
            .code(code)
            .stderr(contains(message).and(contains("panicked").not()));
    }
}

/// A full disk, played by a limit on file sizes: writing fails in the middle of the samples.
#[cfg(unix)]
#[test]
fn a_full_disk_ends_the_run_and_keeps_whole_shots() {
    let folder = folder();
    let script = format!(
        "trap '' XFSZ; ulimit -f 800; exec {} measure --mode direct --count 1000 --strategy single",
        env!("CARGO_BIN_EXE_latency-cli")
    );
    let output = Command::new("sh").current_dir(folder.path()).args(["-c", &script]).output().expect("runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("samples.bin") || stderr.contains("dialogue.log"), "{stderr}");
    let analyzed = program()
        .arg("analyze")
        .arg(only_run(folder.path()))
        .args(["--format", "json"])
        .output()
        .expect("runs");
    let value: serde_json::Value = serde_json::from_slice(&analyzed.stdout).expect("json");
    assert!(value["configurations"][0]["paired"].as_u64().expect("pairs") > 0, "{value}");
}

#[test]
fn modes_are_listed_got_and_set() {
    let folder = folder();
    in_folder(&folder, &["mode", "list"])
        .assert()
        .success()
        .stdout(contains("direct").and(contains("workqueue")));
    in_folder(&folder, &["mode", "set", "thread"]).assert().success().stdout("thread\n");
    in_folder(&folder, &["mode", "set", "nonsense"]).assert().code(3).stderr(contains("no mode `nonsense`"));
}

#[test]
fn the_scope_answers_and_shows_its_screen() {
    let folder = folder();
    in_folder(&folder, &["scope", "idn"]).assert().success().stdout(contains("RIGOL TECHNOLOGIES,DS1054Z,"));
    in_folder(&folder, &["scope", "query", ":TRIG:EDG:SOUR?"]).assert().success().stdout("CHAN1\n");
    in_folder(&folder, &["scope", "screenshot", "screen.png"]).assert().success();
    let picture = fs::read(folder.path().join("screen.png")).expect("a picture");
    assert!(picture.starts_with(b"\x89PNG\r\n"));
    in_folder(&folder, &["scope", "screenshot", "screen.png"])
        .assert()
        .code(2)
        .stderr(contains("not overwritten"));
}

#[test]
fn a_plan_says_what_it_will_cost() {
    let folder = folder();
    in_folder(&folder, &["plan", "--mode", "direct"])
        .assert()
        .success()
        .stdout(contains("direct").and(contains("MB")));
    let output = in_folder(&folder, &["plan", "--offline", "--format", "json"]).output().expect("runs");
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("json");
    assert_eq!(value["capabilities"]["link"]["measured"], false);
}

/// Ctrl-C in the middle of a run on a bench that takes its time: the run ends within a shot, prints what it has, and
/// keeps it.
#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_readable_run_and_prints_what_there_is() {
    let folder = folder();
    let slow = profile(&folder, |text| text.replace("timing = \"instant\"", "timing = \"realistic\""));
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_latency-cli"))
        .current_dir(folder.path())
        .args(["measure", "--mode", "direct", "--strategy", "single", "--format", "json", "--profile", &slow])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("started");
    wait_for_shots(folder.path(), 2);
    let killed =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let output = child.wait_with_output().expect("ended");
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
    let paired = value["configurations"][0]["paired"].as_u64().expect("pairs");
    assert!((2..1000).contains(&paired), "{paired}");
    assert_eq!(output.status.code(), Some(1));
    let record = fs::read_to_string(only_run(folder.path()).join("run.toml")).expect("run.toml");
    assert!(record.contains("outcome = \"interrupted\""), "{record}");
    let dialogue = fs::read_to_string(only_run(folder.path()).join("dialogue.log")).expect("dialogue.log");
    assert!(
        dialogue.lines().rev().take(40).any(|l| l.contains(":TRIGger:SWEep AUTO")),
        "the scope was put back"
    );
}

/// Waits, at most a minute, until the run has so many shots.
#[cfg(unix)]
fn wait_for_shots(folder: &Path, wanted: usize) {
    for _ in 0..1200 {
        std::thread::sleep(std::time::Duration::from_millis(50));
        let run = fs::read_dir(folder.join("captures")).ok().and_then(|mut d| d.next()).and_then(Result::ok);
        let lines = run.and_then(|r| fs::read_to_string(r.path().join("direct/shots.jsonl")).ok());
        if lines.is_some_and(|text| text.lines().count() >= wanted) {
            return;
        }
    }
    panic!("no shots within a minute");
}

/// Served over sockets and called hardware by the command line, the virtual bench is still marked; and the report is the
/// one that the built-in bench gives for the same seed.
#[test]
fn a_served_virtual_bench_is_marked_whatever_it_is_called() {
    let folder = folder();
    let mut server = Served::start(&["--timing", "instant", "--seed", "1"]);
    let args = [
        "measure",
        "--profile",
        "virtual",
        "--mode",
        "direct",
        "--count",
        "50",
        "--scope",
        &server.scope,
        "--format",
        "markdown",
    ];
    for dut in server.boards.clone() {
        let output = in_folder(&folder, &args).args(["--dut", &dut]).output().expect("runs");
        let (text, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(text.contains("VIRTUAL") && text.contains("| direct |"), "{dut}: {text}{errors}");
        in_folder(&folder, &["mode", "list", "--dut", &dut]).assert().success().stdout(contains("* direct"));
    }
    server.stop();
}

/// What `export` writes is read back by `analyze` to the same pairs; a file that is no capture is named.
#[test]
fn an_exported_shot_has_the_pairs_of_the_run() {
    let folder = folder();
    in_folder(&folder, &["measure", "--mode", "direct", "--count", "10"]).assert().success();
    let run = only_run(folder.path());
    let run = run.to_str().expect("text");
    let pairs = |args: &[&str]| {
        let output = in_folder(&folder, args).args(["--format", "json"]).output().expect("runs");
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("json");
        let row = &value["configurations"][0];
        (
            row["paired"].clone(),
            row["typical_ps"].as_i64().expect("a median"),
            row["worst_ps"].as_i64().expect("a worst"),
        )
    };
    let (n, typical, worst) = pairs(&["analyze", run]);
    for format in ["sr", "vcd", "npy"] {
        let file = format!("shot.{format}");
        in_folder(&folder, &["export", run, &file, "--format", format]).assert().success();
        in_folder(&folder, &["analyze", &file]).assert().code(2).stderr(contains("stimulus, "));
        let again = pairs(&["analyze", &file, "--stimulus", "stimulus", "--response", "response"]);
        assert_eq!(again.0, n, "{format}");
        // The logic copy of a sigrok session is as fine as the samples; the others keep the crossings.
        let reach = if format == "sr" { 2_000 } else { 20 };
        assert!(
            (again.1 - typical).abs() <= reach && (again.2 - worst).abs() <= reach,
            "{format}: {again:?} {typical} {worst}"
        );
    }
    in_folder(&folder, &["export", run, "shot.sr", "--format", "sr"])
        .assert()
        .code(2)
        .stderr(contains("not overwritten"));
    fs::write(
        folder.path().join("pointer"),
        "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n",
    )
    .expect("written");
    in_folder(&folder, &["analyze", "pointer"]).assert().code(2).stderr(contains("LFS"));
}

#[test]
fn a_report_is_a_page_with_pictures_that_says_virtual() {
    let folder = folder();
    in_folder(&folder, &["measure", "--mode", "direct", "--count", "50"]).assert().success();
    let run = only_run(folder.path());
    in_folder(&folder, &["report", run.to_str().expect("text")])
        .assert()
        .success()
        .stdout(contains("index.html"));
    let page = fs::read_to_string(run.join("report/index.html")).expect("a page");
    assert!(page.contains("VIRTUAL"));
    // One file, no network: the only address in it is the name of the SVG namespace.
    let addresses = page.replace("http://www.w3.org/", "");
    assert!(!addresses.contains("http://") && !addresses.contains("https://"));
    assert!(fs::read(run.join("report/histogram-1.png")).is_ok_and(|png| png.starts_with(b"\x89PNG")));
    // Derived files are not evidence: the seal still holds.
    let output = program().args(["analyze", "--format", "json"]).arg(&run).output().expect("runs");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("evidence-changed"));
}

/// A `simulate` of its own, ended when dropped.
struct Served {
    child: std::process::Child,
    scope: String,
    boards: Vec<String>,
}

impl Served {
    fn start(args: &[&str]) -> Served {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_latency-cli"))
            .args(["simulate", "--scope-port", "0"])
            .args(args)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("started");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("piped");
        std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line).expect("a line");
        let field = |key: &str| line.split_whitespace().find_map(|w| w.strip_prefix(key)).map(str::to_owned);
        assert!(line.starts_with("READY "), "{line}");
        let boards = field("dut=").map(|d| format!("tcp://{d}")).into_iter().chain(field("pty=")).collect();
        Served { child, scope: field("scope=").expect("a scope"), boards }
    }

    fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop();
    }
}
