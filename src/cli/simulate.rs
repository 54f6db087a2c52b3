//! `simulate`: the virtual bench, served to other programs.

use super::args::{ProbesArg, SimulateArgs, TimingArg};
use super::exit::{Exit, Failure};
use super::output;
use crate::bench::sim::{self, Options, VirtualBench};
use crate::profile::{Probes, Simulation, Timing};
use anyhow::{Context, anyhow};
use std::fs::File;
use std::io::Write;
use std::sync::mpsc;

/// Runs the verb until Ctrl-C.
pub(super) fn run(args: &SimulateArgs) -> Result<Exit, Failure> {
    if args.fault.iter().any(|name| name == "list") {
        let lines = sim::fault_names().iter().map(|(name, what)| format!("{name:16} {what}\n"));
        output::print(&lines.collect::<String>())?;
        return Ok(Exit::Complete);
    }
    let (ended, wait) = mpsc::channel();
    ctrlc::set_handler(move || {
        let _ = ended.send(());
    })
    .map_err(|e| Failure::usage(anyhow!(e).context("cannot handle Ctrl-C")))?;
    let bench = VirtualBench::start(options(args)?)?;
    output::print(&ready(&bench))?;
    let _ = std::io::stdout().flush();
    let _ = wait.recv();
    Ok(Exit::Complete)
}

/// One line that a program can wait for.
fn ready(bench: &VirtualBench) -> String {
    let pty = bench.pty().map(|path| format!(" pty={}", path.display())).unwrap_or_default();
    let vxi11 = bench.vxi11_address().map(|address| format!(" vxi11={address}")).unwrap_or_default();
    format!("READY scope={} dut={}{pty}{vxi11}\n", bench.scope_address(), bench.dut_address())
}

fn options(args: &SimulateArgs) -> Result<Options, Failure> {
    Ok(Options {
        simulation: simulation(args),
        host: args.host,
        scope_port: args.scope_port,
        dut_port: args.dut_port,
        vxi11_port: args.vxi11_port,
        pty: cfg!(unix),
        mode: args.mode.clone(),
        free_running: true,
        truth: truth(args)?,
    })
}

fn simulation(args: &SimulateArgs) -> Simulation {
    Simulation {
        seed: args.seed,
        timing: match args.timing {
            TimingArg::Realistic => Timing::Realistic,
            TimingArg::Instant => Timing::Instant,
        },
        probes: match args.probes {
            ProbesArg::Apart => Probes::Apart,
            ProbesArg::OneEdge => Probes::OneEdge,
            ProbesArg::Swapped => Probes::Swapped,
        },
        noise_codes: args.noise,
        skew: args.skew,
        bytes_per_second: args.rate,
        command_latency: args.latency,
        spacing: args.spacing,
        faults: args.fault.clone(),
        ..Simulation::default()
    }
}

fn truth(args: &SimulateArgs) -> Result<Option<Box<dyn Write + Send>>, Failure> {
    let Some(path) = &args.truth else { return Ok(None) };
    let file = File::create(path).with_context(|| format!("cannot write the truth to {}", path.display()));
    Ok(Some(Box::new(file.map_err(Failure::usage)?)))
}
