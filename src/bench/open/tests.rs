//! Driver and board link against the simulated instruments, over real sockets.

use super::*;
use crate::bench::ds1000z::models::{Behaviour, QUIRKS};
use crate::bench::scpi::TcpTransport;
use crate::plan::{ChannelSetup, Extent, Input, Setup};
use crate::profile::{BenchKind, Simulation};
use crate::signal::{Preamble, Shot, Slope};
use crate::units::{Picos, Volts};
use latency_protocol::Train;
use std::sync::{Arc, Mutex};

fn spec(faults: &[&str]) -> BenchSpec {
    let faults = faults.iter().map(|f| (*f).to_owned()).collect();
    BenchSpec {
        kind: BenchKind::Virtual,
        scope: "virtual".into(),
        dut: "virtual".into(),
        scope_timeout: Picos::from_ms(500),
        dut_timeout: Picos::from_ms(500),
        simulation: Simulation { faults, ..Simulation::default() },
    }
}

/// 6000 points of 2 ns, the trigger a quarter into the record.
fn setup() -> Setup {
    let channel = |n| ChannelSetup { input: Input(n), probe: 10.0, scale: Volts(0.5), offset: Volts(-1.65) };
    Setup {
        stimulus: channel(1),
        response: channel(2),
        timebase: Picos::from_us(1),
        delay: Picos::from_us(3),
        depth: 6_000,
        interval: Picos::from_ns(2),
        level: Volts(1.65),
        slope: Slope::Rising,
    }
}

const EXTENT: Extent = Extent { from: Picos::from_us(-2), to: Picos::from_us(8) };
const ONE: Train = Train { count: 1, min_us: 20, max_us: 30, seed: 7 };

fn quiet() -> Box<dyn Write + Send> {
    Box::new(std::io::sink())
}

fn shoot(bench: &mut Bench) -> Result<Shot, BenchError> {
    shoot_in(bench, EXTENT)
}

fn shoot_in(bench: &mut Bench, extent: Extent) -> Result<Shot, BenchError> {
    let dut = bench.dut.as_mut().unwrap();
    dut.arm()?;
    let armed = bench.scope.arm(true)?;
    assert!(armed.seen_waiting());
    dut.fire(ONE)?;
    let triggered = bench.scope.wait(armed, Picos::from_s(5))?;
    bench.scope.fetch(triggered, extent)
}

/// Time of the first code above the middle, by the preamble.
fn rise(trace: &crate::signal::RawTrace) -> Picos {
    let preamble: Preamble = trace.preamble.parse().unwrap();
    let segment = &trace.segments[0];
    let (low, high) = (segment.codes.iter().min().unwrap(), segment.codes.iter().max().unwrap());
    let middle = low / 2 + high / 2;
    let index = segment.codes.iter().position(|c| *c > middle).unwrap();
    preamble.x_origin + preamble.x_increment * (i64::from(segment.first) + index as i64)
}

#[test]
fn a_shot_holds_the_edge_at_zero_and_its_answer_behind() {
    let mut bench = open(&spec(&[]), quiet()).unwrap();
    bench.dut.as_mut().unwrap().select("direct").unwrap();
    let applied = bench.scope.apply(&setup()).unwrap();
    assert_eq!((applied.interval, applied.depth), (Picos::from_ns(2), 6_000));
    let first = shoot(&mut bench).unwrap();
    let second = shoot(&mut bench).unwrap();
    for shot in [&first, &second] {
        assert!(rise(&shot.stimulus).abs() <= Picos::from_ns(4), "the trigger is t = 0");
        let latency = rise(&shot.response) - rise(&shot.stimulus);
        assert!((Picos::from_ns(500)..Picos::from_us(8)).contains(&latency), "{latency}");
    }
    assert_eq!((first.number, second.number), (1, 2));
    assert_ne!(first.response.segments, second.response.segments);
    assert_eq!(first.stimulus.segments[0].codes.len(), 5_000);
    assert_eq!(bench.scope.bytes_read(), 20_000);
}

/// What a user would find changed on the scope's panel.
const PANEL: [&str; 24] = [
    ":CHAN1:DISP?",
    ":CHAN2:DISP?",
    ":CHAN3:DISP?",
    ":CHAN4:DISP?",
    ":CHAN1:PROB?",
    ":CHAN1:SCAL?",
    ":CHAN1:OFFS?",
    ":CHAN2:COUP?",
    ":CHAN2:SCAL?",
    ":CHAN2:OFFS?",
    ":CHAN2:BWL?",
    ":TIM:SCAL?",
    ":TIM:OFFS?",
    ":ACQ:MDEP?",
    ":TRIG:MODE?",
    ":TRIG:SWE?",
    ":TRIG:HOLD?",
    ":TRIG:EDG:SOUR?",
    ":TRIG:EDG:LEV?",
    ":TRIG:EDG:SLOP?",
    ":WAV:MODE?",
    ":WAV:SOUR?",
    ":WAV:STAR?",
    ":WAV:STOP?",
];

fn panel(scope: &mut dyn Oscilloscope) -> Vec<(&'static str, String)> {
    PANEL.iter().map(|q| (*q, scope.query(q).unwrap())).collect()
}

#[test]
fn restoring_leaves_the_panel_as_it_was() {
    let mut bench = open(&spec(&[]), quiet()).unwrap();
    let as_the_user_left_it = [
        ":CHAN3:DISP 1",
        ":CHAN1:PROB 1",
        ":CHAN1:SCAL 2",
        ":CHAN1:OFFS -3",
        ":CHAN2:COUP AC",
        ":CHAN2:BWL 20M",
        ":TIM:SCAL 0.005",
        ":TRIG:SWE NORM",
        ":TRIG:EDG:SOUR CHAN2",
        ":TRIG:EDG:SLOP NEG",
    ];
    for command in as_the_user_left_it {
        bench.scope.query(command).unwrap();
    }
    let before = panel(bench.scope.as_mut());
    bench.scope.apply(&setup()).unwrap();
    shoot(&mut bench).unwrap();
    assert_ne!(panel(bench.scope.as_mut()), before);
    bench.scope.restore().unwrap();
    assert_eq!(panel(bench.scope.as_mut()), before);
    bench.clock.sleep(Picos::from_s(1));
    assert_ne!(bench.scope.query(":TRIG:STAT?").unwrap(), "STOP", "it ran before");
    bench.scope.restore().unwrap();
}

#[test]
fn restoring_works_after_an_error_and_in_stop() {
    let mut bench = open(&spec(&["no-trigger"]), quiet()).unwrap();
    bench.scope.query(":STOP").unwrap();
    let before = panel(bench.scope.as_mut());
    bench.scope.apply(&setup()).unwrap();
    assert!(matches!(shoot(&mut bench), Err(BenchError::NoTrigger { .. })));
    bench.scope.restore().unwrap();
    assert_eq!(panel(bench.scope.as_mut()), before);
    bench.clock.sleep(Picos::from_s(1));
    assert_eq!(bench.scope.query(":TRIG:STAT?").unwrap(), "STOP");
}

/// A free-running stimulus: `n` shots, stale ones taken again as a session does.
fn free_run(faults: &[&str], n: usize) -> (Vec<Shot>, u32) {
    let mut spec = spec(faults);
    spec.dut = "none".into();
    let mut bench = open(&spec, quiet()).unwrap();
    assert!(bench.dut.is_none());
    bench.scope.apply(&setup()).unwrap();
    let (mut shots, mut stale) = (Vec::new(), 0);
    while shots.len() < n {
        let armed = bench.scope.arm(false).unwrap();
        let triggered = bench.scope.wait(armed, Picos::from_s(5)).unwrap();
        match bench.scope.fetch(triggered, EXTENT) {
            Ok(shot) => shots.push(shot),
            Err(BenchError::Stale { .. }) if stale < 20 => stale += 1,
            Err(e) => panic!("{e}"),
        }
    }
    (shots, stale)
}

#[test]
fn free_running_records_all_differ() {
    let (shots, stale) = free_run(&[], 6);
    assert_eq!(stale, 0);
    for (i, shot) in shots.iter().enumerate() {
        assert_eq!(shot.number as usize, i + 1);
        assert!(rise(&shot.stimulus).abs() <= Picos::from_ns(4));
        assert!(shots[..i].iter().all(|other| other.response.segments != shot.response.segments));
    }
}

#[test]
fn stale_records_are_never_counted_the_first_one_included() {
    for faults in [["stale-stop@1"], ["stale-stop@3"], ["stale-stop%40"]] {
        let (shots, stale) = free_run(&faults, 6);
        assert!(stale > 0, "{faults:?}");
        for (i, shot) in shots.iter().enumerate() {
            assert!(
                shots[..i].iter().all(|other| other.response.segments != shot.response.segments),
                "{faults:?}"
            );
        }
    }
}

fn fails(fault: &str) -> BenchError {
    let attempt = || -> Result<(), BenchError> {
        let mut bench = open(&spec(&[fault]), quiet())?;
        bench.dut.as_mut().unwrap().select("direct")?;
        bench.scope.apply(&setup())?;
        (0..3).try_for_each(|_| shoot(&mut bench).map(|_| ()))
    };
    attempt().expect_err(fault)
}

#[test]
fn what_cannot_be_survived_has_its_own_message() {
    let cases = [
        ("command-error", "RemoteIO"),
        ("silent", "did not answer `*IDN?`"),
        ("stuck-points", "the record has 1200 points where 6000 were set"),
        ("wrong-depth", "`:ACQuire:MDEPth` was set to 6000 but reads back"),
        ("few-points", "2500 bytes came where points 501 to 5500"),
        ("empty-block", "0 bytes came where points 501 to 5500"),
        ("knob@1", "`:CHAN2:SCALe` changed during the run from 0.5 to"),
        ("knob@2", "CHAN2:YINCrement` changed during the run"),
        ("no-trigger", "no trigger within 5 s"),
        ("dead-stimulus", "no trigger within 5 s"),
        ("stale-stop", "did not reach WAIT"),
        ("board-silent", "the board did not answer `*IDN?`"),
        ("foreign", "not the companion firmware"),
        ("version", "speaks protocol 2 and this program speaks 1"),
        ("missing-mode", "has no mode `direct`; it has hw"),
        ("mode-echo", "the echo is another"),
        ("noise", "came damaged"),
        ("board-drop@5", "the link to the board failed"),
    ];
    for (fault, expected) in cases {
        let message = fails(fault).to_string();
        assert!(message.contains(expected), "{fault}: {message}");
    }
}

#[test]
fn a_train_whose_echo_was_lost_is_not_fired_twice() {
    // Occasions: *IDN?, MODES?, CONF?, ARM, START.
    for fault in ["board-silent@5", "noise@5"] {
        let mut bench = open(&spec(&[fault]), quiet()).unwrap();
        bench.scope.apply(&setup()).unwrap();
        shoot(&mut bench).unwrap();
        bench.clock.sleep(Picos::from_ms(10));
        assert_eq!(bench.dut.as_mut().unwrap().count().unwrap().stimuli, 1, "{fault}");
    }
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);
impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn one_seed_gives_one_dialogue_to_the_byte() {
    let run = || {
        let log = Log::default();
        let mut bench = open(&spec(&[]), Box::new(log.clone())).unwrap();
        bench.scope.apply(&setup()).unwrap();
        (0..3).for_each(|_| drop(shoot(&mut bench).unwrap()));
        bench.scope.restore().unwrap();
        let text = log.0.lock().unwrap().clone();
        String::from_utf8(text).unwrap()
    };
    let first = run();
    assert!(first.contains("scope > :SINGle") && first.contains("board < START 1 20 30 7 *"), "{first}");
    assert_eq!(first, run());
}

#[test]
fn the_screen_comes_as_a_picture_whatever_the_firmware() {
    let picture = |faults: &[&str]| open_scope(&spec(faults), quiet()).unwrap().screenshot().unwrap();
    assert!(picture(&[]).starts_with(b"\x89PNG"));
    assert!(picture(&["no-png"]).starts_with(b"BM"));
}

#[test]
fn raw_queries_answer_and_unknown_ones_end_in_time() {
    let mut scope = open_scope(&spec(&[]), quiet()).unwrap();
    assert!(scope.query("*IDN?").unwrap().starts_with("RIGOL TECHNOLOGIES,DS1054Z,"));
    assert_eq!(scope.query(":RUN").unwrap(), "");
    assert!(matches!(scope.query(":NOSUCH?"), Err(BenchError::Silent { .. })));
    assert!(scope.query("*IDN?").is_ok(), "a new connection is made for the next question");
    assert!(scope.query("*IDN?\n:RUN").is_err());
}

#[test]
fn half_virtual_benches_and_names_that_lead_nowhere_are_refused() {
    let with = |scope: &str, dut: &str| {
        let spec = BenchSpec { scope: scope.into(), dut: dut.into(), ..spec(&[]) };
        open(&spec, quiet()).err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert!(with("virtual", "tcp://127.0.0.1:9").contains("make both virtual or neither"));
    assert!(with("127.0.0.1:9", "virtual").contains("make both virtual or neither"));
    assert!(
        with("TCPIP::127.0.0.1,9::INSTR", "none").contains("cannot reach the scope at TCPIP0::127.0.0.1,9")
    );
    assert!(with("what is this", "none").contains("is no scope resource"));
    assert!(with("virtual", "what is this").contains("is no DUT link"));
}

#[test]
fn the_board_alone_answers_on_its_stream() {
    let mut board = open_dut(&spec(&[]), quiet()).unwrap();
    assert!(board.hello().modes.iter().any(|m| m == "workqueue"));
    board.select("workqueue").unwrap();
    assert_eq!(board.mode().unwrap(), "workqueue");
    let error = board.select("nonsense").unwrap_err().to_string();
    assert!(error.contains("no mode `nonsense`") && error.contains("workqueue"), "{error}");
    board.idle().unwrap();
}
#[cfg(unix)]
#[test]
fn the_board_answers_on_a_serial_port() {
    let bench = VirtualBench::start(Options { pty: true, ..Options::default() }).unwrap();
    let port = bench.pty().unwrap().to_str().unwrap().to_owned();
    let spec = BenchSpec { dut: port, scope: "127.0.0.1".into(), ..spec(&[]) };
    let mut board = open_dut(&spec, quiet()).unwrap();
    board.select("thread").unwrap();
    board.arm().unwrap();
    board.fire(ONE).unwrap();
    bench.clock().sleep(Picos::from_ms(10));
    assert_eq!(board.count().unwrap().stimuli, 1);
}

#[test]
fn a_port_that_is_not_there_says_what_to_check() {
    let spec = BenchSpec { dut: "/dev/ttyNOSUCH9".into(), ..spec(&[]) };
    let error = open_dut(&spec, quiet()).err().unwrap().to_string();
    assert!(error.contains("/dev/ttyNOSUCH9") && error.contains("plugged in"), "{error}");
}

/// Latencies that the simulator says were there.
fn truths(csv: &str) -> Vec<Picos> {
    let rows = csv.lines().skip(1);
    rows.filter_map(|row| row.rsplit(',').next()?.parse().ok().map(Picos)).collect()
}

/// Two shots with `fault`; each is true to one acquisition of its own, or there is an error. Gives the number of shots.
fn struck(fault: &str, gated: bool) -> Result<usize, BenchError> {
    let truth = Log::default();
    let mut spec = spec(&[fault]);
    (spec.scope_timeout, spec.dut_timeout) = (Picos::from_ms(60), Picos::from_ms(60));
    if !gated {
        spec.dut = "none".into();
    }
    let options = Options {
        simulation: spec.simulation.clone(),
        free_running: !gated,
        truth: Some(Box::new(truth.clone())),
        ..Options::default()
    };
    let mut shots = Vec::new();
    let result = (|| {
        let mut bench = open_virtual(options, &spec, quiet())?;
        bench.scope.apply(&setup())?;
        for _ in 0..2 {
            let mut shot = if gated { shoot(&mut bench) } else { shoot_free(&mut bench) };
            for _ in 0..3 {
                if !matches!(shot, Err(BenchError::Stale { .. })) {
                    break;
                }
                shot = if gated { shoot(&mut bench) } else { shoot_free(&mut bench) };
            }
            shots.push(shot?);
        }
        bench.scope.restore()
    })();
    let truths = truths(&String::from_utf8(truth.0.lock().unwrap().clone()).unwrap());
    for (i, shot) in shots.iter().enumerate() {
        assert!(
            shots[..i].iter().all(|o| o.response.segments != shot.response.segments),
            "{fault}: a record twice"
        );
        if fault.starts_with("flat-response") || fault.starts_with("wrong-rate") {
            continue;
        }
        let latency = rise(&shot.response) - rise(&shot.stimulus);
        let near = |t: &&Picos| (**t - latency).abs() <= Picos::from_ns(6);
        assert!(truths.iter().any(|t| near(&t)), "{fault}: {latency} is none of {truths:?}");
    }
    result.map(|()| shots.len())
}

fn shoot_free(bench: &mut Bench) -> Result<Shot, BenchError> {
    let armed = bench.scope.arm(false)?;
    let triggered = bench.scope.wait(armed, Picos::from_s(5))?;
    bench.scope.fetch(triggered, EXTENT)
}

/// Habits that a run survives wherever they strike: name, last occasion of a run of two shots, distance of those tried.
const SURVIVED: [(&str, usize, usize); 22] = [
    ("silent", 230, 29),
    ("late-answer", 230, 31),
    ("drop", 230, 11),
    ("pieces", 230, 37),
    ("endless-line", 200, 17),
    ("lost-setting", 120, 7),
    ("command-error", 60, 9),
    ("partial-identity", 8, 3),
    ("usb-plugged", 2, 1),
    ("no-newline", 5, 2),
    ("extra-newline", 5, 1),
    ("bad-header", 5, 2),
    ("short-block", 5, 2),
    ("few-points", 8, 3),
    ("empty-block", 5, 2),
    ("huge-block", 5, 2),
    ("bad-preamble", 5, 2),
    ("stale-stop", 4, 1),
    ("spurious-stop", 4, 1),
    ("wrong-depth", 3, 1),
    ("even-reference", 4, 3),
    ("rescaled", 4, 3),
];

#[test]
fn habits_of_the_scope_are_survived_wherever_they_strike() {
    for gated in [true, false] {
        for (fault, last, step) in SURVIVED {
            for n in (1..=last).step_by(step) {
                let fault = format!("{fault}@{n}");
                let shots = struck(&fault, gated).unwrap_or_else(|e| panic!("{fault}, gated {gated}: {e}"));
                assert_eq!(shots, 2, "{fault}");
            }
        }
    }
}

#[test]
fn habits_of_the_board_are_survived_wherever_they_strike() {
    for fault in ["noise", "board-silent", "foreign", "mode-echo", "board-reset"] {
        for n in 1..=7 {
            let fault = format!("{fault}@{n}");
            assert_eq!(struck(&fault, true).unwrap_or_else(|e| panic!("{fault}: {e}")), 2);
        }
    }
}

#[test]
fn a_frozen_scope_ends_every_step_in_time() {
    for n in [3, 60, 119, 150] {
        assert!(matches!(struck(&format!("frozen@{n}"), true), Err(BenchError::Silent { .. })), "{n}");
    }
}

/// A habit, and the behaviour without its remedy.
struct Case {
    quirk: &'static str,
    fault: &'static str,
    gated: bool,
    depth: u32,
    spacing: Picos,
    off: fn(&mut Behaviour),
}

const fn case(quirk: &'static str, fault: &'static str, gated: bool, off: fn(&mut Behaviour)) -> Case {
    Case { quirk, fault, gated, depth: 6_000, spacing: Picos::from_us(100), off }
}

const CASES: [Case; 9] = [
    // A stimulus that comes late leaves time to take an old STOP for the new one.
    Case {
        spacing: Picos::from_ms(500),
        ..case("Q01", "", false, |b| {
            (b.status_lag, b.compare_records, b.check_position) = (Picos::ZERO, false, false);
        })
    },
    case("Q02", "stale-stop@2", false, |b| b.compare_records = false),
    Case { depth: 6_000_000, ..case("Q09", "", true, |b| b.missing_points = 0) },
    Case { depth: 6_000_000, ..case("Q15", "", true, |b| b.block_points = 5_000_000) },
    case("Q16", "few-points@2", true, |b| (b.block_attempts, b.reconnects) = (1, 0)),
    case("Q23", "silent@150", true, |b| b.reconnects = 0),
    case("Q29", "lost-setting@11", true, |b| b.apply_attempts = 1),
    case("Q60", "spurious-stop@2", false, |b| (b.check_position, b.compare_records) = (false, false)),
    case("Q60", "stale-stop@2", true, |b| b.arm_attempts = 1),
];

impl Case {
    fn bench(&self, adjust: fn(&mut Behaviour)) -> Result<Bench, BenchError> {
        let mut spec = spec(&if self.fault.is_empty() { vec![] } else { vec![self.fault] });
        spec.simulation.spacing = self.spacing;
        let stage = Stage::set(Some(options_of(&spec, !self.gated)), quiet())?;
        let address = stage.keep.as_ref().unwrap().scope_address();
        let budget = Picos::from_ms(100);
        let transport = TcpTransport::connect("127.0.0.1", address.port(), budget, stage.wall.clone())?;
        let dialogue = Dialogue::new(Box::new(transport), stage.clock.clone(), &stage.transcript, budget);
        let scope = Box::new(Ds1000z::connect_with(dialogue, stage.clock.clone(), adjust)?);
        let dut = stage.dut(if self.gated { &DutAddress::Virtual } else { &DutAddress::None }, &spec)?;
        Ok(Bench { scope, dut, clock: stage.clock, keep: stage.keep })
    }

    fn shots(&self, adjust: fn(&mut Behaviour)) -> Result<Vec<Shot>, BenchError> {
        let mut bench = self.bench(adjust)?;
        bench.scope.apply(&Setup { depth: self.depth, ..setup() })?;
        let extent = if self.depth > 6_000 { Extent { to: Picos::from_us(1_500), ..EXTENT } } else { EXTENT };
        let (mut shots, mut stale) = (Vec::new(), 0);
        while shots.len() < 3 {
            let shot = if self.gated { shoot_in(&mut bench, extent) } else { shoot_free(&mut bench) };
            match shot {
                Err(BenchError::Stale { .. }) if stale < 3 => stale += 1,
                other => shots.push(other?),
            }
        }
        Ok(shots)
    }

    /// Three shots are three records.
    fn holds(&self, adjust: fn(&mut Behaviour)) -> bool {
        let differ =
            |s: &[Shot], i: usize| s[..i].iter().all(|o| o.response.segments != s[i].response.segments);
        self.shots(adjust).is_ok_and(|s| (1..s.len()).all(|i| differ(&s, i)))
    }
}

/// Each row of the behaviour table earns its place: with its remedy the run holds, without it it does not.
#[test]
fn a_remedy_is_needed() {
    for case in CASES {
        let Case { quirk, fault, .. } = case;
        assert!(case.holds(|_| {}), "{quirk} {fault}: with the remedy");
        assert!(!case.holds(case.off), "{quirk} {fault}: without the remedy");
        let row = QUIRKS.iter().any(|r| r.id == quirk && fault.starts_with(r.fault));
        assert!(row, "{quirk} has no row for {fault}");
    }
}

#[test]
fn the_faults_that_rows_name_exist() {
    let known = |name: &str| crate::bench::sim::fault_names().iter().any(|(known, _)| *known == name);
    assert!(QUIRKS.iter().all(|row| row.fault.is_empty() || known(row.fault)));
}

/// The link is measured by reading a record of whatever there is: its figures are those of the simulation, and a user who only
/// planned finds the panel as it was.
#[test]
fn gauging_gives_the_figures_of_the_link_and_leaves_the_panel_as_it_was() {
    for (rate, running) in [(0.4e6, ":RUN"), (1.7e6, ":STOP")] {
        let mut spec = spec(&[]);
        spec.simulation.bytes_per_second = rate;
        let mut bench = open(&spec, quiet()).unwrap();
        for command in [":CHAN3:DISP 1", ":ACQ:MDEP 30000", ":TRIG:SWE NORM", ":WAV:STOP 700", running] {
            bench.scope.query(command).unwrap();
            bench.scope.query("*OPC?").unwrap();
        }
        bench.clock.sleep(Picos::from_ms(300));
        let before = (panel(bench.scope.as_mut()), bench.scope.query(":TRIG:STAT?").unwrap() == "STOP");
        bench.scope.gauge().unwrap();
        let link = bench.scope.capabilities().link;
        assert!(link.gauged && (link.bytes_per_second / rate - 1.0).abs() < 0.03, "{link:?}");
        // 100 to 150 ms twice; 20 ms a block and 3 to 7 ms for its request.
        assert!((Picos::from_ms(200)..Picos::from_ms(350)).contains(&link.lag), "{link:?}");
        assert!((Picos::from_ms(23)..Picos::from_ms(28)).contains(&link.block), "{link:?}");
        bench.scope.restore().unwrap();
        bench.clock.sleep(Picos::from_ms(300));
        let after = (panel(bench.scope.as_mut()), bench.scope.query(":TRIG:STAT?").unwrap() == "STOP");
        assert_eq!(after, before);
    }
}
