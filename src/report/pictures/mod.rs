//! Latencies as pictures: SVG for the page, PNG for places that take no SVG, a few lines of text for the terminal.
//!
//! Drawn with plotters into memory; nothing here touches a file. Pictures are aggregated, so that their size depends on the
//! number of configurations and not of pairs: bins, columns from smallest to largest, staircases whose tail keeps every
//! step. What is worst is always on the paper. Every picture of a simulated run says so in its head and in the
//! caption of each panel. It refuses to draw what is not there: a report without pairs has no pictures.

mod axis;
mod bins;
mod cumulative;
mod distribution;
mod letters;
mod palette;
mod raster;
mod render;
mod sequence;
mod series;
mod sheet;
#[cfg(test)]
pub(crate) mod synthetic;
mod terminal;
#[cfg(test)]
mod tests;
mod traces;
mod waveform;

pub(super) use render::{escaped, style};
pub use terminal::histogram_lines;
pub use waveform::{Sample, Trace, Waveform};

#[cfg(test)]
use crate as lib;
use crate::report::Report;
use cumulative::Cumulative;
use distribution::Histogram;
use render::render;
use sequence::Sequence;
use series::Series;
use sheet::{Figure, Head};
use traces::Traces;

/// A picture in both formats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// For files and anchors: lower-case letters, digits and hyphens.
    pub name: String,
    /// Heading.
    pub title: String,
    /// What it shows, for those who do not see it.
    pub description: String,
    /// The one configuration it shows; none for those that compare.
    pub configuration: Option<String>,
    /// A whole SVG document; it follows the reader's light or dark.
    pub svg: String,
    /// Light only; none for a picture too tall for one.
    pub png: Option<Vec<u8>>,
}

/// A picture that could not be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("picture `{picture}` could not be drawn: {why}")]
pub struct PictureError {
    /// Its name.
    pub picture: String,
    /// What the drawing library said.
    pub why: String,
}

/// All pictures of a report: those that compare first, then those of each configuration. `worst` holds the waveforms of worst
/// pairs, at most one a configuration; those of configurations that the report does not know are left out.
///
/// # Errors
/// When the drawing library fails, which it has no reason to.
pub fn all(report: &Report, worst: &[Waveform]) -> Result<Vec<Picture>, PictureError> {
    let head = Head { mark: report.mark(), run: report.run.clone() };
    let series = Series::all(report);
    let mut pictures = Vec::new();
    if series.iter().filter(|s| s.n() > 0).count() > 1 {
        draw(&mut pictures, &head, Histogram::compared(&head, &series))?;
    }
    draw(&mut pictures, &head, Cumulative::distribution(&head, &series))?;
    draw(&mut pictures, &head, Cumulative::exceedance(&head, &series))?;
    draw(&mut pictures, &head, Sequence::captured(&head, &series))?;
    draw(&mut pictures, &head, Sequence::in_train(&head, &series))?;
    for one in &series {
        draw(&mut pictures, &head, Histogram::single(&head, one))?;
        let wave = worst.iter().find(|w| w.configuration == one.row.name);
        draw(&mut pictures, &head, wave.map(|wave| Traces { head: &head, wave, index: one.index }))?;
    }
    Ok(pictures)
}

fn draw(pictures: &mut Vec<Picture>, head: &Head, figure: Option<impl Figure>) -> Result<(), PictureError> {
    pictures.extend(figure.map(|figure| render(head, &figure)).transpose()?);
    Ok(())
}
