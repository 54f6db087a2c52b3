//! Driver and board link against the simulated instruments, over real sockets.

use super::*;
use crate::plan::{ChannelSetup, Extent, Input, Setup};
use crate::profile::{BenchKind, Simulation};
use crate::signal::{Preamble, Shot, Slope};
use crate::units::{Picos, Volts};
use latency_protocol::Train;

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
