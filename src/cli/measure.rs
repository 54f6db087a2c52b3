//! `measure`: record a run, then print what `analyze` gives of it.

use super::args::MeasureArgs;
use super::exit::{Exit, Failure};
use super::profiles::{self, Loaded};
use super::progress::Progress;
use super::{output, resume, skew};
use crate::bench::{self, Bench, BenchError};
use crate::capture::{Links, Outcome, Reader, RunRecord, Writer};
use crate::plan::{self, RunPlan};
use crate::profile::{BenchKind, Configuration, Profile};
use crate::session::{self, Event, Recording, SessionError};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs the verb.
pub(super) fn run(args: &MeasureArgs) -> Result<Exit, Failure> {
    if let Some(run) = &args.resume {
        return resume::run(run, args);
    }
    let loaded = profiles::load(&args.bench, &args.selection)?;
    let found = skew::find(args.calibration.as_deref(), &loaded)?;
    let stop = stop_on_signal()?;
    let mut progress = Progress::new(args.quiet, args.verbose);
    let mut writer = create(&loaded, &args.out)?;
    let folder = writer.folder().to_owned();
    let prepare =
        |plan: &mut RunPlan, writer: &Writer| skew::apply(found.as_ref(), &loaded.profile, plan, writer);
    let result = record(&loaded, &mut writer, &mut progress, &stop, &prepare);
    progress.finish();
    conclude(writer, &folder, result, args)
}

/// Ends the run folder and prints what it holds.
pub(super) fn conclude(
    writer: Writer,
    folder: &Path,
    result: Result<bool, Failure>,
    args: &MeasureArgs,
) -> Result<Exit, Failure> {
    let exit = seal(writer, &result)?;
    if !args.quiet {
        eprintln!("evidence: {}", folder.display());
    }
    let printed = print(folder, args);
    match result {
        Err(failure) if !interrupted(&failure.error) => Err(failure),
        _ => Ok(worse(exit, printed?)),
    }
}

fn create(loaded: &Loaded, out: &Path) -> Result<Writer, Failure> {
    let mut record = RunRecord::start(loaded.profile.bench.kind, &loaded.profile.name, now());
    record.links = Some(links(&loaded.profile));
    Ok(Writer::create(out, record, &loaded.text)?)
}

/// How the bench is reached.
fn links(profile: &Profile) -> Links {
    let bench = &profile.bench;
    let seed = (bench.kind == BenchKind::Virtual).then_some(bench.simulation.seed);
    let seed = seed.and_then(|seed| i64::try_from(seed).ok());
    Links { scope: bench.scope.clone(), dut: bench.dut.clone(), seed }
}

/// What a verb changes in a plan before anything is set.
pub(super) type Prepare<'a> = &'a dyn Fn(&mut RunPlan, &Writer) -> Result<(), Failure>;

/// Opens the bench and records a run.
pub(super) fn record(
    loaded: &Loaded,
    writer: &mut Writer,
    progress: &mut Progress,
    stop: &Arc<AtomicBool>,
    prepare: Prepare<'_>,
) -> Result<bool, Failure> {
    let mut bench = bench::open(&loaded.profile.bench, writer.dialogue()?)?;
    bench.scope.interrupt_by(Arc::clone(stop));
    describe(writer, &bench)?;
    let mut plan: RunPlan = planned(&loaded.profile, &mut bench)?;
    prepare(&mut plan, writer)?;
    writer.plan(&plan)?;
    carry_out(&plan, &loaded.profile, &mut bench, writer, progress, stop)
}

/// Measures by a plan.
pub(super) fn carry_out(
    plan: &RunPlan,
    profile: &Profile,
    bench: &mut Bench,
    writer: &mut Writer,
    progress: &mut Progress,
    stop: &Arc<AtomicBool>,
) -> Result<bool, Failure> {
    let flash = flash_hints(profile);
    let mut observer = |event: &Event| progress.observe(event);
    let connected = connected(bench);
    writer.event(&connected)?;
    observer(&connected);
    let mut recording = Recording { plan, bench, writer, observer: &mut observer, stop, flash: &flash };
    Ok(recording.run()?)
}

/// Plans with what the link was measured to give. Without a plan the scope is left as it was found.
fn planned(profile: &Profile, bench: &mut Bench) -> Result<RunPlan, Failure> {
    let gauged = bench.scope.gauge().map_err(Failure::from);
    let plan = gauged.and_then(|()| plan::plan(profile, bench.scope.capabilities()).map_err(Failure::usage));
    if plan.is_err() {
        // Why there is no plan is what the user must see.
        let _ = bench.scope.restore();
    }
    plan
}

/// For each configuration, the command that flashes the image it lives in.
fn flash_hints(profile: &Profile) -> BTreeMap<String, String> {
    let command = |image: &String| profile.flash.iter().find(|f| f.image == *image).map(|f| f.to_string());
    let hint = |c: &Configuration| Some((c.name.clone(), command(c.image.as_ref()?)?));
    profile.configurations.iter().filter_map(hint).collect()
}

fn describe(writer: &mut Writer, bench: &Bench) -> Result<(), Failure> {
    let behaviour = toml::Value::try_from(bench.scope.behaviour()).ok();
    let simulated = is_simulated(bench);
    writer.describe(|record| {
        if simulated {
            record.bench = BenchKind::Virtual;
        }
        record.scope = Some(bench.scope.identity().clone());
        record.dut = bench.dut.as_ref().map(|dut| dut.hello().clone());
        record.behaviour = behaviour;
    })?;
    Ok(())
}

/// A served virtual bench answers on a socket like a real one, but says in its serial number and in its board's
/// conditions what it is: its figures are marked, whatever the profile calls it.
fn is_simulated(bench: &Bench) -> bool {
    let board = bench.dut.as_ref().map(|dut| dut.hello());
    let says_so = |h: &bench::Hello| h.conditions.iter().any(|(k, v)| k == "simulated" && v == "1");
    bench.scope.identity().serial.contains("VIRTUAL") || board.is_some_and(says_so)
}

fn connected(bench: &Bench) -> Event {
    let s = bench.scope.identity();
    let dut = bench.dut.as_ref().map(|dut| dut.hello());
    Event::Connected {
        scope: format!("{} {} {} firmware {}", s.manufacturer, s.model, s.serial, s.firmware),
        dut: dut.map(|h| format!("{} {} {} ({})", h.board, h.runtime, h.version, h.build)),
    }
}

/// Ends the run folder and gives the exit code that its outcome means.
pub(super) fn seal(writer: Writer, result: &Result<bool, Failure>) -> Result<Exit, Failure> {
    let (outcome, exit, failure) = match result {
        Ok(true) => (Outcome::Complete, Exit::Complete, None),
        Ok(false) => (Outcome::Incomplete, Exit::Incomplete, None),
        Err(f) if interrupted(&f.error) => (Outcome::Interrupted, Exit::Incomplete, None),
        Err(f) => (Outcome::Failed, f.exit, Some(format!("{:#}", f.error))),
    };
    writer.finish(outcome, now(), failure)?;
    Ok(exit)
}

fn interrupted(error: &anyhow::Error) -> bool {
    error.downcast_ref::<SessionError>().is_some_and(SessionError::is_interruption)
        || matches!(error.downcast_ref::<BenchError>(), Some(BenchError::Interrupted))
}

/// What `analyze` gives; a run without a single shot has nothing to print.
fn print(folder: &Path, args: &MeasureArgs) -> Result<Exit, Failure> {
    let mut report = session::analyze(&Reader::open(folder)?)?;
    if report.rows.iter().all(|r| r.shots == 0) {
        return Ok(Exit::Incomplete);
    }
    output::print_detailed(&mut report, args.format, args.detail)?;
    Ok(if report.passes() { Exit::Complete } else { Exit::Incomplete })
}

fn worse(a: Exit, b: Exit) -> Exit {
    if a == Exit::Complete { b } else { a }
}

/// The first Ctrl-C asks the run to end with its evidence whole; a second one ends the program at once.
pub(super) fn stop_on_signal() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        eprintln!("\nstopping after this exchange; Ctrl-C again ends at once");
    };
    ctrlc::set_handler(handler)
        .map_err(|e| Failure::usage(anyhow::Error::from(e).context("cannot handle Ctrl-C")))?;
    Ok(stop)
}

pub(super) fn now() -> String {
    let now = jiff::Timestamp::now();
    now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
