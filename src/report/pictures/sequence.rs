//! Latency in the order captured and by place in the train: drift, warm-up, and cold first answers show here.
//!
//! Few pairs are drawn one by one. Many are drawn as columns: a band from smallest to largest and a line at the median,
//! so that the worst is on the paper whatever the number. What gave no latency is a tick under the top edge.

use super::axis::{Axis, place};
use super::bins::{Column, columns};
use super::palette::MISSING;
use super::series::{Series, mark};
use super::sheet::{Area, Chart, Drawn, Figure, Head, Panel, stacked};
use crate::units::Picos;
use plotters::element::{Circle, EmptyElement, PathElement, Polygon};
use plotters::style::Color;
use plotters_backend::DrawingBackend;

const PLOT: u32 = 230;
/// Pairs up to which each is drawn.
const SINGLY: usize = 250;
/// Columns of more.
const COLUMNS: u64 = 210;

/// Which order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Captured,
    InTrain,
}

/// One panel a configuration.
pub(super) struct Sequence<'a> {
    order: Order,
    head: &'a Head,
    panels: Vec<Line<'a>>,
}

/// One configuration along its order.
struct Line<'a> {
    series: &'a Series<'a>,
    items: Vec<(u64, Picos)>,
    missing: Vec<u64>,
    last: u64,
}

impl<'a> Sequence<'a> {
    /// Against the order captured, which is the order of time; `None` without pairs.
    pub fn captured(head: &'a Head, series: &'a [Series<'a>]) -> Option<Sequence<'a>> {
        let line = |series: &'a Series<'a>| Line {
            items: series.captured(),
            missing: series.without_latency(),
            last: series.row.pairs.len() as u64,
            series,
        };
        Sequence::of(Order::Captured, head, series.iter().map(line))
    }

    /// Against the place in the train; `None` when no record holds a second stimulus.
    pub fn in_train(head: &'a Head, series: &'a [Series<'a>]) -> Option<Sequence<'a>> {
        let line = |series: &'a Series<'a>| {
            let items = series.in_train();
            let last = items.iter().map(|(at, _)| *at).max().unwrap_or(0);
            Line { series, items, missing: Vec::new(), last }
        };
        let trains = series.iter().map(line).filter(|line| line.last > 1);
        Sequence::of(Order::InTrain, head, trains)
    }

    fn of(order: Order, head: &'a Head, lines: impl Iterator<Item = Line<'a>>) -> Option<Sequence<'a>> {
        let panels: Vec<Line<'a>> = lines.filter(|line| !line.items.is_empty()).collect();
        (!panels.is_empty()).then_some(Sequence { order, head, panels })
    }

    fn across(&self) -> &'static str {
        match self.order {
            Order::Captured => "stimulus, in the order captured",
            Order::InTrain => "place in the train",
        }
    }
}

impl Figure for Sequence<'_> {
    fn name(&self) -> String {
        match self.order {
            Order::Captured => "time",
            Order::InTrain => "position",
        }
        .to_owned()
    }

    fn title(&self) -> String {
        match self.order {
            Order::Captured => "Latency against time",
            Order::InTrain => "Latency by place in train",
        }
        .to_owned()
    }

    fn description(&self) -> String {
        let all: Vec<String> = self.panels.iter().map(|p| p.describe()).collect();
        let ticks = match self.order {
            Order::Captured => " Ticks at the top are stimuli without a latency.",
            Order::InTrain => "",
        };
        format!(
            "Latency against {}, one panel a configuration with its own axes. The band reaches from smallest to \
             largest, the line is the median, the mark the worst.{ticks} {}.",
            self.across(),
            all.join("; ")
        )
    }

    fn height(&self) -> u32 {
        Panel::height(PLOT, true) * u32::try_from(self.panels.len()).unwrap_or(0)
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let parts = stacked(area, &vec![Panel::height(PLOT, true); self.panels.len()]);
        parts.iter().zip(&self.panels).try_for_each(|(part, line)| self.panel(part, line))
    }
}

impl Sequence<'_> {
    fn panel<B: DrawingBackend>(&self, part: &Area<B>, line: &Line) -> Drawn<B> {
        let Some((low, high)) = line.series.range() else { return Ok(()) };
        // Room above the worst for the ticks of what is missing.
        let (x, y) = (Axis::places(line.last), Axis::time(low, high + Picos((high - low).0 / 6), 4));
        let panel = Panel {
            caption: self.head.caption(&line.series.caption()),
            colour: line.series.colour(),
            x: &x,
            y: &y,
            x_title: Some(self.across()),
            y_title: "latency",
        };
        let mut chart = panel.chart(part)?;
        match line.items.len() {
            ..=SINGLY => line.singly(&mut chart)?,
            _ => line.banded(&mut chart)?,
        }
        line.gaps(&mut chart, y.ends().1)?;
        line.worst(&mut chart)
    }
}

impl Line<'_> {
    fn describe(&self) -> String {
        match self.missing.len() {
            0 => self.series.described(),
            n => format!("{}, {n} without a latency", self.series.described()),
        }
    }

    fn singly<B: DrawingBackend>(&self, chart: &mut Chart<'_, B>) -> Drawn<B> {
        let style = self.series.colour().filled();
        let dots = self.items.iter().map(|(at, t)| Circle::new((*at as f64, place(*t)), 4, style));
        chart.draw_series(dots).map(|_| ())
    }

    fn banded<B: DrawingBackend>(&self, chart: &mut Chart<'_, B>) -> Drawn<B> {
        let columns = columns(&self.items, self.last, COLUMNS);
        let along = |pick: fn(&Column) -> Picos| columns.iter().map(move |c| (c.at, place(pick(c))));
        let colour = self.series.colour();
        let band: Vec<(f64, f64)> = along(|c| c.high).chain(along(|c| c.low).rev()).collect();
        chart.draw_series(std::iter::once(Polygon::new(band, colour.mix(0.3).filled())))?;
        let top: Vec<(f64, f64)> = along(|c| c.high).collect();
        chart.draw_series(std::iter::once(PathElement::new(top, colour.mix(0.7).stroke_width(1))))?;
        let middle: Vec<(f64, f64)> = along(|c| c.middle).collect();
        chart.draw_series(std::iter::once(PathElement::new(middle, colour.stroke_width(3)))).map(|_| ())
    }

    /// Ticks under the top edge, one for all that fall on the same column.
    fn gaps<B: DrawingBackend>(&self, chart: &mut Chart<'_, B>, top: f64) -> Drawn<B> {
        let places: Vec<(u64, Picos)> = self.missing.iter().map(|at| (*at, Picos::ZERO)).collect();
        let tick = |c: Column| {
            EmptyElement::at((c.at, top)) + PathElement::new(vec![(0, 2), (0, 22)], MISSING.stroke_width(3))
        };
        chart.draw_series(columns(&places, self.last, COLUMNS).into_iter().map(tick)).map(|_| ())
    }

    fn worst<B: DrawingBackend>(&self, chart: &mut Chart<'_, B>) -> Drawn<B> {
        let worst = self.items.iter().max_by_key(|(at, t)| (*t, std::cmp::Reverse(*at)));
        let Some((at, latency)) = worst else { return Ok(()) };
        mark(chart, (*at as f64, place(*latency)), self.series.index, self.series.colour())
    }
}
