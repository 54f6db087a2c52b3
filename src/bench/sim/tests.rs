//! The bench as a client meets it: over its sockets.

use super::*;
use crate::units::Picos;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;
use std::time::Duration;

/// A client that waits for each answer.
struct Client {
    reader: BufReader<TcpStream>,
}

impl Client {
    fn new(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.set_nodelay(true).unwrap();
        Client { reader: BufReader::new(stream) }
    }
    fn send(&mut self, line: &str) {
        self.reader.get_mut().write_all(format!("{line}\n").as_bytes()).unwrap();
    }
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        line.trim_end_matches('\n').to_owned()
    }
    fn ask(&mut self, line: &str) -> String {
        self.send(line);
        self.line()
    }
    fn set(&mut self, line: &str) {
        self.send(line);
        assert_eq!(self.ask("*OPC?"), "1");
    }
    fn block(&mut self, line: &str) -> Vec<u8> {
        self.send(line);
        let mut head = [0; 11];
        self.reader.read_exact(&mut head).unwrap();
        assert_eq!(&head[..2], b"#9", "{line}");
        let n: usize = std::str::from_utf8(&head[2..]).unwrap().parse().unwrap();
        let mut data = vec![0; n + 1];
        self.reader.read_exact(&mut data).unwrap();
        assert_eq!(data.pop(), Some(b'\n'));
        data
    }
    fn silent(&mut self) -> bool {
        self.reader.get_mut().set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let silent = self.reader.read(&mut [0; 1]).is_err();
        self.reader.get_mut().set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        silent
    }
    fn status_until(&mut self, wanted: &str) -> Vec<String> {
        let mut seen = Vec::new();
        for _ in 0..2000 {
            let status = self.ask(":TRIG:STAT?");
            if seen.last() != Some(&status) {
                seen.push(status.clone());
            }
            if status == wanted {
                return seen;
            }
        }
        panic!("never {wanted}: {seen:?}");
    }
}

fn bench(faults: &[&str], free_running: bool) -> VirtualBench {
    let simulation =
        Simulation { faults: faults.iter().map(|f| (*f).to_owned()).collect(), ..Simulation::default() };
    VirtualBench::start(Options { simulation, free_running, ..Options::default() }).unwrap()
}

/// Two channels, 3.3 V logic on the screen, 600 000 points at 500 MSa/s.
fn set_up(scope: &mut Client) {
    let lines = [
        ":RUN",
        ":CHAN1:DISP 1",
        ":CHAN2:DISP 1",
        ":CHAN1:PROB 10;:CHAN2:PROB 10",
        ":CHAN1:SCAL 0.5;:CHAN2:SCAL 0.5",
        ":CHAN1:OFFS -1.65;:CHAN2:OFFS -1.65",
        ":TIM:SCAL 1e-4",
        ":TIM:OFFS 5e-4",
        ":ACQ:MDEP 600000",
        ":TRIG:EDGE:SOUR CHAN1;LEV 1.65;SLOP POS",
    ];
    lines.iter().for_each(|line| scope.set(line));
}

/// Rising crossings of the middle of the codes, in points.
fn crossings(codes: &[u8]) -> Vec<f64> {
    let (low, high) = (*codes.iter().min().unwrap(), *codes.iter().max().unwrap());
    let middle = 0.5 * (f64::from(low) + f64::from(high));
    let margin = 0.2 * (f64::from(high) - f64::from(low));
    let (mut found, mut was_low) = (Vec::new(), false);
    let mut last = None;
    for (i, pair) in codes.windows(2).enumerate() {
        let (a, b) = (f64::from(pair[0]), f64::from(pair[1]));
        was_low |= a < middle - margin;
        if was_low && a < middle && b >= middle {
            last = Some(i as f64 + (middle - a) / (b - a));
        }
        if was_low && b > middle + margin {
            found.extend(last.take());
            was_low = false;
        }
    }
    found
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
impl Paper {
    fn rows(&self) -> Vec<Vec<Option<i64>>> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        assert!(text.starts_with("shot,pair,stimulus_ps,response_ps,latency_ps\n"));
        let row = |line: &str| line.split(',').map(|f| f.parse().ok()).collect();
        text.lines().skip(1).map(row).collect()
    }
}

#[test]
fn identity_and_common_answers_have_the_form_that_clients_want() {
    let bench = bench(&[], false);
    let mut scope = Client::new(bench.scope_address());
    let idn = scope.ask("*IDN?\r");
    let fields: Vec<&str> = idn.split(',').collect();
    assert_eq!((fields[0], fields[1], fields.len()), ("RIGOL TECHNOLOGIES", "DS1054Z", 4));
    assert_eq!(scope.ask(":SYST:ERR?"), "0,\"No error\"");
    scope.send(":NONS:ENSE 1");
    assert!(scope.ask("SYSTem:ERRor:NEXT?").starts_with("-113,"));
    let answers = [
        (":ACQ:MDEP?", "AUTO"),
        (":CHAN1:DISP?", "1"),
        (":chan2:disp?", "0"),
        (":WAV:FORM?", "BYTE"),
        (":TRIG:EDG:SOUR?", "CHAN1"),
        (":TRIGGER:EDGE:SLOPE?", "POS"),
        (":CHANnel1:COUPling?", "DC"),
        (":CHAN1:BWL?", "OFF"),
        (":TIM:MAIN:SCAL?", "1.000000e-06"),
        (":ACQ:SRAT?", "1.000000e+09"),
        (":WAV:XREF?", "0"),
        (":WAV:YREF?", "127"),
        (":TIM:SCAL 2e-6;*OPC?", "1"),
        (":TIM:SCAL?;*WAI", "2.000000e-06"),
        (":MEAS:ITEM? FREQ,CHAN3", "9.900000e+37"),
    ];
    for (question, answer) in answers {
        assert_eq!(scope.ask(question), answer, "{question}");
    }
    scope.send(":NONS:ENSE?");
    assert!(scope.silent(), "an unknown query is not answered");
}

#[test]
fn a_train_in_one_record_shows_the_true_latencies() {
    let paper = Paper::default();
    let simulation = Simulation { skew: Picos::ZERO, clock_error_ppm: 0.0, ..Simulation::default() };
    let options = Options { simulation, truth: Some(Box::new(paper.clone())), ..Options::default() };
    let bench = VirtualBench::start(options).unwrap();
    let mut scope = Client::new(bench.scope_address());
    let mut board = Client::new(bench.dut_address());
    set_up(&mut scope);
    assert!(board.ask("MODE direct").starts_with("MODE direct *"));
    assert!(board.ask("ARM").starts_with("ARM *"));
    scope.set(":SING");
    assert_eq!(scope.ask(":TRIG:STAT?"), "AUTO", "the status of 100 ms ago (Q01)");
    scope.status_until("WAIT");
    assert_eq!(scope.ask(":TRIG:POS?"), "-2");
    assert!(board.ask("START 50 10 20 77").starts_with("START 50 10 20 77 *"));
    scope.status_until("STOP");
    assert_eq!(scope.ask(":ACQ:MDEP?"), "600000");
    assert_eq!(scope.ask(":TRIG:POS?"), "50000");
    let mut records = Vec::new();
    for channel in ["CHAN1", "CHAN2"] {
        scope.set(&format!(":WAV:SOUR {channel};MODE RAW;FORM BYTE"));
        let preamble = scope.ask(":WAV:PRE?");
        assert!(preamble.starts_with("0,2,600000,1,2.000000e-09,-1.000000e-04,0,"), "{preamble}");
        let mut codes = Vec::new();
        for start in [1, 250_001, 500_001] {
            scope.set(&format!(":WAV:STAR {start}"));
            scope.set(&format!(":WAV:STOP {}", start + 249_999));
            codes.extend(scope.block(":WAV:DATA?"));
        }
        assert_eq!(codes.len(), 600_000);
        records.push(crossings(&codes));
    }
    let rows = paper.rows();
    assert_eq!((records[0].len(), records[1].len(), rows.len()), (50, 50, 50));
    let gaps: Vec<u32> =
        latency_protocol::Gaps::new(latency_protocol::Train { count: 50, min_us: 10, max_us: 20, seed: 77 })
            .collect();
    for (k, row) in rows.iter().enumerate() {
        let measured = (records[1][k] - records[0][k]) * 2000.0;
        assert!((measured - row[4].unwrap() as f64).abs() < 1000.0, "pair {k}: {measured} {row:?}");
        assert_eq!((row[0], row[1]), (Some(1), Some(k as i64 + 1)));
        if k > 0 {
            let gap = row[2].unwrap() - rows[k - 1][2].unwrap();
            assert_eq!(gap, i64::from(gaps[k]) * 1_000_000, "spacing {k}");
        }
    }
    assert!(board.ask("COUNT?").starts_with("stimuli=50 edges=50 lost=0 busy=0 *"));
}

#[test]
fn injected_fates_are_in_the_truth() {
    let paper = Paper::default();
    let simulation = Simulation {
        miss_rate: Some(0.1),
        double_rate: Some(0.1),
        late_rate: Some(0.1),
        ..Simulation::default()
    };
    let options = Options { simulation, truth: Some(Box::new(paper.clone())), ..Options::default() };
    let bench = VirtualBench::start(options).unwrap();
    let (mut scope, mut board) = (Client::new(bench.scope_address()), Client::new(bench.dut_address()));
    set_up(&mut scope);
    scope.set(":SING");
    scope.status_until("WAIT");
    board.ask("START 70 10 16 5");
    scope.status_until("STOP");
    let rows = paper.rows();
    let stimuli: Vec<i64> = rows.iter().filter_map(|r| r[2]).collect();
    assert_eq!(stimuli.len(), 70);
    let missed = rows.iter().filter(|r| r[2].is_some() && r[3].is_none()).count();
    let doubles = rows.iter().filter(|r| r[2].is_none()).count();
    let next = |r: &Vec<Option<i64>>| stimuli.iter().copied().find(|s| Some(*s) > r[2]);
    let late = rows.iter().filter(|r| r[2].is_some() && r[3] > next(r) && next(r).is_some()).count();
    // Ten per cent of 70 each: between 1 and 20 with near certainty.
    for n in [missed, doubles, late] {
        assert!((1..20).contains(&n), "missed {missed} doubles {doubles} late {late}");
    }
    let lost = board.ask("COUNT?");
    assert!(lost.contains(&format!(" lost={missed} ")), "{lost}");
    scope.set(":WAV:SOUR CHAN2;MODE RAW;STAR 1;STOP 250000");
    let mut codes = scope.block(":WAV:DATA?");
    for (start, stop) in [(250_001, 500_000), (500_001, 600_000)] {
        scope.set(&format!(":WAV:STAR {start};STOP {stop}"));
        codes.extend(scope.block(":WAV:DATA?"));
    }
    let rises = crossings(&codes).len();
    assert_eq!(rises, 70 - missed + doubles, "every true response is an edge of channel 2");
}

fn session(seed: u64) -> Vec<u8> {
    let simulation = Simulation { seed, ..Simulation::default() };
    let bench = VirtualBench::start(Options { simulation, ..Options::default() }).unwrap();
    let (mut scope, mut board) = (Client::new(bench.scope_address()), Client::new(bench.dut_address()));
    set_up(&mut scope);
    scope.set(":SING");
    let mut said = scope.status_until("WAIT").join(",").into_bytes();
    board.ask("START 20 10 20 3");
    bench.clock().sleep(Picos::from_ms(20));
    said.extend(scope.status_until("STOP").join(",").into_bytes());
    scope.set(":WAV:MODE RAW;STAR 1;STOP 100000");
    said.extend(scope.block(":WAV:DATA?"));
    said.extend(bench.clock().now().0.to_le_bytes());
    said
}

#[test]
fn one_seed_gives_one_session_to_the_last_byte() {
    assert_eq!(session(4), session(4));
    assert_ne!(session(4), session(5));
}

#[test]
fn a_served_bench_shows_a_live_signal() {
    let bench = bench(&[], true);
    let mut scope = Client::new(bench.scope_address());
    scope.set(":CHAN2:DISP ON;:TRIG:EDG:LEV 1.65;:TIM:SCAL 5e-5");
    bench.clock().sleep(Picos::from_s(1));
    assert_eq!(scope.ask(":TRIG:STAT?"), "TD");
    let period: f64 = scope.ask(":MEAS:ITEM? PER,CHAN1").parse().unwrap();
    assert!((7e-5..1.3e-4).contains(&period), "{period}");
    let screen = scope.block(":WAV:DATA?");
    assert_eq!(screen.len(), 1200);
    let rise = crossings(&screen);
    assert!(rise.iter().any(|x| (x - 600.0).abs() <= 1.0), "the trigger is in the middle: {rise:?}");
    scope.set(":SING");
    scope.status_until("STOP");
    bench.clock().sleep(Picos::from_ms(300));
    assert_eq!(scope.ask(":TRIG:STAT?"), "STOP");
    let a = scope.block(":WAV:DATA?");
    assert_eq!(scope.block(":WAV:DATA?"), a, "a stopped record stays");
    assert_eq!(scope.ask(":TRIG:SWE?"), "SING");
    scope.set(":RUN");
    assert_eq!(scope.ask(":TRIG:SWE?"), "AUTO");
}

#[test]
fn settings_outlive_a_connection_and_a_second_client_waits() {
    let bench = bench(&[], false);
    let mut first = Client::new(bench.scope_address());
    first.set(":TIM:SCAL 3e-4");
    let mut second = Client::new(bench.scope_address());
    second.send("*IDN?");
    assert!(second.silent());
    drop(first);
    assert!(second.line().starts_with("RIGOL"));
    assert_eq!(second.ask(":TIM:SCAL?"), "5.000000e-04", "snapped upwards, and kept");
}

#[test]
fn setup_and_screen_come_as_blocks() {
    let bench = bench(&[], true);
    let mut scope = Client::new(bench.scope_address());
    scope.set(":TIM:SCAL 1e-3");
    let setup = scope.block(":SYST:SET?");
    assert_eq!((setup.len(), &setup[..11]), (2081, &b"VZ8\0DS1054Z"[..]));
    scope.set("*RST");
    assert_eq!(scope.ask(":TIM:SCAL?"), "1.000000e-06");
    let mut message = b":SYST:SET #9000002081".to_vec();
    message.extend(&setup);
    scope.reader.get_mut().write_all(&message).unwrap();
    scope.set("");
    assert_eq!(scope.ask(":TIM:SCAL?"), "1.000000e-03");
    let png = scope.block(":DISP:DATA? ON,OFF,PNG");
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert!(png.len() < 100_000);
    assert_eq!(scope.block(":DISP:DATA?").len(), 1_152_054);
}

#[test]
fn limits_of_one_read_and_of_the_channels_give_empty_blocks() {
    let bench = bench(&[], true);
    let mut scope = Client::new(bench.scope_address());
    set_up(&mut scope);
    scope.set(":SING");
    bench.clock().sleep(Picos::from_s(1));
    scope.set(":WAV:MODE RAW;STAR 1;STOP 250001");
    assert!(scope.block(":WAV:DATA?").is_empty(), "more than 250 000 points (Q15)");
    scope.set(":WAV:STOP 250000");
    assert_eq!(scope.block(":WAV:DATA?").len(), 250_000);
    scope.set(":WAV:STAR 599991;STOP 700000");
    assert_eq!(scope.block(":WAV:DATA?").len(), 10, "cut at the end of the record");
    scope.set(":WAV:SOUR CHAN3");
    assert!(scope.block(":WAV:DATA?").is_empty(), "a channel that is off (Q22)");
    scope.set(":WAV:SOUR CHAN1;MODE NORM;STAR 1;STOP 1200;FORM WORD");
    assert_eq!(scope.block(":WAV:DATA?").len(), 2400);
    scope.set(":RUN;:WAV:MODE RAW;FORM BYTE");
    assert_eq!(scope.block(":WAV:DATA?").len(), 1200, "RAW while running is the screen (Q20)");
}

#[test]
fn scope_faults_show_on_the_wire() {
    let ask = |fault: &str, question: &str| {
        let bench = bench(&[fault], true);
        let mut scope = Client::new(bench.scope_address());
        scope.send(question);
        let mut bytes = Vec::new();
        scope.reader.get_mut().set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        let _ = scope.reader.read_to_end(&mut bytes);
        bytes
    };
    assert_eq!(ask("command-error", "*IDN?"), b"command error\n");
    assert!(ask("silent", "*IDN?").is_empty());
    assert_eq!(&ask("bad-header", ":WAV:DATA?")[..11], b"@9000001200");
    let short = ask("short-block", ":WAV:DATA?");
    assert_eq!((&short[..11], short.len()), (&b"#9000001200"[..], 11 + 600 + 1));
    assert_eq!(ask("few-points", ":WAV:DATA?").len(), 11 + 600 + 1);
    assert_eq!(ask("empty-block", ":WAV:DATA?"), b"#9000000000\n");
    assert_eq!(ask("no-newline", ":WAV:DATA?").len(), 1211);
    assert_eq!(ask("partial-identity", "*IDN?"), b"RIGOL TECHNOLO\n");
    assert_eq!(ask("extra-newline", ":WAV:DATA?").len(), 11 + 1200 + 2);
    assert_eq!(&ask("huge-block", ":WAV:DATA?")[..11], b"#9999999999");
    assert_eq!(ask("endless-line", "*IDN?").len(), 1_000_000);
    assert!(ask("usb-plugged", "*IDN?").is_empty());
    assert!(ask("late-answer", "*IDN?").is_empty());
    assert!(ask("bad-preamble", ":WAV:PRE?").starts_with(b"0,2,1200,1,0.000000e+00,nan,"));
    let torn = ask("drop", "*IDN?");
    assert!(torn.starts_with(b"RIGOL TECH") && !torn.ends_with(b"\n"));
}

#[test]
fn acquisition_faults_keep_the_old_record() {
    let run = |fault: &str| {
        let bench = bench(&[fault], true);
        let mut scope = Client::new(bench.scope_address());
        set_up(&mut scope);
        scope.set(":STOP");
        scope.set(":WAV:MODE RAW;STAR 1;STOP 1000");
        let before = scope.block(":WAV:DATA?");
        scope.set(":SING");
        bench.clock().sleep(Picos::from_s(1));
        let (status, position) = (scope.ask(":TRIG:STAT?"), scope.ask(":TRIG:POS?"));
        scope.set(":STOP");
        (status, position, scope.block(":WAV:DATA?") == before)
    };
    let owned = |a: &str, b: &str, c| (a.to_owned(), b.to_owned(), c);
    assert_eq!(run("stale-stop"), owned("STOP", "50000", true));
    assert_eq!(run("spurious-stop"), owned("STOP", "-2", true));
    assert_eq!(run("no-trigger"), owned("WAIT", "-2", true));
    assert_eq!(run("wrong-depth@2"), owned("STOP", "50000", false));
}

#[test]
fn a_forced_acquisition_ends_without_a_trigger() {
    let bench = bench(&[], false);
    let mut scope = Client::new(bench.scope_address());
    set_up(&mut scope);
    scope.set(":SING");
    scope.status_until("WAIT");
    scope.set(":TFOR");
    scope.status_until("STOP");
    assert_eq!(scope.ask(":TRIG:POS?"), "50000");
}

#[cfg(unix)]
#[test]
fn the_pseudo_terminal_speaks_the_same_protocol() {
    let bench = VirtualBench::start(Options { pty: true, ..Options::default() }).unwrap();
    let path = bench.pty().unwrap().to_owned();
    for _ in 0..2 {
        let mut port = std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
        port.write_all(b"MODE?\r\n").unwrap();
        let mut line = String::new();
        BufReader::new(port).read_line(&mut line).unwrap();
        assert_eq!(latency_protocol::unframe(line.trim_end()), Ok("direct"));
    }
}

#[test]
fn unknown_faults_modes_and_taken_ports_are_refused() {
    let faulty = Simulation { faults: vec!["nonsense".to_owned()], ..Simulation::default() };
    let error = VirtualBench::start(Options { simulation: faulty, ..Options::default() }).err().unwrap();
    assert!(error.to_string().contains("nonsense"));
    let error =
        VirtualBench::start(Options { mode: Some("fast".into()), ..Options::default() }).err().unwrap();
    assert!(matches!(error, BenchError::NoSuchMode { .. }));
    let taken = bench(&[], false);
    let port = taken.scope_address().port();
    let error = VirtualBench::start(Options { scope_port: port, ..Options::default() }).err().unwrap();
    assert!(matches!(error, BenchError::Unreachable { .. }));
}

#[test]
fn a_late_answer_comes_in_front_of_the_next() {
    let bench = bench(&["late-answer@1"], false);
    let mut scope = Client::new(bench.scope_address());
    scope.send("*IDN?");
    scope.send("*OPC?");
    assert!(scope.line().starts_with("RIGOL"), "the stream is off by one answer");
    assert_eq!(scope.line(), "1");
    drop(scope);
    assert_eq!(Client::new(bench.scope_address()).ask("*OPC?"), "1", "a new connection is clean");
}

#[test]
fn a_frozen_scope_stays_frozen_on_a_new_connection() {
    let bench = bench(&["frozen@2"], false);
    let mut scope = Client::new(bench.scope_address());
    assert_eq!(scope.ask("*OPC?"), "1");
    for _ in 0..2 {
        scope.send("*OPC?");
        assert!(scope.silent());
        drop(scope);
        scope = Client::new(bench.scope_address());
    }
}

#[test]
fn a_second_client_is_turned_away_when_asked_for() {
    let bench = bench(&["refuse-second"], false);
    let mut first = Client::new(bench.scope_address());
    assert_eq!(first.ask("*OPC?"), "1");
    let mut second = Client::new(bench.scope_address());
    // Closed in an orderly way, or reset, depending on who was faster.
    let _ = second.reader.get_mut().write_all(b"*OPC?\n");
    assert!(!matches!(second.reader.read(&mut [0; 1]), Ok(1)));
    assert_eq!(first.ask("*OPC?"), "1");
}

#[test]
fn realistic_timing_runs_on_the_wall_clock() {
    let simulation = Simulation { timing: Timing::Realistic, ..Simulation::default() };
    let bench =
        VirtualBench::start(Options { simulation, free_running: true, ..Options::default() }).unwrap();
    let mut scope = Client::new(bench.scope_address());
    scope.set(":TRIG:EDG:LEV 1.65");
    scope.set(":SING");
    scope.status_until("STOP");
    let before = bench.clock().now();
    bench.clock().sleep(Picos::from_ms(1));
    assert!(bench.clock().now() - before >= Picos::from_ms(1));
    // Dropped in the middle of six seconds of reset: the threads end without waiting for it.
    scope.send("*RST");
}

#[test]
fn a_hundred_shots_are_a_hundred_records() {
    let paper = Paper::default();
    let options = Options { truth: Some(Box::new(paper.clone())), free_running: true, ..Options::default() };
    let bench = VirtualBench::start(options).unwrap();
    let mut scope = Client::new(bench.scope_address());
    set_up(&mut scope);
    scope.set(":WAV:MODE RAW;STAR 1;STOP 2000");
    let mut records = std::collections::BTreeSet::new();
    for _ in 0..100 {
        scope.set(":SING");
        bench.clock().sleep(Picos::from_ms(400));
        assert_eq!(scope.ask(":TRIG:STAT?"), "STOP");
        records.insert(scope.block(":WAV:DATA?"));
    }
    assert_eq!(records.len(), 100);
    let shots: std::collections::BTreeSet<_> = paper.rows().into_iter().map(|r| r[0]).collect();
    assert_eq!(shots.len(), 100);
}

#[test]
fn arming_the_board_silences_the_generator_until_its_link_closes() {
    let bench = bench(&[], true);
    let mut scope = Client::new(bench.scope_address());
    set_up(&mut scope);
    scope.set(":TRIG:SWE NORM");
    scope.status_until("TD");
    let mut board = Client::new(bench.dut_address());
    board.ask("ARM");
    scope.status_until("WAIT");
    drop(board);
    scope.status_until("TD");
}

#[test]
fn modes_of_a_free_running_bench_change_what_answers() {
    let bench = bench(&[], true);
    let (mut scope, mut board) = (Client::new(bench.scope_address()), Client::new(bench.dut_address()));
    set_up(&mut scope);
    scope.set(":TIM:OFFS 0;:TIM:SCAL 1e-5");
    let mut delay = |mode: &str| -> f64 {
        assert!(board.ask(&format!("MODE {mode}")).starts_with("MODE "));
        bench.clock().sleep(Picos::from_ms(10));
        scope.ask(":MEAS:ITEM? RDEL,CHAN1,CHAN2").parse().unwrap()
    };
    // The published typical figures; the screen resolves a hundredth of 10 us.
    assert!((delay("thread") - 8.2e-6).abs() < 1.5e-6);
    assert!((delay("direct") - 1.9e-6).abs() < 0.8e-6);
}

#[test]
fn a_turned_knob_and_a_dead_stimulus_can_be_seen() {
    let turned = bench(&["knob@2"], false);
    let mut scope = Client::new(turned.scope_address());
    set_up(&mut scope);
    scope.set(":SING");
    assert_eq!(scope.ask(":CHAN2:SCAL?"), "5.000000e-01");
    scope.set(":SING");
    assert_eq!(scope.ask(":CHAN2:SCAL?"), "1.000000e+00");
    let dead = bench(&["dead-stimulus"], false);
    let mut board = Client::new(dead.dut_address());
    assert!(board.ask("START 5 100 100 1").starts_with("START 5 100 100 1 *"));
    dead.clock().sleep(Picos::from_ms(5));
    assert!(board.ask("COUNT?").starts_with("stimuli=0 "));
}

mod anything {
    use super::super::faults::Faults;
    use super::super::run::World;
    use super::super::schedule::Schedule;
    use super::super::scope::Scope;
    use super::*;
    use proptest::prelude::*;

    /// Carries out messages one after the other, 50 ms apart, on a bench with a live signal.
    fn carry_out(messages: &[Vec<u8>], faults: &[String]) -> Vec<Vec<u8>> {
        let simulation = Simulation::default();
        let board = Board::new(&simulation, None, true).unwrap();
        let mut scope = Scope::new(&simulation);
        let mut faults = Faults::parse(1, faults).unwrap();
        let mut truth = Truth::new(None);
        let schedule: &Schedule = &board.schedule;
        let mut now = Picos::ZERO;
        let mut replies = Vec::new();
        for message in messages {
            now += Picos::from_ms(50);
            let mut world = World { now, schedule, faults: &mut faults, truth: &mut truth };
            replies.push(scope.execute(message, &mut world).bytes);
        }
        replies
    }

    fn header() -> impl Strategy<Value = String> {
        let patterns: Vec<&'static str> = super::super::catalogue::ROWS
            .iter()
            .map(|r| r.header)
            .chain(super::super::actions::QUERIES.iter().map(|(h, _)| *h))
            .chain(super::super::actions::COMMANDS.iter().map(|(h, _)| *h))
            .collect();
        let number = prop_oneof![Just(1u8), Just(2), 0..=9u8];
        (prop::sample::select(patterns), number, any::<bool>()).prop_map(|(pattern, number, query)| {
            let plain = pattern.replace(['[', ']'], "").replace('#', &number.to_string());
            format!("{plain}{}", if query { "?" } else { "" })
        })
    }

    fn argument() -> impl Strategy<Value = String> {
        let words =
            ["ON", "0", "CHAN2", "RAW", "MAX", "NORM", "SING", "AUTO", "WORD", "ASC", "NEG", "GND", "nan"];
        prop_oneof![
            prop::sample::select(words.map(str::to_owned).to_vec()),
            any::<f64>().prop_map(|v| v.to_string()),
            (-12i32..12).prop_map(|e| format!("1e{e}")),
            any::<i64>().prop_map(|v| v.to_string()),
            Just(String::new()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever is sent: no panic, and every reply ends in a newline.
        #[test]
        fn any_bytes_are_survived(messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 1..20)) {
            for reply in carry_out(&messages, &[]) {
                prop_assert!(reply.is_empty() || reply.ends_with(b"\n"));
            }
        }

        /// Every header with every kind of argument, in any order, and the identity still comes.
        #[test]
        fn any_settings_are_survived(lines in prop::collection::vec((header(), argument()), 1..40)) {
            let mut messages: Vec<Vec<u8>> =
                lines.iter().map(|(h, a)| format!("{h} {a}").into_bytes()).collect();
            messages.push(b"*IDN?".to_vec());
            let replies = carry_out(&messages, &[]);
            prop_assert!(replies.last().unwrap().starts_with(b"RIGOL TECHNOLOGIES,"));
        }

        /// A message stream cut anywhere gives the same messages.
        #[test]
        fn pieces_do_not_matter(text in "[a-zA-Z:*?#0-9 \n\r]{0,200}", cut in 0usize..200) {
            use super::super::language::Messages;
            let all = |pieces: &[&[u8]]| {
                let mut messages = Messages::default();
                let mut out = Vec::new();
                for piece in pieces {
                    messages.extend(piece);
                    while let Some(message) = messages.next() {
                        out.push(message);
                    }
                }
                out
            };
            let bytes = text.as_bytes();
            let (a, b) = bytes.split_at(cut.min(bytes.len()));
            prop_assert_eq!(all(&[bytes]), all(&[a, b]));
        }
    }
}
