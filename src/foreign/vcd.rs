//! Value change dumps (IEEE Std 1364-2005, clause 18), as simulators, sigrok and logic analysers write them.
//!
//! Scalars, single bits of vectors and real variables can be chosen. A real variable holds its value until the next
//! change, as the standard has it: its edges stand at changes and are not interpolated. Files without `$timescale` are
//! refused, since nothing says what their times mean.

use super::bytes::Bytes;
use super::channels;
use super::decimal::{real, shifted};
use super::error::{ForeignError, Named};
use super::levels::{Histogram, Plateaus, Subject};
use super::note::Note;
use super::sampled::Wanted;
use super::transitions::Transitions;
use super::vcd_header::{Header, Variable};
use crate::signal::edges::Edges;
use std::io::{Read, Seek};

/// Names of all variables.
pub(super) fn names<R: Read + Seek>(source: R, named: Named) -> Result<Vec<String>, ForeignError> {
    let mut bytes = Bytes::at(source, named, 0)?;
    Ok(Header::of(&mut bytes, named)?.names())
}

/// Edges of the wanted channels, in their order.
pub(super) fn edges<R: Read + Seek>(
    source: R,
    named: Named,
    wanted: &[Wanted],
    notes: &mut Vec<Note>,
) -> Result<Vec<Edges>, ForeignError> {
    let mut bytes = Bytes::at(source, named, 0)?;
    let header = Header::of(&mut bytes, named)?;
    let body = bytes.offset();
    let targets: Vec<Target> =
        wanted.iter().map(|w| Target::of(w.channel, &header, named)).collect::<Result<_, _>>()?;
    let mut transitions = Transitions::new(named, header.tick, wanted.len());
    if targets.iter().any(|t| t.real) {
        let mut survey = Survey::new(wanted.len());
        Walk::new(&targets, named).run(&mut bytes, &mut survey)?;
        for (n, (wanted, target)) in wanted.iter().zip(&targets).enumerate().filter(|(_, (_, t))| t.real) {
            notes.push(Note::Stepwise { channel: target.name.clone() });
            survey.compare(n, wanted, named, &mut transitions, notes)?;
        }
        bytes.seek(body)?;
    }
    Walk::new(&targets, named).run(&mut bytes, &mut transitions)?;
    transitions.finished(notes)
}

/// A chosen variable or bit of one.
struct Target {
    name: String,
    id: Vec<u8>,
    /// Counted from the right of what is written.
    bit: u32,
    real: bool,
}

impl Target {
    fn of(wanted: &str, header: &Header, named: Named) -> Result<Target, ForeignError> {
        let names = header.names();
        let whole = channels::choose(named, wanted, &names);
        let (at, bit) = match (whole, bit_of(wanted)) {
            (Ok(at), _) => (at, None),
            (Err(error), None) => return Err(error),
            (Err(_), Some((base, bit))) => (channels::choose(named, base, &names)?, Some(bit)),
        };
        let variable = header.variables.get(at).ok_or_else(|| named.empty())?;
        Target::within(variable, bit, named)
    }

    fn within(variable: &Variable, bit: Option<i64>, named: Named) -> Result<Target, ForeignError> {
        let (name, channel) = (named.0.to_owned(), variable.name.clone());
        let place = match bit {
            Some(bit) => u32::try_from(bit.abs_diff(variable.right)).ok().filter(|p| *p < variable.width),
            None if variable.width == 1 || variable.real => Some(0),
            None => return Err(ForeignError::Wide { name, channel, width: variable.width }),
        };
        match place {
            Some(place) => {
                Ok(Target { name: channel, id: variable.id.clone(), bit: place, real: variable.real })
            }
            None => {
                let wanted = format!("{channel}[{}]", bit.unwrap_or_default());
                Err(ForeignError::Channel { name, wanted, channels: vec![variable.listed()] })
            }
        }
    }
}

/// `bus` and 3 of `bus[3]`.
fn bit_of(wanted: &str) -> Option<(&str, i64)> {
    let (base, rest) = wanted.trim().strip_suffix(']')?.rsplit_once('[')?;
    Some((base, rest.trim().parse().ok()?))
}

/// What takes in the changes.
trait Sink {
    fn stamp(&mut self, ticks: i64) -> Result<(), ForeignError>;
    fn state(&mut self, n: usize, state: Option<bool>);
    fn value(&mut self, n: usize, value: f64);
}

impl Sink for Transitions<'_> {
    fn stamp(&mut self, ticks: i64) -> Result<(), ForeignError> {
        Transitions::stamp(self, ticks)
    }
    fn state(&mut self, n: usize, state: Option<bool>) {
        Transitions::state(self, n, state);
    }
    fn value(&mut self, n: usize, value: f64) {
        Transitions::value(self, n, value);
    }
}

/// First walk over real variables: each value counts for as long as it is held.
struct Survey {
    now: i64,
    held: Vec<Option<(i64, f64)>>,
    histograms: Vec<Histogram>,
}

impl Survey {
    fn new(channels: usize) -> Survey {
        let histograms = (0..channels).map(|_| Histogram::new()).collect();
        Survey { now: 0, held: vec![None; channels], histograms }
    }

    fn compare(
        &mut self,
        n: usize,
        wanted: &Wanted,
        named: Named,
        transitions: &mut Transitions,
        notes: &mut Vec<Note>,
    ) -> Result<(), ForeignError> {
        self.count(n);
        let Some(histogram) = self.histograms.get(n) else { return Ok(()) };
        let plateaus: Plateaus = histogram.plateaus();
        match plateaus.thresholds(&Subject { named, channel: wanted.channel }, wanted.threshold) {
            Ok(thresholds) => transitions.compare(n, plateaus.levels, thresholds),
            Err(ForeignError::Flat { channel, span, .. }) if wanted.may_be_silent => {
                notes.push(Note::SilentResponse { channel, span });
            }
            Err(other) => return Err(other),
        }
        Ok(())
    }

    fn count(&mut self, n: usize) {
        if let (Some(Some((since, value))), Some(histogram)) = (self.held.get(n), self.histograms.get_mut(n))
        {
            // A value that is replaced at once still shows that the channel was there.
            histogram.add_weighted(*value, (self.now.saturating_sub(*since)).max(1) as f64);
        }
    }
}

impl Sink for Survey {
    fn stamp(&mut self, ticks: i64) -> Result<(), ForeignError> {
        self.now = ticks;
        Ok(())
    }
    fn state(&mut self, _: usize, _: Option<bool>) {}
    fn value(&mut self, n: usize, value: f64) {
        self.count(n);
        if let Some(held) = self.held.get_mut(n) {
            *held = Some((self.now, value));
        }
    }
}

/// What a token without its variable is waiting for.
enum Pending {
    Nothing,
    /// The next token is the variable of a vector or real.
    Variable,
    /// A comment; ends at `$end`.
    End,
}

/// The walk over the changes.
struct Walk<'a> {
    targets: &'a [Target],
    named: Named<'a>,
    pending: Pending,
    /// Kind and value of the vector or real that waits.
    value: Vec<u8>,
}

impl<'a> Walk<'a> {
    fn new(targets: &'a [Target], named: Named<'a>) -> Walk<'a> {
        Walk { targets, named, pending: Pending::Nothing, value: Vec::new() }
    }

    fn run<R: Read + Seek>(mut self, bytes: &mut Bytes<R>, sink: &mut impl Sink) -> Result<(), ForeignError> {
        let mut row = 0;
        loop {
            let length = bytes.lines()?;
            let text = bytes.unread().get(..length).unwrap_or_default();
            if text.is_empty() {
                return Ok(());
            }
            let mut rest = text;
            while !rest.is_empty() {
                if let Some(after) = self.quick(rest, sink)? {
                    rest = after;
                    continue;
                }
                let Some((token, after)) = token(rest) else { break };
                // The last token of a file that was cut off says nothing certain.
                let cut = after.is_empty() && bytes.ended() && !text.ends_with(b"\n");
                if !self.take(token, sink)? && !cut {
                    let at = bytes.offset() + (text.len() - after.len() - token.len()) as u64;
                    return Err(self.complaint(at, row, token));
                }
                rest = after;
            }
            row += 1;
            bytes.consume(length);
        }
    }

    /// The two kinds of lines that most of a file consists of, a time or a scalar with nothing behind it on the line.
    /// `None` for all others.
    #[inline]
    fn quick<'t>(&self, text: &'t [u8], sink: &mut impl Sink) -> Result<Option<&'t [u8]>, ForeignError> {
        if !matches!(self.pending, Pending::Nothing) {
            return Ok(None);
        }
        match text {
            [b'#', rest @ ..] => {
                let mut value = 0i64;
                for (n, byte) in rest.iter().take(18).enumerate() {
                    let digit = byte.wrapping_sub(b'0');
                    if digit > 9 {
                        if *byte != b'\n' || n == 0 {
                            return Ok(None);
                        }
                        sink.stamp(value)?;
                        return Ok(rest.get(n + 1..));
                    }
                    value = value * 10 + i64::from(digit);
                }
                Ok(None)
            }
            [level @ (b'0' | b'1' | b'x' | b'z'), rest @ ..] => {
                let Some(end) = rest.iter().take(8).position(|b| *b <= b' ') else { return Ok(None) };
                if rest.get(end) != Some(&b'\n') {
                    return Ok(None);
                }
                self.scalar(*level, rest.get(..end).unwrap_or_default(), sink);
                Ok(rest.get(end + 1..))
            }
            _ => Ok(None),
        }
    }

    #[inline]
    fn scalar(&self, level: u8, id: &[u8], sink: &mut impl Sink) {
        for (n, target) in self.targets.iter().enumerate() {
            // Identifiers are short: a compare of the first byte saves nearly all others.
            if target.id.first() == id.first() && target.id == id {
                sink.state(n, state(level));
            }
        }
    }

    fn complaint(&self, at: u64, row: u64, token: &[u8]) -> ForeignError {
        let shown = String::from_utf8_lossy(token.get(..40).unwrap_or(token)).into_owned();
        self.named.row(at, row, format!("`{shown}` is no value change"))
    }

    /// False when the token makes no sense.
    #[inline]
    fn take(&mut self, token: &[u8], sink: &mut impl Sink) -> Result<bool, ForeignError> {
        if !matches!(self.pending, Pending::Nothing) {
            return Ok(self.resume(token, sink));
        }
        let Some((&first, rest)) = token.split_first() else { return Ok(true) };
        match first {
            b'#' => match ticks(rest) {
                Some(ticks) => sink.stamp(ticks)?,
                None => return Ok(false),
            },
            b'0' | b'1' | b'x' | b'X' | b'z' | b'Z' | b'u' | b'U' | b'w' | b'W' | b'l' | b'L' | b'h'
            | b'H' | b'-' => {
                self.scalar(first, rest, sink);
            }
            b'b' | b'B' | b'r' | b'R' | b's' | b'S' => {
                self.value.clear();
                self.value.extend_from_slice(token);
                self.pending = Pending::Variable;
            }
            b'$' if token == b"$comment" => self.pending = Pending::End,
            b'$' => return Ok(token.get(1..).is_some_and(|w| w == b"end" || w.starts_with(b"dump"))),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn resume(&mut self, token: &[u8], sink: &mut impl Sink) -> bool {
        match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Nothing => true,
            Pending::End => {
                if token != b"$end" {
                    self.pending = Pending::End;
                }
                true
            }
            Pending::Variable => {
                let mine = self.targets.iter().enumerate().filter(|(_, t)| t.id == token);
                mine.fold(true, |sound, (n, target)| change(n, target, &self.value, sink) && sound)
            }
        }
    }
}

/// A vector or real change of a target. False when the value is none.
fn change(n: usize, target: &Target, value: &[u8], sink: &mut impl Sink) -> bool {
    let Some((kind, text)) = value.split_first() else { return false };
    match (kind, target.real) {
        (b'r' | b'R', true) => match real(text) {
            Some((value, [])) => sink.value(n, value),
            _ => return false,
        },
        (b'b' | b'B', false) => sink.state(n, bit(text, target.bit)),
        _ => {}
    }
    true
}

/// The bit `place` from the right. What is not written is 0, or unknown where the leftmost written bit is.
fn bit(text: &[u8], place: u32) -> Option<bool> {
    let written = text.iter().rev().nth(place as usize);
    match (written, text.first()) {
        (Some(byte), _) => state(*byte),
        (None, Some(b'0' | b'1')) => Some(false),
        (None, _) => None,
    }
}

/// VHDL's weak levels count as levels.
#[inline]
fn state(byte: u8) -> Option<bool> {
    match byte {
        b'0' | b'l' | b'L' => Some(false),
        b'1' | b'h' | b'H' => Some(true),
        _ => None,
    }
}

#[inline]
fn ticks(digits: &[u8]) -> Option<i64> {
    let (negative, digits) = match digits.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, digits),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value = 0i64;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    Some(if negative { -value } else { value })
}

/// The first token of `text` and what follows it.
#[inline]
pub(super) fn token(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let begin = text.iter().position(|b| *b > b' ')?;
    let text = text.get(begin..)?;
    let end = text.iter().position(|b| *b <= b' ').unwrap_or(text.len());
    Some(text.split_at(end))
}

/// `1 us` or `100ps` in attoseconds.
pub(super) fn timescale(text: &str) -> Option<i128> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let power = match unit.trim() {
        "s" => 18,
        "ms" => 15,
        "us" => 12,
        "ns" => 9,
        "ps" => 6,
        "fs" => 3,
        "as" => 0,
        _ => return None,
    };
    shifted(number.parse::<u32>().ok().filter(|n| (1..=1000).contains(n))?.into(), power)
}
