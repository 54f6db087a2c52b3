//! Text in pictures: three sizes, one line at a time.

use super::palette::INK;
use super::sheet::{Area, Drawn};
use plotters::element::Text;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBColor, TextStyle};
use plotters_backend::DrawingBackend;

/// The library takes the height of a line, 1.24 of what style sheets call the size.
pub(super) const LINE: f64 = 1.24;

/// How letters look and which of their points is placed. Sizes are in units of the picture.
#[derive(Clone, Copy)]
pub(super) struct Letters {
    size: f64,
    colour: RGBColor,
    at: Pos,
    bold: bool,
}

impl Letters {
    /// For captions.
    pub const NORMAL: Letters =
        Letters { size: 31.0, colour: INK, at: Pos { h_pos: HPos::Left, v_pos: VPos::Center }, bold: false };
    /// For titles.
    pub const LARGE: Letters = Letters { size: 36.0, bold: true, ..Letters::NORMAL };
    /// For axes and notes.
    pub const SMALL: Letters = Letters { size: 28.0, ..Letters::NORMAL };

    /// In this colour.
    pub fn coloured(self, colour: RGBColor) -> Letters {
        Letters { colour, ..self }
    }
    /// Heavier, where the viewer's font can.
    pub fn bold(self) -> Letters {
        Letters { bold: true, ..self }
    }
    /// Placed by this point of the text.
    pub fn by(self, across: HPos, up: VPos) -> Letters {
        Letters { at: Pos::new(across, up), ..self }
    }
    /// For the library.
    pub fn style(self) -> TextStyle<'static> {
        let weight = if self.bold { FontStyle::Bold } else { FontStyle::Normal };
        let font = FontDesc::new(FontFamily::SansSerif, self.size * LINE, weight);
        let mut style = TextStyle::from(font);
        (style.color, style.pos) = (self.colour.to_backend_color(), self.at);
        style
    }
}

/// Writes one line. Control characters, which an SVG has no way to write, become blanks.
pub(super) fn write<B: DrawingBackend>(
    area: &Area<B>,
    text: &str,
    at: (i32, i32),
    letters: Letters,
) -> Drawn<B> {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    area.draw(&Text::new(text, at, letters.style()))
}

/// At most `most` characters; three dots stand for what was cut.
pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most.saturating_sub(3)).chain("...".chars()).collect(),
    }
}
