//! What a shot costs in time, bytes and resolution.
//!
//! The counts are those of a lean client: what it has to send for a shot besides its blocks, and that a setting takes
//! longer than a query, since it is confirmed. What a block costs is measured as a whole, so that it does not matter here how
//! many lines a driver needs for it.

use super::acquisition::Extent;
use super::records::Record;
use super::setup::LinkFigures;
use crate::units::Picos;

/// Settings of a shot: the arming, and the source of each channel.
const SETTINGS: i64 = 3;
/// Queries of a shot besides status polls: trigger position, two preambles, status behind the read.
const QUERIES: i64 = 4;
/// Arm, fire and count on the board: about 40 characters each, request and answer, at 115 200 baud.
const BOARD: Picos = Picos::from_ms(11);
/// Channels read.
pub(super) const CHANNELS: u32 = 2;

/// Settings of a whole setup.
const SETUP_SETTINGS: i64 = 35;
/// Queries of a whole setup: each setting read back, state and errors; the first time also what was set before.
const SETUP_QUERIES: [i64; 2] = [36, 64];
/// A stop is not believed before the status is this old.
const SETTLE: Picos = Picos::from_ms(200);

/// Time to set everything and to read it back; `first` when the user's own settings are read before.
pub(super) fn setup(link: &LinkFigures, first: bool) -> Picos {
    let [again, once] = SETUP_QUERIES;
    link.setting * SETUP_SETTINGS + link.round_trip * if first { once } else { again } + SETTLE
}

/// What is read of a shot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Load {
    /// Bytes of waveform, a byte a point.
    pub bytes: u64,
    /// Blocks they come in.
    pub blocks: u64,
}

impl Load {
    /// One stretch of both channels.
    pub fn of(extent: Extent, interval: Picos, block_points: u32) -> Load {
        let points = u64::from(extent.points(interval));
        let channels = u64::from(CHANNELS);
        Load { bytes: channels * points, blocks: channels * points.div_ceil(u64::from(block_points.max(1))) }
    }

    /// Both together.
    pub fn plus(self, other: Load) -> Load {
        let (bytes, blocks) =
            (self.bytes.saturating_add(other.bytes), self.blocks.saturating_add(other.blocks));
        Load { bytes, blocks }
    }

    /// So often.
    pub fn times(self, n: u32) -> Load {
        let n = u64::from(n);
        Load { bytes: self.bytes.saturating_mul(n), blocks: self.blocks.saturating_mul(n) }
    }

    /// Time to read it.
    pub fn time(self, link: &LinkFigures) -> Picos {
        let blocks = i64::try_from(self.blocks).unwrap_or(i64::MAX);
        link.block.saturating_mul(blocks) + transfer(link, self.bytes)
    }
}

/// Time of a shot but for the reading: lag, record, the gap before the trigger, and what is sent besides.
pub(super) fn acquisition(link: &LinkFigures, record: Record, first_gap: Picos) -> Picos {
    let sent = link.setting * SETTINGS + link.round_trip * QUERIES + BOARD;
    link.lag + record.length() + first_gap + sent
}

/// Time of that many bytes; a link without a rate takes for ever.
pub(super) fn transfer(link: &LinkFigures, bytes: u64) -> Picos {
    let rate = link.bytes_per_second;
    if rate > 0.0 { Picos((bytes as f64 / rate * 1e12) as i64) } else { Picos::MAX }
}

/// The stretch of a record that takes as long to read as a further request.
pub(super) fn worth_a_request(link: &LinkFigures, interval: Picos) -> Picos {
    let points = (link.block.as_seconds() * link.bytes_per_second).clamp(0.0, 1e9);
    interval.saturating_mul(points as i64)
}

/// Standard uncertainty of one latency from sampling alone (ds1000z.md 3.6): quantisation and linear interpolation on a
/// Gaussian edge of the front end's rise time, both edges. With samples further apart than the edge is long, an edge
/// falls between two samples and the honest figure is one interval.
pub(super) fn resolution(interval: Picos, rise_time: Picos, swing_codes: f64) -> Picos {
    if interval > rise_time || swing_codes <= 0.0 {
        return interval;
    }
    // 10 to 90 % of a Gaussian edge are 2.563 sigma; at its middle it rises 1 / (sigma sqrt(2 pi)) of its swing.
    let samples_per_sigma = rise_time.0 as f64 / 2.563 / interval.0.max(1) as f64;
    let quantisation = samples_per_sigma * std::f64::consts::TAU.sqrt() / (12f64.sqrt() * swing_codes);
    let interpolation = 0.0962 / (6.0 * samples_per_sigma * samples_per_sigma);
    let share = std::f64::consts::SQRT_2 * quantisation.hypot(interpolation);
    Picos((interval.0 as f64 * share.min(1.0)).round() as i64)
}
