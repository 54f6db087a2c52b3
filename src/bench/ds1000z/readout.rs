//! Reading a stopped record: RAW bytes, block by block, only the points that are wanted.
//!
//! It refuses: screen data, a preamble that does not fit what was set (a knob was turned), blocks of another length
//! than asked for, a record whose scope has run on, and a record that is the one before where the scope was not seen
//! waiting for a new one. Two genuine records differ in their noise, so equal bytes are an old record.

use super::{Ds1000z, apply, recovery, settings, wrong_reply};
use crate::bench::{BenchError, Triggered};
use crate::plan::{Extent, Input, Reading};
use crate::signal::{self, Preamble, RawTrace, RecordKind, Role, Segment, Shot};
use crate::units::Picos;
use std::ops::Range;

const PREAMBLE: &str = ":WAVeform:PREamble?";
/// Points on each side of the trigger that make the digest of the record that was there before the first shot.
const BASELINE_POINTS: u32 = 2_000;
/// Points of one digest, counted from the record's start, so that reads of different stretches can be compared.
const PRINT_POINTS: u32 = 1_024;
/// Blocks from this size on tell something about the link's rate.
pub(super) const RATE_BLOCK: usize = 100_000;

/// Digest of a stretch of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Print {
    role: Role,
    first: u32,
    len: usize,
    crc: u32,
}

/// Reads what is wanted of both channels.
pub(super) fn fetch(
    scope: &mut Ds1000z,
    triggered: &Triggered,
    reading: &Reading,
) -> Result<Shot, BenchError> {
    let setup = &scope.active()?.setup;
    let (stimulus, response) = (setup.stimulus.input, setup.response.input);
    let first = match reading {
        Reading::Whole(extent) | Reading::Following { extent, .. } => vec![*extent],
        Reading::Windows(windows) => windows.clone(),
    };
    // The preambles of the first record are what later ones are compared with, so they must be of the right channel.
    let check =
        if scope.active()?.first.iter().all(Option::is_some) { Source::Trusted } else { Source::Checked };
    let mut both = |check| -> Result<(RawTrace, RawTrace), BenchError> {
        let one = read(scope, Role::Stimulus, stimulus, check, |p| windows(p, &first))?;
        let second = following(reading, &one).unwrap_or_else(|| first.clone());
        let other = read(scope, Role::Response, response, check, |p| windows(p, &second))?;
        Ok((one, other))
    };
    let mut traces = both(check)?;
    // Equal bytes on two inputs are one input read twice: a change of source was lost (Q29).
    if traces.0.segments == traces.1.segments {
        traces = both(Source::Checked)?;
    }
    let (stimulus, response) = traces;
    still_stopped(scope)?;
    if check == Source::Checked {
        // From here on the preambles tell; until here nothing did.
        apply::knobs_unchanged(scope)?;
    }
    let Triggered { shot, seen_waiting, ref statuses } = *triggered;
    let mut shot = Shot { number: shot, stimulus, response, statuses: statuses.clone(), seen_waiting };
    fresh(scope, &mut shot)?;
    scope.shots = scope.shots.saturating_add(1);
    Ok(shot)
}

/// What to read of the response, when the edges of the stimulus decide it; none where they cannot be found.
fn following(reading: &Reading, stimulus: &RawTrace) -> Option<Vec<Extent>> {
    let Reading::Following { extent, slope, threshold, around } = reading else { return None };
    let edges = signal::edges(stimulus, *threshold).ok()?;
    let active = |edge: &&signal::Edge| edge.slope == *slope;
    let stimuli: Vec<Picos> = edges.list.iter().filter(active).map(|edge| edge.at).collect();
    Some(around.found(&stimuli, *extent)).filter(|found| !found.is_empty())
}

/// Both channels must be of one acquisition (Q05).
fn still_stopped(scope: &mut Ds1000z) -> Result<(), BenchError> {
    if !scope.behaviour.check_stopped {
        return Ok(());
    }
    let status = scope.dialogue.ask(":TRIGger:STATus?")?;
    if status == "STOP" {
        return Ok(());
    }
    scope.stopped_since = None;
    Err(BenchError::Changed { setting: ":TRIGger:STATus?".into(), was: "STOP".into(), now: status })
}

/// Compares with the record before; remembers this one.
fn fresh(scope: &mut Ds1000z, shot: &mut Shot) -> Result<(), BenchError> {
    if !scope.behaviour.compare_records {
        return Ok(());
    }
    let same = scope.last.as_ref().and_then(|prints| same(prints, shot));
    // The first free-running record with nothing to compare it with cannot be shown to be new.
    if !shot.seen_waiting && same != Some(false) {
        if same.is_none() {
            scope.last = Some(prints(shot));
        }
        return Err(BenchError::Stale { shot: shot.number });
    }
    if same == Some(true) {
        shot.statuses.push("same bytes as the record before".to_owned());
    }
    scope.last = Some(prints(shot));
    Ok(())
}

fn prints(shot: &Shot) -> Vec<Print> {
    [&shot.stimulus, &shot.response].into_iter().flat_map(prints_of).collect()
}

fn prints_of(trace: &RawTrace) -> Vec<Print> {
    let mut prints = Vec::new();
    for segment in &trace.segments {
        let (mut first, mut rest) = (segment.first, segment.codes.as_slice());
        while !rest.is_empty() {
            let whole = PRINT_POINTS - first % PRINT_POINTS;
            let (codes, behind) = rest.split_at(rest.len().min(whole as usize));
            prints.push(Print { role: trace.role, first, len: codes.len(), crc: crc32fast::hash(codes) });
            (first, rest) = (first.saturating_add(whole), behind);
        }
    }
    prints
}

/// Whether every stretch that both have is equal; `None` when they have none in common.
fn same(prints: &[Print], shot: &Shot) -> Option<bool> {
    let compared: Vec<bool> =
        prints.iter().filter_map(|p| Some(crc32fast::hash(stretch(shot, p)?) == p.crc)).collect();
    if compared.is_empty() { None } else { Some(compared.into_iter().all(|equal| equal)) }
}

/// The codes of `shot` where `print` was taken.
fn stretch<'a>(shot: &'a Shot, print: &Print) -> Option<&'a [u8]> {
    let trace = [&shot.stimulus, &shot.response].into_iter().find(|t| t.role == print.role)?;
    trace.segments.iter().find_map(|s| {
        let from = usize::try_from(print.first.checked_sub(s.first)?).ok()?;
        s.codes.get(from..from.checked_add(print.len)?)
    })
}

/// Takes digests of the record that is there, so that an old record is noticed at the first shot already. A memory
/// that cannot be read leaves none, and the first shot is then not believed.
pub(super) fn baseline(scope: &mut Ds1000z) -> Result<(), BenchError> {
    let setup = &scope.active()?.setup;
    let inputs = [(Role::Stimulus, setup.stimulus.input), (Role::Response, setup.response.input)];
    let mut prints = Vec::new();
    for (role, input) in inputs {
        match read(scope, role, input, Source::Checked, around_trigger) {
            Ok(trace) => prints.extend(prints_of(&trace)),
            Err(e) if recovery::recoverable(&e) => return recovery::recover(scope),
            Err(e @ (BenchError::Transcript { .. } | BenchError::Interrupted)) => return Err(e),
            Err(_) => return Ok(()),
        }
    }
    // The preamble of whatever was there is no measure for the records to come.
    if let Some(active) = &mut scope.active {
        active.first = [None, None];
    }
    scope.last = Some(prints);
    Ok(())
}

/// Whether a change of the source is read back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Trusted,
    Checked,
}

/// Selects the channel that is read.
fn select_source(scope: &mut Ds1000z, input: Input, check: Source) -> Result<(), BenchError> {
    let row = settings::source_row(input);
    let mut reply = String::new();
    for _ in 0..scope.behaviour.apply_attempts.max(1) {
        scope.dialogue.set(&row.command())?;
        if check == Source::Trusted {
            return Ok(());
        }
        reply = scope.dialogue.ask(&row.query())?;
        if row.agrees(&reply) {
            return Ok(());
        }
    }
    let (setting, asked) = (row.header.clone(), row.value.clone());
    Err(BenchError::Refused { setting, asked, got: reply, advice: row.advice() })
}

/// The preamble, asked for once more when it makes no sense.
fn preamble(scope: &mut Ds1000z) -> Result<(String, Preamble), BenchError> {
    let first = scope.dialogue.ask(PREAMBLE)?;
    if let Ok(preamble) = first.parse() {
        return Ok((first, preamble));
    }
    let text = scope.dialogue.ask(PREAMBLE)?;
    match text.parse() {
        Ok(preamble) => Ok((text, preamble)),
        Err(e) => Err(wrong_reply(PREAMBLE, &text, format!("{e}"))),
    }
}

/// One channel: preamble, then the points that `select` picks.
fn read(
    scope: &mut Ds1000z,
    role: Role,
    input: Input,
    check: Source,
    select: impl Fn(&Preamble) -> Vec<Range<u32>>,
) -> Result<RawTrace, BenchError> {
    select_source(scope, input, check)?;
    let (mut text, mut now) = preamble(scope)?;
    if check == Source::Trusted && unchanged(scope, role, input, &now).is_err() {
        // Of another channel perhaps, because the change of the source was lost (Q29).
        select_source(scope, input, Source::Checked)?;
        (text, now) = preamble(scope)?;
    }
    usable(scope, &text, &now)?;
    unchanged(scope, role, input, &now)?;
    let stretches = select(&now);
    if stretches.is_empty() {
        let why =
            "the record does not reach the wanted time around its trigger; is the horizontal position taken?";
        return Err(wrong_reply(PREAMBLE, &text, why));
    }
    let mut segments = Vec::with_capacity(stretches.len());
    for points in stretches {
        scope.interrupted()?;
        segments.push(Segment { first: points.start, codes: codes(scope, points)? });
    }
    Ok(RawTrace { role, channel: input.to_string(), preamble: text, segments })
}

/// The record is memory, and as long as was set.
fn usable(scope: &Ds1000z, text: &str, preamble: &Preamble) -> Result<(), BenchError> {
    let depth = scope.active()?.setup.depth;
    let least = depth.saturating_sub(scope.behaviour.missing_points);
    let why = if preamble.kind == RecordKind::Screen {
        "this is screen data, interpolated or decimated; RAW was asked for".to_owned()
    } else if !(least..=depth).contains(&preamble.points) {
        format!(
            "the record has {} points where {depth} were set; old firmware says 1200 whatever there is (Q10), and a \
             running scope gives its screen (Q20)",
            preamble.points
        )
    } else {
        return Ok(());
    };
    Err(wrong_reply(PREAMBLE, text, why))
}

/// The preamble is that of the first record: otherwise somebody turned a knob.
fn unchanged(scope: &mut Ds1000z, role: Role, input: Input, now: &Preamble) -> Result<(), BenchError> {
    let Some(active) = scope.active.as_mut() else { return Ok(()) };
    let interval = active.interval;
    let slot = match role {
        Role::Stimulus => &mut active.first[0],
        Role::Response => &mut active.first[1],
    };
    let was = slot.get_or_insert_with(|| now.clone());
    let changed = |node: &str, was: String, now: String| {
        Err(BenchError::Changed { setting: format!("{input}:{node}"), was, now })
    };
    if (now.x_increment - interval).abs() > interval / 100_000 {
        return changed("XINCrement", interval.to_string(), now.x_increment.to_string());
    }
    if (now.x_origin - was.x_origin).abs() > interval * 2 {
        return changed("XORigin", was.x_origin.to_string(), now.x_origin.to_string());
    }
    let differs = |a: f64, b: f64| (a - b).abs() > a.abs() * 1e-5;
    if differs(was.y_increment.0, now.y_increment.0) {
        return changed("YINCrement", was.y_increment.0.to_string(), now.y_increment.0.to_string());
    }
    if differs(was.y_origin, now.y_origin) {
        return changed("YORigin", was.y_origin.to_string(), now.y_origin.to_string());
    }
    Ok(())
}

/// The points between two times.
fn window(preamble: &Preamble, extent: Extent) -> Range<u32> {
    let index = |t: Picos, up: bool| {
        let (distance, step) = ((t - preamble.x_origin).0, preamble.x_increment.0.max(1));
        let whole = distance.div_euclid(step) + i64::from(up && distance.rem_euclid(step) != 0);
        u32::try_from((whole.saturating_add(preamble.x_reference)).clamp(0, i64::from(preamble.points)))
            .unwrap_or(0)
    };
    index(extent.from, false)..index(extent.to, true)
}

/// The points of several stretches of time, rising; those that share points become one.
fn windows(preamble: &Preamble, extents: &[Extent]) -> Vec<Range<u32>> {
    let mut all: Vec<Range<u32>> = Vec::with_capacity(extents.len());
    for points in extents.iter().map(|extent| window(preamble, *extent)).filter(|points| !points.is_empty()) {
        match all.last_mut() {
            Some(last) if points.start <= last.end => last.end = last.end.max(points.end),
            _ => all.push(points),
        }
    }
    all
}

fn around_trigger(preamble: &Preamble) -> Vec<Range<u32>> {
    let trigger = window(preamble, Extent { from: Picos::ZERO, to: Picos::ZERO }).start;
    let end = trigger.saturating_add(BASELINE_POINTS).min(preamble.points);
    let points = trigger.saturating_sub(BASELINE_POINTS)..end;
    if points.is_empty() { Vec::new() } else { vec![points] }
}

/// The codes of consecutive points.
fn codes(scope: &mut Ds1000z, points: Range<u32>) -> Result<Vec<u8>, BenchError> {
    let step = scope.behaviour.block_points.max(1);
    let mut codes = Vec::with_capacity(points.len());
    let mut first = points.start;
    while first < points.end {
        let end = first.saturating_add(step).min(points.end);
        codes.extend(block(scope, first..end)?);
        first = end;
    }
    Ok(codes)
}

/// One block, asked for again when it comes short or empty (Q16, Q17).
pub(super) fn block(scope: &mut Ds1000z, points: Range<u32>) -> Result<Vec<u8>, BenchError> {
    let wanted = points.len();
    let mut got = 0;
    for attempt in 1..=scope.behaviour.block_attempts.max(1) {
        if attempt > 1 {
            scope.recoveries.blocks += 1;
        }
        let before = scope.clock.now();
        let bytes = if scope.one_line { on_one_line(scope, &points)? } else { line_by_line(scope, &points)? };
        scope.bytes_read += bytes.len() as u64;
        if bytes.len() == wanted {
            note_rate(scope, wanted, scope.clock.now() - before);
            return Ok(bytes);
        }
        got = bytes.len();
    }
    let why = format!(
        "{got} bytes came where points {} to {} were asked for, {} times",
        points.start + 1,
        points.end,
        scope.behaviour.block_attempts
    );
    Err(BenchError::Block { command: ":WAVeform:DATA?".into(), why })
}

/// Both ends before every block: they persist, count from 1, and include the last point (Q21).
fn line_by_line(scope: &mut Ds1000z, points: &Range<u32>) -> Result<Vec<u8>, BenchError> {
    scope.dialogue.set(&format!(":WAVeform:STARt {}", points.start + 1))?;
    scope.dialogue.set(&format!(":WAVeform:STOP {}", points.end))?;
    scope.dialogue.block(":WAVeform:DATA?", points.len())
}

/// Both ends, what they then read as, and the block, in one exchange. Ends that read otherwise were lost (Q29): the bytes
/// are of other points, and from then on it goes line by line.
fn on_one_line(scope: &mut Ds1000z, points: &Range<u32>) -> Result<Vec<u8>, BenchError> {
    let (first, last) = (points.start + 1, points.end);
    let line = format!(
        ":WAVeform:STARt {first};:WAVeform:STOP {last};:WAVeform:STARt?;:WAVeform:STOP?;:WAVeform:DATA?"
    );
    // Ends that were lost may be further apart than those asked for.
    let most = usize::try_from(scope.behaviour.block_points).unwrap_or(usize::MAX).max(points.len());
    let (ends, bytes) = scope.dialogue.answers_and_block(&line, most)?;
    let read: Vec<Option<f64>> =
        ends.trim_end_matches(';').split(';').map(|n| n.trim().parse().ok()).collect();
    if read == [Some(f64::from(first)), Some(f64::from(last))] {
        return Ok(bytes);
    }
    scope.one_line = false;
    Ok(Vec::new())
}

/// Tries whether this instrument takes several statements on a line and answers them in order. Reads a few points of the
/// record that is there.
pub(super) fn try_one_line(scope: &mut Ds1000z, points: Range<u32>) -> Result<(), BenchError> {
    if !scope.behaviour.one_line {
        return Ok(());
    }
    scope.one_line = true;
    match on_one_line(scope, &points) {
        Ok(bytes) => scope.one_line &= bytes.len() == points.len(),
        Err(e) if recovery::recoverable(&e) => {
            scope.one_line = false;
            return recovery::recover(scope);
        }
        Err(e) => return Err(e),
    }
    Ok(())
}

/// What the link really gives, for the next plan. Before it was gauged, what a block takes besides its bytes is not known.
fn note_rate(scope: &mut Ds1000z, bytes: usize, took: Picos) {
    let link = &mut scope.capabilities.link;
    let net = took - link.block;
    if link.gauged && bytes >= RATE_BLOCK && net > Picos::ZERO {
        link.bytes_per_second = bytes as f64 / net.as_seconds();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn preamble(points: u32, origin: i64) -> Preamble {
        let text = format!("0,2,{points},1,2.000000e-09,{origin}e-12,0,2.000000e-02,-82,127");
        text.parse().unwrap()
    }

    /// 6 M points of 2 ns, trigger in the middle: index 3 000 000 is t = 0 (guide 2-242).
    #[test]
    fn times_become_the_points_that_hold_them() {
        let p = preamble(6_000_000, -6_000_000_000);
        let at = |from, to| window(&p, Extent { from: Picos(from), to: Picos(to) });
        assert_eq!(at(0, 2_000), 3_000_000..3_000_001);
        assert_eq!(at(-1_000, 3_000), 2_999_999..3_000_002);
        assert_eq!(at(-7_000_000_000, 7_000_000_000), 0..6_000_000);
        assert!(at(6_000_000_000, 7_000_000_000).is_empty());
        assert_eq!(around_trigger(&p), std::iter::once(2_998_000..3_002_000).collect::<Vec<_>>());
    }

    /// Two stretches that lie a picosecond apart fall on the same point.
    #[test]
    fn stretches_that_share_points_are_one() {
        let p = preamble(1_000, 0);
        let at = |from, to| Extent { from: Picos(from), to: Picos(to) };
        let extents = [at(-9_000, 4_000), at(4_001, 9_000), at(20_000, 24_000), at(3_000_000, 4_000_000)];
        assert_eq!(windows(&p, &extents), [0..5, 10..12]);
    }

    fn shot(bytes: &[u8]) -> Shot {
        let trace = |role| RawTrace {
            role,
            channel: String::new(),
            preamble: String::new(),
            segments: vec![Segment { first: 100, codes: bytes.to_vec() }],
        };
        let (stimulus, response) = (trace(Role::Stimulus), trace(Role::Response));
        Shot { number: 1, stimulus, response, statuses: Vec::new(), seen_waiting: false }
    }

    #[test]
    fn records_are_compared_where_both_were_read() {
        let old = shot(b"abcdefgh");
        let print = |first, bytes: &[u8]| {
            vec![Print { role: Role::Response, first, len: bytes.len(), crc: crc32fast::hash(bytes) }]
        };
        assert_eq!(same(&prints(&old), &shot(b"abcdefgh")), Some(true));
        assert_eq!(same(&prints(&old), &shot(b"abcdefgX")), Some(false));
        let (long, mut other) = (vec![7; 5_000], vec![7; 5_000]);
        assert_eq!(prints(&shot(&long)).len(), 2 * 5, "100 to 1023, three whole ones, the rest");
        other[4_999] = 8;
        assert_eq!(same(&prints(&shot(&long)), &shot(&other)), Some(false));
        assert_eq!(
            same(&prints(&shot(&long)), &shot(&long[..3_000])),
            Some(true),
            "a shorter read of one record"
        );
        assert_eq!(same(&print(102, b"cde"), &old), Some(true));
        assert_eq!(same(&print(102, b"cdX"), &old), Some(false));
        assert_eq!(same(&print(99, b"abc"), &old), None, "starts before what was read");
        assert_eq!(same(&print(106, b"ghi"), &old), None, "ends behind what was read");
    }

    proptest! {
        #[test]
        fn no_extent_reaches_outside_the_record(
            points in 0u32..10_000, origin in any::<i32>(), from in any::<i64>(), to in any::<i64>()
        ) {
            let p = preamble(points, i64::from(origin));
            let w = window(&p, Extent { from: Picos(from), to: Picos(to) });
            prop_assert!(w.start <= points && w.end <= points);
            prop_assert!(around_trigger(&p).iter().all(|r| r.end <= points));
        }
    }
}
