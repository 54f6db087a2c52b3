//! Which records an instrument can take: depth x time base, and where the trigger sits in them.

use super::acquisition::Extent;
use super::setup::Capabilities;
use crate::units::Picos;

/// Channels in use: stimulus and response, one of them the trigger source (Q08).
const CHANNELS: u8 = 2;
/// A preamble may state up to 64 points fewer than the depth (Q09), so nothing is planned to lie in the outermost.
pub(super) const GUARD_POINTS: i64 = 64;
/// The trigger sits a fifth of a division behind the left edge: nearly the whole record follows it.
const TRIGGER_SHARE: i64 = 5;
/// Points read before the trigger: enough to see the quiet level and the whole edge.
pub(super) const LEAD_POINTS: i64 = 250;

/// A record that the instrument can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    pub depth: u32,
    pub timebase: Picos,
    pub interval: Picos,
}

impl Record {
    /// From first to last point.
    pub fn length(self) -> Picos {
        self.interval * i64::from(self.depth)
    }

    /// The stretch before the trigger.
    fn before(self) -> Picos {
        self.timebase / TRIGGER_SHARE
    }

    /// The stretch after the trigger that surely holds points.
    pub fn after(self) -> Picos {
        self.length() - self.before() - self.interval * GUARD_POINTS
    }

    /// Distance of the trigger from the middle.
    pub fn delay(self) -> Picos {
        self.length().half() - self.before()
    }

    /// The part to fetch so that `until` after the trigger is in it; whole points.
    pub fn extent(self, until: Picos) -> Extent {
        let step = self.interval.0.max(1);
        let points = self.before().0 / step;
        let lead = (points - GUARD_POINTS).max(points / 4).min(LEAD_POINTS);
        let last = until.0.saturating_add(step - 1) / step;
        let to = Picos(last.min(self.after().0 / step).saturating_mul(step));
        Extent { from: -(self.interval * lead), to }
    }
}

/// Every legal record for two channels, by depth.
///
/// `depth = rate x time base x divisions` must hold exactly: other pairs give records longer than the screen. The rate
/// must be the highest one divided by 1, 2 or 5 times a power of ten: elsewhere the rate shown is not the rate sampled
/// with (Q14, 4 % time error).
pub(super) fn legal(capabilities: &Capabilities) -> Vec<Record> {
    let rows = capabilities.limits.iter().filter(|row| row.channels >= CHANNELS);
    let Some(row) = rows.min_by_key(|row| row.channels) else { return Vec::new() };
    let finest = (1e12 / row.rate.0).round() as i64;
    let mut records = Vec::new();
    for depth in row.depths.iter().copied().filter(|depth| *depth > 0) {
        for timebase in capabilities.timebases.iter().copied() {
            let length = timebase * capabilities.divisions;
            let interval = length / i64::from(depth);
            let exact = interval * i64::from(depth) == length;
            if exact && finest > 0 && interval.0 % finest == 0 && is_one_two_five(interval.0 / finest) {
                records.push(Record { depth, timebase, interval });
            }
        }
    }
    records
}

/// 1, 2 or 5 times a power of ten.
fn is_one_two_five(mut divider: i64) -> bool {
    while divider > 0 && divider % 10 == 0 {
        divider /= 10;
    }
    matches!(divider, 1 | 2 | 5)
}
