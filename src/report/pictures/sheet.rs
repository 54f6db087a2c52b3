//! What all pictures share: one width, a head with title and mark, panels with axes.

use super::axis::Axis;
use super::letters::{Letters, shortened, write};
use super::palette::{FAINT, GRID, INK, MARK, ON_MARK, PAPER};
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::Rectangle;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};
use plotters_backend::DrawingBackend;

/// Units across every picture; on a phone one is a third of a pixel, on a desk a good half.
pub(super) const WIDTH: u32 = 1080;
/// Width of the labels left of a plot.
const LEFT: u32 = 168;
/// Room right of a plot, so that the last label fits.
const RIGHT: u32 = 56;
/// Height of the labels below a plot, with and without text.
const BELOW: [u32; 2] = [92, 18];
/// Height of a panel's caption.
const CAPTION: u32 = 68;
const MARK_HEIGHT: u32 = 60;
const TITLE_HEIGHT: u32 = 64;

/// Part of a picture.
pub(super) type Area<B> = DrawingArea<B, Shift>;
/// What drawing gives.
pub(super) type Drawn<B, T = ()> = Result<T, DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;
/// A plot with its axes.
pub(super) type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<Axis, Axis>>;

/// A picture that can be drawn on any ground.
pub(super) trait Figure {
    /// For files and anchors: lower case, no blanks.
    fn name(&self) -> String;
    /// Heading.
    fn title(&self) -> String;
    /// What a reader who does not see it must know.
    fn description(&self) -> String;
    /// The one configuration it shows; none for those that compare.
    fn configuration(&self) -> Option<&str> {
        None
    }
    /// Below the head.
    fn height(&self) -> u32;
    /// Draws what is below the head.
    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B>;
}

/// What stands at the head of every picture of a report.
#[derive(Debug, Clone)]
pub(super) struct Head {
    /// `VIRTUAL` on simulated runs.
    pub mark: Option<&'static str>,
    /// Name of the run.
    pub run: String,
}

impl Head {
    /// Its height.
    pub fn height(&self) -> u32 {
        self.mark.map_or(0, |_| MARK_HEIGHT) + TITLE_HEIGHT
    }

    /// Draws head and figure.
    pub fn draw<B: DrawingBackend>(&self, figure: &impl Figure, root: &Area<B>) -> Drawn<B> {
        root.fill(&PAPER)?;
        let (head, body) = root.split_vertically(self.height());
        self.draw_mark(&head)?;
        let line = (self.height() - TITLE_HEIGHT / 2) as i32;
        write(&head, &shortened(&figure.title(), 30), (20, line), Letters::LARGE)?;
        let run = Letters::SMALL.coloured(FAINT).by(HPos::Right, VPos::Center);
        write(&head, &shortened(&self.run, 32), (WIDTH as i32 - 20, line), run)?;
        figure.draw(&body)?;
        root.present()
    }

    /// A caption with the mark in it: a panel may be cut out of its picture.
    pub fn caption(&self, text: &str) -> String {
        let text = shortened(text, 52);
        self.mark.map(|mark| format!("[{mark}] {text}")).unwrap_or(text)
    }

    fn draw_mark<B: DrawingBackend>(&self, head: &Area<B>) -> Drawn<B> {
        let Some(mark) = self.mark else { return Ok(()) };
        let corners = [(0, 0), (WIDTH as i32, MARK_HEIGHT as i32)];
        head.draw(&Rectangle::new(corners, MARK.filled()))?;
        let text = format!("{mark}: simulated figures, no instrument was involved");
        write(head, &text, (20, MARK_HEIGHT as i32 / 2), Letters::NORMAL.coloured(ON_MARK).bold())
    }
}

/// A plot with axes to be drawn on.
#[derive(Debug, Clone)]
pub(super) struct Panel<'a> {
    /// Above it; see [`Head::caption`].
    pub caption: String,
    /// Colour of the caption.
    pub colour: RGBColor,
    /// Across.
    pub x: &'a Axis,
    /// Up.
    pub y: &'a Axis,
    /// Below the axis; with none, the axis has no labels either.
    pub x_title: Option<&'a str>,
    /// Left of the axis.
    pub y_title: &'a str,
}

impl Panel<'_> {
    /// Height of a panel whose plot is `plot` high, with or without labels below.
    pub fn height(plot: u32, labelled: bool) -> u32 {
        CAPTION + plot + below(labelled)
    }

    /// Draws caption, grid and labels.
    pub fn chart<'b, B: DrawingBackend>(&self, area: &'b Area<B>) -> Drawn<B, Chart<'b, B>> {
        let caption = Letters::SMALL.coloured(self.colour);
        write(area, &self.caption, (20, 28), caption)?;
        let mut builder = ChartBuilder::on(area);
        builder.margin_top(CAPTION).margin_left(12).margin_right(RIGHT).y_label_area_size(LEFT);
        builder.x_label_area_size(below(self.x_title.is_some()));
        let mut chart = builder.build_cartesian_2d(self.x.clone(), self.y.clone())?;
        let mut mesh = chart.configure_mesh();
        mesh.bold_line_style(GRID.stroke_width(2)).axis_style(FAINT.stroke_width(2));
        mesh.label_style(Letters::SMALL.coloured(FAINT).style()).axis_desc_style(Letters::SMALL.style());
        mesh.y_desc(self.y_title).set_all_tick_mark_size(8);
        match self.x_title {
            Some(title) => mesh.x_desc(title),
            None => mesh.x_label_formatter(&|_| String::new()),
        };
        mesh.draw()?;
        drop(mesh);
        Ok(chart)
    }
}

fn below(labelled: bool) -> u32 {
    let [with, without] = BELOW;
    if labelled { with } else { without }
}

/// Parts of an area, one below the other, of these heights.
pub(super) fn stacked<B: DrawingBackend>(area: &Area<B>, heights: &[u32]) -> Vec<Area<B>> {
    let mut rest = area.clone();
    let mut parts = Vec::new();
    for height in heights {
        let (upper, lower) = rest.split_vertically(*height);
        parts.push(upper);
        rest = lower;
    }
    parts
}

/// Panels of equal plots that share an axis across: only the last is labelled below.
pub(super) fn shared_heights(count: usize, plot: u32) -> Vec<u32> {
    (1..=count).map(|k| Panel::height(plot, k == count)).collect()
}

/// The colour of text, for figures that have none of their own.
pub(super) const PLAIN: RGBColor = INK;
