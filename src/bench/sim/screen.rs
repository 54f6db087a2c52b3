//! The screen: 800 x 480 points with grid, traces, settings, and the word VIRTUAL.
//!
//! The sizes of the replies are those of the real unit: a PNG under 100 kB, a 24-bit BMP of 1 152 054 bytes.

use super::geometry::Geometry;
use super::glyphs::glyph;
use super::language::scientific;
use super::settings::{Id, Settings};
use crate::units::{Hertz, Volts};
use std::collections::VecDeque;

const WIDTH: usize = 800;
const HEIGHT: usize = 480;
/// The graticule: 12 x 8 divisions of 50 points.
const LEFT: usize = 100;
const TOP: usize = 40;
const DIVISION: usize = 50;
const COLUMNS: usize = 12;
const ROWS: usize = 8;

type Colour = [u8; 3];
const BLACK: Colour = [0, 0, 0];
const GRID: Colour = [70, 70, 70];
const TEXT: Colour = [220, 220, 220];
const WARNING: Colour = [255, 80, 60];
const TRACES: [Colour; 4] = [[248, 252, 0], [0, 252, 248], [248, 0, 248], [0, 128, 248]];

/// A picture, one colour a point.
pub(super) struct Image {
    points: Vec<Colour>,
}

impl Image {
    /// All black.
    pub(super) fn new() -> Image {
        Image { points: vec![BLACK; WIDTH * HEIGHT] }
    }

    fn dot(&mut self, x: usize, y: usize, colour: Colour) {
        if x < WIDTH
            && let Some(point) = self.points.get_mut(y * WIDTH + x)
        {
            *point = colour;
        }
    }

    fn vertical(&mut self, x: usize, from: usize, to: usize, colour: Colour) {
        (from.min(to)..=from.max(to)).for_each(|y| self.dot(x, y, colour));
    }

    /// Writes in letters of 6 x 10 points.
    fn text(&mut self, x: usize, y: usize, text: &str, colour: Colour) {
        for (i, c) in text.chars().enumerate() {
            let bits = glyph(c);
            for cell in (0..15).filter(|cell| bits >> (14 - cell) & 1 == 1) {
                let (column, row) = (x + i * 8 + cell % 3 * 2, y + cell / 3 * 2);
                [(0, 0), (1, 0), (0, 1), (1, 1)]
                    .into_iter()
                    .for_each(|(dx, dy)| self.dot(column + dx, row + dy, colour));
            }
        }
    }

    /// Grey instead of colours, light instead of dark.
    pub(super) fn finish(&mut self, color: bool, invert: bool) {
        for point in &mut self.points {
            if !color {
                let grey = point.iter().map(|c| u16::from(*c)).sum::<u16>() / 3;
                *point = [grey as u8; 3];
            }
            if invert {
                *point = point.map(|c| 255 - c);
            }
        }
    }

    /// The PNG file, 8-bit RGBA.
    pub(super) fn png(&self) -> Vec<u8> {
        let mut file = Vec::new();
        let pixels: Vec<u8> = self.points.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]).collect();
        let mut encoder = png::Encoder::new(&mut file, WIDTH as u32, HEIGHT as u32);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&pixels));
        // Writing to memory cannot fail; an empty block would say so if it did.
        if written.is_ok() { file } else { Vec::new() }
    }

    /// The BMP file, 24 bits a point, from the bottom up.
    pub(super) fn bmp(&self) -> Vec<u8> {
        let size = (54 + WIDTH * HEIGHT * 3) as u32;
        let mut file = b"BM".to_vec();
        let header =
            [size, 0, 54, 40, WIDTH as u32, HEIGHT as u32, 1 | 24 << 16, 0, size - 54, 2835, 2835, 0, 0];
        file.extend(header.iter().flat_map(|word| word.to_le_bytes()));
        let rows = self.points.chunks(WIDTH).rev();
        file.extend(rows.flatten().flat_map(|[r, g, b]| [*b, *g, *r]));
        file
    }
}

/// Draws everything. `traces` are the screen codes of the channels that are on.
pub(super) fn draw(
    image: &mut Image,
    settings: &Settings,
    geometry: &Geometry,
    status: &str,
    traces: Vec<(u8, Vec<u8>)>,
    bar: &VecDeque<String>,
) {
    if settings.choice(Id::TimeMode, 0) == "MAIN" {
        grid(image);
    }
    for (channel, codes) in &traces {
        trace(image, *channel, codes);
    }
    let time = settings.span(Id::Timebase, 0);
    let rate = Hertz(geometry.rate()).to_string().replace("Hz", "Sa/s");
    let head = format!("{status}  H {time}  {}  D {}", rate, settings.span(Id::TimeOffset, 0));
    image.text(8, 8, "RIGOL DS1054Z", TEXT);
    image.text(130, 8, "VIRTUAL", WARNING);
    image.text(210, 8, &head.to_ascii_uppercase(), TEXT);
    image.text(210, 22, &format!("{} PTS", geometry.points), TEXT);
    for (i, (channel, _)) in traces.iter().enumerate() {
        let scale = Volts(settings.real(Id::Scale, *channel));
        image.text(8 + i * 180, 462, &format!("{channel} = {scale}").to_ascii_uppercase(), colour(*channel));
    }
    let level = scientific(settings.real(Id::EdgeLevel, 0));
    image.text(
        600,
        22,
        &format!("T {} {level}", settings.choice(Id::EdgeSource, 0)).to_ascii_uppercase(),
        TEXT,
    );
    for (i, item) in bar.iter().enumerate() {
        image.text(4, 60 + i * 16, item.get(..11).unwrap_or(item), TEXT);
    }
}

fn colour(channel: u8) -> Colour {
    TRACES.get(usize::from(channel).wrapping_sub(1)).copied().unwrap_or(TEXT)
}

fn grid(image: &mut Image) {
    let (right, bottom) = (LEFT + COLUMNS * DIVISION, TOP + ROWS * DIVISION);
    for x in LEFT..=right {
        for y in TOP..=bottom {
            let (column, row) = ((x - LEFT).is_multiple_of(DIVISION), (y - TOP).is_multiple_of(DIVISION));
            let border = x == LEFT || x == right || y == TOP || y == bottom;
            let dotted = (column && (y - TOP).is_multiple_of(5)) || (row && (x - LEFT).is_multiple_of(5));
            if border || dotted {
                image.dot(x, y, GRID);
            }
        }
    }
}

/// Two points a column, joined from the lowest to the highest and to the column before.
fn trace(image: &mut Image, channel: u8, codes: &[u8]) {
    let middle = TOP + ROWS * DIVISION / 2;
    let height = |code: u8| (middle as i64 + (127 - i64::from(code)) * 2).clamp(TOP as i64, 440) as usize;
    let mut before: Option<usize> = None;
    for (column, pair) in codes.chunks(2).enumerate() {
        let heights: Vec<usize> = pair.iter().map(|c| height(*c)).chain(before).collect();
        let (from, to) = (heights.iter().min(), heights.iter().max());
        if let (Some(from), Some(to)) = (from, to) {
            image.vertical(LEFT + column, *from, *to, colour(channel));
        }
        before = pair.last().map(|c| height(*c));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn() -> Image {
        let mut image = Image::new();
        let settings = Settings::new();
        let codes = (0..1200).map(|i| if i / 100 % 2 == 0 { 60 } else { 200 }).collect();
        let bar = VecDeque::from(["VPP,CHAN1".to_owned()]);
        draw(&mut image, &settings, &Geometry::new(&settings), "STOP", vec![(1, codes)], &bar);
        image
    }

    #[test]
    fn the_png_is_rgba_of_the_right_size_and_small() {
        let file = drawn().png();
        assert!(file.len() < 100_000, "{}", file.len());
        let mut reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height, info.color_type), (800, 480, png::ColorType::Rgba));
        let yellow = pixels.chunks(4).filter(|p| p[..3] == TRACES[0]).count();
        assert!(yellow > 1200, "the trace is on it: {yellow} points");
    }

    #[test]
    fn the_bmp_has_the_size_of_the_guide() {
        let file = drawn().bmp();
        assert_eq!(file.len(), 1_152_054);
        assert_eq!(&file[..2], b"BM");
        assert_eq!(u16::from_le_bytes([file[28], file[29]]), 24);
    }
}
