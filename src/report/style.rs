//! One table, drawn for a terminal or written for a README.

use super::{markdown, table};

/// Where a text shall be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// On a terminal of that width; none draws for a file.
    Terminal(Option<u16>),
    /// Where markdown is rendered.
    Markdown,
}

impl Style {
    /// Rows under a header, with a line's end.
    pub(super) fn grid(self, header: &[&str], rows: &[Vec<String>]) -> String {
        match self {
            Style::Terminal(width) => format!("{}\n", table::grid(header, rows, width)),
            Style::Markdown => format!("{}\n", markdown::grid(header, rows)),
        }
    }

    /// The sentence that goes with simulated figures.
    pub(super) fn banner(self, text: &str) -> String {
        match self {
            Style::Terminal(_) => format!("{text}\n"),
            Style::Markdown => format!("> **{text}**\n\n"),
        }
    }

    /// A line of its own.
    pub(super) fn line(self, text: &str) -> String {
        match self {
            Style::Terminal(_) => format!("{text}\n"),
            Style::Markdown => format!("- {text}\n"),
        }
    }
}
