//! Histograms on a logarithmic count axis: a single late answer among ten thousand still stands up from the ground.

use super::axis::{Axis, place};
use super::bins::Bins;
use super::letters::{Letters, write};
use super::palette::{FAINT, INK};
use super::series::{Series, common_range};
use super::sheet::{Area, Chart, Drawn, Figure, Head, Panel, shared_heights, stacked};
use plotters::element::{PathElement, Rectangle};
use plotters::style::Color;
use plotters::style::text_anchor::{HPos, VPos};
use plotters_backend::DrawingBackend;

/// Bins where several configurations share an axis, and where one has it alone.
const SHARED_BINS: u32 = 200;
const OWN_BINS: u32 = 110;
/// Heights of the plots.
const SHARED_PLOT: u32 = 210;
const OWN_PLOT: u32 = 400;
/// Where a bar of one begins: [`Axis::counts`] starts there.
const GROUND: f64 = 0.5;

/// One below the other on one time axis, or a single one on its own.
pub(super) struct Histogram<'a> {
    head: &'a Head,
    series: Vec<&'a Series<'a>>,
    time: Axis,
    counts: Axis,
    bins: Vec<Bins>,
}

impl<'a> Histogram<'a> {
    /// All that have pairs, on one axis; `None` when none has.
    pub fn compared(head: &'a Head, series: &'a [Series<'a>]) -> Option<Histogram<'a>> {
        let (low, high) = common_range(series)?;
        let with_pairs = series.iter().filter(|s| s.n() > 0).collect();
        Some(Histogram::over(head, with_pairs, Axis::time(low, high, 5), SHARED_BINS))
    }

    /// One on its own axis; `None` without pairs.
    pub fn single(head: &'a Head, series: &'a Series<'a>) -> Option<Histogram<'a>> {
        let (low, high) = series.range()?;
        Some(Histogram::over(head, vec![series], Axis::time(low, high, 5), OWN_BINS))
    }

    fn over(head: &'a Head, series: Vec<&'a Series<'a>>, time: Axis, most: u32) -> Histogram<'a> {
        let edges = Bins::edges(&time, most);
        let bins: Vec<Bins> = series.iter().map(|s| Bins::of(&s.sorted, edges.clone())).collect();
        let counts = Axis::counts(bins.iter().map(Bins::highest).max().unwrap_or(1));
        Histogram { head, series, time, counts, bins }
    }

    fn plot(&self) -> u32 {
        if self.series.len() == 1 { OWN_PLOT } else { SHARED_PLOT }
    }
}

impl Figure for Histogram<'_> {
    fn name(&self) -> String {
        match self.configuration() {
            Some(_) => format!("histogram-{}", self.series.first().map_or(1, |s| s.index + 1)),
            None => "histogram".to_owned(),
        }
    }

    fn title(&self) -> String {
        match self.configuration() {
            Some(name) => format!("Histogram of {name}"),
            None => "Histograms compared".to_owned(),
        }
    }

    fn description(&self) -> String {
        let all: Vec<String> = self.series.iter().map(|s| s.described()).collect();
        format!(
            "Histogram of latencies, number of pairs on a logarithmic axis against latency. {}.",
            all.join("; ")
        )
    }

    fn configuration(&self) -> Option<&str> {
        match self.series.as_slice() {
            [one] => Some(&one.row.name),
            _ => None,
        }
    }

    fn height(&self) -> u32 {
        shared_heights(self.series.len(), self.plot()).iter().sum()
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let last = self.series.len().saturating_sub(1);
        let parts = stacked(area, &shared_heights(self.series.len(), self.plot()));
        for (at, ((part, series), bins)) in parts.iter().zip(&self.series).zip(&self.bins).enumerate() {
            let panel = Panel {
                caption: self.head.caption(&series.caption()),
                colour: series.colour(),
                x: &self.time,
                y: &self.counts,
                x_title: (at == last).then_some("latency"),
                y_title: "pairs",
            };
            let mut chart = panel.chart(part)?;
            bars(&mut chart, series, bins)?;
            self.lines(&mut chart, part, series)?;
        }
        Ok(())
    }
}

impl Histogram<'_> {
    /// Lines at typical and worst, named where there is room between them.
    fn lines<B: DrawingBackend>(
        &self,
        chart: &mut Chart<'_, B>,
        part: &Area<B>,
        series: &Series,
    ) -> Drawn<B> {
        let Some(summary) = &series.row.summary else { return Ok(()) };
        let (_, top) = self.counts.ends();
        let (corner_x, corner_y) = part.get_base_pixel();
        let named = [(summary.typical, "typical", HPos::Left, 8), (summary.worst, "worst", HPos::Right, -8)];
        let apart = self.time.share_of(place(summary.worst)) - self.time.share_of(place(summary.typical));
        for (time, name, side, gap) in named {
            let ends = vec![(place(time), GROUND), (place(time), top)];
            chart.draw_series(std::iter::once(PathElement::new(ends, INK.stroke_width(2))))?;
            if apart > 0.25 {
                let (x, y) = chart.backend_coord(&(place(time), top));
                let letters = Letters::SMALL.coloured(FAINT).by(side, VPos::Center);
                write(part, name, (x - corner_x + gap, y - corner_y + 18), letters)?;
            }
        }
        Ok(())
    }
}

fn bars<B: DrawingBackend>(chart: &mut Chart<'_, B>, series: &Series, bins: &Bins) -> Drawn<B> {
    let colour = series.colour();
    let bar = |(from, to, n): (_, _, u64)| {
        Rectangle::new([(place(from), n as f64), (place(to), GROUND)], colour.filled())
    };
    chart.draw_series(bins.filled().map(bar)).map(|_| ())
}
