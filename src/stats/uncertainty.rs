//! How far a latency may be from the truth: a budget after the GUM (JCGM 100:2008), terms with their sources, k = 2.
//!
//! Nothing is assumed that the record itself shows: noise is measured on the plateaus, the sharpness of the edges from
//! the mean step between the samples around their crossings. The error of the straight line between two samples
//! follows from that sharpness for a Gaussian edge; from well-sampled edges, where it vanishes, to edges between two
//! samples, where all that is known is the sample interval, it is one formula. For edges finer than the sampling the
//! budget says so and states the hard bound beside k = 2: one sample interval.

use crate::signal::Edges;
use crate::units::Picos;
use statrs::function::erf::erf;

/// Coverage factor: about 95 % for the mixture of terms here.
pub const COVERAGE_FACTOR: i64 = 2;
/// Data sheet: 25 ppm, and 5 ppm more a year (performance verification guide, p. 26).
const TIME_BASE_PPM: f64 = 25.0;
const AGEING_PPM: f64 = 5.0;
/// Age taken when nobody states one.
const ASSUMED_YEARS: f64 = 3.0;
/// Largest skew between two inputs with their probes while nobody has measured it; no specification exists.
const SKEW_LIMIT: Picos = Picos(2_500);
/// Share of edges without a sample inside from which the bound of one interval is stated.
const UNRESOLVED: f64 = 0.01;
/// Phases of the crossing within a sample interval over which errors are averaged.
const PHASES: usize = 64;

/// What the records of one channel say about its edges. Levels in codes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Channel {
    /// Edges behind these figures.
    pub edges: u64,
    /// Time between samples.
    pub interval: Picos,
    /// High minus low.
    pub amplitude: f64,
    /// Mean step between the samples around a crossing.
    pub step: f64,
    /// Noise on the plateaus, rms.
    pub noise: f64,
    /// Share of edges without a sample inside.
    pub unresolved: f64,
}

impl Channel {
    /// From the edges of one record; `None` without edges.
    #[must_use]
    pub fn of(edges: &Edges) -> Option<Channel> {
        let sound = !edges.list.is_empty() && edges.slope_codes_per_sample > 0.0;
        sound.then(|| Channel {
            edges: edges.list.len() as u64,
            interval: edges.interval,
            amplitude: edges.levels.amplitude(),
            step: edges.slope_codes_per_sample,
            noise: edges.levels.noise,
            unresolved: edges.unresolved_share(),
        })
    }

    /// Several records together, each with the weight of its edges.
    #[must_use]
    pub fn pooled(channels: impl IntoIterator<Item = Channel>) -> Option<Channel> {
        channels.into_iter().reduce(Channel::merged)
    }

    fn merged(self, o: Channel) -> Channel {
        let (a, b) = (self.edges as f64, o.edges as f64);
        let mean = |x: f64, y: f64| (a * x + b * y) / (a + b).max(1.0);
        Channel {
            edges: self.edges + o.edges,
            interval: self.interval.max(o.interval),
            amplitude: mean(self.amplitude, o.amplitude),
            step: mean(self.step, o.step),
            noise: mean(self.noise.powi(2), o.noise.powi(2)).sqrt(),
            unresolved: mean(self.unresolved, o.unresolved),
        }
    }
}

/// What is known of the delay between the two inputs with their probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skew {
    /// Nobody measured it.
    NotCalibrated,
    /// Measured and taken out; the standard uncertainty of that measurement.
    Calibrated {
        /// Standard uncertainty (k = 1).
        standard: Picos,
    },
}

/// All that a budget rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conditions {
    /// The stimulus channel.
    pub stimulus: Channel,
    /// The response channel.
    pub response: Channel,
    /// Delay between the channels.
    pub skew: Skew,
    /// Years since the scope's calibration; `None` takes three.
    pub years: Option<f64>,
}

/// Which influence a term stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Influence {
    /// Sampling and the straight line between samples.
    Sampling,
    /// Noise and quantisation of the samples around a crossing.
    Noise,
    /// The middle between the levels.
    Threshold,
    /// Delay between the channels.
    Skew,
    /// The scope's clock.
    TimeBase,
}

/// One line of the budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// What it stands for.
    pub influence: Influence,
    /// Standard uncertainty (k = 1).
    pub standard: Picos,
    /// Where the figure comes from, for `--explain`.
    pub source: String,
}

/// Uncertainty of one latency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// In the order of [`Influence`].
    pub terms: Vec<Term>,
    /// Root of the sum of squares (k = 1).
    pub combined: Picos,
    /// k = 2.
    pub expanded: Picos,
    /// Hard bound of the sampling error, one sample interval, where edges fall between samples; `None` where the
    /// sampling is finer than the edges.
    pub bound: Option<Picos>,
}

/// The budget of a latency measured under `conditions`.
#[must_use]
pub fn budget(latency: Picos, conditions: &Conditions) -> Budget {
    let channels = [conditions.stimulus, conditions.response].map(|c| Errors::of(&c));
    let both = |part: fn(&Errors) -> Picos| root_of_squares(channels.iter().map(part));
    let terms = vec![
        Term { influence: Influence::Sampling, standard: both(|e| e.sampling), source: sampling_source(&channels) },
        Term { influence: Influence::Noise, standard: both(|e| e.noise), source: noise_source(conditions) },
        Term {
            influence: Influence::Threshold,
            standard: both(|e| e.threshold),
            source: "levels found per channel, each at worst rounded to a whole code: middle +-1/2 code, triangular"
                .to_owned(),
        },
        skew_term(conditions.skew),
        time_base_term(latency, conditions.years),
    ];
    let combined = root_of_squares(terms.iter().map(|t| t.standard));
    let unresolved = conditions.stimulus.unresolved.max(conditions.response.unresolved) > UNRESOLVED;
    let interval = conditions.stimulus.interval.max(conditions.response.interval);
    Budget { terms, combined, expanded: combined * COVERAGE_FACTOR, bound: unresolved.then_some(interval) }
}

fn skew_term(skew: Skew) -> Term {
    let (standard, source) = match skew {
        Skew::NotCalibrated => (
            scaled(SKEW_LIMIT, 1.0 / 3f64.sqrt()),
            format!("not calibrated: within +-{SKEW_LIMIT}, rectangular; no specification exists"),
        ),
        Skew::Calibrated { standard } => (standard, "calibrated with both probes on one edge".to_owned()),
    };
    Term { influence: Influence::Skew, standard, source }
}

fn time_base_term(latency: Picos, years: Option<f64>) -> Term {
    let age = years.unwrap_or(ASSUMED_YEARS).max(0.0);
    let ppm = TIME_BASE_PPM + AGEING_PPM * age;
    let assumed = if years.is_none() { " (age not stated)" } else { "" };
    Term {
        influence: Influence::TimeBase,
        standard: scaled(latency.abs(), ppm * 1e-6 / 3f64.sqrt()),
        source: format!("data sheet: 25 ppm + 5 ppm a year over {age} years{assumed}, rectangular"),
    }
}

fn sampling_source(channels: &[Errors; 2]) -> String {
    let finest = channels.iter().map(|e| e.rise_in_samples).fold(f64::INFINITY, f64::min);
    format!(
        "straight line between samples, Gaussian edge of {finest:.1} sample intervals (10 % to 90 %, from the mean step \
         at the crossings), phase uniform"
    )
}

fn noise_source(conditions: &Conditions) -> String {
    format!(
        "measured on the plateaus: {:.2} and {:.2} codes rms, at least the quantisation of 0.29",
        conditions.stimulus.noise, conditions.response.noise
    )
}

/// Standard errors of one crossing.
struct Errors {
    sampling: Picos,
    noise: Picos,
    threshold: Picos,
    rise_in_samples: f64,
}

impl Errors {
    fn of(channel: &Channel) -> Errors {
        let sharpness = Sharpness::of(channel.step / channel.amplitude.max(f64::MIN_POSITIVE));
        // A plateau may show less noise than its quantisation adds on the edge, where codes are passed through.
        let noise = channel.noise.max((1.0f64 / 12.0).sqrt());
        // Two roundings of half a code each, halved by the mean of the levels: variance 1/24.
        let threshold = (1.0f64 / 24.0).sqrt();
        let per_code = 1.0 / channel.amplitude.max(f64::MIN_POSITIVE);
        Errors {
            sampling: scaled(channel.interval, sharpness.line_error),
            noise: scaled(channel.interval, sharpness.noise_gain * noise * per_code),
            threshold: scaled(channel.interval, sharpness.shift_gain * threshold * per_code),
            rise_in_samples: sharpness.sigma * 2.563,
        }
    }
}

/// How edges look to the sampler: a Gaussian edge with its standard deviation in sample intervals, and what follows for
/// crossings at any phase. Errors in sample intervals.
struct Sharpness {
    sigma: f64,
    /// Error of the straight line, rms.
    line_error: f64,
    /// Per noise in amplitudes, rms.
    noise_gain: f64,
    /// Per shift of the middle in amplitudes, rms.
    shift_gain: f64,
}

impl Sharpness {
    /// The edge whose mean step at the crossing is `step` of its amplitude.
    fn of(step: f64) -> Sharpness {
        let (mut low, mut high) = (1e-3f64, 1e4f64);
        for _ in 0..60 {
            let middle = (low * high).sqrt();
            if mean(|phase| Samples::at(phase, middle).step) > step { low = middle } else { high = middle }
        }
        let sigma = (low * high).sqrt();
        let rms = |f: fn(&Samples) -> f64| mean(|phase| f(&Samples::at(phase, sigma))).sqrt();
        Sharpness {
            sigma,
            line_error: rms(|s| (s.line - s.phase).powi(2)),
            noise_gain: rms(|s| (s.line.powi(2) + (1.0 - s.line).powi(2)) / s.step.powi(2)),
            shift_gain: rms(|s| s.step.powi(-2)),
        }
    }
}

/// The samples around a crossing that happens `phase` of an interval after the first.
struct Samples {
    phase: f64,
    /// Where the straight line puts it.
    line: f64,
    /// Difference of the two samples, in amplitudes.
    step: f64,
}

impl Samples {
    fn at(phase: f64, sigma: f64) -> Samples {
        // Distances from the middle, in amplitudes.
        let distance = |t: f64| 0.5 * erf(t / sigma / std::f64::consts::SQRT_2);
        let (before, after) = (distance(phase), distance(1.0 - phase));
        let step = before + after;
        Samples { phase, line: before / step, step }
    }
}

fn mean(f: impl Fn(f64) -> f64) -> f64 {
    let phases = (0..PHASES).map(|k| (k as f64 + 0.5) / PHASES as f64);
    phases.map(f).sum::<f64>() / PHASES as f64
}

fn scaled(time: Picos, factor: f64) -> Picos {
    Picos((time.0 as f64 * factor).round() as i64)
}

fn root_of_squares(terms: impl Iterator<Item = Picos>) -> Picos {
    let squares: f64 = terms.map(|t| (t.0 as f64).powi(2)).sum();
    Picos(squares.sqrt().round() as i64)
}
