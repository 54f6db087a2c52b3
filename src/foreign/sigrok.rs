//! sigrok sessions (`.sr`): a zip archive with `version`, `metadata` and the samples, logic and analog.
//!
//! The format is "File format:Sigrok/v2" of the sigrok wiki, with what libsigrok 0.5.2 really writes: logic in
//! `logic-1` or in the parts `logic-1-1`, `logic-1-2`, ... (numbered, not sorted, in the directory), bit n - 1 for
//! `probeN`, `unitsize` bytes a sample, little-endian; analog in `analog-1-N-1`, ... as 32-bit floats for `analogN`,
//! where N counts on from the logic channels. Logic and analog parts have different lengths. A session without sample
//! rate is refused: the wiki allows it, but nothing could be timed.

use super::archive::{Member, Parts, members, text};
use super::channels::choose;
use super::error::{ForeignError, Named};
use super::grid::Grid;
use super::levels::without_edges;
use super::note::Note;
use super::sampled::{self, BLOCK, Block, Place, Source, Wanted};
use crate::signal::edges::{Edge, Edges};
use crate::signal::shot::Slope;
use crate::signal::trace::{Levels, Thresholds};
use crate::units::Hertz;
use std::io::{Read, Seek};

/// A channel of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Channel {
    Logic { bit: usize },
    Analog { index: u32 },
}

/// What the metadata say.
struct Session {
    members: Vec<Member>,
    names: Vec<String>,
    channels: Vec<Channel>,
    unit: usize,
    capture: String,
    millihertz: u64,
}

/// Names of all channels.
pub(super) fn names<R: Read + Seek>(mut source: R, named: Named) -> Result<Vec<String>, ForeignError> {
    Ok(Session::of(&mut source, named)?.names)
}

/// Edges of the wanted channels, in their order. Each is read on its own.
pub(super) fn edges<R: Read + Seek>(
    mut source: R,
    named: Named,
    wanted: &[Wanted],
    notes: &mut Vec<Note>,
) -> Result<Vec<Edges>, ForeignError> {
    let session = Session::of(&mut source, named)?;
    let rate = "in sigrok set the device's rate before acquiring, or give it to the input module";
    let grid = Grid::of_rate(session.millihertz).ok_or_else(|| named.no_rate(rate))?;
    let mut found = Vec::new();
    for wanted in wanted {
        let at = choose(named, wanted.channel, &session.names)?;
        let channel = session.channels.get(at).copied().ok_or_else(|| named.empty())?;
        let members = session.parts(channel, named)?;
        let parts = Parts::of(&mut source, named, members);
        match channel {
            Channel::Logic { bit } => found.push(logic(parts, named, grid, session.unit, bit, notes)?),
            Channel::Analog { .. } => {
                let mut analog = Analog { parts, named, grid, sample: 0, cut: false };
                let (edges, more) = sampled::edges(&mut analog, named, std::slice::from_ref(wanted))?;
                notes.extend(more);
                notes.extend(analog.cut.then_some(Note::Truncated));
                found.extend(edges);
            }
        }
    }
    Ok(found)
}

impl Session {
    fn of<R: Read + Seek>(source: &mut R, named: Named) -> Result<Session, ForeignError> {
        let members = members(&mut *source, named)?;
        let metadata = members.iter().find(|m| m.name == "metadata");
        let metadata = metadata.ok_or_else(|| named.header("has no metadata; this is no sigrok session"))?;
        let text = text(source, metadata, named)?;
        let mut session = Session {
            members,
            names: Vec::new(),
            channels: Vec::new(),
            unit: 1,
            capture: "logic-1".to_owned(),
            millihertz: 0,
        };
        for (key, value) in device(&text) {
            session.take(&key, value, named)?;
        }
        session.tell_apart();
        Ok(session)
    }

    fn take(&mut self, key: &str, value: &str, named: Named) -> Result<(), ForeignError> {
        let numbered = |prefix: &str| key.strip_prefix(prefix).and_then(|n| n.parse::<u32>().ok());
        if let Some(n) = numbered("probe").and_then(|n| n.checked_sub(1)) {
            self.add(value, Channel::Logic { bit: n as usize });
        } else if let Some(index) = numbered("analog") {
            self.add(value, Channel::Analog { index });
        }
        match key {
            "unitsize" => {
                let unit = value.parse().ok().filter(|u| (1..=64).contains(u));
                self.unit = unit.ok_or_else(|| named.header(format!("has the unitsize `{value}`")))?;
            }
            "capturefile" => self.capture = value.to_owned(),
            "samplerate" => {
                let rate =
                    rate(value).ok_or_else(|| named.header(format!("has the samplerate `{value}`")))?;
                self.millihertz = rate;
            }
            _ => {}
        }
        Ok(())
    }

    fn add(&mut self, name: &str, channel: Channel) {
        self.names.push(name.to_owned());
        self.channels.push(channel);
    }

    /// libsigrok's CSV input calls the first logic and the first analog channel `0`: these become `logic.0`, `analog.0`.
    fn tell_apart(&mut self) {
        let names = self.names.clone();
        for (name, channel) in self.names.iter_mut().zip(&self.channels) {
            if names.iter().filter(|n| *n == name).count() > 1 {
                let kind = if matches!(channel, Channel::Analog { .. }) { "analog" } else { "logic" };
                *name = format!("{kind}.{name}");
            }
        }
    }

    /// The members of a channel in the order of their numbers.
    fn parts(&self, channel: Channel, named: Named) -> Result<Vec<Member>, ForeignError> {
        let base = match channel {
            Channel::Logic { bit } if bit / 8 < self.unit => self.capture.clone(),
            Channel::Logic { .. } => return Err(named.header("has a probe beyond its unitsize")),
            // `analog-1-N`: the device is the one of `logic-1`.
            Channel::Analog { index } => format!("{}-{index}", self.capture.replacen("logic", "analog", 1)),
        };
        let number = |m: &Member| match m.name.strip_prefix(base.as_str())? {
            "" => Some(0u32),
            rest => rest.strip_prefix('-')?.parse().ok().filter(|n| *n > 0),
        };
        let mut numbered: Vec<(u32, &Member)> =
            self.members.iter().filter_map(|m| Some((number(m)?, m))).collect();
        numbered.sort_by_key(|(n, _)| *n);
        let first = numbered.first().map_or(0, |(n, _)| *n);
        for ((n, _), expected) in numbered.iter().zip(first.min(1)..) {
            if *n != expected {
                return Err(named.gap(format!("the part {base}-{expected} is missing")));
            }
        }
        match numbered.is_empty() {
            true => Err(named.gap(format!("there is no {base}"))),
            false => Ok(numbered.into_iter().map(|(_, m)| m.clone()).collect()),
        }
    }
}

/// Keys and values of the first device.
fn device(text: &str) -> Vec<(String, &str)> {
    let lines = text.split(['\r', '\n']).map(str::trim);
    let mut section = lines.skip_while(|l| !l.starts_with("[device"));
    section.next();
    let section = section.take_while(|l| !l.starts_with('['));
    let pairs = section.filter(|l| !l.starts_with('#')).filter_map(|l| l.split_once('='));
    pairs.map(|(key, value)| (key.trim().to_owned(), value.trim())).collect()
}

/// `24 MHz`, `12.5 MHz` or `1000000` in millihertz; 0 counts as not stated.
fn rate(value: &str) -> Option<u64> {
    let bare = value.parse::<u64>().ok().and_then(|hertz| hertz.checked_mul(1_000));
    bare.or_else(|| {
        let hertz: Hertz = value.parse().ok()?;
        let millihertz = (hertz.0 * 1e3).round();
        (0.0..1e18).contains(&millihertz).then_some(millihertz as u64)
    })
}

/// Edges of one bit.
fn logic<R: Read + Seek>(
    mut parts: Parts<R>,
    named: Named,
    grid: Grid,
    unit: usize,
    bit: usize,
    notes: &mut Vec<Note>,
) -> Result<Edges, ForeignError> {
    let (place, mask) = (bit / 8, 1u8 << (bit % 8));
    let mut list = Vec::new();
    let mut room = vec![0; unit * 64 * 1024];
    let mut state = None;
    let mut first = 0u64;
    loop {
        let got = parts.fill(&mut room)?;
        let samples = room.get(..got).unwrap_or_default().chunks_exact(unit);
        if !samples.remainder().is_empty() {
            notes.push(Note::Truncated);
        }
        let count = samples.len() as u64;
        for (n, sample) in samples.enumerate() {
            let now = sample.get(place).is_some_and(|byte| byte & mask != 0);
            if state.replace(now).is_some_and(|was| was != now) {
                let slope = if now { Slope::Rising } else { Slope::Falling };
                let index = first + n as u64;
                list.push(Edge { at: grid.at(index, 0), slope, index: index - 1, resolved: false });
            }
        }
        first += count;
        if got < room.len() {
            break;
        }
    }
    let last = first.checked_sub(1).ok_or_else(|| named.empty())?;
    let none = without_edges(grid.interval(), vec![(grid.at(0, 0), grid.at(last, 0))]);
    let levels = Levels { low: 0.0, high: 1.0, noise: 0.0 };
    let thresholds = Thresholds { middle: 0.5, lower: 0.3, upper: 0.7 };
    Ok(Edges { list, levels, thresholds, slope_codes_per_sample: 1.0, ..none })
}

/// The values of one analog channel.
struct Analog<'a, R> {
    parts: Parts<'a, R>,
    named: Named<'a>,
    grid: Grid,
    sample: u64,
    cut: bool,
}

impl<R: Read + Seek> Source for Analog<'_, R> {
    fn next(&mut self, block: &mut Block) -> Result<(), ForeignError> {
        let mut room = [0u8; BLOCK * 4];
        let got = self.parts.fill(&mut room)?;
        let (floats, rest) = room.get(..got).unwrap_or_default().as_chunks::<4>();
        self.cut |= !rest.is_empty();
        block.place = Place { offset: self.sample * 4, sample: self.sample };
        block.first = self.sample;
        if let Some(column) = block.columns.first_mut() {
            column.extend(floats.iter().map(|f| f64::from(f32::from_le_bytes(*f))));
            if column.iter().any(|v| v.is_nan() || v.abs() > 1e30) {
                return Err(self.named.row(block.place.offset, self.sample, "a value that is no voltage"));
            }
        }
        self.sample += floats.len() as u64;
        Ok(())
    }

    fn seek(&mut self, place: Place) -> Result<(), ForeignError> {
        self.sample = place.sample;
        self.parts.seek(place.offset)
    }

    fn grid(&self) -> Result<Grid, ForeignError> {
        Ok(self.grid)
    }
}
