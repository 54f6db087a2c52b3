//! A figure becomes a picture: SVG text made accessible and small, PNG bytes.

use super::palette::dark_rules;
use super::raster::{Fine, ground, halved, png};
use super::sheet::{Area, Figure, Head, WIDTH};
use super::{Picture, PictureError};
use plotters::backend::{BitMapBackend, SVGBackend};
use plotters::drawing::IntoDrawingArea;
use plotters_backend::DrawingBackend;

/// Tallest PNG; beyond it there is only the SVG.
const TALLEST: u32 = 8_000;

/// Draws `figure` in both formats.
pub(super) fn render(head: &Head, figure: &impl Figure) -> Result<Picture, PictureError> {
    let failed = |why: String| PictureError { picture: figure.name(), why };
    let size = (WIDTH, head.height() + figure.height());
    let svg = svg(head, figure, size).map_err(failed)?;
    let png = if size.1 <= TALLEST { Some(bitmap(head, figure, size).map_err(failed)?) } else { None };
    Ok(Picture {
        name: figure.name(),
        title: figure.title(),
        description: figure.description(),
        configuration: figure.configuration().map(str::to_owned),
        svg,
        png,
    })
}

fn onto<B: DrawingBackend>(head: &Head, figure: &impl Figure, backend: B) -> Result<(), String> {
    let root: Area<B> = backend.into_drawing_area();
    head.draw(figure, &root).map_err(|e| e.to_string())
}

/// The library's drawing under a head of its own: scales with its place, carries title, description and dark colours.
fn svg(head: &Head, figure: &impl Figure, size: (u32, u32)) -> Result<String, String> {
    let mut drawn = String::new();
    onto(head, figure, SVGBackend::with_string(&mut drawn, size))?;
    let (_, body) = drawn.split_once(">\n").ok_or("no SVG came back")?;
    let name = figure.name();
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"{name}-title {name}-desc\">\n\
         <title id=\"{name}-title\">{}</title>\n<desc id=\"{name}-desc\">{}</desc>\n{}\n{}",
        size.0,
        size.1,
        escaped(&format!("{}{}", head.mark.map(|m| format!("{m}: ")).unwrap_or_default(), figure.title())),
        escaped(&figure.description()),
        style(),
        lean(body)
    ))
}

/// What the library writes and nobody needs. Quotes in text are escaped, so that only attributes are met.
fn lean(body: &str) -> String {
    body.replace(" opacity=\"1\"", "").replace(" stroke=\"none\"", "").replace(" \"/>", "\"/>")
}

/// The rules for dark ground as a part of an SVG.
pub(in crate::report) fn style() -> String {
    format!("<style>{}</style>", dark_rules())
}

/// Text between tags or in a quoted attribute. Characters that XML has no way to write become blanks.
pub(in crate::report) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

fn bitmap(head: &Head, figure: &impl Figure, size: (u32, u32)) -> Result<Vec<u8>, String> {
    let ground_size = ground(size);
    let mut pixels = vec![0u8; ground_size.0 as usize * ground_size.1 as usize * 3];
    let canvas = BitMapBackend::with_buffer(&mut pixels, ground_size);
    onto(head, figure, Fine::on(canvas).ok_or("the built-in font cannot be read")?)?;
    png(&halved(&pixels, ground_size), size).map_err(|e| e.to_string())
}
