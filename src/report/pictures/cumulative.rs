//! Empirical distribution and exceedance of all configurations on one paper: the first shows the bulk, the second the
//! tail, where each step is one late answer.

use super::axis::{Axis, place};
use super::bins::staircase;
use super::letters::{Letters, shortened, write};
use super::series::{Series, common_range, key, mark};
use super::sheet::{Area, Chart, Drawn, Figure, Head, PLAIN, Panel, stacked};
use crate::stats::Summary;
use plotters::element::PathElement;
use plotters::style::Color;
use plotters_backend::DrawingBackend;

const PLOT: u32 = 560;
/// One line of names.
const KEY_LINE: u32 = 44;
/// A corner of the distribution for each of this many parts of it.
const PARTS: usize = 250;
/// Answers at the end of the tail that are all drawn, and the ratio of shares from one corner to the next before them.
const TAIL: usize = 60;
const RATIO: f64 = 1.03;

/// Which of the two.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Distribution,
    Exceedance,
}

/// All configurations that have pairs, on one paper.
pub(super) struct Cumulative<'a> {
    kind: Kind,
    head: &'a Head,
    series: Vec<&'a Series<'a>>,
    time: Axis,
    share: Axis,
}

impl<'a> Cumulative<'a> {
    /// The share of pairs that are no later; `None` without pairs.
    pub fn distribution(head: &'a Head, series: &'a [Series<'a>]) -> Option<Cumulative<'a>> {
        Cumulative::of(Kind::Distribution, head, series, Axis::shares())
    }

    /// The share of pairs that are at least that late; `None` without pairs.
    pub fn exceedance(head: &'a Head, series: &'a [Series<'a>]) -> Option<Cumulative<'a>> {
        let most = series.iter().map(Series::n).max()?;
        Cumulative::of(Kind::Exceedance, head, series, Axis::rare_shares(most))
    }

    fn of(kind: Kind, head: &'a Head, series: &'a [Series<'a>], share: Axis) -> Option<Cumulative<'a>> {
        let (low, high) = common_range(series)?;
        let series = series.iter().filter(|s| s.n() > 0).collect();
        Some(Cumulative { kind, head, series, time: Axis::time(low, high, 5), share })
    }

    fn words(&self) -> (&'static str, &'static str) {
        match self.kind {
            Kind::Distribution => ("Share of pairs no later than a latency", "no later"),
            Kind::Exceedance => ("Share of pairs at least as late as a latency", "at least as late"),
        }
    }

    /// Corners of the staircase of one series.
    fn corners(&self, series: &Series) -> Vec<(f64, f64)> {
        match self.kind {
            Kind::Distribution => rising(&series.sorted),
            Kind::Exceedance => falling(&series.sorted),
        }
    }
}

impl Figure for Cumulative<'_> {
    fn name(&self) -> String {
        match self.kind {
            Kind::Distribution => "cdf",
            Kind::Exceedance => "exceedance",
        }
        .to_owned()
    }

    fn title(&self) -> String {
        match self.kind {
            Kind::Distribution => "Empirical distribution",
            Kind::Exceedance => "Exceedance: the tail",
        }
        .to_owned()
    }

    fn description(&self) -> String {
        let all: Vec<String> = self.series.iter().map(|s| s.described()).collect();
        let more = match self.kind {
            Kind::Distribution => "Marks stand at the typical latency.",
            Kind::Exceedance => {
                "Marks stand at the worst of each configuration; the line above a mark reaches to the share of all events \
                 that may be later, with 95 % confidence."
            }
        };
        format!("{}, one staircase a configuration. {more} {}.", self.words().0, all.join("; "))
    }

    fn height(&self) -> u32 {
        self.key_height() + Panel::height(PLOT, true)
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let parts = stacked(area, &[self.key_height(), Panel::height(PLOT, true)]);
        let [names, plot] = parts.as_slice() else { return Ok(()) };
        self.keys(names)?;
        let panel = Panel {
            caption: self.head.caption(self.words().0),
            colour: PLAIN,
            x: &self.time,
            y: &self.share,
            x_title: Some("latency"),
            y_title: self.words().1,
        };
        let mut chart = panel.chart(plot)?;
        self.series.iter().try_for_each(|series| self.curve(&mut chart, series))
    }
}

impl Cumulative<'_> {
    fn key_height(&self) -> u32 {
        u32::try_from(self.series.len().div_ceil(2)).unwrap_or(0) * KEY_LINE + 8
    }

    /// Names in two columns.
    fn keys<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        for (at, series) in (0i32..).zip(&self.series) {
            let (x, y) = (36 + at % 2 * 520, at / 2 * KEY_LINE as i32 + KEY_LINE as i32 / 2);
            key(area, (x, y), series.index, series.colour())?;
            let text = shortened(&format!("{} (n = {})", series.row.name, series.n()), 30);
            write(area, &text, (x + 28, y), Letters::NORMAL)?;
        }
        Ok(())
    }

    fn curve<B: DrawingBackend>(&self, chart: &mut Chart<'_, B>, series: &Series) -> Drawn<B> {
        let line = PathElement::new(self.corners(series), series.colour().stroke_width(3));
        chart.draw_series(std::iter::once(line))?;
        let Some(summary) = &series.row.summary else { return Ok(()) };
        match self.kind {
            Kind::Distribution => mark(chart, (place(summary.typical), 0.5), series.index, series.colour()),
            Kind::Exceedance => bounded(chart, series, summary),
        }
    }
}

/// The mark at the worst and, above it, how far the share of events that exceed it may reach.
fn bounded<B: DrawingBackend>(chart: &mut Chart<'_, B>, series: &Series, summary: &Summary) -> Drawn<B> {
    let (worst, seen) = (place(summary.worst), 1.0 / summary.n.max(1) as f64);
    let reach = vec![(worst, seen), (worst, summary.exceedance_bound_95)];
    let line = PathElement::new(reach, series.colour().stroke_width(2));
    chart.draw_series(std::iter::once(line))?;
    mark(chart, (worst, seen), series.index, series.colour())
}

/// From nothing at the smallest to one at the largest.
fn rising(sorted: &[crate::units::Picos]) -> Vec<(f64, f64)> {
    let n = sorted.len();
    let worth = |before: usize, now: usize| (now - before) * PARTS >= n;
    corners(sorted, worth, |upto| upto as f64 / n.max(1) as f64)
}

/// From one at the smallest to the share of the largest, which is not left.
fn falling(sorted: &[crate::units::Picos]) -> Vec<(f64, f64)> {
    let n = sorted.len();
    let worth =
        |before: usize, now: usize| n - now <= TAIL || (n - before) as f64 >= (n - now) as f64 * RATIO;
    let mut corners = corners(sorted, worth, |upto| (n - upto) as f64 / n.max(1) as f64);
    corners.pop();
    corners
}

fn corners(
    sorted: &[crate::units::Picos],
    worth: impl Fn(usize, usize) -> bool,
    level: impl Fn(usize) -> f64,
) -> Vec<(f64, f64)> {
    let steps = staircase(sorted, worth);
    let before = std::iter::once(0).chain(steps.iter().map(|s| s.1));
    let both = steps.iter().zip(before).flat_map(|((x, upto), before)| [(*x, before), (*x, *upto)]);
    both.map(|(x, upto)| (x, level(upto))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Picos;

    #[test]
    fn staircases_as_drawn_by_hand() {
        let sorted = [10, 20, 20, 40].map(Picos);
        let up = [(10.0, 0.0), (10.0, 0.25), (20.0, 0.25), (20.0, 0.75), (40.0, 0.75), (40.0, 1.0)];
        assert_eq!(rising(&sorted), up);
        let down = [(10.0, 1.0), (10.0, 0.75), (20.0, 0.75), (20.0, 0.25), (40.0, 0.25)];
        assert_eq!(falling(&sorted), down);
    }

    #[test]
    fn a_long_tail_keeps_every_late_answer_and_stays_short() {
        let sorted: Vec<Picos> = (0..30_000).map(|k| Picos(k * 7)).collect();
        let down = falling(&sorted);
        assert!(down.len() < 700, "{}", down.len());
        assert_eq!(down.last(), Some(&(29_999.0 * 7.0, 1.0 / 30_000.0)));
        for late in &sorted[29_941..] {
            assert!(down.iter().any(|(x, _)| *x == late.0 as f64), "{late}");
        }
        assert!(rising(&sorted).len() < 2 * PARTS + 4);
    }
}
