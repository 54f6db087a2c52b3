//! The declarations of a value change dump: time unit and variables with their paths.

use super::bytes::Bytes;
use super::error::{ForeignError, Named};
use super::vcd::{timescale, token};
use std::io::{Read, Seek};

/// A declared variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variable {
    /// Scopes and name, joined by points, without a range.
    pub name: String,
    pub id: Vec<u8>,
    pub width: u32,
    pub real: bool,
    /// Number of the rightmost bit.
    pub right: i64,
    /// `[7:0]` as written; empty where there is none.
    range: String,
}

impl Variable {
    /// With its range, as a list of channels shows it.
    pub fn listed(&self) -> String {
        format!("{}{}", self.name, self.range)
    }
}

/// The declarations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    /// Attoseconds in a unit of time.
    pub tick: i128,
    pub variables: Vec<Variable>,
}

impl Header {
    /// Reads up to `$enddefinitions $end`; the body follows.
    pub fn of<R: Read + Seek>(bytes: &mut Bytes<R>, named: Named) -> Result<Header, ForeignError> {
        let mut reader = Reader::default();
        loop {
            let length = bytes.lines()?;
            let text = bytes.unread().get(..length).unwrap_or_default();
            if text.is_empty() {
                return Err(named.header("has no $enddefinitions"));
            }
            let mut rest = text;
            while let Some((word, after)) = token(rest) {
                rest = after;
                if reader.take(&String::from_utf8_lossy(word), word, named)? {
                    let used = text.len() - rest.len();
                    bytes.consume(used);
                    return reader.finished(named);
                }
            }
            bytes.consume(length);
        }
    }

    /// Names in the order of the declarations.
    pub fn names(&self) -> Vec<String> {
        self.variables.iter().map(|v| v.name.clone()).collect()
    }
}

/// The section under way and what is known so far.
#[derive(Default)]
struct Reader {
    section: String,
    words: Vec<String>,
    /// Of a variable: its identifier, byte for byte.
    id: Vec<u8>,
    scopes: Vec<String>,
    tick: Option<i128>,
    variables: Vec<Variable>,
}

/// Words of a section that are kept; comments may be longer.
const WORDS: usize = 16;

impl Reader {
    /// True when the declarations are over.
    fn take(&mut self, word: &str, bytes: &[u8], named: Named) -> Result<bool, ForeignError> {
        if self.section.is_empty() {
            self.section = word.to_owned();
            self.words.clear();
            return Ok(false);
        }
        if word != "$end" {
            if self.words.len() == 2 {
                self.id = bytes.to_vec();
            }
            if self.words.len() < WORDS {
                self.words.push(word.to_owned());
            }
            return Ok(false);
        }
        let section = std::mem::take(&mut self.section);
        self.close(&section, named)?;
        Ok(section == "$enddefinitions")
    }

    fn close(&mut self, section: &str, named: Named) -> Result<(), ForeignError> {
        match section {
            "$timescale" => {
                let text = self.words.concat();
                let tick = timescale(&text);
                self.tick = Some(tick.ok_or_else(|| named.header(format!("has the timescale `{text}`")))?);
            }
            "$scope" => self.scopes.push(self.words.get(1).cloned().unwrap_or_default()),
            "$upscope" => drop(self.scopes.pop()),
            "$var" => {
                let variable = self.variable();
                let words = || self.words.join(" ");
                self.variables
                    .push(variable.ok_or_else(|| named.header(format!("has the variable `{}`", words())))?);
            }
            _ => {}
        }
        Ok(())
    }

    /// `wire 8 ! data [7:0]`, where the range may stand against the name or be missing.
    fn variable(&self) -> Option<Variable> {
        let [kind, width, _, name, rest @ ..] = self.words.as_slice() else { return None };
        let width = width.parse::<u32>().ok().filter(|w| (1..=1 << 20).contains(w))?;
        let joined = format!("{name}{}", rest.concat());
        let real = matches!(kind.as_str(), "real" | "realtime");
        let (name, range) = match joined.rfind('[') {
            Some(at) if !real && (width > 1 || joined.contains(':')) => joined.split_at(at),
            _ => (joined.as_str(), ""),
        };
        let right = range.trim_matches(['[', ']']).rsplit(':').next().and_then(|r| r.parse().ok());
        let path: Vec<&str> = self.scopes.iter().map(String::as_str).chain([name]).collect();
        Some(Variable {
            name: path.join("."),
            id: self.id.clone(),
            width,
            real,
            right: right.unwrap_or(0),
            range: range.to_owned(),
        })
    }

    fn finished(self, named: Named) -> Result<Header, ForeignError> {
        let tick = self.tick.ok_or_else(|| named.header("has no $timescale, so that times mean nothing"))?;
        if self.variables.is_empty() {
            return Err(named.header("declares no variable"));
        }
        Ok(Header { tick, variables: self.variables })
    }
}
