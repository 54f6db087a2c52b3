//! Same calls, same run: to the cycle and to the byte, asleep or stepping.

use crate::bench::{Bench, Run};
use crate::files::{image, images};
use latency_protocol::Train;

const TRAIN: Train = Train { count: 20, min_us: 150, max_us: 700, seed: 77 };

fn session(elf: &[u8]) -> (Vec<Run>, u64) {
    let mut bench = Bench::boot(elf);
    let runs = bench.modes().iter().map(|mode| bench.run(mode, TRAIN)).collect();
    (runs, bench.emulator.now().0)
}

#[test]
fn two_runs_are_identical() {
    for image in images() {
        let (first, second) = (session(&image.elf), session(&image.elf));
        assert!(first == second, "{}: two runs of the same session differ", image.name);
    }
}

#[test]
fn passing_over_sleep_changes_nothing() {
    for name in ["bare", "freertos"] {
        let Some(image) = image(name) else { continue };
        let run = |fast: bool| {
            let mut bench = Bench::boot(&image.elf);
            bench.emulator.set_fast_forward(fast);
            let mode = bench.modes().pop().expect("a mode");
            let run = bench.run(&mode, Train { count: 8, ..TRAIN });
            (run, bench.emulator.now(), bench.emulator.statistics().slept)
        };
        let (fast, slow) = (run(true), run(false));
        assert!(fast.2 > slow.2, "{name}: nothing was passed over, so nothing was tested");
        assert_eq!((fast.0, fast.1), (slow.0, slow.1), "{name}");
    }
}
