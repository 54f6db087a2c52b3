//! The colours of every picture: told apart with any kind of colour vision, and readable on white and on black.
//!
//! Hues after Okabe and Ito (Color Universal Design, 2008), darkened on white until lines reach a contrast of 3 : 1, lightened
//! on black. No colour carries a meaning alone: series differ in their marks too. An SVG names the colours of its
//! light version; [`DARK`] repaints them where the reader's system asks for dark, by matching these very values.

use plotters::style::RGBColor;

/// Behind everything.
pub(super) const PAPER: RGBColor = RGBColor(0xFF, 0xFF, 0xFF);
/// Text and axes.
pub(super) const INK: RGBColor = RGBColor(0x1A, 0x1A, 0x1A);
/// Labels of ticks.
pub(super) const FAINT: RGBColor = RGBColor(0x50, 0x57, 0x5E);
/// Lines of the grid.
pub(super) const GRID: RGBColor = RGBColor(0xDF, 0xE3, 0xE7);
/// What went missing.
pub(super) const MISSING: RGBColor = RGBColor(0xB0, 0x00, 0x20);
/// Ground of the mark of simulated figures, the same in light and dark.
pub(super) const MARK: RGBColor = RGBColor(0xFF, 0xB0, 0x00);
/// Text on [`MARK`].
pub(super) const ON_MARK: RGBColor = RGBColor(0x1B, 0x1B, 0x1B);

const SERIES: [RGBColor; 6] = [
    RGBColor(0x00, 0x72, 0xB2),
    RGBColor(0xC4, 0x4E, 0x00),
    RGBColor(0x00, 0x79, 0x5B),
    RGBColor(0xA2, 0x3B, 0x78),
    RGBColor(0x7A, 0x61, 0x00),
    RGBColor(0x4D, 0x4D, 0x4D),
];

/// Colour of the configuration at `index`; they come round again after six.
pub(super) fn series(index: usize) -> RGBColor {
    SERIES.get(index % SERIES.len()).copied().unwrap_or(INK)
}

/// Each colour of the light version and what it becomes on dark ground.
pub(super) const DARK: [(&str, &str); 11] = [
    ("#FFFFFF", "#14171A"),
    ("#1A1A1A", "#ECEEF0"),
    ("#50575E", "#AEB6BD"),
    ("#DFE3E7", "#31373D"),
    ("#B00020", "#FF7A86"),
    ("#0072B2", "#5DB8EC"),
    ("#C44E00", "#FF9D5C"),
    ("#00795B", "#3DCFA4"),
    ("#A23B78", "#EE9CCB"),
    ("#7A6100", "#E8CF4A"),
    ("#4D4D4D", "#C6C6C6"),
];

/// Rules that repaint every picture for dark ground. Attribute values stay what they are, so that viewers without
/// style sheets show the light version.
pub(in crate::report) fn dark_rules() -> String {
    let rule = |(light, dark): &(&str, &str)| {
        format!("[fill=\"{light}\"]{{fill:{dark}}}[stroke=\"{light}\"]{{stroke:{dark}}}")
    };
    let rules: String = DARK.iter().map(rule).collect();
    format!("@media (prefers-color-scheme:dark){{{rules}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(hex: &str) -> f64 {
        let part = |at: usize| {
            let v = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
            if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn hex(c: RGBColor) -> String {
        format!("#{:02X}{:02X}{:02X}", c.0, c.1, c.2)
    }

    /// WCAG 2.2: 4.5 : 1 for text, 3 : 1 for graphics, on both grounds.
    #[test]
    fn everything_that_is_read_stands_out_from_its_ground() {
        let dark = |light: &str| DARK.iter().find(|(l, _)| *l == light).map(|(_, d)| *d).unwrap();
        let (paper, night) = (hex(PAPER), dark(&hex(PAPER)));
        for (colour, needed) in
            [INK, FAINT, MISSING].map(|c| (c, 4.5)).into_iter().chain(SERIES.map(|c| (c, 3.0)))
        {
            let light = hex(colour);
            assert!(contrast(&light, &paper) >= needed, "{light} on {paper}");
            assert!(contrast(dark(&light), night) >= needed, "{light} as {} on {night}", dark(&light));
        }
        assert!(contrast(&hex(ON_MARK), &hex(MARK)) >= 7.0);
    }

    #[test]
    fn no_two_colours_share_a_name_so_that_each_has_one_dark_version() {
        let all = [PAPER, INK, FAINT, GRID, MISSING].into_iter().chain(SERIES).map(hex);
        assert_eq!(all.collect::<std::collections::BTreeSet<_>>().len(), DARK.len());
        // The mark is not repainted: it must look the same everywhere.
        assert!(DARK.iter().all(|(light, _)| *light != hex(MARK) && *light != hex(ON_MARK)));
    }
}
