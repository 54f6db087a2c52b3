//! A completed acquisition, frozen: what the front end made of the wires around one trigger.
//!
//! The front end has what the client cannot see: a delay of channel 2 (`skew`), a gain error of each channel, a phase
//! between trigger and sampling clock, an error of that clock. Positive `clock_error_ppm` makes measured times too
//! long. Its probes always have the factor that is set, so volts are volts at the probe tip.

use super::geometry::Geometry;
use super::random::{Draw, key, scaled};
use super::schedule::{Schedule, Wire};
use super::settings::{Id, Settings};
use super::waveform::{Scaling, Step, Trace};
use crate::profile::{Probes, Simulation};
use crate::units::Picos;
use statrs::function::erf::erf_inv;

/// Codes a vertical division.
pub(super) const CODES: f64 = 25.0;
/// Reference code of screen data.
pub(super) const SCREEN_REFERENCE: f64 = 127.0;
/// Levels of the logic, in volts.
const LOGIC: [f64; 2] = [0.0, 3.3];
/// From the 10-90 % rise time of a Gaussian step to its standard deviation: 2 x 1.28155.
const RISE_TO_DEVIATION: f64 = 2.563_1;
/// Rise time of the 20 MHz limit.
const LIMITED_RISE: Picos = Picos(17_500);
/// Gain errors of the channels.
const GAINS: [f64; 4] = [1.004, 0.991, 1.0, 1.0];
/// Reference codes of memory data and how far a division is from 25 codes there; such were read from real units (Q11).
const MEMORY_REFERENCES: [f64; 4] = [122.0, 96.0, 95.0, 122.0];
const MEMORY_STRETCH: [f64; 4] = [1.033_203, 1.029_297, 1.031_25, 1.033_203];

/// What stands between the wires and the memory.
#[derive(Debug, Clone)]
pub(super) struct FrontEnd {
    seed: u64,
    skew: Picos,
    rise: Picos,
    noise: f64,
    ppm: f64,
    probes: Probes,
}

impl FrontEnd {
    /// As the profile describes it.
    pub(super) fn new(simulation: &Simulation) -> FrontEnd {
        FrontEnd {
            seed: simulation.seed,
            skew: simulation.skew,
            rise: Picos(simulation.rise_time.0.max(0)),
            noise: simulation.noise_codes.max(0.0),
            ppm: simulation.clock_error_ppm,
            probes: simulation.probes,
        }
    }

    /// The wire on a channel's probe.
    pub(super) fn wire(&self, channel: u8) -> Option<Wire> {
        match (channel, self.probes) {
            (1, _) | (2, Probes::OneEdge | Probes::Swapped) => Some(Wire::Stimulus),
            (2, Probes::Apart) => Some(Wire::Response),
            _ => None,
        }
    }

    /// How much later a channel shows what happens on its wire.
    pub(super) fn delay(&self, channel: u8) -> Picos {
        match (channel, self.probes) {
            (2, Probes::Swapped) => self.skew - self.skew / 4 * 2,
            (2, _) => self.skew,
            _ => Picos::ZERO,
        }
    }

    /// Standard deviation of an edge.
    fn deviation(&self, s: &Settings, channel: u8) -> Picos {
        let limit = if s.choice(Id::Bandwidth, channel) == "20M" { LIMITED_RISE } else { Picos::ZERO };
        let rise = (self.rise.0 as f64).hypot(limit.0 as f64);
        Picos((rise / RISE_TO_DEVIATION) as i64)
    }

    /// The two levels as a channel shows them, in volts.
    fn levels(s: &Settings, channel: u8) -> [f64; 2] {
        let gain = GAINS.get(usize::from(channel).wrapping_sub(1)).copied().unwrap_or(1.0);
        let sign = if s.flag(Id::Invert, channel) { -1.0 } else { 1.0 };
        let middle = match s.choice(Id::Coupling, channel).as_str() {
            "GND" => return [0.0; 2],
            "AC" => 0.5 * (LOGIC[0] + LOGIC[1]),
            _ => 0.0,
        };
        let top = if matches!(channel, 1 | 2) { LOGIC[1] } else { LOGIC[0] };
        [LOGIC[0], top].map(|v| (v - middle) * gain * sign)
    }

    /// When an edge of the wire makes the trigger fire, seen from the edge's middle and without the channel's delay;
    /// `None` where the level lies outside the signal.
    pub(super) fn trigger_shift(&self, s: &Settings, channel: u8, rising: bool) -> Option<Picos> {
        let [low, high] = FrontEnd::levels(s, channel);
        let part = (s.real(Id::EdgeLevel, 0) - low) / (high - low);
        let part = if rising { part } else { 1.0 - part };
        let inside = part.is_finite() && (0.02..0.98).contains(&part);
        let z = std::f64::consts::SQRT_2 * erf_inv(2.0 * part - 1.0);
        inside.then(|| scaled(self.deviation(s, channel), z))
    }

    /// The trigger level lies within the noise of a level at which the channel rests; noise rejection prevents it.
    pub(super) fn triggers_on_noise(&self, s: &Settings, channel: u8) -> bool {
        let noise = 2.0 * self.noise * s.real(Id::Scale, channel) / CODES;
        let level = s.real(Id::EdgeLevel, 0);
        let near = FrontEnd::levels(s, channel).into_iter().any(|rest| (level - rest).abs() < noise);
        near && !s.flag(Id::NoiseReject, 0)
    }

    /// True time between two samples, in picoseconds.
    fn true_interval(&self, nominal: Picos, speed: f64) -> f64 {
        nominal.0 as f64 / (1.0 + self.ppm * 1e-6) / speed
    }
}

/// Scaling of screen data at the settings in force.
pub(super) fn screen_scaling(s: &Settings, channel: u8) -> Scaling {
    let increment = s.real(Id::Scale, channel) / CODES;
    Scaling { increment, offset: s.real(Id::Offset, channel) / increment, reference: SCREEN_REFERENCE }
}

/// Scaling of memory data; `even` gives the reference that the guide promises.
pub(super) fn memory_scaling(s: &Settings, channel: u8, even: bool) -> Scaling {
    let place = usize::from(channel).wrapping_sub(1);
    let stretch = MEMORY_STRETCH.get(place).copied().unwrap_or(1.0);
    let reference = MEMORY_REFERENCES.get(place).copied().filter(|_| !even).unwrap_or(SCREEN_REFERENCE);
    let increment = s.real(Id::Scale, channel) / CODES * stretch;
    Scaling { increment, offset: s.real(Id::Offset, channel) / increment, reference }
}

/// What is special about one acquisition.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Oddities {
    /// Samples come this much faster than said (Q14), 0 for not.
    pub(super) fast: f64,
    /// The reference code is 127 in memory data, too.
    pub(super) even: bool,
    /// Channel 2 stays low.
    pub(super) flat: bool,
}

/// A record in memory.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) geometry: Geometry,
    /// First and last instant recorded.
    pub(super) span: (Picos, Picos),
    traces: Vec<Option<Trace>>,
}

impl Record {
    /// Freezes what the wires did around `trigger`.
    pub(super) fn capture(
        front: &FrontEnd,
        s: &Settings,
        schedule: &Schedule,
        geometry: Geometry,
        trigger: Picos,
        odd: Oddities,
    ) -> Record {
        let interval = front.true_interval(geometry.interval, 1.0 + odd.fast);
        let id = key(&[front.seed, 0xAC, trigger.0 as u64]);
        let before = geometry.before as f64 - Draw::new(&[id, 1]).unit();
        let sampling = Sampling { id, trigger, interval, before };
        let span = (sampling.time(0), sampling.time(geometry.points - 1));
        let trace = |channel: u8| {
            let on = s.flag(Id::Display, channel);
            on.then(|| trace(front, s, schedule, &sampling, span, channel, odd))
        };
        Record { geometry, span, traces: (1..=4).map(trace).collect() }
    }

    /// What a channel recorded; `None` when it was off.
    pub(super) fn trace(&self, channel: u8) -> Option<&Trace> {
        self.traces.get(usize::from(channel).wrapping_sub(1))?.as_ref()
    }
}

/// Where the samples of one acquisition really lie.
struct Sampling {
    id: u64,
    trigger: Picos,
    /// True picoseconds between samples.
    interval: f64,
    /// Samples, and a part of one, from the first sample to the trigger.
    before: f64,
}

impl Sampling {
    fn time(&self, index: i64) -> Picos {
        self.trigger + Picos(((index as f64 - self.before) * self.interval) as i64)
    }
    fn place(&self, t: Picos) -> f64 {
        (t - self.trigger).0 as f64 / self.interval + self.before
    }
}

fn trace(
    front: &FrontEnd,
    s: &Settings,
    schedule: &Schedule,
    sampling: &Sampling,
    span: (Picos, Picos),
    channel: u8,
    odd: Oddities,
) -> Trace {
    let scaling = memory_scaling(s, channel, odd.even);
    let [low, high] = FrontEnd::levels(s, channel).map(|v| scaling.code(v));
    let width = front.deviation(s, channel);
    let late = front.delay(channel) + s.span(Id::DelayCalibration, channel);
    let wire = front.wire(channel).filter(|_| !(odd.flat && channel == 2));
    let room = width * 6 + late.abs() + Picos::from_ns(100);
    let (starts_high, edges) =
        wire.map(|w| schedule.edges(w, span.0 - room, span.1 + room)).unwrap_or_default();
    let steps = edges.iter().map(|e| Step { at: sampling.place(e.at + late), rising: e.rising }).collect();
    let width = width.0 as f64 / sampling.interval;
    let key = key(&[sampling.id, 2, u64::from(channel)]);
    Trace { key, scaling, low, high, starts_high, steps, width, noise: front.noise }
}

#[cfg(test)]
mod tests {
    use super::super::laws::{Loads, find};
    use super::super::schedule::{Rates, Responder};
    use super::super::settings::Value;
    use super::*;
    use latency_protocol::Train;

    fn both_channels() -> Settings {
        let mut s = Settings::new();
        for (id, value) in [(Id::Display, Value::Flag(true)), (Id::Scale, Value::Real(0.5))] {
            s.put(id, 1, value);
            s.put(id, 2, value);
        }
        for c in [1, 2] {
            s.put(Id::Offset, c, Value::Real(-1.65));
        }
        s.put(Id::EdgeLevel, 0, Value::Real(1.65));
        s.put(Id::Depth, 0, Value::Whole(2));
        s
    }

    /// Rising crossings of the middle between two codes, in samples.
    fn crossings(trace: &Trace, points: i64) -> Vec<f64> {
        let codes = trace.codes(0, points);
        let middle = 0.5 * (trace.low + trace.high);
        let pairs = codes.windows(2).enumerate();
        pairs
            .filter(|(_, w)| f64::from(w[0]) < middle && f64::from(w[1]) >= middle)
            .map(|(i, w)| i as f64 + (middle - f64::from(w[0])) / (f64::from(w[1]) - f64::from(w[0])))
            .collect()
    }

    /// Three stimuli of 20 us spacing at 500 MSa/s: latencies in the record are the true ones plus the skew, stretched
    /// by the clock error.
    #[test]
    fn the_record_shows_true_latency_plus_skew_times_clock_error() {
        let simulation = Simulation {
            noise_codes: 0.0,
            skew: Picos(400),
            clock_error_ppm: 100.0,
            ..Simulation::default()
        };
        let front = FrontEnd::new(&simulation);
        let mut schedule = Schedule::new(3, Picos::from_us(100));
        let law = find("workqueue").unwrap();
        let responder = Responder { law, loads: Loads::default(), rates: Rates::default() };
        let train = Train { count: 1, min_us: 100, max_us: 100, seed: 5 };
        schedule.fire(Picos::ZERO, Picos::from_s(1), train, responder);
        let event = schedule.events(Picos::ZERO, Picos::from_ms(1))[0];
        let truth = event.response.unwrap() - event.stimulus;
        let s = both_channels();
        let geometry = Geometry { interval: Picos(2_000), depth: 60_000, points: 60_000, before: 10_000 };
        let record = Record::capture(&front, &s, &schedule, geometry, event.stimulus, Oddities::default());
        let [a, b] = [1, 2].map(|c| crossings(record.trace(c).unwrap(), 60_000)[0]);
        let measured = (b - a) * 2_000.0;
        let expected = (truth.0 as f64 + 400.0) * (1.0 + 100e-6);
        assert!((measured - expected).abs() < 60.0, "{measured} {expected}");
        assert!((a - 10_000.0).abs() <= 1.0, "the trigger is at index {a}");
        assert!(record.trace(3).is_none());
    }

    #[test]
    fn volts_of_the_memory_codes_are_those_of_the_logic() {
        let s = both_channels();
        for channel in [1, 2] {
            let scaling = memory_scaling(&s, channel, false);
            let volts = scaling.volts(scaling.code(3.3).round());
            assert!((volts - 3.3).abs() < scaling.increment, "{volts}");
            assert!(scaling.code(0.0) > 5.0 && scaling.code(3.3) < 250.0, "both levels are inside 8 bits");
        }
    }

    #[test]
    fn a_level_outside_the_signal_never_triggers() {
        let front = FrontEnd::new(&Simulation::default());
        let mut s = both_channels();
        assert!(front.trigger_shift(&s, 1, true).is_some_and(|t| t.abs() < Picos(100)));
        s.put(Id::EdgeLevel, 0, Value::Real(3.4));
        assert_eq!(front.trigger_shift(&s, 1, true), None);
        assert_eq!(front.trigger_shift(&s, 3, true), None, "channel 3 is flat");
        assert!(!front.triggers_on_noise(&s, 1));
        s.put(Id::EdgeLevel, 0, Value::Real(0.01));
        assert!(front.triggers_on_noise(&s, 1), "half a code above the low level is inside the noise");
        s.put(Id::NoiseReject, 0, Value::Flag(true));
        assert!(!front.triggers_on_noise(&s, 1));
    }
}
