//! The report as one HTML file: no network, no script, light or dark as the reader's system, fit for a phone and for a
//! keyboard. PURE: returns text.
//!
//! Figures are those of the table, word for word: both take them from the same place. A simulated run says so in a bar
//! that stays on the screen. A policy in the head forbids the page to load or run anything, whatever a name from a
//! profile may contain.

use super::pictures::{Picture, escaped, style};
use super::{Report, Row, Warning, phrase, table};
use crate::stats::uncertainty::Influence;
use crate::stats::{Budget, Quantile};
use crate::units::Picos;
use std::fmt::Write as _;

const CSS: &str = include_str!("page.css");

/// The page, with `pictures` in it.
#[must_use]
pub fn page(report: &Report, pictures: &[Picture]) -> String {
    let mut text = head(report);
    text += &results(report);
    text += &warnings(report);
    text += &overview(pictures);
    for (number, row) in (1..).zip(&report.rows) {
        text += &configuration(report, row, number, pictures);
    }
    text += &provenance(report);
    let tool = concat!("latency-cli ", env!("CARGO_PKG_VERSION"));
    let mark = report.mark().map(|m| format!("<strong>{m}</strong> ")).unwrap_or_default();
    let _ = write!(
        text,
        "</main>\n<footer><p>{mark}Written by {tool} from the evidence of the run alone.</p></footer>\n</body>\n</html>\n"
    );
    text
}

fn head(report: &Report) -> String {
    let mark = report.mark().map(|m| format!("{m} ")).unwrap_or_default();
    let bar = report.banner().map(bar).unwrap_or_default();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n\
         <title>{mark}latency of {run}</title>\n{css}\n{dark}\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#results\">Skip to the results</a>\n{bar}\
         <header><h1>Interrupt latency, run {run}</h1>\n<p class=\"faint\">Started {started}</p></header>\n{nav}<main>\n",
        run = escaped(&report.run),
        started = escaped(&report.started),
        css = format_args!("<style>\n{CSS}</style>"),
        dark = style(),
        nav = nav(report),
    )
}

/// `VIRTUAL bench: ...` with its first word set apart.
fn bar(banner: &str) -> String {
    let (mark, rest) = banner.split_once(' ').unwrap_or((banner, ""));
    format!("<p class=\"mark\" role=\"note\"><strong>{mark}</strong> {}</p>\n", escaped(rest))
}

fn nav(report: &Report) -> String {
    let mut items = vec![("results".to_owned(), "Results".to_owned())];
    items.push(("warnings".to_owned(), format!("Warnings ({})", report.warnings.len())));
    items.push(("pictures".to_owned(), "Pictures".to_owned()));
    items.extend((1..).zip(&report.rows).map(|(k, row)| (format!("configuration-{k}"), row.name.clone())));
    items.push(("provenance".to_owned(), "Provenance".to_owned()));
    let item = |(to, name): (String, String)| format!("<li><a href=\"#{to}\">{}</a></li>", escaped(&name));
    let items: String = items.into_iter().map(item).collect();
    format!("<nav aria-label=\"Parts of the report\"><ul>{items}</ul></nav>\n")
}

/// The table of the terminal.
fn results(report: &Report) -> String {
    let published = report.rows.iter().any(|r| r.reference.is_some());
    let head: String = table::header(published)
        .iter()
        .map(|name| format!("<th scope=\"col\">{}</th>", escaped(name)))
        .collect();
    let mark = report.mark().map(|m| format!("<strong>{m}</strong>. ")).unwrap_or_default();
    let mut text = format!(
        "<section id=\"results\" aria-labelledby=\"results-title\">\n<h2 id=\"results-title\">Results</h2>\n\
         <div class=\"scroll\" role=\"region\" aria-label=\"Results, scrolls sideways\" tabindex=\"0\">\n<table class=\"rows\">\n\
         <caption><span>{mark}Typical = median; worst = largest of the n pairs measured, not a bound.</span></caption>\n\
         <thead><tr>{head}</tr></thead>\n<tbody>\n"
    );
    for row in &report.rows {
        text += &result(row, published);
    }
    text += "</tbody>\n</table>\n</div>\n";
    if report.rows.is_empty() {
        text += "<p>No configuration was measured.</p>\n";
    }
    text + "</section>\n"
}

fn result(row: &Row, published: bool) -> String {
    let mut cells = table::cells(row, published).into_iter();
    let name = escaped(&cells.next().unwrap_or_default());
    let cells: String = cells.map(|cell| format!("<td>{}</td>", escaped(&cell))).collect();
    format!("<tr><th scope=\"row\">{name}</th>{cells}</tr>\n")
}

fn warnings(report: &Report) -> String {
    let items: String = report.warnings.iter().map(warning).collect();
    let list = match report.warnings.len() {
        0 => "<p>None.</p>\n".to_owned(),
        _ => format!("<ul class=\"warnings\">\n{items}</ul>\n"),
    };
    section("warnings", "Warnings", &list)
}

fn warning(warning: &Warning) -> String {
    let place = warning.configuration.as_deref().map(|c| format!("<strong>{}</strong>: ", escaped(c)));
    format!(
        "<li>{}{} <code>{}</code></li>\n",
        place.unwrap_or_default(),
        escaped(&warning.message),
        escaped(warning.code)
    )
}

fn section(id: &str, title: &str, inner: &str) -> String {
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{}</h2>\n{inner}</section>\n",
        escaped(title)
    )
}

/// Pictures that compare.
fn overview(pictures: &[Picture]) -> String {
    let figures: String = pictures.iter().filter(|p| p.configuration.is_none()).map(figure).collect();
    let inner = match figures.is_empty() {
        true => "<p>There are no pairs to draw.</p>\n".to_owned(),
        false => format!("<div class=\"pictures\">\n{figures}</div>\n"),
    };
    section("pictures", "Pictures", &inner)
}

/// A picture in the page. The rules for dark ground are in the head once, and not in each.
fn figure(picture: &Picture) -> String {
    let svg = picture.svg.replace(&style(), "");
    format!(
        "<figure id=\"{}\">\n{svg}<figcaption>{}</figcaption>\n</figure>\n",
        picture.name,
        escaped(&picture.description)
    )
}

/// All figures of one configuration, where they come from, and its own pictures.
fn configuration(report: &Report, row: &Row, number: usize, pictures: &[Picture]) -> String {
    let own = pictures.iter().filter(|p| p.configuration.as_deref() == Some(&row.name));
    let figures: String = own.map(figure).collect();
    let mark = report.mark().map(|m| format!(" ({m})")).unwrap_or_default();
    let budget = row.uncertainty.as_ref().map(budget).unwrap_or_default();
    let inner = format!(
        "<div class=\"pair\">\n{}{budget}</div>\n<div class=\"pictures\">\n{figures}</div>\n",
        details(row)
    );
    section(&format!("configuration-{number}"), &format!("{}{mark}", row.name), &inner)
}

/// A table of two columns, name and figure.
fn two_columns(caption: &str, lines: &[(&str, String)]) -> String {
    let line = |(name, value): &(&str, String)| {
        format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(name), escaped(value))
    };
    let lines: String = lines.iter().map(line).collect();
    format!(
        "<div><table>\n<caption>{}</caption>\n<tbody>\n{lines}</tbody>\n</table></div>\n",
        escaped(caption)
    )
}

fn details(row: &Row) -> String {
    let mut lines = vec![
        ("Pairs", format!("{} of {} asked for", row.count(), row.wanted)),
        ("Typical (median)", phrase::typical(row)),
        ("Worst (n)", phrase::worst(row)),
    ];
    lines.extend(spread(row));
    lines.extend([
        ("Missed", phrase::missed(row)),
        ("\u{b1} (k=2)", phrase::uncertainty(row)),
        ("Sample interval", phrase::time(row.interval)),
        ("Mode", [vec![row.mode.clone()], row.loads.clone()].concat().join(" + ")),
        ("Shots", row.shots.to_string()),
        ("Time taken", row.elapsed.to_string()),
        ("Waveform bytes", row.bytes.to_string()),
    ]);
    for (name, figure, limit) in row.over_limit() {
        lines.push(("Over the limit", format!("{name} is {figure}, limit {limit}")));
    }
    two_columns("All figures", &lines)
}

/// A figure that a narrow page must not tear apart.
fn unbroken(figure: &str) -> String {
    figure.replace(' ', "\u{a0}")
}

/// What a summary says beside typical and worst.
fn spread(row: &Row) -> Vec<(&'static str, String)> {
    let Some(s) = &row.summary else { return Vec::new() };
    let between = |[low, high]: [Picos; 2]| unbroken(&format!("{low} .. {high}"));
    let quantile = |q: &Option<Quantile>| match q {
        Some(q) => format!("{} ({})", unbroken(&q.value.to_string()), between([q.low, q.high])),
        None => format!("not resolvable with n = {}", s.n),
    };
    vec![
        ("Typical, 95 % interval", s.typical_ci95.map_or_else(|| phrase::NONE.to_owned(), between)),
        ("Later than the worst, at most (95 %)", phrase::exceedance(row).unwrap_or_default()),
        ("p90 (95 % interval)", quantile(&s.p90)),
        ("p99 (95 % interval)", quantile(&s.p99)),
        ("p99.9 (95 % interval)", quantile(&s.p999)),
        ("Smallest", s.min.to_string()),
        ("Mean", s.mean.to_string()),
        ("Standard deviation", s.sd.to_string()),
        ("Jitter", phrase::jitter(row)),
    ]
}

/// The budget of uncertainty, term by term.
fn budget(budget: &Budget) -> String {
    let mut text = "<div><table class=\"text\">\n<caption>Uncertainty of one latency</caption>\n<thead><tr>\
                    <th scope=\"col\">Influence</th><th scope=\"col\">k = 1</th><th scope=\"col\">Source</th></tr></thead>\n<tbody>\n"
        .to_owned();
    for term in &budget.terms {
        let _ = writeln!(
            text,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>",
            influence(term.influence),
            term.standard,
            escaped(&term.source)
        );
    }
    let bound =
        budget.bound.map(|b| format!("edges fall between samples: never off by more than {b} by sampling"));
    let sums = [
        ("Combined (k=1)", budget.combined, "root of the sum of squares".to_owned()),
        ("Expanded (k=2)", budget.expanded, bound.unwrap_or_default()),
    ];
    for (name, value, source) in sums {
        let _ = writeln!(text, "<tr><th scope=\"row\">{name}</th><td>{value}</td><td>{source}</td></tr>");
    }
    text + "</tbody>\n</table></div>\n"
}

fn influence(influence: Influence) -> &'static str {
    match influence {
        Influence::Sampling => "Sampling",
        Influence::Noise => "Noise",
        Influence::Threshold => "Threshold",
        Influence::Skew => "Skew",
        Influence::TimeBase => "Time base",
    }
}

fn provenance(report: &Report) -> String {
    let scope = report.scope.as_ref();
    let scope =
        scope.map_or("none".to_owned(), |s| format!("{} {}, firmware {}", s.model, s.serial, s.firmware));
    let dut = report.dut.as_ref();
    let dut = dut
        .map_or("no link".to_owned(), |d| format!("{} {} {} ({})", d.board, d.runtime, d.version, d.build));
    let mut lines = vec![
        ("Run", report.run.clone()),
        ("Started", report.started.clone()),
        ("Bench", report.banner().unwrap_or("hardware").to_owned()),
        ("Scope", scope),
        ("Board", dut),
    ];
    let sources: std::collections::BTreeSet<&str> =
        report.rows.iter().filter_map(|r| r.reference.as_ref()).map(|r| r.source.as_str()).collect();
    lines.extend(sources.into_iter().map(|s| ("Published figures", s.to_owned())));
    section(
        "provenance",
        "Provenance",
        &two_columns("Where these figures come from", &lines).replacen(
            "<table>",
            "<table class=\"text\">",
            1,
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{BenchKind, Reference};
    use crate::report::pictures::{all, synthetic};

    fn whole(report: &Report) -> String {
        let waves = [synthetic::waveform("direct", 1_300)];
        page(report, &all(report, &waves).expect("drawn"))
    }

    /// Elements that HTML never closes.
    const VOID: [&str; 1] = ["meta"];

    /// Walks over all tags: each closes what was opened last, attributes are quoted and not repeated, and no `<`, `>` or
    /// bare `&` stands in text. Returns ids and the targets of links and labels.
    fn well_formed(text: &str) -> (Vec<String>, Vec<String>) {
        let (mut open, mut ids, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        let mut rest = text.strip_prefix("<!DOCTYPE html>\n").expect("a document type");
        while let Some((before, after)) = rest.split_once('<') {
            checked_text(before, open.last().copied());
            let (tag, next) = after.split_once('>').expect("a tag ends");
            rest = next;
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "closing </{name}>");
                continue;
            }
            let (tag, closed) = (tag.trim_end_matches('/'), tag.ends_with('/'));
            let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
            for (key, value) in attributes_of(attributes) {
                match key.as_str() {
                    "id" => ids.push(value),
                    "href" => {
                        targets.push(value.strip_prefix('#').expect("a link within the page").to_owned())
                    }
                    "aria-labelledby" => targets.extend(value.split(' ').map(str::to_owned)),
                    _ => {}
                }
            }
            if !closed {
                open.push(name);
            }
            assert!(closed || !VOID.contains(&name), "<{name}>");
        }
        assert!(open.is_empty() && rest.trim().is_empty(), "left open: {open:?}");
        (ids, targets)
    }

    fn checked_text(text: &str, within: Option<&str>) {
        assert!(within == Some("style") || !text.contains('>'), "{text}");
        for entity in text.split('&').skip(1) {
            let name = entity.split_once(';').map(|(name, _)| name);
            assert!(matches!(name, Some("amp" | "lt" | "gt" | "quot" | "apos" | "#39")), "&{entity}");
        }
        assert!(text.chars().all(|c| !c.is_control() || c == '\n'));
    }

    fn attributes_of(text: &str) -> Vec<(String, String)> {
        let mut found: Vec<(String, String)> = Vec::new();
        let mut rest = text.trim();
        while let Some((key, after)) = rest.split_once("=\"") {
            let (value, next) = after.split_once('"').expect("a quote ends");
            assert!(found.iter().all(|(k, _)| k != key), "{key} twice in {text}");
            checked_text(value, None);
            found.push((key.to_owned(), value.to_owned()));
            rest = next.trim();
        }
        assert!(rest.is_empty(), "{text}");
        found
    }

    #[test]
    fn the_page_is_well_formed_and_its_links_lead_somewhere() {
        let (ids, targets) = well_formed(&whole(&synthetic::large(BenchKind::Virtual)));
        let unique: std::collections::BTreeSet<&String> = ids.iter().collect();
        assert_eq!(unique.len(), ids.len(), "{ids:?}");
        assert!(targets.len() > 10 && targets.iter().all(|t| unique.contains(t)), "{targets:?} in {ids:?}");
    }

    #[test]
    fn names_from_a_profile_stay_text() {
        let mut report = synthetic::large(BenchKind::Virtual);
        report.rows[0].name = "a<b>&\"c'\u{7}</style><script>".to_owned();
        report.rows[1].name = "-->".to_owned();
        report.warnings[0].message = "<img src=x>".to_owned();
        report.run = "r&<un>".to_owned();
        let text = whole(&report);
        well_formed(&text);
        assert!(!text.contains("<script") && !text.contains("<img"));
    }

    /// The promise is: no figure is told twice in two ways. Cells of the terminal's table, word for word.
    #[test]
    fn figures_are_those_of_the_terminal() {
        let mut report = synthetic::large(BenchKind::Hardware);
        report.rows[0].reference = Some(Reference {
            typical: Some(Picos(1_900_000)),
            worst: Some(Picos(2_400_000)),
            source: "a paper".to_owned(),
        });
        let (html, terminal) = (whole(&report), table::table(&report, Some(200)));
        let lines =
            terminal.lines().filter(|l| report.rows.iter().any(|r| l.contains(&format!("│ {} ", r.name))));
        let cells: Vec<&str> =
            lines.flat_map(|l| l.split(['│', '┆'])).map(str::trim).filter(|c| !c.is_empty()).collect();
        assert_eq!(cells.len(), 3 * 9, "{terminal}");
        for cell in cells {
            assert!(html.contains(&format!(">{cell}</t")), "{cell}");
        }
        assert!(html.contains("a paper"));
    }

    #[test]
    fn a_simulated_run_cannot_be_overlooked_and_a_measured_one_is_not_accused() {
        let virtually = whole(&synthetic::large(BenchKind::Virtual));
        assert!(virtually.contains("<title>VIRTUAL ") && virtually.contains("class=\"mark\""));
        // In the bar, the table, each configuration and the foot.
        assert!(virtually.matches("VIRTUAL").count() > 20);
        let mut report = synthetic::large(BenchKind::Hardware);
        report.run = "2026-01-31_140509_rig".to_owned();
        assert!(!whole(&report).to_lowercase().contains("virtual"));
    }

    #[test]
    fn the_page_asks_nothing_of_a_network_and_runs_nothing() {
        let text = whole(&synthetic::large(BenchKind::Virtual));
        let addresses: Vec<&str> = text.split("://").skip(1).map(|after| &after[..18]).collect();
        assert!(addresses.iter().all(|a| a.starts_with("www.w3.org/2000/sv")), "{addresses:?}");
        for forbidden in ["<script", "src=", "@import", "url(", "onload"] {
            assert!(!text.contains(forbidden), "{forbidden}");
        }
        assert!(text.contains("default-src 'none'"));
    }

    #[test]
    fn figures_have_words_and_tables_have_captions_and_scopes() {
        let text = whole(&synthetic::large(BenchKind::Virtual));
        let count = |what: &str| text.matches(what).count();
        assert!(count("<figure ") >= 8);
        assert_eq!([count("<figcaption>"), count("<desc "), count("role=\"img\"")], [count("<figure "); 3]);
        assert_eq!(count("<caption>"), count("<table"));
        assert_eq!(count("<th "), count("<th scope="));
        assert!(!text.contains("<th>"));
    }

    #[test]
    fn a_report_without_anything_is_a_page_too() {
        let mut report = synthetic::report(BenchKind::Hardware, Vec::new());
        report.warnings.clear();
        let text = page(&report, &[]);
        well_formed(&text);
        assert!(
            text.contains("No configuration was measured") && text.contains("There are no pairs to draw")
        );
    }
}
