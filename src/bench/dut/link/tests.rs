//! Exact lines out, exact bytes back, for everything a line and a board can do wrong.

use super::*;
use crate::bench::clock::SystemClock;
use latency_protocol::write_framed;
use std::collections::VecDeque;
use std::io;
use std::sync::Mutex;

/// Expected lines and what comes back for each; silence ends at once.
#[derive(Clone)]
struct Script(Arc<Mutex<State>>);

/// What is still expected, and what can be read.
type State = (VecDeque<(String, Vec<u8>)>, VecDeque<u8>);

impl Script {
    fn new(banner: &str) -> Script {
        Script(Arc::new(Mutex::new((VecDeque::new(), banner.bytes().collect()))))
    }
    fn raw(self, request: &str, reply: &[u8]) -> Script {
        self.0.lock().unwrap().0.push_back((request.to_owned(), reply.to_vec()));
        self
    }
    fn ok(self, request: &str, payload: &str) -> Script {
        self.raw(request, &framed(payload))
    }
    fn hello(self) -> Script {
        self.ok("*IDN?", IDENTITY).ok("MODES?", "hw,direct").ok("CONF?", "clock_hz=128000000 isr=ram")
    }
    fn finished(&self) {
        assert!(self.0.lock().unwrap().0.is_empty(), "not asked: {:?}", self.0.lock().unwrap().0);
    }
    fn connect(&self) -> Result<BoardLink, BenchError> {
        let wall: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let transcript = Transcript::new(Box::new(io::sink()), Arc::clone(&wall));
        BoardLink::connect(Box::new(self.clone()), wall, &transcript, Picos::from_ms(5))
    }
}

impl ByteStream for Script {
    fn name(&self) -> &str {
        "/dev/script"
    }
    fn write_all(&mut self, bytes: &[u8], _: Picos) -> io::Result<()> {
        let line = std::str::from_utf8(bytes).unwrap().strip_suffix('\n').unwrap();
        let mut state = self.0.lock().unwrap();
        let (expected, reply) = state.0.pop_front().unwrap_or_else(|| panic!("`{line}` was not expected"));
        assert_eq!(line, expected);
        assert!(state.1.is_empty(), "stale input was left: {:?}", state.1);
        state.1.extend(reply);
        Ok(())
    }
    fn read(&mut self, into: &mut [u8], _: Picos) -> io::Result<usize> {
        let mut state = self.0.lock().unwrap();
        let n = into.len().min(state.1.len());
        for slot in &mut into[..n] {
            *slot = state.1.pop_front().unwrap();
        }
        Ok(n)
    }
}

const IDENTITY: &str = "latency-firmware/1,nrf5340dk,zephyr,0.1.0,a1b2c3d";
const TRAIN: Train = Train { count: 500, min_us: 8, max_us: 16, seed: 12_345 };
const START: &str = "START 500 8 16 12345";

fn framed(payload: &str) -> Vec<u8> {
    let mut line = String::new();
    write_framed(&mut line, payload).unwrap();
    line.into_bytes()
}

/// The right answer with its first character damaged.
fn damaged(payload: &str) -> Vec<u8> {
    let mut line = framed(payload);
    line[0] ^= 1;
    line
}

fn fails(script: &Script) -> String {
    let message = script.connect().err().expect("it should fail").to_string();
    script.finished();
    message
}

#[test]
fn hello_drains_the_banner_and_half_a_line() {
    let script = Script::new("*** Booting Zephyr ***\r\nstimuli=3 ed").hello();
    let link = script.connect().unwrap();
    let hello = link.hello();
    assert_eq!(
        (hello.board.as_str(), hello.runtime.as_str(), hello.build.as_str()),
        ("nrf5340dk", "zephyr", "a1b2c3d")
    );
    assert_eq!(hello.modes, ["hw", "direct"]);
    assert_eq!(hello.conditions[0], ("clock_hz".to_owned(), "128000000".to_owned()));
    script.finished();
}

#[test]
fn a_half_line_in_the_boards_own_buffer_costs_one_refusal() {
    Script::new("").ok("*IDN?", "ERR 1 cannot read that").hello().connect().unwrap();
}

#[test]
fn each_stranger_has_its_own_message() {
    let silent = Script::new("").raw("*IDN?", b"").raw("*IDN?", b"");
    assert!(fails(&silent).contains("did not answer `*IDN?`"));
    let foreign =
        (0..4).fold(Script::new(""), |s, _| s.raw("*IDN?", b"uart:~$ *IDN?\r\n*IDN?: command not found\r\n"));
    assert!(
        fails(&foreign).contains("/dev/script answered `uart:~$ *IDN?`, which is not the companion firmware")
    );
    let other = Script::new("").ok("*IDN?", "RIGOL TECHNOLOGIES,DS1054Z,DS1ZA1,00.04.04");
    assert!(fails(&other).contains("not the companion firmware"));
    let newer = Script::new("").ok("*IDN?", "latency-firmware/2,b,r,v,x");
    assert!(fails(&newer).contains("speaks protocol 2 and this program speaks 1"));
    let noise = (0..4).fold(Script::new(""), |s, _| s.raw("*IDN?", &damaged(IDENTITY)));
    assert!(fails(&noise).contains("came damaged 4 times"));
    let binary = (0..4).fold(Script::new(""), |s, _| s.raw("*IDN?", b"\xff\xfe\x80\n"));
    assert!(fails(&binary).contains("no text"));
}

#[test]
fn echoes_and_log_lines_before_the_answer_are_passed_over() {
    let reply = [b"MODE direct\r\n[00:01] log: mode\r\n".as_slice(), &framed("MODE direct")].concat();
    let script = Script::new("").hello().raw("MODE direct", &reply).ok("MODE?", "direct");
    script.connect().unwrap().select("direct").unwrap();
    script.finished();
}

#[test]
fn damaged_answers_are_asked_for_again() {
    let script = Script::new("")
        .hello()
        .raw("COUNT?", &damaged("stimuli=1 edges=1 lost=0 busy=0"))
        .raw("COUNT?", b"stim")
        .ok("COUNT?", "MODE direct")
        .ok("COUNT?", "stimuli=500 edges=499 lost=1 busy=0");
    let count = script.connect().unwrap().count().unwrap();
    assert_eq!((count.stimuli, count.edges, count.lost, count.busy), (500, 499, 1, false));
    script.finished();
}

#[test]
fn a_mode_is_selected_only_when_echoed_and_in_force() {
    let wrong = (0..4).fold(Script::new("").hello(), |s, _| s.ok("MODE direct", "MODE hw"));
    let error = wrong.connect().unwrap().select("direct").unwrap_err().to_string();
    assert!(error.contains("answered `MODE hw` to `MODE direct`: the echo is another"), "{error}");
    let ignored = Script::new("").hello().ok("MODE direct", "MODE direct").ok("MODE?", "hw");
    let error = ignored.connect().unwrap().select("direct").unwrap_err().to_string();
    assert!(error.contains("another mode is in force"), "{error}");
    let lacking = Script::new("").hello();
    let error = lacking.connect().unwrap().select("rtic").unwrap_err().to_string();
    assert!(error.contains("no mode `rtic`; it has hw, direct"), "{error}");
    lacking.finished();
}

#[test]
fn a_lost_echo_of_start_asks_the_counters_before_anything_is_fired_again() {
    let armed = || Script::new("").hello().ok("ARM", "ARM");
    let fire = |script: &Script| {
        let mut link = script.connect().unwrap();
        link.arm().unwrap();
        link.fire(TRAIN).unwrap();
        script.finished();
    };
    fire(&armed().ok(START, START));
    fire(&armed().raw(START, &damaged(START)).ok("COUNT?", "stimuli=3 edges=3 lost=0 busy=1"));
    fire(&armed().raw(START, b"").ok("COUNT?", "stimuli=0 edges=0 lost=0 busy=1"));
    fire(&armed().raw(START, b"").ok("COUNT?", "stimuli=500 edges=500 lost=0 busy=0"));
    let not_begun = armed().raw(START, b"").ok("COUNT?", "stimuli=0 edges=0 lost=0 busy=0");
    fire(&not_begun.ok(START, "ERR 1 cannot read that").ok(START, START));
}

#[test]
fn without_arm_the_counters_of_the_train_before_are_no_proof() {
    let idle = "stimuli=500 edges=500 lost=0 busy=0";
    let script =
        Script::new("").hello().ok("COUNT?", idle).raw(START, b"").ok("COUNT?", idle).ok(START, START);
    script.connect().unwrap().fire(TRAIN).unwrap();
    script.finished();
}

#[test]
fn refusals_are_passed_on() {
    let script = Script::new("").hello().ok("ARM", "ARM").ok(START, "ERR 3 number out of range");
    let mut link = script.connect().unwrap();
    link.arm().unwrap();
    let error = link.fire(TRAIN).unwrap_err().to_string();
    assert!(error.contains("refused `START 500 8 16 12345`: ERR 3"), "{error}");
}
