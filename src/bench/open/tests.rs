//! Driver and board link against the simulated instruments, over real sockets.

use super::*;
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
    let dut = bench.dut.as_mut().unwrap();
    dut.arm()?;
    let armed = bench.scope.arm(true)?;
    assert!(armed.seen_waiting());
    dut.fire(ONE)?;
    let triggered = bench.scope.wait(armed, Picos::from_s(5))?;
    bench.scope.fetch(triggered, EXTENT)
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

/// With each habit of the scope the shots are right, or the error is the named one.
#[test]
fn habits_of_the_scope_are_survived() {
    let survived = [
        "partial-identity@1",
        "silent@1",
        "silent@30",
        "silent@80",
        "drop@5",
        "drop@90",
        "drop@120",
        "pieces",
        "few-points@1",
        "few-points%30",
        "empty-block@2",
        "short-block@1",
        "short-block@3",
        "bad-header@2",
        "no-newline@1",
        "even-reference",
        "lost-setting@4",
        "lost-setting@17",
        "stale-stop@1",
        "spurious-stop@2",
        "refuse-second",
    ];
    for fault in survived {
        let mut bench = open(&spec(&[fault]), quiet()).unwrap_or_else(|e| panic!("{fault}: {e}"));
        bench.scope.apply(&setup()).unwrap_or_else(|e| panic!("{fault}: {e}"));
        let shots: Vec<Shot> =
            (0..3).map(|_| shoot(&mut bench).unwrap_or_else(|e| panic!("{fault}: {e}"))).collect();
        for (i, shot) in shots.iter().enumerate() {
            assert!(rise(&shot.stimulus).abs() <= Picos::from_ns(4), "{fault}");
            assert!(shots[..i].iter().all(|o| o.response.segments != shot.response.segments), "{fault}");
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
fn half_virtual_benches_and_names_of_later_builds_are_refused() {
    let with = |scope: &str, dut: &str| {
        let spec = BenchSpec { scope: scope.into(), dut: dut.into(), ..spec(&[]) };
        open(&spec, quiet()).err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert!(with("virtual", "tcp://127.0.0.1:9").contains("make both virtual or neither"));
    assert!(with("127.0.0.1:9", "virtual").contains("make both virtual or neither"));
    assert!(with("TCPIP::h::INSTR", "none").contains("cannot open yet"));
    assert!(with("USB0::0x1AB1::0x04CE::DS1ZA1::INSTR", "none").contains("cannot open yet"));
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
