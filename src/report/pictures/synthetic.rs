//! Reports made for tests, of any size, the same for the same seed. `super::lib` is this library, here and in `tests/`.

use super::lib::profile::BenchKind;
use super::lib::report::pictures::Waveform;
use super::lib::report::{Limits, ListedPair, Report, Row, Warning};
use super::lib::signal::{Counts, Pair, RawTrace, Role, Segment, Shot, Status};
use super::lib::stats::{self, Channel, Conditions, Skew};
use super::lib::units::Picos;

/// A row with these latencies, in trains of `train`.
pub(crate) fn row(name: &str, latencies: &[Picos], train: usize) -> Row {
    let pairs: Vec<ListedPair> =
        latencies.iter().enumerate().map(|(k, t)| listed(k, train.max(1), Some(*t))).collect();
    of_pairs(name, pairs)
}

fn listed(k: usize, train: usize, latency: Option<Picos>) -> ListedPair {
    let stimulus = Picos((k % train) as i64 * 20_000_000);
    let status = if latency.is_some() { Status::Paired } else { Status::Unanswered };
    let pair = Pair {
        stimulus: Some(stimulus),
        response: latency.map(|t| stimulus + t),
        status,
        position: (k % train) as u32,
    };
    ListedPair { shot: (k / train) as u32 + 1, number: (k % train) as u32 + 1, pair }
}

fn of_pairs(name: &str, pairs: Vec<ListedPair>) -> Row {
    let latencies: Vec<Picos> = pairs.iter().filter_map(|p| p.pair.latency()).collect();
    let summary = stats::summarize(&latencies);
    let channel = Channel {
        edges: 9,
        interval: Picos(2_000),
        amplitude: 165.0,
        step: 40.0,
        noise: 1.0,
        unresolved: 0.0,
    };
    let conditions =
        Conditions { stimulus: channel, response: channel, skew: Skew::NotCalibrated, years: None };
    Row {
        name: name.to_owned(),
        mode: name.to_owned(),
        loads: Vec::new(),
        wanted: latencies.len() as u32,
        counts: Counts {
            stimuli: pairs.len() as u64,
            paired: latencies.len() as u64,
            unanswered: (pairs.len() - latencies.len()) as u64,
            ..Counts::default()
        },
        uncertainty: summary.as_ref().map(|s| stats::budget(s.typical, &conditions)),
        summary,
        interval: Some(Picos(2_000)),
        shots: pairs.last().map_or(0, |p| p.shot),
        elapsed: Picos::from_s(12),
        predicted: Picos::from_s(12),
        bytes: 12_000_000,
        reference: None,
        limits: Limits::default(),
        scrutiny: Default::default(),
        pairs,
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A row like those of a real board: a bulk of `spread` over `base`, a thin exponential tail, cold first answers, a miss in
/// about a thousand.
pub(crate) fn board(name: &str, n: usize, base: Picos, spread: Picos, seed: u64) -> Row {
    let mut random = Random(seed);
    let pairs = (0..n).map(|k| {
        let bulk = (random.uniform() + random.uniform() + random.uniform()) / 3.0;
        let late = if random.uniform() < 0.002 { -random.uniform().max(1e-9).ln() * 2.0 } else { 0.0 };
        let cold = if k.is_multiple_of(100) { 0.6 } else { 0.0 };
        let latency = base + Picos(((bulk + late + cold) * spread.0 as f64) as i64);
        listed(k, 100, (random.uniform() > 0.001).then_some(latency))
    });
    of_pairs(name, pairs.collect())
}

/// A report over these rows.
pub(crate) fn report(bench: BenchKind, rows: Vec<Row>) -> Report {
    Report {
        bench,
        run: "2026-01-31_140509_virtual".to_owned(),
        started: "2026-01-31T14:05:09Z".to_owned(),
        scope: None,
        dut: None,
        calibration: None,
        rows,
        warnings: vec![Warning {
            code: "skew-not-calibrated",
            configuration: None,
            message:
                "skew: not calibrated; the delay between the two inputs and probes is part of every figure"
                    .to_owned(),
        }],
    }
}

/// 30 000 pairs of three configurations, two of them far apart.
pub(crate) fn large(bench: BenchKind) -> Report {
    report(
        bench,
        vec![
            board("direct", 10_000, Picos(1_880_000), Picos(90_000), 1),
            board("bare-metal", 10_000, Picos(1_640_000), Picos(60_000), 2),
            board("workqueue", 10_000, Picos(21_000_000), Picos(9_000_000), 3),
        ],
    )
}

/// The waveform of a pair whose response comes `samples` of 2 ns after its stimulus, edges of a few samples, some noise.
pub(crate) fn waveform(name: &str, samples: usize) -> Waveform {
    let (begin, points) = (20_000, 140_000);
    let shot = Shot {
        number: 7,
        stimulus: raw(Role::Stimulus, "CHAN1", begin, points, 11),
        response: raw(Role::Response, "CHAN2", begin + samples, points, 12),
        statuses: Vec::new(),
        seen_waiting: true,
    };
    let at = |sample: usize| Some(Picos(sample as i64 * 2_000));
    let pair =
        Pair { stimulus: at(begin), response: at(begin + samples), status: Status::Paired, position: 0 };
    let listed = ListedPair { shot: 7, number: 1, pair };
    Waveform::of(name, &shot, &listed, [None, None]).expect("edges").expect("a latency")
}

fn raw(role: Role, channel: &str, edge: usize, points: usize, seed: u64) -> RawTrace {
    let mut random = Random(seed);
    let mut code = |k: usize| {
        let along = (k as f64 - edge as f64) / 1.5;
        let ringing = if along > 0.0 { 12.0 * (-along / 6.0).exp() * (along * 1.1).sin() } else { 0.0 };
        let level = 60.0 + 130.0 / (1.0 + (-along).exp()) + ringing;
        (level + (random.uniform() + random.uniform() - 1.0) * 2.0).round() as u8
    };
    RawTrace {
        role,
        channel: channel.to_owned(),
        preamble: format!("0,2,{points},1,2.000000e-09,0.000000e+00,0,2.500000e-02,-67,127"),
        segments: vec![Segment { first: 0, codes: (0..points).map(&mut code).collect() }],
    }
}
