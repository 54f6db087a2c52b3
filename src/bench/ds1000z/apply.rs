//! The whole setup at once: written, read back, compared; and put back at the end.

use super::settings::{self, Compare, Row};
use super::{Ds1000z, acquire, recovery, wrong_reply};
use crate::bench::BenchError;
use crate::plan::{Applied, Input, Setup};
use crate::signal::Preamble;
use crate::units::Picos;

/// Longest error queue that is read.
const ERROR_QUEUE: u32 = 20;
/// Longest wait for a sample rate that follows the settings.
const RATE_TRIES: u32 = 4;

/// What was set before the first change.
#[derive(Debug, Clone)]
pub(super) struct Saved {
    rows: Vec<Row>,
    mode: String,
    sweep: String,
    running: bool,
}

/// What is set.
#[derive(Debug, Clone)]
pub(super) struct Active {
    pub(super) setup: Setup,
    pub(super) interval: Picos,
    pub(super) rows: Vec<Row>,
    /// The preamble of the first record, per channel: later ones must be the same.
    pub(super) first: [Option<Preamble>; 2],
}

impl Active {
    /// Length of a record.
    pub(super) fn record(&self) -> Picos {
        self.interval * i64::from(self.setup.depth)
    }
}

/// Sets everything, reads everything back, compares; leaves the scope stopped.
pub(super) fn apply(scope: &mut Ds1000z, setup: &Setup) -> Result<Applied, BenchError> {
    refuse(scope, setup)?;
    (scope.active, scope.pending, scope.last, scope.shots) = (None, None, None, 0);
    scope.dialogue.set("*CLS")?;
    let rows = settings::running_rows(setup, scope.capabilities.inputs);
    save(scope, &rows)?;
    // Depths are taken while running only (Q07), and RUN resumes whatever sweep there was (Q47).
    let mut read = write_and_verify(scope, &rows, run_free)?;
    let (rate, interval) = sample_rate(scope, setup)?;
    read.push((":ACQuire:SRATe".to_owned(), rate));
    let remarks = remarks(scope, setup, &mut read)?;
    acquire::stop(scope)?;
    let readout = settings::readout_rows();
    read.extend(write_and_verify(scope, &readout, as_it_is)?);
    let rows = rows.into_iter().chain(readout).collect();
    scope.active = Some(Active { setup: setup.clone(), interval, rows, first: [None, None] });
    Ok(Applied { interval, depth: setup.depth, settings: read, remarks })
}

/// What can be seen to be impossible before anything is touched.
fn refuse(scope: &Ds1000z, setup: &Setup) -> Result<(), BenchError> {
    if let Some(why) = &scope.behaviour.refused {
        return Err(BenchError::Unsupported(format!("{} with {why}", scope.identity.model)));
    }
    let inputs = scope.capabilities.inputs;
    for input in [setup.stimulus.input, setup.response.input] {
        if !(1..=inputs).contains(&input.0) {
            return Err(BenchError::Unsupported(format!("{} has no {input}", scope.identity.model)));
        }
    }
    if setup.stimulus.input == setup.response.input {
        let text =
            format!("stimulus and response are both {}; they need an input each", setup.stimulus.input);
        return Err(BenchError::Unsupported(text));
    }
    Ok(())
}

/// Remembers what was set, for each row that was not changed yet.
pub(super) fn save(scope: &mut Ds1000z, rows: &[Row]) -> Result<(), BenchError> {
    let mut saved = match scope.saved.take() {
        Some(saved) => saved,
        None => save_state(scope)?,
    };
    let all = rows.iter().cloned().chain(settings::readout_rows()).chain(settings::cursor_rows());
    let missing: Vec<Row> = all
        .filter(|row| {
            row.header != settings::TRIGGER_MODE && saved.rows.iter().all(|s| s.header != row.header)
        })
        .collect();
    // Also what was learnt before a failure: the trigger mode may have been changed already.
    let result = read(scope, &missing);
    let replies = result.as_deref().unwrap_or_default();
    saved.rows.extend(missing.iter().zip(replies).map(|(row, (_, reply))| row.with(reply)));
    scope.saved = Some(saved);
    result.map(|_| ())
}

/// Run state, sweep and trigger mode. Other trigger modes lack some of the settings (Q52), so edge mode comes first.
fn save_state(scope: &mut Ds1000z) -> Result<Saved, BenchError> {
    let running = ask(scope, ":TRIGger:STATus?")? != "STOP";
    let sweep = ask(scope, ":TRIGger:SWEep?")?;
    let mode = ask(scope, ":TRIGger:MODE?")?;
    if !mode.to_ascii_uppercase().starts_with("EDGE") {
        scope.dialogue.set(":TRIGger:MODE EDGE")?;
    }
    Ok(Saved { rows: Vec::new(), mode, sweep, running })
}

pub(super) fn run_free(scope: &mut Ds1000z) -> Result<(), BenchError> {
    scope.stopped_since = None;
    scope.dialogue.set(":TRIGger:SWEep AUTO")?;
    scope.dialogue.set(":RUN")
}

fn as_it_is(_: &mut Ds1000z) -> Result<(), BenchError> {
    Ok(())
}

/// Writes rows in order until they read back as written; `prepare` comes before each try.
fn write_and_verify(
    scope: &mut Ds1000z,
    rows: &[Row],
    prepare: fn(&mut Ds1000z) -> Result<(), BenchError>,
) -> Result<Vec<(String, String)>, BenchError> {
    let mut replies = Vec::new();
    for attempt in 1..=scope.behaviour.apply_attempts.max(1) {
        if attempt > 1 {
            scope.clock.sleep(scope.behaviour.status_lag);
        }
        prepare(scope)?;
        for row in rows {
            scope.dialogue.set(&row.command())?;
        }
        replies = read(scope, rows)?;
        if disagreement(rows, &replies).is_none() {
            return Ok(replies);
        }
    }
    match disagreement(rows, &replies) {
        None => Ok(replies),
        Some((row, got)) => Err(BenchError::Refused {
            setting: row.header.clone(),
            asked: row.value.clone(),
            got: got.to_owned(),
            advice: row.advice(),
        }),
    }
}

fn read(scope: &mut Ds1000z, rows: &[Row]) -> Result<Vec<(String, String)>, BenchError> {
    rows.iter().map(|row| Ok((row.header.clone(), ask(scope, &row.query())?))).collect()
}

/// A setting as it is. A refusal to talk over the network (Q26) must not pass for one: it would be written back.
fn ask(scope: &mut Ds1000z, query: &str) -> Result<String, BenchError> {
    let refused = |reply: &str| reply.eq_ignore_ascii_case("command error");
    let mut reply = scope.dialogue.ask(query)?;
    if refused(&reply) {
        reply = scope.dialogue.ask(query)?;
    }
    if refused(&reply) {
        let why = "remote control over LAN was switched off: Utility > IO Setting > RemoteIO > LAN (Q26)";
        return Err(wrong_reply(query, &reply, why));
    }
    Ok(reply)
}

fn disagreement<'a>(rows: &'a [Row], replies: &'a [(String, String)]) -> Option<(&'a Row, &'a str)> {
    let pairs = rows.iter().zip(replies);
    pairs.map(|(row, (_, reply))| (row, reply.as_str())).find(|(row, reply)| !row.agrees(reply))
}

/// The sample rate that came out of depth, time base and channels; it may follow them late.
fn sample_rate(scope: &mut Ds1000z, setup: &Setup) -> Result<(String, Picos), BenchError> {
    let mut rate = String::new();
    for _ in 0..RATE_TRIES {
        rate = scope.dialogue.ask(":ACQuire:SRATe?")?;
        if settings::interval_of(&rate) == Some(setup.interval) {
            return Ok((rate, setup.interval));
        }
        scope.clock.sleep(scope.behaviour.status_lag);
    }
    if settings::interval_of(&rate).is_none() {
        return Err(wrong_reply(":ACQuire:SRATe?", &rate, "a sample rate is a positive number"));
    }
    Err(BenchError::Refused {
        setting: ":ACQuire:SRATe".into(),
        asked: format!("one sample every {}", setup.interval),
        got: format!("{rate} samples a second"),
        advice: "depth, time base and the number of channels in use decide the rate; is another channel on?",
    })
}

/// What a measurer should know of: skew set by the user, errors in the queue.
fn remarks(
    scope: &mut Ds1000z,
    setup: &Setup,
    read: &mut Vec<(String, String)>,
) -> Result<Vec<String>, BenchError> {
    let mut remarks = Vec::new();
    for input in [setup.stimulus.input, setup.response.input] {
        let reply = scope.dialogue.ask(&skew_query(input))?;
        remarks.extend(settings::skew_remark(input, &reply));
        read.push((format!(":{input}:TCAL"), reply));
    }
    for _ in 0..ERROR_QUEUE {
        let reply = scope.dialogue.ask(":SYSTem:ERRor?")?;
        if reply.split(',').next().and_then(|n| n.trim().parse::<i64>().ok()) == Some(0) {
            break;
        }
        remarks.push(format!("the scope reports an error after the settings were made: {reply}"));
    }
    Ok(remarks)
}

fn skew_query(input: Input) -> String {
    format!(":{input}:TCAL?")
}

/// Reads everything that is set; a difference is somebody else's doing.
pub(super) fn unchanged(scope: &mut Ds1000z) -> Result<(), BenchError> {
    unchanged_where(scope, |_| true)
}

/// Reads what has a knob on the panel.
pub(super) fn knobs_unchanged(scope: &mut Ds1000z) -> Result<(), BenchError> {
    unchanged_where(scope, Row::has_a_knob)
}

fn unchanged_where(scope: &mut Ds1000z, chosen: fn(&Row) -> bool) -> Result<(), BenchError> {
    let rows = scope.active.as_ref().map(|a| a.rows.clone()).unwrap_or_default();
    let rows: Vec<Row> = rows.into_iter().filter(chosen).collect();
    let replies = read(scope, &rows)?;
    match disagreement(&rows, &replies) {
        None => Ok(()),
        Some((row, now)) => Err(BenchError::Changed {
            setting: row.header.clone(),
            was: row.value.clone(),
            now: now.to_owned(),
        }),
    }
}

/// Puts back what was changed, as far as it goes; the first failure is what is reported. A scope that does not answer over
/// a new connection either is left alone: asking on would take a time-out a setting.
pub(super) fn restore(scope: &mut Ds1000z) -> Result<(), BenchError> {
    let Some(saved) = scope.saved.take() else { return Ok(()) };
    (scope.active, scope.pending, scope.last) = (None, None, None);
    let mode =
        Row { header: settings::TRIGGER_MODE.into(), value: saved.mode.clone(), compare: Compare::Word };
    let mut steps: Vec<Step> = vec![Box::new(run_free)];
    for row in saved.rows.iter().chain([&mode]) {
        steps.push(Box::new(|s| write_and_verify(s, std::slice::from_ref(row), as_it_is).map(|_| ())));
    }
    steps.push(Box::new(|s| put_state_back(s, &saved)));
    let mut first = None;
    for mut step in steps {
        if let Err(error) = recovery::with(scope, &mut step) {
            let dead = recovery::recoverable(&error);
            first.get_or_insert(error);
            if dead {
                break;
            }
        }
    }
    first.map_or(Ok(()), Err)
}

type Step<'a> = Box<dyn FnMut(&mut Ds1000z) -> Result<(), BenchError> + 'a>;

/// Sweep and run state. Writing the sweep `SING` arms (guide 2-3), so STOP comes behind it; RUN may bring back the sweep
/// before the last `:SINGle` (Q47), so the sweep is written behind it once more.
fn put_state_back(scope: &mut Ds1000z, saved: &Saved) -> Result<(), BenchError> {
    let sweep = Row { header: settings::SWEEP.into(), value: saved.sweep.clone(), compare: Compare::Word };
    let sweep = std::slice::from_ref(&sweep);
    if !saved.running {
        write_and_verify(scope, sweep, as_it_is)?;
        return acquire::stop(scope);
    }
    scope.stopped_since = None;
    if saved.sweep.to_ascii_uppercase().starts_with("SING") {
        return write_and_verify(scope, sweep, as_it_is).map(|_| ());
    }
    for _ in 0..scope.behaviour.apply_attempts.max(1) {
        write_and_verify(scope, sweep, as_it_is)?;
        scope.dialogue.set(":RUN")?;
        write_and_verify(scope, sweep, as_it_is)?;
        scope.clock.sleep(scope.behaviour.status_lag);
        if scope.dialogue.ask(":TRIGger:STATus?")? != "STOP" {
            break;
        }
    }
    Ok(())
}
