//! What a reader of the pictures could lose: pairs, the worst, the mark, the size.

use super::*;
use crate::profile::BenchKind;
use crate::report::{Report, page};
use crate::units::Picos;

fn pictures(report: &Report) -> Vec<Picture> {
    let waves = [synthetic::waveform("direct", 1_300), synthetic::waveform("workqueue", 48_000)];
    all(report, &waves).unwrap()
}

fn named<'a>(pictures: &'a [Picture], name: &str) -> &'a Picture {
    pictures.iter().find(|p| p.name == name).unwrap_or_else(|| panic!("no picture {name}"))
}

/// Value of an attribute of one line of SVG.
fn attribute(line: &str, name: &str) -> Option<f64> {
    line.split_once(&format!(" {name}=\""))?.1.split('"').next()?.parse().ok()
}

/// (left edge, width, height) of every bar of this colour.
fn bars(svg: &str, colour: &str) -> Vec<(f64, f64, f64)> {
    let lines = svg.lines().filter(|l| l.starts_with("<rect") && l.contains(&format!("fill=\"{colour}\"")));
    let bar = |l: &str| Some((attribute(l, "x")?, attribute(l, "width")?, attribute(l, "height")?));
    lines.filter_map(bar).collect()
}

#[test]
fn a_run_of_30_000_pairs_stays_small() {
    let report = synthetic::large(BenchKind::Virtual);
    let pictures = pictures(&report);
    let svg: usize = pictures.iter().map(|p| p.svg.len()).sum();
    let html = page(&report, &pictures).len();
    assert!(svg + html < 1_000_000, "{svg} bytes of SVG, {html} of HTML");
}

/// Size must follow the number of configurations and not that of pairs.
#[test]
fn ten_times_the_pairs_are_not_ten_times_the_picture() {
    let size = |n| {
        let row = synthetic::board("direct", n, Picos(1_880_000), Picos(90_000), 5);
        pictures(&synthetic::report(BenchKind::Hardware, vec![row]))
            .iter()
            .map(|p| p.svg.len())
            .sum::<usize>()
    };
    let (some, many) = (size(10_000), size(100_000));
    assert!(many < some * 3 / 2, "{some} and {many} bytes");
}

#[test]
fn every_picture_of_a_simulated_run_says_so_and_no_other_does() {
    for (bench, marked) in [(BenchKind::Virtual, true), (BenchKind::Hardware, false)] {
        let mut report = synthetic::large(bench);
        report.run = "2026-01-31_140509_bench".to_owned();
        for picture in pictures(&report) {
            let texts = picture.svg.matches("VIRTUAL").count();
            assert_eq!(texts > 1, marked, "{}: {texts}", picture.name);
        }
    }
}

/// 1000 pairs in four heaps: on a logarithmic axis that starts at one half, heights are as ln(2 n).
#[test]
fn bars_are_as_high_as_their_counts_say() {
    let heaps = [(1_900_000, 100), (2_000_000, 850), (2_200_000, 49), (2_500_000, 1)];
    let latencies: Vec<Picos> = heaps.iter().flat_map(|(t, n)| vec![Picos(*t); *n]).collect();
    let report = synthetic::report(BenchKind::Hardware, vec![synthetic::row("direct", &latencies, 50)]);
    let bars = bars(&named(&pictures(&report), "histogram-1").svg, "#0072B2");
    assert_eq!(bars.len(), heaps.len());
    let scale = bars[1].2 / (2.0 * 850.0f64).ln();
    for ((_, n), (_, _, height)) in heaps.iter().zip(&bars) {
        let expected = scale * (2.0 * *n as f64).ln();
        assert!((height - expected).abs() <= 1.5, "{n}: {height} for {expected}");
    }
    // Places are as the times: 100, 200 and 300 ns apart.
    let apart = |a: usize, b: usize| bars[b].0 - bars[a].0;
    assert!((apart(1, 2) / apart(0, 1) - 2.0).abs() < 0.1 && (apart(2, 3) / apart(0, 1) - 3.0).abs() < 0.1);
}

/// Bars against the latencies counted here, in drawers of 10 ns, which is the width that 0.74 us of them call for.
#[test]
fn no_pair_is_lost_in_the_histogram() {
    let report = synthetic::large(BenchKind::Virtual);
    let row = &report.rows[0];
    let bars = bars(&named(&pictures(&report), "histogram-1").svg, "#0072B2");
    let mut drawers = std::collections::BTreeMap::new();
    for latency in row.pairs.iter().filter_map(|p| p.pair.latency()) {
        *drawers.entry(latency.0 / 10_000).or_insert(0u64) += 1;
    }
    let counts: Vec<u64> = drawers.into_values().collect();
    assert_eq!(counts.iter().sum::<u64>(), row.counts.paired);
    assert_eq!(bars.len(), counts.len());
    let highest = bars.iter().map(|b| b.2).fold(0.0, f64::max);
    let scale = highest / (2.0 * *counts.iter().max().unwrap() as f64).ln();
    for (count, bar) in counts.iter().zip(&bars) {
        assert!((bar.2 - scale * (2.0 * *count as f64).ln()).abs() <= 1.5, "{count}: {}", bar.2);
    }
}

/// A single answer a hundred times as late as the rest has its bar, its step and its mark.
#[test]
fn the_worst_is_on_every_paper() {
    let mut latencies = vec![Picos(2_000_000); 29_999];
    latencies.insert(12_345, Picos(200_000_000));
    let report = synthetic::report(BenchKind::Hardware, vec![synthetic::row("direct", &latencies, 100)]);
    let pictures = pictures(&report);
    assert_eq!(bars(&named(&pictures, "histogram-1").svg, "#0072B2").len(), 2);
    for name in ["exceedance", "time", "position", "cdf"] {
        let svg = &named(&pictures, name).svg;
        let mut marks = svg.lines().filter(|l| l.starts_with("<polygon") && l.contains("fill=\"#0072B2\""));
        // The last polygon is the mark; all of it lies on the paper.
        let last = marks.next_back().unwrap_or_else(|| panic!("{name} has no mark"));
        let points = last.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        for point in points.split_whitespace() {
            let (x, y) = point.split_once(',').unwrap();
            let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
            assert!((160.0..1_080.0).contains(&x) && (60.0..2_000.0).contains(&y), "{name}: {point}");
        }
    }
}

/// IHDR of the PNG: width, height, eight bits of red, green and blue (PNG specification, 11.2.2).
#[test]
fn a_png_has_the_size_and_the_ink_of_its_svg() {
    let picture = pictures(&synthetic::large(BenchKind::Virtual)).swap_remove(0);
    let bytes = picture.png.unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
    let (width, height) = (reader.info().width, reader.info().height);
    assert!(picture.svg.contains(&format!("viewBox=\"0 0 {width} {height}\"")), "{width} x {height}");
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    let share = |wanted: [u8; 3]| {
        let all = pixels.as_chunks::<3>().0;
        all.iter().filter(|p| **p == wanted).count() as f64 / all.len() as f64
    };
    // Bar of the mark: 60 of the height, less its letters; ground; bars of the first series.
    let mark = 60.0 / f64::from(height);
    assert!((0.6 * mark..mark).contains(&share([0xFF, 0xB0, 0x00])), "{}", share([0xFF, 0xB0, 0x00]));
    assert!(share([0xFF, 0xFF, 0xFF]) > 0.6 && share([0x00, 0x72, 0xB2]) > 0.001);
    // Letters: without a font there would be none of this ink in the head.
    let head = &pixels[..width as usize * 3 * 60];
    assert!(head.as_chunks::<3>().0.iter().filter(|p| **p == [0x1B, 0x1B, 0x1B]).count() > 500);
}

#[test]
fn nothing_to_draw_is_no_picture() {
    assert_eq!(all(&synthetic::report(BenchKind::Virtual, Vec::new()), &[]), Ok(Vec::new()));
    let silent = synthetic::report(BenchKind::Virtual, vec![synthetic::row("direct", &[], 10)]);
    assert_eq!(all(&silent, &[synthetic::waveform("elsewhere", 100)]), Ok(Vec::new()));
}

/// One pair, equal pairs, negative and absurd latencies: pictures come, and none of them is broken.
#[test]
fn odd_samples_are_drawn_too() {
    let odd: [&[i64]; 6] =
        [&[5], &[7; 300], &[-900, -2, 0, 3], &[0, 0], &[1, i64::MAX], &[i64::MIN, i64::MAX]];
    for latencies in odd {
        let latencies: Vec<Picos> = latencies.iter().map(|t| Picos(*t)).collect();
        let report = synthetic::report(BenchKind::Virtual, vec![synthetic::row("direct", &latencies, 1)]);
        let pictures = all(&report, &[]).unwrap();
        assert!(pictures.iter().all(|p| !p.svg.contains("NaN") && !p.svg.contains("inf")), "{latencies:?}");
        assert!(pictures.len() >= 4, "{latencies:?}");
    }
}

#[test]
fn names_are_text_and_never_markup() {
    let mut report = synthetic::large(BenchKind::Virtual);
    report.rows[0].name = "<script>a&b</script>\"'\u{1}".to_owned();
    report.run = "run<&>".to_owned();
    for picture in all(&report, &[]).unwrap() {
        assert!(!picture.svg.contains("<script"), "{}", picture.name);
        assert!(picture.svg.contains("run&lt;&amp;&gt;"), "{}", picture.name);
        assert!(!picture.svg.contains('\u{1}'), "{}", picture.name);
    }
}

#[test]
fn names_of_pictures_differ_and_suit_files_and_anchors() {
    let report = synthetic::large(BenchKind::Virtual);
    let pictures = pictures(&report);
    let mut names: Vec<&str> = pictures.iter().map(|p| p.name.as_str()).collect();
    assert!(
        names.iter().all(|n| n.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'))
    );
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), pictures.len());
}
