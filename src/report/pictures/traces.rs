//! The worst pair as the scope saw it: both channels, thresholds, both crossings, and the samples around each.

use super::axis::{Axis, place};
use super::bins::extremes;
use super::letters::{Letters, write};
use super::palette::{FAINT, INK, MISSING, series};
use super::sheet::{Area, Chart, Drawn, Figure, Head, Panel, WIDTH, stacked};
use super::waveform::{Sample, Trace, Waveform};
use plotters::element::{Circle, PathElement};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};
use plotters_backend::DrawingBackend;

const PLOT: u32 = 190;
const CLOSE: u32 = 250;

/// The worst pair of one configuration.
pub(super) struct Traces<'a> {
    /// Head of every picture.
    pub head: &'a Head,
    /// What is drawn.
    pub wave: &'a Waveform,
    /// Place of the configuration in the report.
    pub index: usize,
}

impl Figure for Traces<'_> {
    fn name(&self) -> String {
        format!("waveform-{}", self.index + 1)
    }

    fn title(&self) -> String {
        format!("Worst of {}", self.wave.configuration)
    }

    fn description(&self) -> String {
        let w = self.wave;
        format!(
            "Waveform of the worst pair of {}: shot {}, pair {}. The stimulus ({}, {}) crosses {:.2} V at 0, the response ({}, {}) \
             crosses {:.2} V after {}. Below, the samples around each crossing.",
            w.configuration,
            w.shot,
            w.number,
            w.stimulus.channel,
            w.stimulus.slope,
            w.stimulus.threshold.0,
            w.response.channel,
            w.response.slope,
            w.response.threshold.0,
            w.latency
        )
    }

    fn configuration(&self) -> Option<&str> {
        Some(&self.wave.configuration)
    }

    fn height(&self) -> u32 {
        self.heights().iter().sum()
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let parts = stacked(area, &self.heights());
        let [upper, lower, close] = parts.as_slice() else { return Ok(()) };
        let (stimulus, response) =
            (self.lane("stimulus", &self.wave.stimulus), self.lane("response", &self.wave.response));
        let time = self.time();
        stimulus.whole(upper, &time, None, self.wave)?;
        response.whole(lower, &time, Some("time from the stimulus' crossing"), self.wave)?;
        let (left, right) = close.split_horizontally(WIDTH / 2);
        stimulus.close(&left)?;
        response.close(&right)
    }
}

impl Traces<'_> {
    fn heights(&self) -> [u32; 3] {
        [Panel::height(PLOT, false), Panel::height(PLOT, true), Panel::height(CLOSE, true)]
    }

    fn time(&self) -> Axis {
        let wave = self.wave;
        let times = [&wave.stimulus, &wave.response].into_iter().flat_map(|t| t.samples.iter().map(|s| s.0));
        let (low, high) = extremes(times).unwrap_or_default();
        Axis::time(low, high, 5)
    }

    fn lane<'b>(&'b self, role: &'static str, trace: &'b Trace) -> Lane<'b> {
        let colour = if role == "stimulus" { FAINT } else { series(self.index) };
        let (low, high) = reach(trace);
        let mut caption = format!("{role}, {}, threshold {:.2} V", trace.channel, trace.threshold.0);
        if role == "response" {
            caption = format!("{caption}, after {}", self.wave.latency);
        }
        Lane { head: self.head, role, trace, colour, volts: Axis::volts(low, high), caption }
    }
}

/// One channel.
struct Lane<'a> {
    head: &'a Head,
    role: &'static str,
    trace: &'a Trace,
    colour: RGBColor,
    volts: Axis,
    caption: String,
}

impl Lane<'_> {
    /// From before the stimulus to after the response.
    fn whole<B: DrawingBackend>(
        &self,
        area: &Area<B>,
        time: &Axis,
        title: Option<&str>,
        wave: &Waveform,
    ) -> Drawn<B> {
        let panel = Panel {
            caption: self.head.caption(&self.caption),
            colour: self.colour,
            x: time,
            y: &self.volts,
            x_title: title,
            y_title: "input",
        };
        let mut chart = panel.chart(area)?;
        self.threshold(&mut chart, time)?;
        for crossing in [wave.stimulus.crossing, wave.response.crossing] {
            self.upright(&mut chart, place(crossing))?;
        }
        self.line(&mut chart, &self.trace.samples)?;
        self.ring(&mut chart, place(self.trace.crossing))?;
        if title.is_some() { self.span(&mut chart, area, wave) } else { Ok(()) }
    }

    /// The samples around the crossing, one by one, in time from the crossing.
    fn close<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let near: Vec<Sample> = self.trace.near.iter().map(|(t, v)| (*t - self.trace.crossing, *v)).collect();
        let (low, high) = extremes(near.iter().map(|s| s.0)).unwrap_or_default();
        let time = Axis::straight_time(low, high, 3);
        let panel = Panel {
            caption: self.head.caption(&format!("{} crossing", self.role)),
            colour: self.colour,
            x: &time,
            y: &self.volts,
            x_title: Some("time from it, a dot a sample"),
            y_title: "input",
        };
        let mut chart = panel.chart(area)?;
        self.threshold(&mut chart, &time)?;
        self.upright(&mut chart, 0.0)?;
        self.line(&mut chart, &near)?;
        let dot = |(t, v): &Sample| Circle::new((place(*t), v.0), 6, self.colour.filled());
        chart.draw_series(near.iter().map(dot))?;
        self.ring(&mut chart, 0.0)
    }

    fn line<B: DrawingBackend>(&self, chart: &mut Chart<'_, B>, samples: &[Sample]) -> Drawn<B> {
        let points: Vec<(f64, f64)> = samples.iter().map(|(t, v)| (place(*t), v.0)).collect();
        chart.draw_series(std::iter::once(PathElement::new(points, self.colour.stroke_width(3)))).map(|_| ())
    }

    /// Dashed, over the whole plot.
    fn threshold<B: DrawingBackend>(&self, chart: &mut Chart<'_, B>, time: &Axis) -> Drawn<B> {
        let (from, to) = time.ends();
        let level = self.trace.threshold.0;
        let at = |k: u32| from + (to - from) * f64::from(k) / 80.0;
        let dash = |k: u32| {
            PathElement::new(vec![(at(2 * k), level), (at(2 * k + 1), level)], FAINT.stroke_width(2))
        };
        chart.draw_series((0..40).map(dash)).map(|_| ())
    }

    fn upright<B: DrawingBackend>(&self, chart: &mut Chart<'_, B>, at: f64) -> Drawn<B> {
        let (low, high) = self.volts.ends();
        let line = PathElement::new(vec![(at, low), (at, high)], MISSING.stroke_width(2));
        chart.draw_series(std::iter::once(line)).map(|_| ())
    }

    /// The crossing itself, as a ring.
    fn ring<B: DrawingBackend>(&self, chart: &mut Chart<'_, B>, at: f64) -> Drawn<B> {
        let at = (at, self.trace.threshold.0);
        chart.draw_series(std::iter::once(Circle::new(at, 11, MISSING.stroke_width(4)))).map(|_| ())
    }

    /// The latency between the crossings.
    fn span<B: DrawingBackend>(&self, chart: &mut Chart<'_, B>, area: &Area<B>, wave: &Waveform) -> Drawn<B> {
        let [low, high] = self.trace.levels.map(|v| v.0);
        let level = low + (high - low) * 0.75;
        let (from, to) = (place(wave.stimulus.crossing), place(wave.response.crossing));
        let line = PathElement::new(vec![(from, level), (to, level)], INK.stroke_width(2));
        chart.draw_series(std::iter::once(line))?;
        let (x, y) = chart.backend_coord(&(f64::midpoint(from, to), level));
        let corner = area.get_base_pixel();
        let letters = Letters::NORMAL.bold().by(HPos::Center, VPos::Bottom);
        write(area, &wave.latency.to_string(), (x - corner.0, y - corner.1 - 6), letters)
    }
}

/// Lowest and highest voltage of a trace.
fn reach(trace: &Trace) -> (f64, f64) {
    let all =
        trace.samples.iter().chain(&trace.near).map(|s| s.1).chain(trace.levels).chain([trace.threshold]);
    all.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v.0), high.max(v.0)))
}
