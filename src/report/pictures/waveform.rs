//! The samples behind one latency: what a doubter wants to see of the worst pair.
//!
//! Levels, threshold and crossings are those of the analysis itself, found again in the same record; nothing is drawn that
//! the figures do not rest on. Long stretches are thinned to smallest and largest a column, the samples around each
//! crossing are kept one by one.

use crate::report::ListedPair;
use crate::signal::{Edges, Preamble, RawTrace, Shot, SignalError, Slope, edges};
use crate::units::{Picos, Volts};

/// Columns of a thinned trace; two samples each.
const COLUMNS: usize = 420;
/// Samples kept on either side of a crossing.
const NEAR: i64 = 7;

/// A sample: when, counted from the stimulus' crossing, and the voltage at the scope's input.
pub type Sample = (Picos, Volts);

/// One channel around one pair. Times count from the stimulus' crossing.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// The scope's name of it.
    pub channel: String,
    /// From before the stimulus to after the response, thinned: smallest and largest of each column stay.
    pub samples: Vec<Sample>,
    /// Every sample around the crossing.
    pub near: Vec<Sample>,
    /// When the threshold is crossed.
    pub crossing: Picos,
    /// The edge counts where this is crossed.
    pub threshold: Volts,
    /// The two levels.
    pub levels: [Volts; 2],
    /// Direction of the edge.
    pub slope: Slope,
}

/// Both channels of one pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Waveform {
    /// Configuration it belongs to.
    pub configuration: String,
    /// Shot of the evidence.
    pub shot: u32,
    /// 1-based place within the shot.
    pub number: u32,
    /// The latency.
    pub latency: Picos,
    /// What asked.
    pub stimulus: Trace,
    /// What answered.
    pub response: Trace,
}

impl Waveform {
    /// The samples of `listed`, out of its `shot`; `thresholds` are those of the plan, stimulus first. `None` when the pair
    /// has no latency.
    ///
    /// # Errors
    /// When the record cannot be read as edges.
    pub fn of(
        configuration: &str,
        shot: &Shot,
        listed: &ListedPair,
        thresholds: [Option<Volts>; 2],
    ) -> Result<Option<Waveform>, SignalError> {
        let (Some(latency), Some(begin)) = (listed.pair.latency(), listed.pair.stimulus) else {
            return Ok(None);
        };
        let [stimulus, response] = thresholds;
        let window = |around: Picos| (begin - around, begin + latency + around);
        let trace = |raw: &RawTrace, threshold, crossing| -> Result<Trace, SignalError> {
            let found = edges(raw, threshold)?;
            let around = Picos((latency.abs().0 / 6).max(found.interval.saturating_mul(3 * NEAR).0));
            cut(raw, &found, window(around), begin, crossing)
        };
        Ok(Some(Waveform {
            configuration: configuration.to_owned(),
            shot: listed.shot,
            number: listed.number,
            latency,
            stimulus: trace(&shot.stimulus, stimulus, begin)?,
            response: trace(&shot.response, response, begin + latency)?,
        }))
    }
}

/// One channel within a window of the record's time, told in time from `begin`.
fn cut(
    raw: &RawTrace,
    found: &Edges,
    (from, to): (Picos, Picos),
    begin: Picos,
    crossing: Picos,
) -> Result<Trace, SignalError> {
    let preamble = raw.preamble.parse::<Preamble>();
    let preamble =
        preamble.map_err(|source| SignalError::Preamble { channel: raw.channel.clone(), source })?;
    let close = preamble.x_increment.saturating_mul(NEAR);
    let shifted = |samples: Vec<Sample>| samples.into_iter().map(|(t, v)| (t - begin, v)).collect();
    let edge = found.list.iter().min_by_key(|e| (e.at - crossing).abs());
    Ok(Trace {
        channel: raw.channel.clone(),
        samples: shifted(thinned(&between(raw, &preamble, from, to))),
        near: shifted(between(raw, &preamble, crossing - close, crossing + close)),
        crossing: crossing - begin,
        threshold: volts(&preamble, found.thresholds.middle),
        levels: [found.levels.low, found.levels.high].map(|code| volts(&preamble, code)),
        slope: edge.map_or(Slope::Rising, |e| e.slope),
    })
}

/// `V = (code - y_origin - y_reference) * y_increment` (quirk Q13).
fn volts(preamble: &Preamble, code: f64) -> Volts {
    Volts((code - preamble.y_origin - preamble.y_reference) * preamble.y_increment.0)
}

/// The samples of a record from one time to another.
fn between(raw: &RawTrace, preamble: &Preamble, from: Picos, to: Picos) -> Vec<Sample> {
    let step = preamble.x_increment.0.max(1);
    let index = |t: Picos| (t - preamble.x_origin).0.div_euclid(step).saturating_add(preamble.x_reference);
    let (first, last) = (index(from), index(to).saturating_add(1));
    let mut samples = Vec::new();
    for segment in &raw.segments {
        let begin = i64::from(segment.first);
        let skip = usize::try_from(first.saturating_sub(begin)).unwrap_or(0);
        let upto = usize::try_from(last.saturating_sub(begin).saturating_add(1)).unwrap_or(0);
        let codes = segment.codes.iter().enumerate().take(upto).skip(skip);
        samples.extend(codes.map(|(k, code)| {
            let steps = begin.saturating_add(k as i64).saturating_sub(preamble.x_reference);
            (
                preamble.x_origin + preamble.x_increment.saturating_mul(steps),
                volts(preamble, f64::from(*code)),
            )
        }));
    }
    samples
}

/// Smallest and largest of each column in the order of time; all of a short stretch.
fn thinned(samples: &[Sample]) -> Vec<Sample> {
    if samples.len() <= 2 * COLUMNS {
        return samples.to_vec();
    }
    let column = |part: &[Sample]| {
        let low = part.iter().min_by(|a, b| a.1.0.total_cmp(&b.1.0)).copied();
        let high = part.iter().max_by(|a, b| a.1.0.total_cmp(&b.1.0)).copied();
        let mut both: Vec<Sample> = low.into_iter().chain(high).collect();
        both.sort_by_key(|s| s.0);
        both.dedup();
        both
    };
    samples.chunks(samples.len().div_ceil(COLUMNS)).flat_map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::{Pair, Role, Segment, Status};

    /// 2 ns a sample, 20 mV a code, 0 V at code 77; a ramp of ten codes a sample between 77 and 177.
    fn raw(role: Role, edge_at: usize, points: usize) -> RawTrace {
        let code = |k: usize| (77 + (k + 5).saturating_sub(edge_at).min(10) * 10) as u8;
        RawTrace {
            role,
            channel: "CHAN1".to_owned(),
            preamble: format!("0,2,{points},1,2.000000e-09,-4.000000e-07,0,2.000000e-02,-50,127"),
            segments: vec![Segment { first: 0, codes: (0..points).map(code).collect() }],
        }
    }

    fn shot(points: usize) -> Shot {
        Shot {
            number: 3,
            stimulus: raw(Role::Stimulus, 300, points),
            response: raw(Role::Response, 700, points),
            statuses: Vec::new(),
            seen_waiting: true,
        }
    }

    fn listed(status: Status) -> ListedPair {
        let at = |sample: i64| Some(Picos(sample * 2_000 - 400_000));
        ListedPair {
            shot: 3,
            number: 1,
            pair: Pair { stimulus: at(300), response: at(700), status, position: 0 },
        }
    }

    #[test]
    fn the_crossings_lie_on_the_threshold_of_the_samples() {
        let wave =
            Waveform::of("direct", &shot(2_000), &listed(Status::Paired), [None, None]).unwrap().unwrap();
        assert_eq!((wave.latency, wave.response.crossing), (Picos::from_ns(800), Picos::from_ns(800)));
        for trace in [&wave.stimulus, &wave.response] {
            // Middle of 77 and 177 is 127: 50 codes of 20 mV over 0 V at code 77.
            assert!((trace.threshold.0 - 1.0).abs() < 1e-9, "{:?}", trace.threshold);
            let at = trace.near.iter().find(|(t, _)| *t == trace.crossing).expect("a sample on the crossing");
            assert!((at.1.0 - 1.0).abs() < 1e-9, "{at:?}");
            assert_eq!(trace.slope, Slope::Rising);
            assert_eq!(trace.levels.map(|v| (v.0 * 1e3).round()), [0.0, 2_000.0]);
        }
    }

    #[test]
    fn both_crossings_are_inside_and_no_extreme_is_lost() {
        let mut shot = shot(60_000);
        // One sample, far up, between the edges of a long wait.
        shot.response = raw(Role::Response, 30_000, 60_000);
        shot.response.segments[0].codes[15_321] = 215;
        let mut pair = listed(Status::Paired);
        pair.pair.response = Some(Picos(30_000 * 2_000 - 400_000));
        let wave = Waveform::of("direct", &shot, &pair, [None, None]).unwrap().unwrap();
        let samples = &wave.response.samples;
        assert!(samples.len() <= 2 * COLUMNS);
        assert!(samples.is_sorted_by_key(|s| s.0));
        let highest = samples.iter().map(|s| s.1.0).fold(f64::MIN, f64::max);
        assert!((highest - (215.0 - 77.0) * 0.02).abs() < 1e-9, "{highest}");
        let (first, last) = (samples[0].0, samples[samples.len() - 1].0);
        assert!(first < Picos::ZERO && last > wave.latency, "{first} {last}");
    }

    #[test]
    fn a_pair_without_a_latency_has_no_waveform() {
        let none = Waveform::of("direct", &shot(2_000), &listed(Status::Ambiguous), [None, None]);
        assert_eq!(none, Ok(None));
    }
}
