//! What a shot costs in time, bytes and resolution.

use super::acquisition::Extent;
use super::records::Record;
use super::setup::LinkFigures;
use crate::units::Picos;

/// Exchanges of a shot besides status polls and waveform: clear, arm, fire, trigger position.
const PER_SHOT: i64 = 4;
/// Exchanges of a channel: source, mode, format, preamble.
const PER_CHANNEL: i64 = 4;
/// Exchanges of a block: start, stop, data.
const PER_BLOCK: i64 = 3;
/// Channels read.
pub(super) const CHANNELS: u32 = 2;

/// Time from arming to the last byte of one shot: status lag, record, round trips, and bytes at the link's rate.
pub(super) fn shot(link: &LinkFigures, block_points: u32, record: Record, extent: Extent) -> Picos {
    let points = extent.points(record.interval);
    let blocks = i64::from(points.div_ceil(block_points.max(1)));
    let exchanges = PER_SHOT + i64::from(CHANNELS) * (PER_CHANNEL + PER_BLOCK * blocks);
    link.lag + record.length() + link.round_trip * exchanges + transfer(link, bytes(extent, record.interval))
}

/// Bytes of waveform of one shot: a byte a point.
pub(super) fn bytes(extent: Extent, interval: Picos) -> u64 {
    u64::from(CHANNELS) * u64::from(extent.points(interval))
}

/// Time of that many bytes; a link without a rate takes for ever.
fn transfer(link: &LinkFigures, bytes: u64) -> Picos {
    let rate = link.bytes_per_second;
    if rate > 0.0 { Picos((bytes as f64 / rate * 1e12) as i64) } else { Picos::MAX }
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
