//! The console on a board that only remembers what was asked of it.
#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use latency_firmware_core::{Board, Conditions, Console, Count, Fault, Identity, Ring, Train};
use latency_protocol::unframe;
use proptest::prelude::*;

#[derive(Default)]
struct Mock {
    mode: usize,
    load: [bool; 2],
    count: Count,
    log: Vec<u32>,
    fault: Option<Fault>,
    done: Vec<String>,
}

impl Board for Mock {
    fn identity(&self) -> Identity<'static> {
        Identity { board: "mock", runtime: "bare", version: "0.1.0", build: "x" }
    }
    fn conditions(&self) -> Conditions {
        Conditions {
            clock_hz: 128_000_000,
            source: "xtal",
            gpiote: "low-latency",
            cache: "on",
            isr: "ram",
            priority: 1,
            reset: "power",
        }
    }
    fn modes(&self) -> impl Iterator<Item = &'static str> {
        ["isr", "work"].into_iter()
    }
    fn mode(&self) -> usize {
        self.mode
    }
    fn select(&mut self, mode: usize) {
        self.mode = mode;
    }
    fn loads(&self) -> impl Iterator<Item = &'static str> {
        ["spin", "mask"].into_iter()
    }
    fn loaded(&self, load: usize) -> bool {
        self.load[load]
    }
    fn load(&mut self, load: usize, on: bool) {
        self.load[load] = on;
    }
    fn arm(&mut self) {
        self.count = Count::default();
        self.log.clear();
        self.done.push("arm".into());
    }
    fn min_gap_us(&self) -> u32 {
        [8, 50][self.mode]
    }
    fn start(&mut self, train: Train) {
        self.count.busy = true;
        self.done.push(format!("start {train}"));
    }
    fn stop(&mut self) {
        self.count.busy = false;
        self.done.push("stop".into());
    }
    fn count(&self) -> Count {
        self.count
    }
    fn log_hz(&self) -> u32 {
        16_000_000
    }
    fn pop(&mut self) -> Option<u32> {
        (!self.log.is_empty()).then(|| self.log.remove(0))
    }
    fn service(&mut self) -> Option<Fault> {
        self.fault.take()
    }
}

/// The payload of the one answer to `line`.
fn ask(console: &mut Console, board: &mut Mock, line: &str) -> String {
    let answers: Vec<_> = line.bytes().chain([b'\n']).filter_map(|b| console.byte(b, board)).collect();
    let [answer] = answers.as_slice() else { panic!("{} answers to {line}", answers.len()) };
    console.sent(board);
    let line = answer.as_str().strip_suffix('\n').expect("a line feed at the end");
    unframe(line).expect("a checksum that fits").to_owned()
}

fn session(lines: &[(&str, &str)]) -> Mock {
    let (mut console, mut board) = (Console::new(), Mock { log: vec![17, 23], ..Mock::default() });
    for (line, answer) in lines {
        assert_eq!(ask(&mut console, &mut board, line), *answer, "answer to {line}");
    }
    board
}

#[test]
fn a_person_can_read_the_board() {
    session(&[
        ("*IDN?", "latency-firmware/1,mock,bare,0.1.0,x"),
        ("MODES?", "isr,work"),
        ("MODE?", "isr"),
        ("MODE work\r", "MODE work"),
        ("MODE?", "work"),
        ("HZ?", "16000000"),
        ("LOG?", "17"),
        ("LOG?", "23"),
        ("LOG?", "END"),
        ("COUNT?", "stimuli=0 edges=0 lost=0 busy=0"),
    ]);
}

#[test]
fn a_train_runs_in_the_background_and_nothing_else_is_changed_meanwhile() {
    let board = session(&[
        ("ARM", "ARM"),
        ("START 500 8 16 12345", "START 500 8 16 12345"),
        ("COUNT?", "stimuli=0 edges=0 lost=0 busy=1"),
        ("START 1 8 16 1", "ERR 4 busy with a train"),
        ("MODE work", "ERR 4 busy with a train"),
        ("LOAD spin on", "ERR 4 busy with a train"),
        ("ARM", "ERR 4 busy with a train"),
        ("MODE?", "isr"),
        ("STOP", "STOP"),
        ("MODE work", "MODE work"),
    ]);
    assert_eq!(board.done, ["arm", "start 500 8 16 12345", "stop"]);
}

#[test]
fn what_the_image_has_not_is_refused_by_its_own_number() {
    let board = session(&[
        ("MODE async", "ERR 2 no such mode"),
        ("LOAD i2c on", "ERR 6 no such load"),
        ("START 10 7 16 1", "ERR 3 number out of range"),
        ("MODE work", "MODE work"),
        ("START 10 49 60 1", "ERR 3 number out of range"),
        ("START 10 50 60 1", "START 10 50 60 1"),
    ]);
    assert_eq!(board.done, ["start 10 50 60 1"]);
}

#[test]
fn conditions_name_every_load_that_is_on() {
    session(&[
        (
            "CONF?",
            "clock_hz=128000000 gpiote=low-latency cache=on isr=ram priority=1 loads=none hfclk=xtal min_gap_us=8 reset=power fault=none",
        ),
        ("LOAD mask on", "LOAD mask on"),
        ("LOAD spin on", "LOAD spin on"),
        (
            "CONF?",
            "clock_hz=128000000 gpiote=low-latency cache=on isr=ram priority=1 loads=spin+mask hfclk=xtal min_gap_us=8 reset=power fault=none",
        ),
        ("LOAD mask off", "LOAD mask off"),
        ("LOAD spin off", "LOAD spin off"),
    ]);
}

#[test]
fn a_stuck_train_is_ended_and_named_until_the_next_arm() {
    let (mut console, mut board) = (Console::new(), Mock::default());
    ask(&mut console, &mut board, "START 500 8 16 1");
    board.fault = Some(Fault::Stuck);
    console.poll(&mut board);
    assert_eq!(ask(&mut console, &mut board, "COUNT?"), "stimuli=0 edges=0 lost=0 busy=0");
    assert!(ask(&mut console, &mut board, "CONF?").ends_with("fault=stuck"));
    assert_eq!(ask(&mut console, &mut board, "ARM"), "ARM");
    assert!(ask(&mut console, &mut board, "CONF?").ends_with("fault=none"));
}

/// Writing and sending the answer takes the board longer than a short gap.
#[test]
fn a_train_begins_when_its_answer_is_out_and_not_before() {
    let (mut console, mut board) = (Console::new(), Mock::default());
    let answers = b"START 5 8 16 1\n".iter().filter_map(|b| console.byte(*b, &mut board)).count();
    assert_eq!((answers, board.done.len()), (1, 0));
    console.sent(&mut board);
    console.sent(&mut board);
    assert_eq!(board.done, ["start 5 8 16 1"]);
}

#[test]
fn two_lines_in_one_burst_are_two_answers() {
    let (mut console, mut board) = (Console::new(), Mock::default());
    let bytes = b"MODE?\nHZ?\n\xff\xfe\n";
    let answers: Vec<_> = bytes.iter().filter_map(|b| console.byte(*b, &mut board)).collect();
    let starts = ["isr *", "16000000 *", "ERR 1 cannot read that *"];
    assert!(answers.iter().zip(starts).all(|(a, s)| a.as_str().starts_with(s)));
    assert_eq!(answers.len(), 3);
}

proptest! {
    /// One framed answer a line feed, whatever the bytes; and the board still answers afterwards.
    #[test]
    fn no_bytes_silence_the_console(noise in proptest::collection::vec(any::<u8>(), 0..800)) {
        let (mut console, mut board) = (Console::new(), Mock::default());
        let feeds = noise.iter().filter(|b| **b == b'\n').count();
        let answers: Vec<_> = noise.iter().filter_map(|b| console.byte(*b, &mut board)).collect();
        prop_assert_eq!(answers.len(), feeds);
        for answer in &answers {
            prop_assert!(unframe(answer.as_str().trim_end()).is_ok());
        }
        let _ = console.byte(b'\n', &mut board);
        prop_assert_eq!(ask(&mut console, &mut board, "HZ?"), "16000000");
    }
}

/// The interrupt pushes while the main loop pops: no byte is lost, doubled or reordered.
#[test]
fn the_ring_hands_bytes_from_one_thread_to_another() {
    static RING: Ring<8> = Ring::new();
    let sender = std::thread::spawn(|| {
        for n in 0..50_000u32 {
            while !RING.push(n as u8) {
                std::thread::yield_now();
            }
        }
    });
    for n in 0..50_000u32 {
        let byte = loop {
            match RING.pop() {
                Some(byte) => break byte,
                None if sender.is_finished() && RING.is_empty() => panic!("byte {n} is missing"),
                None => std::thread::yield_now(),
            }
        };
        assert_eq!(byte, n as u8);
    }
    sender.join().expect("the sender ends");
}
