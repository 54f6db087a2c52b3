//! A file becomes a [`Capture`]: the edges of two of its channels, ready for [`signal::pair`](crate::signal::pair).

use super::bytes::head;
use super::channels::choose;
use super::error::{ForeignError, Named};
use super::header::{Form, Table};
use super::kind::{HEAD, Kind, identify};
use super::note::Note;
use super::sampled::{self, Wanted};
use super::table::Rows;
use super::transitions::check_silence;
use super::{npy, sigrok, states, vcd};
use crate::signal::{Edges, Pairing, PairingRule, Slope, pair};
use crate::units::{Picos, Volts};
use std::borrow::Cow;
use std::io::{Read, Seek};
use std::str::FromStr;

/// A channel as the user asks for it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Choice {
    /// Name or number: `CH1`, `1`, `Channel 0`, `clk`, `bus[3]`.
    pub channel: String,
    /// Where an edge counts, in the unit of the file; the middle of the levels without.
    pub threshold: Option<Volts>,
}

impl Choice {
    /// The channel with the threshold in its middle.
    #[must_use]
    pub fn of(channel: &str) -> Choice {
        Choice { channel: channel.to_owned(), threshold: None }
    }
}

/// What to read from a file. Both may be the same channel, which measures widths.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Selection {
    /// The edge that went into the board.
    pub stimulus: Choice,
    /// The edge that came out.
    pub response: Choice,
    /// Time between samples, for files that do not know it (plain NumPy arrays). Ignored where the file says.
    pub interval: Option<Picos>,
}

impl Selection {
    /// Two channels, thresholds in the middle.
    #[must_use]
    pub fn of(stimulus: &str, response: &str) -> Selection {
        Selection { stimulus: Choice::of(stimulus), response: Choice::of(response), interval: None }
    }
}

/// The edges of two channels of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Capture {
    /// What the file is.
    pub kind: Kind,
    /// Of the stimulus channel. Levels and thresholds are volts (0 and 1 of a digital channel), not codes.
    pub stimulus: Edges,
    /// Of the response channel.
    pub response: Edges,
    /// True resolution: what an instant of the coarser channel is known to.
    pub interval: Picos,
    /// What to tell beside the numbers.
    pub notes: Vec<Note>,
}

/// Which edges of a channel count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum EdgeChoice {
    /// Low to high.
    #[default]
    Rising,
    /// High to low.
    Falling,
    /// Both: a board that toggles its output.
    Either,
}

/// A word that is no [`EdgeChoice`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no edge; choose rising, falling or either")]
pub struct EdgeChoiceError(String);

impl FromStr for EdgeChoice {
    type Err = EdgeChoiceError;
    fn from_str(text: &str) -> Result<EdgeChoice, EdgeChoiceError> {
        match text {
            "rising" => Ok(EdgeChoice::Rising),
            "falling" => Ok(EdgeChoice::Falling),
            "either" => Ok(EdgeChoice::Either),
            other => Err(EdgeChoiceError(other.to_owned())),
        }
    }
}

impl EdgeChoice {
    /// The edges with the slope by which they can be paired. `Either` gives all of them one slope.
    fn of(self, edges: &Edges) -> (Cow<'_, Edges>, Slope) {
        match self {
            EdgeChoice::Rising => (Cow::Borrowed(edges), Slope::Rising),
            EdgeChoice::Falling => (Cow::Borrowed(edges), Slope::Falling),
            EdgeChoice::Either => {
                let mut edges = edges.clone();
                edges.list.iter_mut().for_each(|e| e.slope = Slope::Rising);
                (Cow::Owned(edges), Slope::Rising)
            }
        }
    }
}

impl Capture {
    /// The pairs, by the rules of `signal`. `floor` is what nothing can beat; `window` the longest wait for an answer.
    #[must_use]
    pub fn pairs(
        &self,
        stimulus: EdgeChoice,
        response: EdgeChoice,
        window: Option<Picos>,
        floor: Picos,
    ) -> Pairing {
        let (stimuli, stimulus_slope) = stimulus.of(&self.stimulus);
        let (responses, response_slope) = response.of(&self.response);
        pair(&stimuli, &responses, &PairingRule { response_slope, stimulus_slope, window, floor })
    }
}

/// Reads two channels of `source`. `name` is what messages call the file.
///
/// # Errors
/// [`ForeignError`] names what the file is, which channels it has, or why its samples cannot be timed. A response
/// channel without a signal is no error but a [`Note`]: all stimuli are unanswered.
pub fn open(
    mut source: impl Read + Seek,
    name: &str,
    selection: &Selection,
) -> Result<Capture, ForeignError> {
    let named = Named(name);
    let (kind, head) = begin(&mut source, named)?;
    let wanted = [wanted(&selection.stimulus, false), wanted(&selection.response, true)];
    let mut notes = Vec::new();
    let mut found = match kind {
        Kind::Sigrok => sigrok::edges(&mut source, named, &wanted, &mut notes)?,
        Kind::Vcd => vcd::edges(&mut source, named, &wanted, &mut notes)?,
        Kind::Npy => npy::edges(&mut source, &head, named, &wanted, selection.interval, &mut notes)?,
        _ => table(&mut source, &Table::of(&head, kind, named)?, named, &wanted, &mut notes)?,
    }
    .into_iter();
    let (Some(stimulus), Some(response)) = (found.next(), found.next()) else { return Err(named.empty()) };
    let pair = [stimulus, response];
    check_silence(named, [&selection.stimulus.channel, &selection.response.channel], &pair, &mut notes)?;
    small_swing(selection, &pair, &mut notes);
    let [stimulus, response] = pair;
    notes.dedup();
    let interval = stimulus.interval.max(response.interval);
    Ok(Capture { kind, stimulus, response, interval, notes })
}

/// The names of the channels in `source`.
///
/// # Errors
/// As [`open`].
pub fn channels(mut source: impl Read + Seek, name: &str) -> Result<Vec<String>, ForeignError> {
    let named = Named(name);
    let (kind, head) = begin(&mut source, named)?;
    match kind {
        Kind::Sigrok => sigrok::names(source, named),
        Kind::Vcd => vcd::names(source, named),
        Kind::Npy => npy::names(&head, named),
        _ => Ok(Table::of(&head, kind, named)?.channels.into_iter().map(|(name, _)| name).collect()),
    }
}

/// What the source is, and its first bytes.
fn begin(source: &mut (impl Read + Seek), named: Named) -> Result<(Kind, Vec<u8>), ForeignError> {
    source.rewind().map_err(|e| named.read(e))?;
    let head = head(source, named, HEAD)?;
    let kind = identify(&head);
    if kind.is_capture() { Ok((kind, head)) } else { Err(named.not(kind)) }
}

fn wanted(choice: &Choice, may_be_silent: bool) -> Wanted<'_> {
    Wanted { channel: &choice.channel, threshold: choice.threshold, may_be_silent }
}

/// Both columns in one walk.
fn table(
    source: &mut (impl Read + Seek),
    table: &Table,
    named: Named,
    wanted: &[Wanted; 2],
    notes: &mut Vec<Note>,
) -> Result<Vec<Edges>, ForeignError> {
    let names: Vec<String> = table.channels.iter().map(|(name, _)| name.clone()).collect();
    let column = |w: &Wanted| -> Result<usize, ForeignError> {
        let at = choose(named, w.channel, &names)?;
        table.channels.get(at).map(|(_, column)| *column).ok_or_else(|| named.empty())
    };
    let [stimulus, response] = wanted;
    let columns = [column(stimulus)?, column(response)?];
    if table.form == Form::States {
        match states::edges(&mut *source, named, table, &columns, notes) {
            // A table of values may begin with many zeros.
            Err(ForeignError::Row { .. }) if table.kind == Kind::PlainCsv => {}
            other => return other,
        }
    }
    // Rows are read from left to right.
    let swapped = columns[0] > columns[1];
    let (columns, order) = match swapped {
        true => ([columns[1], columns[0]], [response, stimulus]),
        false => (columns, [stimulus, response]),
    };
    let wanted =
        order.map(|w| Wanted { channel: w.channel, threshold: w.threshold, may_be_silent: w.may_be_silent });
    let mut rows = Rows::of(source, named, table, columns.to_vec())?;
    let (mut edges, more) = sampled::edges(&mut rows, named, &wanted)?;
    notes.extend(more);
    if let Some(points) = edges.first().map(|e| e.interval) {
        let interval = rows.findings(points, notes)?;
        edges.iter_mut().for_each(|e| e.interval = interval);
    }
    if swapped {
        edges.reverse();
    }
    Ok(edges)
}

/// Two channels of the same board swing alike, unless one only hears the other.
fn small_swing(selection: &Selection, pair: &[Edges; 2], notes: &mut Vec<Note>) {
    let [stimulus, response] = pair.each_ref().map(|e| e.levels.amplitude());
    let digital = pair.iter().any(|e| e.levels.high == 1.0 && e.levels.low == 0.0);
    if digital || response <= 0.0 {
        return;
    }
    let (channel, swing, other) = match stimulus < response {
        true => (&selection.stimulus.channel, stimulus, response),
        false => (&selection.response.channel, response, stimulus),
    };
    if swing * 10.0 < other {
        notes.push(Note::SmallSwing { channel: channel.clone(), swing: Volts(swing), other: Volts(other) });
    }
}
