//! `measure --resume`: finishes a run by its own plan and profile, on the bench it was begun on.

use super::args::MeasureArgs;
use super::exit::{Exit, Failure};
use super::measure::{carry_out, conclude, now, stop_on_signal};
use super::progress::Progress;
use crate::bench::{self, Bench, Hello, Identity};
use crate::capture::{Reader, RunRecord, Writer};
use crate::plan::RunPlan;
use crate::profile::{self, Profile};
use anyhow::anyhow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Runs the verb. Nothing of the run is touched before its profile and plan are read.
pub(super) fn run(folder: &Path, args: &MeasureArgs) -> Result<Exit, Failure> {
    let reader = Reader::open(folder)?;
    let profile = profile_of(&reader, args)?;
    let plan = reader.plan()?.ok_or_else(|| {
        let folder = folder.display();
        Failure::usage(anyhow!("{folder} failed before it had a plan: nothing was measured, start a new run"))
    })?;
    let stop = stop_on_signal()?;
    let mut writer = Writer::resume(folder, now())?;
    let mut progress = Progress::new(args.quiet, args.verbose);
    let result = record(&profile, &plan, &mut writer, &mut progress, &stop);
    progress.finish();
    conclude(writer, folder, result, args)
}

/// The profile kept in the run, with the links it was begun over; the command line may name others, for a bench that has
/// moved. The identities decide whether it is the same.
fn profile_of(reader: &Reader, args: &MeasureArgs) -> Result<Profile, Failure> {
    let mut profile = profile::parse(&reader.profile_text()?, "profile.toml").map_err(Failure::usage)?;
    let bench = &mut profile.bench;
    if let Some(links) = reader.record().links.clone() {
        (bench.scope, bench.dut) = (links.scope, links.dut);
        if let Some(seed) = links.seed.and_then(|seed| u64::try_from(seed).ok()) {
            bench.simulation.seed = seed;
        }
    }
    // A simulated bench that starts anew would repeat what the run already holds.
    bench.simulation.seed = bench.simulation.seed.wrapping_add(held(reader)?);
    bench.scope = args.bench.scope.clone().unwrap_or(bench.scope.clone());
    bench.dut = args.bench.dut.clone().unwrap_or(bench.dut.clone());
    Ok(profile)
}

/// Shots in the run, and how often it was taken up: no two starts give the same.
fn held(reader: &Reader) -> Result<u64, Failure> {
    let mut shots = 1 + reader.record().resumed.len() as u64;
    for configuration in reader.plan()?.map(|p| p.configurations).unwrap_or_default() {
        shots += reader.shots(&configuration.name)?.filter(Result::is_ok).count() as u64;
    }
    Ok(shots)
}

fn record(
    profile: &Profile,
    plan: &RunPlan,
    writer: &mut Writer,
    progress: &mut Progress,
    stop: &Arc<AtomicBool>,
) -> Result<bool, Failure> {
    let mut bench = bench::open(&profile.bench, writer.dialogue()?)?;
    bench.scope.interrupt_by(Arc::clone(stop));
    let differs = differences(writer.record(), &bench);
    if !differs.is_empty() {
        let differs = differs.join("; ");
        return Err(Failure::usage(anyhow!(
            "this is not the bench the run was begun on: {differs}; connect that one, or start a new run"
        )));
    }
    carry_out(plan, profile, &mut bench, writer, progress, stop)
}

/// What is not as it was. Loads are switched by the run itself, so they may differ. Serial number and build of the
/// built-in bench are its seed, which moves on.
fn differences(record: &RunRecord, bench: &Bench) -> Vec<String> {
    let built_in = record.links.as_ref().is_some_and(|links| links.seed.is_some());
    let own = |text: &str| if built_in { String::new() } else { text.to_owned() };
    let scope = |i: &Identity| format!("{} {} firmware {}", i.model, own(&i.serial), i.firmware);
    let board = |h: &Hello| {
        let fixed = h.conditions.iter().filter(|(key, _)| key != "loads");
        let conditions = fixed.map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(" ");
        format!("{} {} {} ({}) {conditions}", h.board, h.runtime, h.version, own(&h.build))
    };
    let none = || "none".to_owned();
    let pairs = [
        ("scope", record.scope.as_ref().map_or_else(none, scope), scope(bench.scope.identity())),
        (
            "board",
            record.dut.as_ref().map_or_else(none, board),
            bench.dut.as_ref().map_or_else(none, |dut| board(dut.hello())),
        ),
    ];
    let differ = pairs.into_iter().filter(|(_, was, now)| was != now);
    differ.map(|(what, was, now)| format!("the {what} was `{was}` and is `{now}`")).collect()
}
