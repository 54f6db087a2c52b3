//! Misbehaviour by name: one row per habit of the real instrument, or of a board, that a driver must survive.
//!
//! `name` strikes at every occasion, `name@N` at the N-th occasion only (counted from 1), `name%P` at each occasion
//! with a probability of P percent. What an occasion is stands in the row. To add a habit: a variant, a row, and the
//! one place in the room that asks [`Faults::strike`].

use super::random::Draw;
use crate::bench::BenchError;

/// A habit that can be switched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Fault {
    CommandError,
    Silent,
    PartialIdentity,
    Drop,
    RefuseSecond,
    Pieces,
    LostEnd,
    NoNewline,
    BadHeader,
    ShortBlock,
    FewPoints,
    EmptyBlock,
    StuckPoints,
    EvenReference,
    Rescaled,
    WrongRate,
    WrongDepth,
    LostSetting,
    NoTrigger,
    StaleStop,
    SpuriousStop,
    LostResponse,
    Knob,
    NoPng,
    Unplugged,
    Frozen,
    LateAnswer,
    DeafAfterReset,
    ExtraNewline,
    OddExponent,
    BadPreamble,
    HugeBlock,
    EndlessLine,
    Scrolled,
    BoardSilent,
    BoardDrop,
    Foreign,
    Version,
    MissingMode,
    ModeEcho,
    Noise,
    BoardReset,
    DeadStimulus,
}

/// A row of the table: the habit, its name on the command line, the quirk it reproduces, what it does.
pub(super) struct Row {
    fault: Fault,
    name: &'static str,
    quirk: &'static str,
    what: &'static str,
}

const fn row(fault: Fault, name: &'static str, quirk: &'static str, what: &'static str) -> Row {
    Row { fault, name, quirk, what }
}

/// Every habit. Quirk ids are those of the project's dossier on the DS1000Z.
pub(super) const ROWS: [Row; 43] = [
    row(Fault::CommandError, "command-error", "Q26", "the scope answers `command error`; occasion: a line"),
    row(Fault::Silent, "silent", "Q24 Q53", "the scope does not answer; occasion: a query"),
    row(
        Fault::PartialIdentity,
        "partial-identity",
        "Q26",
        "the identity stops in the middle; occasion: *IDN?",
    ),
    row(
        Fault::Drop,
        "drop",
        "Q27",
        "the scope closes the connection in the middle of a reply; occasion: a reply",
    ),
    row(
        Fault::RefuseSecond,
        "refuse-second",
        "Q28",
        "a second client is turned away instead of kept waiting; occasion: it",
    ),
    row(Fault::Pieces, "pieces", "Q16", "a reply arrives in three pieces; occasion: a reply"),
    row(
        Fault::LostEnd,
        "lost-end",
        "Q33",
        "a VXI-11 answer comes without the mark of its end; occasion: an answer over VXI-11",
    ),
    row(Fault::NoNewline, "no-newline", "Q40", "a block comes without its newline; occasion: a block"),
    row(Fault::BadHeader, "bad-header", "Q23", "a block starts with `@9` instead of `#9`; occasion: a block"),
    row(
        Fault::ShortBlock,
        "short-block",
        "Q16 Q18",
        "half of the bytes its header promises come; occasion: a block",
    ),
    row(
        Fault::FewPoints,
        "few-points",
        "Q16",
        "a block holds, and says, half of what was asked for; occasion: a block",
    ),
    row(Fault::EmptyBlock, "empty-block", "Q17", "a block of no bytes; occasion: a block"),
    row(
        Fault::StuckPoints,
        "stuck-points",
        "Q10",
        "the preamble says 1200 points in RAW; occasion: a preamble",
    ),
    row(
        Fault::EvenReference,
        "even-reference",
        "Q11",
        "Y reference 127 in RAW, as the guide says; occasion: a record",
    ),
    row(
        Fault::Rescaled,
        "rescaled",
        "Q12",
        "the RAW preamble follows the scale set after the capture; occasion: a preamble",
    ),
    row(
        Fault::WrongRate,
        "wrong-rate",
        "Q14",
        "the record is sampled 4 % faster than the scope says; occasion: an arming",
    ),
    row(
        Fault::WrongDepth,
        "wrong-depth",
        "Q06",
        "a memory depth is not taken, without an error; occasion: a depth set",
    ),
    row(
        Fault::LostSetting,
        "lost-setting",
        "Q29",
        "a setting is lost on the way; occasion: a setting written",
    ),
    row(Fault::NoTrigger, "no-trigger", "Q02", "the armed scope never triggers; occasion: an arming"),
    row(
        Fault::StaleStop,
        "stale-stop",
        "Q01 Q02",
        "an arming ends at once in STOP with the record before; occasion: an arming",
    ),
    row(
        Fault::SpuriousStop,
        "spurious-stop",
        "Q60",
        "as stale-stop, and the trigger position says -2; occasion: an arming",
    ),
    row(
        Fault::LostResponse,
        "flat-response",
        "Q22",
        "channel 2 shows its low level only; occasion: a record",
    ),
    row(Fault::Knob, "knob", "", "somebody turns channel 2 to the next coarser scale; occasion: an arming"),
    row(
        Fault::NoPng,
        "no-png",
        "Q55",
        "the screen comes as BMP whatever is asked for; occasion: a screenshot",
    ),
    row(
        Fault::Unplugged,
        "usb-plugged",
        "Q27",
        "the connection is closed without a word, as with a USB cable plugged in; occasion: a connection",
    ),
    row(
        Fault::Frozen,
        "frozen",
        "Q53",
        "from now on nothing is answered on any connection; occasion: a query",
    ),
    row(
        Fault::LateAnswer,
        "late-answer",
        "Q23",
        "a reply is held back and comes in front of the next one; occasion: a reply",
    ),
    row(
        Fault::DeafAfterReset,
        "deaf-after-reset",
        "Q31",
        "queries within 8 s after *RST are not answered; occasion: *RST",
    ),
    row(Fault::ExtraNewline, "extra-newline", "Q40", "a second newline follows a block; occasion: a block"),
    row(
        Fault::OddExponent,
        "odd-exponent",
        "Q41",
        "ASCII data has exponents of three digits; occasion: a block",
    ),
    row(
        Fault::BadPreamble,
        "bad-preamble",
        "",
        "the preamble says `nan` and 0 for its increments; occasion: a preamble",
    ),
    row(
        Fault::HugeBlock,
        "huge-block",
        "",
        "a header promises 999 999 999 bytes for a block; occasion: a block",
    ),
    row(
        Fault::EndlessLine,
        "endless-line",
        "",
        "a text reply goes on for a megabyte without a newline; occasion: a text reply",
    ),
    row(
        Fault::Scrolled,
        "scrolled",
        "Q19",
        "screen data lacks its first 100 points while stopped; occasion: a block",
    ),
    row(Fault::BoardSilent, "board-silent", "", "the board does not answer; occasion: a request"),
    row(Fault::BoardDrop, "board-drop", "", "the link to the board closes; occasion: a request"),
    row(Fault::Foreign, "foreign", "", "a shell prompt answers instead of the firmware; occasion: a request"),
    row(Fault::Version, "version", "", "the firmware speaks the next protocol version; occasion: *IDN?"),
    row(Fault::MissingMode, "missing-mode", "", "the image has `hw` only; occasion: MODES? or MODE"),
    row(Fault::ModeEcho, "mode-echo", "", "another mode is echoed than was set; occasion: MODE"),
    row(Fault::Noise, "noise", "", "a character of the answer is damaged; occasion: a request"),
    row(
        Fault::BoardReset,
        "board-reset",
        "",
        "the board restarts before it answers; occasion: a request in a train",
    ),
    row(Fault::DeadStimulus, "dead-stimulus", "", "START is answered but nothing is fired; occasion: START"),
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum When {
    Always,
    Nth(u64),
    Chance(f64),
}

#[derive(Debug)]
struct Active {
    fault: Fault,
    when: When,
    occasions: u64,
}

/// The habits of this bench.
#[derive(Debug, Default)]
pub(super) struct Faults {
    seed: u64,
    active: Vec<Active>,
}

impl Faults {
    /// Reads `name`, `name@N` and `name%P`.
    ///
    /// # Errors
    /// [`BenchError::Resource`] for a name that is not in the table, or a number that cannot be.
    pub(super) fn parse(seed: u64, names: &[String]) -> Result<Faults, BenchError> {
        let active = names.iter().map(|text| parse_one(text)).collect::<Result<_, _>>()?;
        Ok(Faults { seed, active })
    }

    /// Counts an occasion and says whether the habit strikes.
    pub(super) fn strike(&mut self, fault: Fault) -> bool {
        let mut struck = false;
        for active in self.active.iter_mut().filter(|a| a.fault == fault) {
            active.occasions += 1;
            struck |= match active.when {
                When::Always => true,
                When::Nth(n) => active.occasions == n,
                When::Chance(p) => Draw::new(&[self.seed, 0xFA, fault as u64, active.occasions]).chance(p),
            };
        }
        struck
    }
}

fn parse_one(text: &str) -> Result<Active, BenchError> {
    let bad = |why: String| BenchError::Resource { name: text.to_owned(), what: "fault", why };
    let (name, when) = match text.split_once(['@', '%']) {
        None => (text, Some(When::Always)),
        Some((name, number)) if text.contains('@') => {
            (name, number.parse().ok().filter(|n| *n > 0).map(When::Nth))
        }
        Some((name, number)) => {
            let percent = number.parse::<f64>().ok().filter(|p| (0.0..=100.0).contains(p));
            (name, percent.map(|p| When::Chance(p / 100.0)))
        }
    };
    let known = || ROWS.iter().map(|r| r.name).collect::<Vec<_>>().join(", ");
    let row = ROWS.iter().find(|r| r.name == name);
    let fault = row.ok_or_else(|| bad(format!("there is none of that name; known are {}", known())))?.fault;
    let when =
        when.ok_or_else(|| bad("write name, name@N with N from 1, or name%P with P from 0 to 100".into()))?;
    Ok(Active { fault, when, occasions: 0 })
}

/// Names and one-line descriptions of all faults, for `--help` and lists.
#[must_use]
pub fn fault_names() -> &'static [(&'static str, &'static str)] {
    const LIST: [(&str, &str); ROWS.len()] = {
        let mut list = [("", ""); ROWS.len()];
        let mut i = 0;
        while i < ROWS.len() {
            #[allow(clippy::indexing_slicing)] // evaluated while compiling: out of range cannot be built
            {
                list[i] = (ROWS[i].name, ROWS[i].what);
            }
            i += 1;
        }
        list
    };
    &LIST
}

/// The quirk of the dossier that a fault reproduces; empty for faults of the board or of a user.
#[must_use]
pub fn fault_quirk(name: &str) -> Option<&'static str> {
    ROWS.iter().find(|r| r.name == name).map(|r| r.quirk)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_occasion_is_struck_once() {
        let mut faults = Faults::parse(1, &["drop@3".to_owned()]).unwrap();
        let struck: Vec<bool> = (0..5).map(|_| faults.strike(Fault::Drop)).collect();
        assert_eq!(struck, [false, false, true, false, false]);
        assert!(!faults.strike(Fault::Silent));
    }

    #[test]
    fn a_probability_strikes_about_as_often_as_it_says_and_the_same_way_each_time() {
        let strikes = |seed| {
            let mut faults = Faults::parse(seed, &["noise%20".to_owned()]).unwrap();
            (0..1000).map(|_| faults.strike(Fault::Noise)).collect::<Vec<_>>()
        };
        let n = strikes(5).iter().filter(|s| **s).count();
        assert!((140..260).contains(&n), "{n}");
        assert_eq!(strikes(5), strikes(5));
        assert_ne!(strikes(5), strikes(6));
    }

    #[test]
    fn unknown_names_are_answered_with_the_known_ones() {
        let error = Faults::parse(1, &["nonsense".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("`nonsense`") && error.contains("short-block"), "{error}");
        for bad in ["drop@0", "drop@x", "drop%101", "drop%"] {
            assert!(Faults::parse(1, &[bad.to_owned()]).is_err(), "{bad}");
        }
    }

    #[test]
    fn each_variant_has_one_row() {
        for (i, row) in ROWS.iter().enumerate() {
            assert_eq!(row.fault as usize, i, "{} stands in the order of the variants", row.name);
        }
        assert_eq!(fault_names()[0].0, "command-error");
        assert_eq!(fault_quirk("wrong-depth"), Some("Q06"));
    }
}
