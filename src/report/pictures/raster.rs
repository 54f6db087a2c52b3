//! PNG: the same figure on a ground of twice the size, brought down to half.
//!
//! The library's bitmaps have no smooth wide lines and no smooth polygons; averaging four pixels into one gives both, on
//! text too. Every call is passed on with doubled coordinates, so that figures know nothing of it.
//!
//! A PNG needs a font of its own, so that it looks the same on a build server without any: Noto Sans Regular, which the
//! crate `ttf-noto-sans` carries under the Apache licence (203 kB). Its glyphs are drawn here: the library's own drawing
//! leaves out each glyph's left bearing, and keeps fonts in a table of the whole process.

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
};

/// Pixels a unit, each way.
const FINE: i32 = 2;

/// A ground with [`FINE`] pixels a unit.
pub(super) struct Fine<B> {
    ground: B,
    font: FontRef<'static>,
}

impl<B: DrawingBackend> Fine<B> {
    /// On `ground`, whose size must be a multiple; `None` if the built-in font cannot be read.
    pub fn on(ground: B) -> Option<Fine<B>> {
        FontRef::try_from_slice(ttf_noto_sans::REGULAR).ok().map(|font| Fine { ground, font })
    }
}

fn fine((x, y): BackendCoord) -> BackendCoord {
    (x.saturating_mul(FINE), y.saturating_mul(FINE))
}

/// A style with its width in pixels.
struct Wide {
    colour: BackendColor,
    width: u32,
}

impl Wide {
    fn of(style: &impl BackendStyle) -> Wide {
        Wide { colour: style.color(), width: style.stroke_width() * FINE.unsigned_abs() }
    }
}

impl BackendStyle for Wide {
    fn color(&self) -> BackendColor {
        self.colour
    }
    fn stroke_width(&self) -> u32 {
        self.width
    }
}

type Done<B> = Result<(), DrawingErrorKind<<B as DrawingBackend>::ErrorType>>;

impl<B: DrawingBackend> DrawingBackend for Fine<B> {
    type ErrorType = B::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        let (width, height) = self.ground.get_size();
        (width / FINE.unsigned_abs(), height / FINE.unsigned_abs())
    }
    fn ensure_prepared(&mut self) -> Done<B> {
        self.ground.ensure_prepared()
    }
    fn present(&mut self) -> Done<B> {
        self.ground.present()
    }
    fn draw_pixel(&mut self, at: BackendCoord, colour: BackendColor) -> Done<B> {
        let (x, y) = fine(at);
        self.ground.draw_rect((x, y), (x + FINE - 1, y + FINE - 1), &colour, true)
    }
    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Done<B> {
        self.ground.draw_line(fine(from), fine(to), &Wide::of(style))
    }
    fn draw_rect<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Done<B> {
        self.ground.draw_rect(fine(from), fine(to), &Wide::of(style), fill)
    }
    /// Piece by piece with round joints: the library's own joints shoot far beyond a sharp corner, which on a waveform
    /// looks like a spike of the signal.
    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Done<B> {
        let wide = Wide::of(style);
        let joint = (wide.width / 2).saturating_sub(1);
        let mut before: Option<BackendCoord> = None;
        for at in path.into_iter().map(fine) {
            if let Some(from) = before.replace(at).filter(|from| *from != at) {
                self.ground.draw_line(from, at, &wide)?;
                if joint > 0 && wide.colour.alpha >= 1.0 {
                    self.ground.draw_circle(at, joint, &wide, true)?;
                }
            }
        }
        Ok(())
    }
    fn draw_circle<S: BackendStyle>(
        &mut self,
        centre: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Done<B> {
        self.ground.draw_circle(fine(centre), radius * FINE.unsigned_abs(), &Wide::of(style), fill)
    }
    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Done<B> {
        self.ground.fill_polygon(path.into_iter().map(fine), &Wide::of(style))
    }
    /// Baselines lie where the SVG has them: 0.76 em below the top, half the height of an `x` (0.27 em) below the
    /// middle, as much above the bottom.
    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Done<B> {
        let em = (style.size() / super::letters::LINE) as f32 * FINE as f32;
        let scale =
            PxScale::from(em * self.font.height_unscaled() / self.font.units_per_em().unwrap_or(1000.0));
        let run = Run::of(&self.font, text, scale);
        let left = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => -run.width / 2.0,
            HPos::Right => -run.width,
        };
        let baseline = match style.anchor().v_pos {
            VPos::Top => 0.76 * em,
            VPos::Center => 0.27 * em,
            VPos::Bottom => -0.27 * em,
        };
        let turn = style.transform();
        let (x0, y0) = fine(at);
        // There is one weight of the font: heavier letters are struck again, a pixel further on.
        let strikes = if matches!(style.style(), FontStyle::Bold) { 2 } else { 1 };
        let ground = &mut self.ground;
        let (width, height) = ground.get_size();
        (0..strikes).try_for_each(|shift| {
            run.draw(&self.font, (left, baseline), |x, y, cover| {
                let (x, y) = turn.transform(x + shift, y);
                let (x, y) = (x0 + x, y0 + y);
                let inside = x >= 0 && y >= 0 && x.unsigned_abs() < width && y.unsigned_abs() < height;
                let colour = style.color().mix(f64::from(cover));
                if inside { ground.draw_pixel((x, y), colour) } else { Ok(()) }
            })
        })
    }
}

/// Glyphs of one line with their places from its start.
struct Run {
    glyphs: Vec<(ab_glyph::GlyphId, f32)>,
    width: f32,
    scale: PxScale,
}

impl Run {
    fn of(font: &FontRef<'static>, text: &str, scale: PxScale) -> Run {
        let scaled = font.as_scaled(scale);
        let (mut glyphs, mut width, mut before) = (Vec::new(), 0.0, None);
        for id in text.chars().map(|c| scaled.glyph_id(c)) {
            width += before.map_or(0.0, |b| scaled.kern(b, id));
            glyphs.push((id, width));
            width += scaled.h_advance(id);
            before = Some(id);
        }
        Run { glyphs, width, scale }
    }

    /// Calls `dot` with each pixel and how much of it is covered.
    fn draw<E>(
        &self,
        font: &FontRef<'static>,
        (left, baseline): (f32, f32),
        mut dot: impl FnMut(i32, i32, f32) -> Result<(), E>,
    ) -> Result<(), E> {
        for (id, x) in &self.glyphs {
            let glyph = id.with_scale_and_position(self.scale, point(left + x, baseline));
            let Some(outline) = font.outline_glyph(glyph) else { continue };
            let corner = outline.px_bounds().min;
            let mut dots = Vec::new();
            outline.draw(|x, y, cover| {
                dots.push((x as i32 + corner.x as i32, y as i32 + corner.y as i32, cover))
            });
            dots.into_iter()
                .filter(|(.., cover)| *cover > 0.0)
                .try_for_each(|(x, y, cover)| dot(x, y, cover))?;
        }
        Ok(())
    }
}

/// Size of the ground for a picture of `size`.
pub(super) fn ground((width, height): (u32, u32)) -> (u32, u32) {
    (width * FINE.unsigned_abs(), height * FINE.unsigned_abs())
}

/// Red, green and blue of a picture of `size` from its ground, four pixels into one.
pub(super) fn halved(pixels: &[u8], (width, _): (u32, u32)) -> Vec<u8> {
    let line = width as usize * 3 * 2;
    let lines = pixels.chunks_exact(line * 2).map(|two| two.split_at(line));
    let mut out = Vec::with_capacity(pixels.len() / 4);
    for (upper, lower) in lines {
        for (a, b) in upper.as_chunks::<6>().0.iter().zip(lower.as_chunks::<6>().0) {
            let mean = |l: u8, r: u8, m: u8, s: u8| {
                ((u16::from(l) + u16::from(r) + u16::from(m) + u16::from(s) + 2) / 4) as u8
            };
            out.extend([
                mean(a[0], a[3], b[0], b[3]),
                mean(a[1], a[4], b[1], b[4]),
                mean(a[2], a[5], b[2], b[5]),
            ]);
        }
    }
    out
}

/// A PNG of red, green and blue pixels.
pub(super) fn png(pixels: &[u8], (width, height): (u32, u32)) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Balanced);
    encoder.write_header()?.write_image_data(pixels)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotters::backend::BitMapBackend;
    use plotters::style::{BLACK, Color};

    /// An edge as a scope shows it: up and down again within two units. Its ink reaches half a line's width beyond it, not
    /// more.
    #[test]
    fn sharp_corners_grow_no_spikes() {
        let (width, height) = ground((100, 400));
        let mut pixels = vec![255u8; (width * height * 3) as usize];
        let mut fine = Fine::on(BitMapBackend::with_buffer(&mut pixels, (width, height))).unwrap();
        let path = [(20, 200), (49, 200), (50, 150), (51, 250), (52, 200), (80, 200)];
        fine.draw_path(path, &Color::stroke_width(&BLACK, 3)).unwrap();
        drop(fine);
        let small = halved(&pixels, (width, height));
        let inked = small.chunks_exact(300).map(|row| row.iter().any(|v| *v < 200));
        let rows: Vec<usize> = inked.enumerate().filter(|(_, ink)| *ink).map(|(at, _)| at).collect();
        assert!((147..=150).contains(&rows[0]) && (250..=253).contains(rows.last().unwrap()), "{rows:?}");
    }
}
