//! A histogram of a few lines of text, for a terminal.

use super::axis::{Axis, label};
use super::bins::Bins;
use super::letters::shortened;
use super::series::Series;
use crate::report::Row;

/// At most about as many bins.
const BINS: u32 = 20;
/// Narrowest lines that still say something.
const NARROWEST: usize = 40;
/// Of a character, from nothing to all, by eighths.
const BLOCKS: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
/// Behind the bin that holds the largest.
const WORST: &str = " worst";

/// The latencies of `row` as bars, in lines of at most `width` characters (40 at least). Bars are long by the logarithm of
/// their count, so that a single late answer shows. Runs of empty bins are folded into one line. No lines without
/// pairs. Whoever prints them prints the report's mark beside them.
#[must_use]
pub fn histogram_lines(row: &Row, width: usize) -> Vec<String> {
    let series = Series::of(row, 0);
    let Some((low, high)) = series.range() else { return Vec::new() };
    let width = width.max(NARROWEST);
    let bins = Bins::of(&series.sorted, Bins::edges(&Axis::time(low, high, 5), BINS));
    let title = format!("{}: {} pairs, bars by the logarithm of the count", row.name, series.n());
    let mut lines = vec![shortened(&title, width)];
    lines.extend(bars(&bins, width));
    lines
}

/// A line for each bin that holds something and one for each run that does not, between the first and the last.
fn bars(bins: &Bins, width: usize) -> Vec<String> {
    let labels = labels(bins);
    let margin = labels.iter().map(String::len).max().unwrap_or(0);
    let room = width.saturating_sub(margin + bins.highest().to_string().len() + WORST.len() + 2);
    let (first, last) = (bins.counts.iter().position(|n| *n > 0), bins.counts.iter().rposition(|n| *n > 0));
    let mut lines = Vec::new();
    let mut empty = false;
    for (at, (label, n)) in labels.iter().zip(&bins.counts).enumerate() {
        if *n > 0 {
            let fold = empty && Some(at) > first;
            lines.extend(fold.then(|| format!("{:>margin$}", "...")));
            let worst = if Some(at) == last { WORST } else { "" };
            lines.push(format!("{label:>margin$} {} {n}{worst}", bar(*n, bins.highest(), room)));
        }
        empty = *n == 0;
    }
    lines
}

/// Lower edges, with decimals enough to tell them apart.
fn labels(bins: &Bins) -> Vec<String> {
    let step = bins.edges.iter().zip(bins.edges.iter().skip(1)).map(|(a, b)| (*b - *a).0).min().unwrap_or(1);
    bins.edges.iter().take(bins.counts.len()).map(|edge| label(edge.0 as f64, step as f64)).collect()
}

/// Whole blocks and a part of one.
fn bar(n: u64, most: u64, room: usize) -> String {
    let share = (2.0 * n as f64).ln() / (2.0 * most.max(1) as f64).ln();
    let eighths = ((share * room as f64 * 8.0).round() as usize).max(1);
    let part = BLOCKS.get(eighths % 8).filter(|_| !eighths.is_multiple_of(8));
    "█".repeat(eighths / 8).chars().chain(part.copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::pictures::synthetic;
    use crate::units::Picos;

    #[test]
    fn each_pair_is_in_one_line_and_the_worst_is_named() {
        let mut latencies: Vec<Picos> = (0..997).map(|k| Picos(1_900_000 + k * 100)).collect();
        latencies.extend([2_500_000, 2_990_000, 2_980_000].map(Picos));
        let row = synthetic::row("direct", &latencies, 50);
        for width in [0, 40, 60, 80, 200] {
            let lines = histogram_lines(&row, width);
            assert!(lines.iter().all(|l| l.chars().count() <= width.max(40)), "{lines:#?}");
            let counts = lines.iter().skip(1).filter(|l| !l.trim().starts_with("..."));
            let counts =
                counts.filter_map(|l| l.trim_end_matches(WORST).rsplit(' ').next()?.parse::<u64>().ok());
            assert_eq!(counts.sum::<u64>(), 1000, "{lines:#?}");
            assert!(lines.last().is_some_and(|l| l.ends_with(WORST)), "{lines:#?}");
            assert!(lines.iter().filter(|l| l.trim() == "...").count() >= 1, "{lines:#?}");
        }
    }

    #[test]
    fn one_pair_is_a_line_and_none_is_none() {
        let lines = histogram_lines(&synthetic::row("a", &[Picos(1_900_000)], 1), 60);
        assert_eq!(lines.len(), 2, "{lines:#?}");
        assert_eq!(histogram_lines(&synthetic::row("a", &[], 1), 60), Vec::<String>::new());
    }
}
