//! All that an observer of a run may know, and what `events.jsonl` keeps.

use crate::units::Picos;
use serde::Serialize;

/// Something that happened in a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The bench answered.
    Connected {
        /// Scope, in one line.
        scope: String,
        /// Board, in one line.
        dut: Option<String>,
    },
    /// A configuration begins.
    Started {
        /// Its name.
        configuration: String,
        /// Pairs wanted.
        wanted: u32,
        /// Time predicted.
        predicted: Picos,
    },
    /// The spacing of a free-running stimulus was found from the first record.
    Refined {
        /// The configuration.
        configuration: String,
        /// Smallest gap seen.
        min_gap: Picos,
        /// Largest gap seen.
        max_gap: Picos,
        /// Stimuli a record holds.
        burst: u32,
    },
    /// A shot is on disk.
    Shot {
        /// The configuration.
        configuration: String,
        /// Number of the shot.
        shot: u32,
        /// Pairs so far.
        pairs: u64,
        /// Stimuli so far.
        stimuli: u64,
        /// Median so far.
        median: Option<Picos>,
        /// Largest so far.
        worst: Option<Picos>,
        /// Bytes of this shot.
        bytes: u64,
    },
    /// A record was thrown away, and why. It never counts.
    Discarded {
        /// The configuration.
        configuration: String,
        /// Number the shot would have had.
        shot: u32,
        /// Why.
        why: String,
    },
    /// A configuration has ended.
    Finished {
        /// Its name.
        configuration: String,
        /// Pairs captured.
        pairs: u64,
        /// Time it took.
        elapsed: Picos,
        /// Time predicted.
        predicted: Picos,
    },
    /// A configuration was not measured, and why.
    Skipped {
        /// Its name.
        configuration: String,
        /// Why, and the way out.
        why: String,
    },
}
