//! What every figure draws of a configuration, prepared once.

use super::bins::extremes;
use super::letters::shortened;
use super::palette;
use super::sheet::{Area, Chart, Drawn};
use crate::report::{Report, Row, phrase};
use crate::signal::Status;
use crate::units::Picos;
use plotters::element::{EmptyElement, Polygon};
use plotters::style::{Color, RGBColor};
use plotters_backend::DrawingBackend;

/// The pairs of one configuration in the orders that figures need.
pub(super) struct Series<'a> {
    /// Its row of the report.
    pub row: &'a Row,
    /// Its place in the report.
    pub index: usize,
    /// Latencies, rising.
    pub sorted: Vec<Picos>,
}

impl Series<'_> {
    /// One for each row.
    pub fn all(report: &Report) -> Vec<Series<'_>> {
        report.rows.iter().enumerate().map(|(index, row)| Series::of(row, index)).collect()
    }

    /// Of one row, the one at `index` of its report.
    pub fn of(row: &Row, index: usize) -> Series<'_> {
        let mut sorted: Vec<Picos> = row.pairs.iter().filter_map(|p| p.pair.latency()).collect();
        sorted.sort_unstable();
        Series { row, index, sorted }
    }

    /// Its colour.
    pub fn colour(&self) -> RGBColor {
        palette::series(self.index)
    }

    /// Number of latencies.
    pub fn n(&self) -> u64 {
        self.sorted.len() as u64
    }

    /// Smallest and largest latency.
    pub fn range(&self) -> Option<(Picos, Picos)> {
        self.sorted.first().copied().zip(self.sorted.last().copied())
    }

    /// Name and figures in the words of the table.
    pub fn described(&self) -> String {
        let (typical, worst) = (phrase::typical(self.row), phrase::worst(self.row));
        format!("{}: typical {typical}, worst {worst}", self.row.name)
    }

    /// As much of it as fits over a panel: the name gives way, not the figures.
    pub fn caption(&self) -> String {
        let (typical, worst) = (phrase::typical(self.row), phrase::worst(self.row));
        format!("{}: typical {typical}, worst {worst}", shortened(&self.row.name, 16))
    }

    /// Latencies by their place in the order captured, from 1 over everything listed.
    pub fn captured(&self) -> Vec<(u64, Picos)> {
        let places = (1u64..).zip(&self.row.pairs);
        places.filter_map(|(at, p)| Some((at, p.pair.latency()?))).collect()
    }

    /// Latencies by their place in the train, from 1.
    pub fn in_train(&self) -> Vec<(u64, Picos)> {
        let pairs = self.row.pairs.iter();
        pairs.filter_map(|p| Some((u64::from(p.pair.position) + 1, p.pair.latency()?))).collect()
    }

    /// Places in the order captured of what gave no latency.
    pub fn without_latency(&self) -> Vec<u64> {
        let places = (1u64..).zip(&self.row.pairs);
        places.filter(|(_, p)| p.pair.status != Status::Paired).map(|(at, _)| at).collect()
    }
}

/// Smallest and largest latency of all.
pub(super) fn common_range(series: &[Series]) -> Option<(Picos, Picos)> {
    extremes(series.iter().filter_map(Series::range).flat_map(|(low, high)| [low, high]))
}

/// Outlines that tell series apart where colours cannot: round, square, up, down, diamond.
fn outline(index: usize, r: i32) -> Vec<(i32, i32)> {
    let (most, half) = (r * 9 / 10, r / 2);
    match index % 5 {
        0 => vec![(0, -r), (most - 2, -half), (most - 2, half), (0, r), (2 - most, half), (2 - most, -half)],
        1 => vec![(-most, -most), (most, -most), (most, most), (-most, most)],
        2 => vec![(0, -r), (r, most), (-r, most)],
        3 => vec![(0, r), (r, -most), (-r, -most)],
        _ => vec![(0, -r - 2), (r + 2, 0), (0, r + 2), (-r - 2, 0)],
    }
}

/// Marks a point of a chart with the outline of series `index`.
pub(super) fn mark<B: DrawingBackend>(
    chart: &mut Chart<'_, B>,
    at: (f64, f64),
    index: usize,
    colour: RGBColor,
) -> Drawn<B> {
    let shape = EmptyElement::at(at) + Polygon::new(outline(index, 11), colour.filled());
    chart.draw_series(std::iter::once(shape)).map(|_| ())
}

/// The same outline beside a name.
pub(super) fn key<B: DrawingBackend>(
    area: &Area<B>,
    (x, y): (i32, i32),
    index: usize,
    colour: RGBColor,
) -> Drawn<B> {
    let points: Vec<(i32, i32)> = outline(index, 12).into_iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
    area.draw(&Polygon::new(points, colour.filled()))
}
