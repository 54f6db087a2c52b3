//! Every mode of every image does its work, and the board's own figures agree with the pins.

use crate::bench::{Bench, Run};
use crate::files::{image, images};
use latency_emulator::{Emulator, EmulatorError, Image, Pin, Wire};
use latency_protocol::{Count, Train};

const TRAIN: Train = Train { count: 50, min_us: 200, max_us: 900, seed: 12_345 };

fn assert_answered(name: &str, run: &Run) {
    let n = run.train.count as usize;
    let latencies = run.latencies();
    assert_eq!(latencies.len(), n, "{name}: stimuli on the pin");
    let missing = latencies.iter().filter(|l| l.is_none()).count();
    assert_eq!(missing, 0, "{name}: stimuli without a response");
    assert_eq!(run.rises(Pin::RESPONSE).len(), n, "{name}: responses on the pin");
    let count = Count { stimuli: TRAIN.count, edges: TRAIN.count, lost: 0, busy: false };
    assert_eq!(run.count, count, "{name}: what the board counted");
}

#[test]
fn every_mode_answers_every_stimulus_at_the_time_the_seed_says() {
    for image in images() {
        let mut bench = Bench::boot(&image.elf);
        for mode in bench.modes() {
            let (name, run) = (format!("{} {mode}", image.name), bench.run(&mode, TRAIN));
            assert_answered(&name, &run);
            let (seen, said) = run.gaps();
            assert_eq!(seen, said, "{name}: gaps in cycles, on the pin and by the protocol crate");
        }
    }
}

/// The board stamps both edges on its 16 MHz grid, eight core cycles wide: the stimulus lies on it, the response counts
/// with the grid line before it.
#[test]
fn the_boards_own_log_is_the_edge_log_on_a_grid_of_eight_cycles() {
    for image in images() {
        let mut bench = Bench::boot(&image.elf);
        for mode in bench.modes() {
            let run = bench.run(&mode, TRAIN);
            let stamped: Vec<u64> = run.log.iter().map(|ticks| u64::from(*ticks)).collect();
            let pins: Vec<u64> = run.latencies().into_iter().flatten().map(|cycles| cycles / 8).collect();
            assert_eq!(stamped, pins, "{} {mode}: LOG? and pins in units of 62.5 ns", image.name);
        }
    }
}

#[test]
fn a_busy_idle_loop_does_not_lose_stimuli() {
    for image in images() {
        let mut bench = Bench::boot(&image.elf);
        assert_eq!(bench.ask_line("LOAD spin on"), "LOAD spin on");
        for mode in bench.modes() {
            let run = bench.run(&mode, TRAIN);
            assert_answered(&format!("{} {mode} with spin", image.name), &run);
        }
    }
}

#[test]
fn a_pulled_response_wire_is_counted_as_lost_and_hangs_nothing() {
    for image in images() {
        let mut bench = Bench::boot(&image.elf);
        bench.emulator.set_wire(Wire { a: Pin::RESPONSE, b: Pin::CAPTURE }, false);
        for mode in bench.modes() {
            let run = bench.run(&mode, TRAIN);
            let lost = Count { stimuli: 50, edges: 50, lost: 50, busy: false };
            assert_eq!(run.count, lost, "{} {mode}", image.name);
            assert_eq!((run.log.len(), run.rises(Pin::CAPTURE).len()), (0, 0), "{} {mode}", image.name);
        }
    }
}

#[test]
fn a_pulled_stimulus_wire_gives_no_edges_and_no_answers() {
    for image in images() {
        let mut bench = Bench::boot(&image.elf);
        bench.emulator.set_wire(Wire { a: Pin::STIMULUS, b: Pin::INPUT }, false);
        for mode in bench.modes() {
            let run = bench.run(&mode, TRAIN);
            let silent = Count { stimuli: 50, edges: 0, lost: 50, busy: false };
            assert_eq!(run.count, silent, "{} {mode}", image.name);
            assert_eq!(run.rises(Pin::STIMULUS).len(), 50, "{} {mode}", image.name);
            assert_eq!(run.rises(Pin::RESPONSE).len(), 0, "{} {mode}", image.name);
        }
    }
}

/// An edge from outside is answered as one from the board's own stimulus.
#[test]
fn an_edge_from_outside_is_answered() {
    for image in images() {
        let mut bench = Bench::boot(&image.elf);
        bench.emulator.set_wire(Wire { a: Pin::STIMULUS, b: Pin::INPUT }, false);
        let mark = bench.emulator.edge_mark();
        bench.emulator.drive(Pin::INPUT, Some(true));
        bench.emulator.run_for(latency_emulator::Cycles::from_micros(100)).unwrap();
        let rises =
            bench.emulator.edges_since(mark).iter().filter(|e| e.pin == Pin::RESPONSE && e.high).count();
        assert_eq!(rises, 1, "{}", image.name);
    }
}

#[test]
fn a_host_at_another_speed_gets_no_answer_and_is_told() {
    let Some(image) = image("bare") else { return };
    let parsed = Image::parse(&image.elf).unwrap();
    let mut emulator = Emulator::new(&parsed, 9_600).unwrap();
    emulator.step_until(Emulator::BOOT).unwrap();
    let silent = emulator.exchange("*IDN?", latency_emulator::Cycles::from_millis(100)).unwrap_err();
    assert!(matches!(silent, EmulatorError::Silent { .. }), "{silent}");
}
