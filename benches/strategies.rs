//! What each strategy takes on links of different rates: predicted, taken, and the least that it could take.
//!
//! ```text
//! cargo bench --bench strategies
//! ```
//!
//! Time is the virtual bench's own (see `tests/speed.rs`): the table is the same on every machine. The least is every byte at
//! the nominal rate of the link, and the lag of the status for each acquisition; the bound adds the 20 ms that the instrument
//! takes to prepare each block, which no client can save.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)] // a bench that fails is seen

#[path = "../tests/virtual_run/mod.rs"]
mod virtual_run;

use latency_cli::profile::{Profile, Strategy, StrategyChoice};
use latency_cli::units::Picos;
use virtual_run::{measure, profile};

const RATES: [f64; 3] = [0.4e6, 1.0e6, 1.7e6];
const LATENCIES_MS: [i64; 3] = [3, 5, 10];

/// Name, mode, pairs, and what is changed of the profile.
type Case = (&'static str, &'static str, u32, fn(&mut Profile));

fn main() {
    println!(
        "| case | strategy | link | a query | acquisitions | bytes | predicted | taken | with setting up | least | taken / least | taken / bound |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let cases: [Case; 3] = [
        ("direct, 1000 pairs", "direct", 1000, |_| {}),
        ("workqueue, 1000 pairs", "workqueue", 1000, |_| {}),
        ("workqueue at 2 ns, window 60 us, 100 pairs", "workqueue", 100, |p| {
            p.configurations[0].resolution = Picos::from_ns(2);
            p.configurations[0].window = Some(Picos::from_us(60));
        }),
    ];
    let fixed = |strategy| StrategyChoice::Fixed(strategy);
    for case in cases {
        for rate in RATES {
            for latency in LATENCIES_MS {
                row(case, StrategyChoice::Auto, rate, latency);
            }
        }
    }
    let [.., sparse] = cases;
    for rate in RATES {
        row(sparse, fixed(Strategy::Burst), rate, 5);
    }
    for rate in RATES {
        row(("direct, 50 pairs one by one", "direct", 50, |_| {}), fixed(Strategy::Single), rate, 5);
    }
}

fn row((name, mode, count, change): Case, strategy: StrategyChoice, rate: f64, latency: i64) {
    let outcome = measure(&profile(mode, count, strategy, |p| {
        change(p);
        p.bench.simulation.bytes_per_second = rate;
        p.bench.simulation.command_latency = Picos::from_ms(latency);
    }));
    let (row, plan) = (&outcome.report.rows[0], &outcome.plan.configurations[0]);
    let lag = outcome.plan.link.lag.as_seconds();
    let least = row.bytes as f64 / rate + f64::from(row.shots) * lag;
    let bound = least + outcome.blocks as f64 * 0.02;
    let (taken, all) = (row.elapsed.as_seconds(), outcome.times[0].1.as_seconds());
    assert!(row.complete() && row.counts.paired <= outcome.truth.len() as u64);
    let asked = if strategy == StrategyChoice::Auto { "auto: " } else { "" };
    println!(
        "| {name} | {asked}{} | {:.1} MB/s | {latency} ms | {} | {:.2} MB | {:.1} s | {taken:.1} s | {all:.1} s | {least:.1} s | {:.2} | {:.2} |",
        plan.strategy,
        rate / 1e6,
        row.shots,
        row.bytes as f64 / 1e6,
        row.predicted.as_seconds(),
        taken / least,
        taken / bound
    );
}
