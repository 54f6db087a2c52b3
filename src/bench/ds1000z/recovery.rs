//! What is done when a connection fails in the middle of a verb.
//!
//! The lower rungs of the ladder are where they belong: a short block is asked for again by `readout`, a lost setting is
//! written again by `apply`. Here is the rung above: a new connection, the same instrument insisted on, every setting
//! verified, and the verb once more. The record in a stopped scope survives that, so nothing measured is lost.

use super::{Ds1000z, apply, connect};
use crate::bench::BenchError;

/// How often each rung was needed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recoveries {
    /// Blocks asked for again.
    pub blocks: u32,
    /// Connections made anew.
    pub reconnects: u32,
}

impl Ds1000z {
    /// How often each rung of the recovery was needed since connecting.
    #[must_use]
    pub fn recoveries(&self) -> Recoveries {
        self.recoveries
    }
}

/// The connection cannot be used any more, but a new one may serve.
pub(super) fn recoverable(error: &BenchError) -> bool {
    matches!(error, BenchError::Silent { .. } | BenchError::Link { .. } | BenchError::Block { .. })
}

/// Runs `verb`, and once more over a new connection for as often as the behaviour allows.
pub(super) fn with<T>(
    scope: &mut Ds1000z,
    mut verb: impl FnMut(&mut Ds1000z) -> Result<T, BenchError>,
) -> Result<T, BenchError> {
    let mut left = scope.behaviour.reconnects;
    loop {
        let error = match verb(scope) {
            Err(error) if left > 0 && recoverable(&error) => error,
            other => return other,
        };
        left -= 1;
        match recover(scope) {
            Ok(()) => {}
            // A changed instrument is the better explanation; a second failure of the link is not.
            Err(changed @ BenchError::Changed { .. }) => return Err(changed),
            Err(_) => return Err(error),
        }
    }
}

/// A new connection to the same instrument in the same state.
pub(super) fn recover(scope: &mut Ds1000z) -> Result<(), BenchError> {
    scope.recoveries.reconnects += 1;
    scope.dialogue.reconnect()?;
    scope.dialogue.set("*CLS")?;
    let now = connect::ask_identity(&mut scope.dialogue)?;
    if now != scope.identity {
        let text = |i: &crate::bench::Identity| format!("{},{},{}", i.model, i.serial, i.firmware);
        return Err(BenchError::Changed {
            setting: "*IDN?".into(),
            was: text(&scope.identity),
            now: text(&now),
        });
    }
    apply::unchanged(scope)
}
