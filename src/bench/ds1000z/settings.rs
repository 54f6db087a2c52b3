//! Settings as rows: header, value to write, how to compare what reads back.
//!
//! The order of the rows is part of their meaning: the probe factor rescales scale and offset, the scale moves the offset
//! (Q49), which channels are on decides the depths that can be set (Q08), and the trigger level is limited by scale and
//! offset. A setting that is written but not read back cannot be expressed.

use crate::plan::{ChannelSetup, Input, Setup};
use crate::signal::Slope;
use crate::units::Picos;

/// How an answer is compared with what was written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Compare {
    /// The same word, short or long form, either case.
    Word,
    /// The same number within this difference. Scales, levels and offsets snap (Q48).
    Number(f64),
}

/// One setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Command header without `?`.
    pub header: String,
    /// What is written behind it.
    pub value: String,
    /// How the answer is compared.
    pub compare: Compare,
}

impl Row {
    fn word(header: impl Into<String>, value: impl Into<String>) -> Row {
        Row { header: header.into(), value: value.into(), compare: Compare::Word }
    }
    fn number(header: impl Into<String>, value: impl Into<String>, within: f64) -> Row {
        Row { header: header.into(), value: value.into(), compare: Compare::Number(within) }
    }

    /// The command that writes it.
    #[must_use]
    pub fn command(&self) -> String {
        format!("{} {}", self.header, self.value)
    }

    /// The query that reads it.
    #[must_use]
    pub fn query(&self) -> String {
        format!("{}?", self.header)
    }

    /// `reply` says what was written.
    #[must_use]
    pub fn agrees(&self, reply: &str) -> bool {
        match self.compare {
            Compare::Word => same_word(&self.value, reply),
            Compare::Number(within) => match (self.value.parse::<f64>(), reply.trim().parse::<f64>()) {
                (Ok(written), Ok(read)) => (written - read).abs() <= within,
                _ => false,
            },
        }
    }

    /// The row that writes what was read before the first change.
    #[must_use]
    pub fn with(&self, reply: &str) -> Row {
        let value = reply.trim().to_owned();
        // A depth reads `AUTO` where a number is written.
        let compare = if value.parse::<f64>().is_ok() { self.compare } else { Compare::Word };
        Row { header: self.header.clone(), value, compare }
    }

    /// It can be turned by accident.
    #[must_use]
    pub fn has_a_knob(&self) -> bool {
        [":SCALe", ":OFFSet", ":LEVel"].iter().any(|node| self.header.ends_with(node))
    }

    /// What to check when the instrument does not take it.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        match self.header.as_str() {
            ":ACQuire:MDEPth" => {
                "depths depend on the channels in use (Q06) and are taken while running only (Q07)"
            }
            ":TRIGger:EDGe:LEVel" => "the level must lie within five divisions of the channel's centre",
            header if header.ends_with(":OFFSet") => {
                "the offset is limited to a few divisions at small scales"
            }
            header if header.ends_with(":SCALe") => "scales go in steps of 1, 2 and 5 times the probe factor",
            _ => "somebody may be turning knobs, or this firmware lacks the setting",
        }
    }
}

/// `CHANNEL1` is `CHAN1`, `POSitive` is `POS`, `dc` is `DC`.
fn same_word(written: &str, reply: &str) -> bool {
    let short = |text: &str| text.trim().to_ascii_uppercase().replace("CHANNEL", "CHAN");
    let (written, reply) = (short(written), short(reply));
    let lettered = written.ends_with(|c: char| c.is_ascii_alphabetic());
    reply == written || (lettered && written.len() >= 3 && reply.starts_with(&written))
}

/// Header of the trigger mode; restored last, because the others depend on it (Q52).
pub const TRIGGER_MODE: &str = ":TRIGger:MODE";
/// Header of the sweep, which `:SINGle` changes (Q47).
pub const SWEEP: &str = ":TRIGger:SWEep";
/// Header of the memory depth.
pub const DEPTH: &str = ":ACQuire:MDEPth";

/// Everything of `setup` that is set while the scope runs, in order. `inputs` is the number of inputs there are.
#[must_use]
pub fn running_rows(setup: &Setup, inputs: u8) -> Vec<Row> {
    let used = [setup.stimulus.input, setup.response.input];
    let display =
        |input| Row::word(format!(":{input}:DISPlay"), if used.contains(&input) { "1" } else { "0" });
    let mut rows: Vec<Row> = (1..=inputs).map(|n| display(Input(n))).collect();
    rows.extend(front_end(&setup.stimulus));
    if setup.response.input != setup.stimulus.input {
        rows.extend(front_end(&setup.response));
    }
    rows.extend(time_base(setup));
    rows.extend(trigger(setup));
    rows
}

/// The memory depth alone.
#[must_use]
pub fn depth_row(points: u32) -> Row {
    Row::number(DEPTH, points.to_string(), 0.5)
}

/// The channel that is read next.
#[must_use]
pub fn source_row(input: Input) -> Row {
    Row::word(":WAVeform:SOURce", input.to_string())
}

/// How records are read, set in STOP.
#[must_use]
pub fn readout_rows() -> Vec<Row> {
    vec![Row::word(":WAVeform:MODE", "RAW"), Row::word(":WAVeform:FORMat", "BYTE")]
}

/// What the readout changes from record to record; only saved and put back.
#[must_use]
pub fn cursor_rows() -> Vec<Row> {
    let number = |header: &str| Row::number(header, "1", 0.5);
    vec![source_row(Input(1)), number(":WAVeform:STARt"), number(":WAVeform:STOP")]
}

fn front_end(c: &ChannelSetup) -> Vec<Row> {
    let of = |node: &str| format!(":{}:{node}", c.input);
    vec![
        Row::number(of("PROBe"), plain(c.probe), c.probe.abs() * 1e-6),
        Row::word(of("COUPling"), "DC"),
        // 20 MHz would make edges 17 ns slow; `OFF` is a choice here, not a boolean (Q50).
        Row::word(of("BWLimit"), "OFF"),
        Row::word(of("INVert"), "0"),
        Row::number(of("SCALe"), plain(c.scale.0), c.scale.0.abs() * 1e-3),
        Row::number(of("OFFSet"), plain(c.offset.0), c.scale.0.abs() * 0.05),
    ]
}

fn time_base(setup: &Setup) -> Vec<Row> {
    let step = setup.timebase.as_seconds();
    vec![
        Row::word(":TIMebase:DELay:ENABle", "0"),
        Row::word(":TIMebase:MODE", "MAIN"),
        Row::number(":TIMebase:MAIN:SCALe", seconds(setup.timebase), step * 1e-3),
        // The position snaps to pixels, a fiftieth of a division.
        Row::number(
            ":TIMebase:MAIN:OFFSet",
            seconds(setup.delay),
            step * 0.02 + setup.delay.as_seconds().abs() * 1e-4,
        ),
        Row::word(":ACQuire:TYPE", "NORM"),
        depth_row(setup.depth),
    ]
}

fn trigger(setup: &Setup) -> Vec<Row> {
    let slope = match setup.slope {
        Slope::Rising => "POS",
        Slope::Falling => "NEG",
    };
    vec![
        Row::word(TRIGGER_MODE, "EDGE"),
        Row::word(":TRIGger:EDGe:SOURce", setup.stimulus.input.to_string()),
        Row::word(":TRIGger:EDGe:SLOPe", slope),
        Row::number(":TRIGger:EDGe:LEVel", plain(setup.level.0), setup.stimulus.scale.0.abs() * 0.05),
        Row::word(":TRIGger:COUPling", "DC"),
        Row::word(":TRIGger:NREJect", "0"),
        // The smallest, and the default (guide 2-153).
        Row::number(":TRIGger:HOLDoff", seconds(Picos::from_ns(16)), 1e-10),
    ]
}

/// A number as every firmware reads it: no exponent, no surplus digits.
fn plain(value: f64) -> String {
    let text = format!("{value:.9}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Seconds without a detour over binary fractions.
fn seconds(time: Picos) -> String {
    let magnitude = time.0.unsigned_abs();
    let (whole, fraction) = (magnitude / 1_000_000_000_000, magnitude % 1_000_000_000_000);
    let text = format!("{}{whole}.{fraction:012}", if time.0 < 0 { "-" } else { "" });
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Sample interval of a rate as `:ACQuire:SRATe?` writes it.
#[must_use]
pub fn interval_of(rate: &str) -> Option<Picos> {
    let rate = rate.trim().parse::<f64>().ok().filter(|r| r.is_finite() && *r > 0.0)?;
    let picos = (1e12 / rate).round();
    (1.0..=1e15).contains(&picos).then_some(Picos(picos as i64))
}

/// A skew correction that the user set at the panel, as a remark (guide 2-34); it is read, never written.
#[must_use]
pub fn skew_remark(input: Input, reply: &str) -> Option<String> {
    let set = reply.trim().parse::<f64>().ok().filter(|v| *v != 0.0)?;
    let skew = Picos((set * 1e12).round() as i64);
    Some(format!(
        "{input} has a delay calibration of {skew} set at the scope; whether its records include it is not documented"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_agree_in_the_forms_that_firmware_uses() {
        let agrees = |row: Row, reply: &str| row.agrees(reply);
        assert!(agrees(Row::word("x", "DC"), "DC") && agrees(Row::word("x", "POS"), "POSITIVE"));
        assert!(agrees(Row::word("x", "CHAN1"), "channel1") && !agrees(Row::word("x", "CHAN1"), "CHAN11"));
        assert!(!agrees(Row::word("x", "DC"), "AC") && !agrees(Row::word("x", "OFF"), "20M"));
        assert!(!agrees(Row::word("x", "1"), "10") && !agrees(Row::word("x", "0"), ""));
        assert!(agrees(Row::number("x", "0.5", 1e-3), "5.000000e-01"));
        assert!(!agrees(Row::number("x", "6000", 0.5), "AUTO") && !agrees(Row::number("x", "1", 0.5), "nan"));
    }

    #[test]
    fn numbers_are_written_without_exponents_and_exactly() {
        assert_eq!(seconds(Picos::from_ns(5)), "0.000000005");
        assert_eq!(seconds(Picos(-4_980_000_000)), "-0.00498");
        assert_eq!(seconds(Picos::ZERO), "0");
        assert_eq!((plain(10.0), plain(-1.65), plain(0.0)), ("10".into(), "-1.65".into(), "0".into()));
    }

    #[test]
    fn rates_give_whole_picoseconds_or_nothing() {
        assert_eq!(interval_of("5.000000e+08"), Some(Picos(2_000)));
        assert_eq!(interval_of("1.000000e+09"), Some(Picos(1_000)));
        for bad in ["0", "-1", "inf", "nan", "", "1e30"] {
            assert_eq!(interval_of(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_skew_set_at_the_panel_is_remarked() {
        assert_eq!(skew_remark(Input(2), "0.000000e+00"), None);
        assert!(
            skew_remark(Input(2), "2.000000e-08").unwrap().contains("CHAN2 has a delay calibration of 20 ns")
        );
    }
}
