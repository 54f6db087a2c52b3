//! The images on QEMU's Cortex-M3 board, an emulator that shares no line with the one in this workspace.
#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use latency_image_tests::build::{self, BuildError, Target, needs};
use latency_image_tests::elf::Elf;
use latency_image_tests::qemu::{Qemu, Time};
use latency_image_tests::{skipped, thumb};
use latency_protocol::{Count, names};
use std::path::PathBuf;

const EDGES: u32 = 200;

/// The image's file, or nothing when this machine cannot run it.
fn image(name: &str) -> Option<PathBuf> {
    let ready =
        needs("qemu-system-arm", "qemu-system-arm").and_then(|()| build::image(Target::Lm3s6965, name));
    match ready {
        Ok(file) => Some(file),
        Err(BuildError::Missing(what)) => {
            skipped(&format!("{what}: {name} did not run in QEMU"));
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn ask(machine: &mut Qemu, line: &str) -> String {
    machine.ask(line).expect("an answer")
}

fn modes(machine: &mut Qemu) -> Vec<String> {
    names(&ask(machine, "MODES?")).map(str::to_owned).collect()
}

fn select(machine: &mut Qemu, mode: &str) {
    assert_eq!(ask(machine, &format!("MODE {mode}")), format!("MODE {mode}"));
    assert_eq!(ask(machine, "ARM"), "ARM");
    machine.drain_edges();
}

fn count(machine: &mut Qemu) -> Count {
    Count::parse(&ask(machine, "COUNT?")).expect("a count")
}

/// Each injected edge is answered by one edge of the response, which goes low again when the input does.
fn answers_every_injected_edge(name: &str, expected_modes: &[&str]) {
    let Some(image) = image(name) else { return };
    let mut machine = Qemu::start(&image, Time::Host).expect("a machine");
    let modes = modes(&mut machine);
    assert_eq!(modes, expected_modes);
    for mode in &modes {
        select(&mut machine, mode);
        for edge in 0..EDGES {
            machine.input(true).expect("an input");
            assert!(machine.next_edge().expect("a response"), "{name} {mode}: edge {edge} is answered");
            machine.input(false).expect("an input");
            assert!(!machine.next_edge().expect("the response's end"), "{name} {mode}: edge {edge} ends");
        }
        let count = count(&mut machine);
        assert_eq!(count, Count { stimuli: 0, edges: EDGES, lost: 0, busy: false }, "{name} {mode}");
        assert_eq!(machine.drain_edges(), 0, "{name} {mode}: no response without an edge");
    }
}

/// Runs a train of the board's own under counted time and gives its log in instructions.
fn instructions(machine: &mut Qemu, mode: &str) -> Vec<u32> {
    select(machine, mode);
    let start = format!("START {EDGES} 300 700 77");
    assert_eq!(ask(machine, &start), start);
    let over = (0..100_000).any(|_| !count(machine).busy);
    assert!(over, "{mode}: the train ends");
    assert_eq!(count(machine), Count { stimuli: EDGES, edges: EDGES, lost: 0, busy: false }, "{mode}");
    let log: Vec<u32> = (0..=EDGES).map_while(|_| ask(machine, "LOG?").parse().ok()).collect();
    assert_eq!(log.len(), EDGES as usize, "{mode}: one entry a stimulus");
    // An instruction is 1024 ns, a tick of the 12.5 MHz timer 80 ns: 12.8 ticks, rounded to the nearest.
    log.iter().map(|ticks| (ticks * 10 + 64) / 128).collect()
}

/// The store of the edge and `cpsie` run after the timer was read; then the handler, up to its own reading.
const BEFORE_THE_HANDLER: u32 = 2;

fn counts_agree_with_the_code(name: &str, handlers: &[(&str, &str)]) {
    let Some(image) = image(name) else { return };
    let elf = Elf::open(&image).expect("an image");
    let mut machine = Qemu::start(&image, Time::Counted).expect("a machine");
    for (mode, handler) in handlers {
        let code = elf.at(elf.function(handler).expect("the handler")).expect("its code");
        let in_handler = thumb::to_load_after_store(code).expect("straight-line code") as u32;
        let seen = instructions(&mut machine, mode);
        let expected = BEFORE_THE_HANDLER + in_handler;
        let most = seen.iter().filter(|n| **n == expected).count();
        // Under a kernel the tick interrupts some: those take longer, never shorter.
        assert!(seen.iter().all(|n| *n >= expected), "{name} {mode}: {expected} expected, seen {seen:?}");
        assert!(most * 10 >= seen.len() * 9, "{name} {mode}: {expected} expected, seen {seen:?}");
    }
}

#[test]
fn bare_answers_every_injected_edge() {
    answers_every_injected_edge("bare", &["isr", "reg-set", "reg-rmw", "pendsv"]);
}

#[test]
fn freertos_answers_every_injected_edge() {
    answers_every_injected_edge("freertos", &["isr", "direct", "thread", "workqueue"]);
}

#[test]
fn bare_takes_the_instructions_its_code_has() {
    let handlers =
        [("isr", "lm3s6965::isr"), ("reg-set", "lm3s6965::reg_set"), ("reg-rmw", "lm3s6965::reg_rmw")];
    counts_agree_with_the_code("bare", &handlers);
}

#[test]
fn freertos_takes_the_instructions_its_code_has() {
    counts_agree_with_the_code("freertos", &[("isr", "image::answer"), ("direct", "image::answer")]);
}

/// Without a kernel's tick nothing interrupts: every deferral is as long as every other, and longer than the handler alone.
#[test]
fn a_deferral_is_longer_than_the_handler_and_always_the_same() {
    let Some(image) = image("bare") else { return };
    let mut machine = Qemu::start(&image, Time::Counted).expect("a machine");
    let (isr, deferred) = (instructions(&mut machine, "isr"), instructions(&mut machine, "pendsv"));
    assert!(deferred.iter().all(|n| *n == deferred[0]), "{deferred:?}");
    assert!(deferred[0] > isr[0], "{} deferred, {} in the handler", deferred[0], isr[0]);
}

#[test]
fn noise_on_the_line_leaves_the_board_answering() {
    let Some(image) = image("bare") else { return };
    let mut machine = Qemu::start(&image, Time::Host).expect("a machine");
    let noise: Vec<u8> = (0..5000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let feeds = noise.iter().filter(|b| **b == b'\n').count();
    for part in noise.chunks(50) {
        machine.send(part).expect("sent");
    }
    machine.send(b"\n").expect("sent");
    for n in 0..=feeds {
        let answer = machine.answer("noise").expect("one answer a line feed");
        assert!(answer.starts_with("ERR "), "answer {n} is {answer}");
    }
    assert_eq!(ask(&mut machine, "HZ?"), "12500000");
}

#[test]
fn a_running_train_refuses_changes_and_can_be_stopped() {
    let Some(image) = image("bare") else { return };
    let mut machine = Qemu::start(&image, Time::Host).expect("a machine");
    select(&mut machine, "isr");
    assert_eq!(ask(&mut machine, "START 10 199 300 1"), "ERR 3 number out of range");
    assert_eq!(ask(&mut machine, "START 1000 1000000 1000000 1"), "START 1000 1000000 1000000 1");
    assert!(count(&mut machine).busy);
    assert_eq!(ask(&mut machine, "MODE reg-set"), "ERR 4 busy with a train");
    assert_eq!(ask(&mut machine, "STOP"), "STOP");
    assert!(!count(&mut machine).busy);
    assert_eq!(ask(&mut machine, "MODE reg-set"), "MODE reg-set");
}
