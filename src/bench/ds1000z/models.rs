//! What instruments of this family can do, and what they do wrong: the only driver file with a model name.
//!
//! `capabilities` gives the limit row of a model, [`QUIRKS`] the habits with the remedy for each. At connect the rows that
//! fit are overlaid into one plain [`Behaviour`]; the driver reads its fields and never asks who it talks to. The
//! result goes into the evidence, so that a later reader knows which remedies were active.
//!
//! Page numbers are those of the MSO1000Z/DS1000Z programming guide (December 2015). Nothing here was measured by this
//! project; the evidence column says who saw it.

use crate::bench::{BenchError, Identity};
use crate::plan::{Capabilities, ChannelLimits, LinkFigures};
use crate::units::{Hertz, Picos, Volts};
use serde::Serialize;

/// How this instrument behaves and what the driver does about it. Times are upper bounds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Behaviour {
    /// A status may be this old (Q01).
    pub status_lag: Picos,
    /// Two statuses asked one after the other may be out of order by this much (Q01).
    pub status_jitter: Picos,
    /// Pause between two status queries.
    pub poll_interval: Picos,
    /// How often an acquisition is started anew when the scope is never seen leaving STOP (Q60).
    pub arm_attempts: u32,
    /// `:TRIGger:POSition?` of a triggered record is 0 or more (Q02, Q60).
    pub check_position: bool,
    /// A record whose start was not seen is compared with the one before (Q02, Q03, Q04).
    pub compare_records: bool,
    /// The status is asked again after the read: a record that ran on is two records (Q05, Q20).
    pub check_stopped: bool,
    /// Most points in one block (Q15).
    pub block_points: u32,
    /// How often a short or empty block is asked for before it is given up (Q16, Q17).
    pub block_attempts: u32,
    /// A record may be this many points shorter than the memory depth (Q09).
    pub missing_points: u32,
    /// The whole setup is written this often before a difference counts as a refusal (Q29).
    pub apply_attempts: u32,
    /// Every setting is followed by `*OPC?` (Q29).
    pub confirm: bool,
    /// Pause before every command (Q30).
    pub gap: Picos,
    /// A failed connection is made anew this often for one verb (Q23, Q24).
    pub reconnects: u32,
    /// Several statements may be tried on one line, each answer checked.
    pub one_line: bool,
    /// A screenshot without arguments is asked for when PNG does not come (Q55).
    pub plain_screenshot: bool,
    /// Why this firmware cannot be measured with, when it cannot (Q10).
    pub refused: Option<String>,
    /// Ids of the quirk rows that fit.
    pub quirks: Vec<&'static str>,
}

impl Behaviour {
    /// An instrument that does what its guide says.
    fn by_the_book() -> Behaviour {
        Behaviour {
            status_lag: Picos::ZERO,
            status_jitter: Picos::ZERO,
            poll_interval: Picos::from_ms(10),
            arm_attempts: 1,
            check_position: false,
            compare_records: false,
            check_stopped: false,
            block_points: 250_000,
            block_attempts: 1,
            missing_points: 0,
            apply_attempts: 1,
            confirm: false,
            gap: Picos::ZERO,
            reconnects: 0,
            one_line: true,
            plain_screenshot: false,
            refused: None,
            quirks: Vec::new(),
        }
    }
}

/// What the driver does about a habit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Remedy {
    /// Don't believe STOP until the lag is over; don't believe the order of statuses closer than the jitter.
    DistrustStatus {
        /// Upper bound of the lag.
        lag: Picos,
        /// Difference of longest and shortest lag.
        jitter: Picos,
    },
    /// Start the acquisition anew.
    ArmAgain(u32),
    /// Insist on a trigger position.
    CheckPosition,
    /// Compare with the record before.
    CompareRecords,
    /// Insist on STOP behind the read.
    CheckStopped,
    /// Read in blocks of at most this many points.
    BlocksOf(u32),
    /// Ask for a short block again.
    RetryBlocks(u32),
    /// Believe a record that is shorter than the depth by this much.
    MissingPoints(u32),
    /// Write everything once more before calling it refused.
    ApplyAgain(u32),
    /// `*OPC?` behind each setting.
    Confirm,
    /// New connection after a time-out.
    Reconnect(u32),
    /// Screenshot without arguments.
    PlainScreenshot,
    /// Don't measure with this firmware.
    Refuse(&'static str),
}

impl Remedy {
    fn overlay(self, b: &mut Behaviour) {
        match self {
            Remedy::DistrustStatus { lag, jitter } => (b.status_lag, b.status_jitter) = (lag, jitter),
            Remedy::ArmAgain(times) => b.arm_attempts = times,
            Remedy::CheckPosition => b.check_position = true,
            Remedy::CompareRecords => b.compare_records = true,
            Remedy::CheckStopped => b.check_stopped = true,
            Remedy::BlocksOf(points) => b.block_points = points,
            Remedy::RetryBlocks(times) => b.block_attempts = times,
            Remedy::MissingPoints(points) => b.missing_points = points,
            Remedy::ApplyAgain(times) => b.apply_attempts = times,
            Remedy::Confirm => b.confirm = true,
            Remedy::Reconnect(times) => b.reconnects = times,
            Remedy::PlainScreenshot => b.plain_screenshot = true,
            Remedy::Refuse(why) => b.refused = Some(why.to_owned()),
        }
    }
}

/// Which instruments have a habit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applies {
    /// All of the family.
    Family,
    /// Those whose firmware is this one or older; four numbers, `SPn` counting as `n`.
    UpTo([u32; 4]),
}

/// A habit, its remedy, and where both come from.
#[derive(Debug, Clone, Copy)]
pub struct Quirk {
    /// Number in the project's collection.
    pub id: &'static str,
    /// Who has it.
    pub applies: Applies,
    /// What the instrument does.
    pub effect: &'static str,
    /// What the driver does.
    pub remedy: Remedy,
    /// Who saw it.
    pub evidence: &'static str,
    /// The fault of the virtual bench that reproduces it, empty where its normal behaviour does.
    pub fault: &'static str,
}

const fn quirk(
    id: &'static str,
    effect: &'static str,
    remedy: Remedy,
    evidence: &'static str,
    fault: &'static str,
) -> Quirk {
    Quirk { id, applies: Applies::Family, effect, remedy, evidence, fault }
}

/// Every habit that has a remedy in this driver. Habits whose cure is the way the driver is built (a line feed behind
/// each command, Q25; the window before each block, Q21; counted reads, Q39; bytes, not words, Q42; one client, Q28) need no row.
pub const QUIRKS: [Quirk; 13] = [
    quirk(
        "Q01",
        "the status lags RUN, STOP and SINGle by 100 to 150 ms, even behind *OPC?",
        Remedy::DistrustStatus { lag: Picos::from_ms(200), jitter: Picos::from_ms(60) },
        "bench notes on a DS1054Z 00.04.04.SP4; other authors sleep 300 ms",
        "",
    ),
    quirk(
        "Q02",
        "without a trigger every read gives the record before, unmarked",
        Remedy::CompareRecords,
        "bench notes on a DS1054Z 00.04.04.SP1",
        "stale-stop",
    ),
    quirk(
        "Q05",
        "two channels read while running come from two acquisitions; RAW gives the screen then (Q20)",
        Remedy::CheckStopped,
        "guide 2-218; bench notes on a DS1054Z 00.04.04.SP1",
        "",
    ),
    quirk(
        "Q09",
        "the record is a few points shorter than the memory depth (5 999 968 of 6 000 000)",
        Remedy::MissingPoints(64),
        "a public client's README",
        "",
    ),
    Quirk {
        applies: Applies::UpTo([0, 4, 2, 4]),
        ..quirk(
            "Q10",
            "the preamble says 1200 points in RAW whatever the depth",
            Remedy::Refuse(
                "firmware up to 00.04.02.SP4 states a wrong number of points (Q10); update to 00.04.04.SP3 or newer",
            ),
            "issue 5 of a public client",
            "stuck-points",
        )
    },
    quirk(
        "Q15",
        "more than 250 000 points a block: short data and a warning on the screen",
        Remedy::BlocksOf(250_000),
        "guide 2-219; three public clients",
        "",
    ),
    quirk(
        "Q16",
        "a block is shorter than asked for, or empty (Q17)",
        Remedy::RetryBlocks(4),
        "retry loops of two public clients; crash reports of a third",
        "few-points",
    ),
    quirk(
        "Q23",
        "after a time-out the answer comes later and is taken for the next one",
        Remedy::Reconnect(1),
        "issue 790 of a public viewer; bench notes on a DS1054Z 00.04.04.SP4",
        "silent",
    ),
    quirk(
        "Q29",
        "settings sent back to back are lost or not yet in force",
        Remedy::Confirm,
        "a public driver's history; two others pause or ask *OPC?",
        "",
    ),
    quirk("Q29", "a setting is lost", Remedy::ApplyAgain(2), "as above", "lost-setting"),
    quirk(
        "Q55",
        "old firmware has no PNG screenshot",
        Remedy::PlainScreenshot,
        "guide, older edition, 2-30",
        "",
    ),
    quirk(
        "Q60",
        "a single acquisition goes to STOP without a trigger; the position says -2",
        Remedy::CheckPosition,
        "a public driver checks for it on the DS2000",
        "spurious-stop",
    ),
    quirk(
        "Q60",
        "as above, before the scope was seen waiting",
        Remedy::ArmAgain(3),
        "as above",
        "stale-stop",
    ),
];

/// A limit row: a model, how many inputs, and its bandwidth.
struct Limit {
    /// What the model starts with; the longest match counts.
    model: &'static str,
    inputs: u8,
    /// 10-90 % rise time of the front end, 0.35 / bandwidth.
    rise_time: Picos,
    /// The long memory is standard, not an option.
    long_memory: bool,
}

const fn limit(model: &'static str, inputs: u8, rise_time: Picos, long_memory: bool) -> Limit {
    Limit { model, inputs, rise_time, long_memory }
}

/// Specification tables of the user's guides; `Plus` and `-S` variants start with the same letters.
const LIMITS: [Limit; 8] = [
    limit("DS1054Z", 4, Picos(7_000), false),
    limit("DS1074Z", 4, Picos(5_000), false),
    limit("DS1104Z", 4, Picos(3_500), false),
    limit("MSO1054Z", 4, Picos(7_000), false),
    limit("MSO1074Z", 4, Picos(5_000), false),
    limit("MSO1104Z", 4, Picos(3_500), false),
    limit("DS1102Z-E", 2, Picos(3_500), true),
    limit("DS1202Z-E", 2, Picos(1_750), true),
];

/// Round trip of a query on the raw socket, until it is measured: the middle of what users plan with.
const ROUND_TRIP: Picos = Picos::from_ms(5);
/// Middle of the reported 0.4 to 1.7 MB/s.
const BYTES_PER_SECOND: f64 = 1.0e6;
/// STOP until seen waiting, and trigger until seen stopped: 100 to 300 ms and 100 to 150 ms reported.
const LAG: Picos = Picos::from_ms(325);
/// A setting and its `*OPC?`: 2 to 20 ms of pacing that careful clients found to be needed, and a round trip.
pub(super) const SETTING: Picos = Picos::from_ms(16);
/// A block besides its bytes.
const BLOCK: Picos = Picos::from_ms(20);

/// What an instrument can do, and how it behaves.
///
/// # Errors
/// [`BenchError::Unsupported`] for a model that is not of this family, naming those that are.
pub fn resolve(identity: &Identity) -> Result<(Capabilities, Behaviour), BenchError> {
    let fits = |l: &&Limit| identity.model.to_ascii_uppercase().starts_with(l.model);
    let row = LIMITS.iter().filter(fits).max_by_key(|l| l.model.len()).ok_or_else(|| {
        let known: Vec<&str> = LIMITS.iter().map(|l| l.model).collect();
        BenchError::Unsupported(format!(
            "the scope is a `{}` of `{}`; this driver knows {}",
            identity.model,
            identity.manufacturer,
            known.join(", ")
        ))
    })?;
    Ok((capabilities(identity, row), behaviour(&QUIRKS, &identity.firmware)))
}

/// Overlays the rows that fit `firmware`.
fn behaviour(rows: &[Quirk], firmware: &str) -> Behaviour {
    let mut behaviour = Behaviour::by_the_book();
    let version = version(firmware);
    for row in rows {
        let applies = match row.applies {
            Applies::Family => true,
            Applies::UpTo(last) => version.is_some_and(|v| v <= last),
        };
        if applies {
            row.remedy.overlay(&mut behaviour);
            behaviour.quirks.push(row.id);
        }
    }
    behaviour.quirks.dedup();
    behaviour
}

/// The first four numbers of a version; `SP3` counts as 3 (00.04.04.SP3 calls itself 00.04.04.03.02 elsewhere).
fn version(firmware: &str) -> Option<[u32; 4]> {
    let mut numbers = [0; 4];
    let mut parts = firmware.trim().split('.');
    for (i, slot) in numbers.iter_mut().enumerate() {
        match parts.next() {
            Some(part) => *slot = part.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()?,
            None if i >= 3 => {}
            None => return None,
        }
    }
    Some(numbers)
}

fn capabilities(identity: &Identity, row: &Limit) -> Capabilities {
    let scales = one_two_five(1_000, 10_000_000);
    Capabilities {
        model: identity.model.clone(),
        inputs: row.inputs,
        divisions: 12,
        vertical_divisions: 8,
        codes_per_division: 25.0,
        // 200 ms/div and slower roll instead of triggering.
        timebases: one_two_five(5_000, 100_000_000_000).into_iter().map(Picos).collect(),
        scales: scales.into_iter().map(|uv| Volts(uv as f64 / 1e6)).collect(),
        limits: channel_limits(row),
        block_points: 250_000,
        recording: false,
        rise_time: row.rise_time,
        link: LinkFigures {
            round_trip: ROUND_TRIP,
            bytes_per_second: BYTES_PER_SECOND,
            lag: LAG,
            setting: SETTING,
            block: BLOCK,
            measured: false,
            gauged: false,
        },
    }
}

/// 1 GSa/s and 12 M points (24 M with the long memory) shared by the channels in use, in powers of two (guide 2-5).
fn channel_limits(row: &Limit) -> Vec<ChannelLimits> {
    let share = |channels: u8| match channels {
        1 => 1u32,
        2 => 2,
        _ => 4,
    };
    let row_of = |channels: u8| {
        let mut depths: Vec<u32> =
            [12_000, 120_000, 1_200_000, 12_000_000].map(|d| d / share(channels)).to_vec();
        if row.long_memory {
            depths.push(24_000_000 / share(channels));
        }
        ChannelLimits { channels, rate: Hertz(1e9 / f64::from(share(channels))), depths }
    };
    (1..=row.inputs).map(row_of).collect()
}

/// `1, 2, 5, 10 ...` times `10^n` from `first` to `last`; `first` is a 1 or a 5.
fn one_two_five(first: i64, last: i64) -> Vec<i64> {
    let decade = 10i64.pow(first.max(1).ilog10());
    let mut all = Vec::new();
    let mut base = decade;
    while base <= last {
        all.extend([base, 2 * base, 5 * base].into_iter().filter(|v| (first..=last).contains(v)));
        base *= 10;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(model: &str, firmware: &str) -> Identity {
        let (manufacturer, serial) = ("RIGOL TECHNOLOGIES".to_owned(), "DS1ZA000000001".to_owned());
        Identity { manufacturer, model: model.to_owned(), serial, firmware: firmware.to_owned() }
    }

    /// Programming guide 2-5 and 2-219; the rates were read by a public client's hardware test.
    #[test]
    fn limits_are_those_of_the_guide() {
        let (c, b) = resolve(&identity("DS1054Z", "00.04.04.SP4")).unwrap();
        let two = c.limits.iter().find(|l| l.channels == 2).unwrap();
        assert_eq!((two.rate, two.depths.clone()), (Hertz(5e8), vec![6_000, 60_000, 600_000, 6_000_000]));
        let three = c.limits.iter().find(|l| l.channels == 3).unwrap();
        assert_eq!((three.rate, three.depths[0]), (Hertz(2.5e8), 3_000));
        assert_eq!(c.timebases[..4], [5_000, 10_000, 20_000, 50_000].map(Picos));
        assert_eq!(c.timebases.last(), Some(&Picos::from_ms(100)));
        assert_eq!((c.scales[0], *c.scales.last().unwrap()), (Volts(0.001), Volts(10.0)));
        assert_eq!((b.block_points, b.refused), (250_000, None));
    }

    #[test]
    fn relatives_are_known_and_strangers_are_refused_by_name() {
        for (model, inputs) in [("DS1104Z Plus", 4), ("MSO1074Z-S", 4), ("DS1202Z-E", 2), ("ds1054z", 4)] {
            assert_eq!(resolve(&identity(model, "00.06.02")).unwrap().0.inputs, inputs, "{model}");
        }
        let error = resolve(&identity("DHO924", "00.01.02")).unwrap_err().to_string();
        assert!(error.contains("`DHO924`") && error.contains("DS1054Z"), "{error}");
    }

    #[test]
    fn the_firmware_that_miscounts_points_is_refused_and_its_successors_are_not() {
        let refused = |firmware| resolve(&identity("DS1054Z", firmware)).unwrap().1.refused.is_some();
        for old in ["00.04.02.SP4", "00.04.02.SP3", "00.04.01", "00.03.99.SP9"] {
            assert!(refused(old), "{old}");
        }
        for new in ["00.04.03.SP1", "00.04.04.03.02", "00.04.05.SP2", "00.06.02", "unreadable"] {
            assert!(!refused(new), "{new}");
        }
    }

    #[test]
    fn each_row_says_who_saw_it_and_changes_something() {
        for row in QUIRKS {
            let mut changed = Behaviour::by_the_book();
            row.remedy.overlay(&mut changed);
            let same = changed == Behaviour::by_the_book() && row.id != "Q15";
            assert!(!same && !row.evidence.is_empty() && row.id.starts_with('Q'), "{}", row.id);
        }
    }
}
