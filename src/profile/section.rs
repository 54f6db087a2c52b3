//! One table of the text under reading: hands out typed values, notes every fault with its path and line, and knows
//! at the end which keys nobody asked for.
//!
//! A key is known because a reader asks for it, so there is no second list of keys that could disagree.

use super::error::Fault;
use super::suggest;
use crate::units::{Hertz, Picos, UnitError, Volts};
use std::cell::RefCell;
use std::str::FromStr;
use toml::de::{DeTable, DeValue};

/// The faults found so far in one text.
pub(super) struct Faults<'t> {
    text: &'t str,
    found: RefCell<Vec<Fault>>,
}

impl<'t> Faults<'t> {
    pub fn new(text: &'t str) -> Faults<'t> {
        Faults { text, found: RefCell::default() }
    }

    /// Notes a fault at a byte offset of the text.
    pub fn add(&self, offset: usize, path: String, message: impl Into<String>) {
        let line = self.line(offset);
        self.found.borrow_mut().push(Fault { path, line: Some(line), message: message.into() });
    }

    /// Lines from 1; an offset behind the end is on the last line.
    fn line(&self, offset: usize) -> usize {
        let before = self.text.as_bytes().get(..offset).unwrap_or(self.text.as_bytes());
        1 + before.iter().filter(|b| **b == b'\n').count()
    }

    /// All of them in the order of the text.
    pub fn sorted(self) -> Vec<Fault> {
        let mut found = self.found.into_inner();
        found.sort_by(|a, b| (a.line, &a.path).cmp(&(b.line, &b.path)));
        found.dedup();
        found
    }
}

/// A quantity that a profile writes as a text with a unit.
pub(super) trait Quantity: FromStr<Err = UnitError> {
    /// How one is written.
    const EXAMPLE: &'static str;
}
impl Quantity for Picos {
    const EXAMPLE: &'static str = "20 us";
}
impl Quantity for Volts {
    const EXAMPLE: &'static str = "500 mV";
}
impl Quantity for Hertz {
    const EXAMPLE: &'static str = "128 MHz";
}

/// One table of the text; empty when the text lacks it.
pub(super) struct Section<'t> {
    table: Option<&'t DeTable<'t>>,
    path: String,
    /// Where the table begins, for what is missing in it.
    offset: usize,
    asked: RefCell<Vec<&'static str>>,
    faults: &'t Faults<'t>,
}

impl<'t> Section<'t> {
    pub fn root(table: &'t DeTable<'t>, faults: &'t Faults<'t>) -> Section<'t> {
        Section::of(Some(table), String::new(), 0, faults)
    }

    fn of(
        table: Option<&'t DeTable<'t>>,
        path: String,
        offset: usize,
        faults: &'t Faults<'t>,
    ) -> Section<'t> {
        Section { table, path, offset, asked: RefCell::default(), faults }
    }

    /// The text has this table.
    pub fn exists(&self) -> bool {
        self.table.is_some()
    }

    fn find(&self, key: &'static str) -> Option<(usize, &'t DeValue<'t>)> {
        self.asked.borrow_mut().push(key);
        let (k, v) = self.table?.iter().find(|(k, _)| k.get_ref() == key)?;
        Some((k.span().start, v.get_ref()))
    }

    /// Path of a key of this table.
    fn path_of(&self, key: &str) -> String {
        match (self.path.is_empty(), key.is_empty()) {
            (true, _) => key.to_owned(),
            (_, true) => self.path.clone(),
            _ => format!("{}.{key}", self.path),
        }
    }

    /// Notes a fault at `key`; at the table's head when the key is absent or empty.
    pub fn fault(&self, key: &str, message: impl Into<String>) {
        let at = self.table.and_then(|t| t.iter().find(|(k, _)| k.get_ref() == key));
        self.faults.add(at.map_or(self.offset, |(k, _)| k.span().start), self.path_of(key), message);
    }

    /// Notes it where the text lacks a key that must be there.
    pub fn demand(&self, key: &'static str, example: &str) {
        let absent = self.table.is_none_or(|t| !t.iter().any(|(k, _)| k.get_ref() == key));
        if absent {
            self.fault(key, format!("is missing; write {example}"));
        }
    }

    /// [`Section::demand`], passing a value through.
    pub fn required<T>(&self, key: &'static str, example: &str, value: Option<T>) -> Option<T> {
        self.demand(key, example);
        value
    }

    /// A text.
    pub fn text(&self, key: &'static str) -> Option<&'t str> {
        let (_, value) = self.find(key)?;
        let text = value.as_str();
        if text.is_none() {
            self.fault(key, format!("must be a text, not {}", described(value)));
        }
        text
    }

    /// The key holds exactly this text.
    pub fn text_is(&self, key: &'static str, text: &str) -> bool {
        self.find(key).is_some_and(|(_, value)| value.as_str() == Some(text))
    }

    /// A time, potential or frequency with its unit. A bare number is refused.
    pub fn quantity<Q: Quantity>(&self, key: &'static str) -> Option<Q> {
        let (_, value) = self.find(key)?;
        let (shown, example) = (described(value), Q::EXAMPLE);
        let outcome = match value {
            DeValue::String(text) if shortened(text) != **text => {
                Err(format!("{shown} is no quantity such as \"{example}\""))
            }
            DeValue::String(text) => text.parse().map_err(|e: UnitError| e.to_string()),
            DeValue::Integer(_) | DeValue::Float(_) => {
                Err(format!("{shown} has no unit; write a text such as \"{example}\""))
            }
            _ => Err(format!("must be a text such as \"{example}\", not {shown}")),
        };
        outcome.map_err(|message| self.fault(key, message)).ok()
    }

    /// A time above zero.
    pub fn duration(&self, key: &'static str) -> Option<Picos> {
        let time = self.quantity::<Picos>(key)?;
        if time <= Picos::ZERO {
            self.fault(key, format!("`{time}` must be above zero"));
            return None;
        }
        Some(time)
    }

    /// A plain number inside `from..=to`; `what` names it in the message.
    pub fn number(&self, key: &'static str, from: f64, to: f64, what: &str) -> Option<f64> {
        let (_, value) = self.find(key)?;
        let number = match value {
            DeValue::Integer(i) => i64::from_str_radix(i.as_str(), i.radix()).ok().map(|i| i as f64),
            DeValue::Float(f) => f.as_str().parse::<f64>().ok(),
            _ => None,
        };
        let fits = number.filter(|n| (from..=to).contains(n));
        if fits.is_none() {
            self.fault(key, format!("must be {what} ({from} to {to}), not {}", described(value)));
        }
        fits
    }

    /// A whole number inside `from..=to`.
    pub fn whole(&self, key: &'static str, from: u64, to: u64) -> Option<u64> {
        let (_, value) = self.find(key)?;
        let number = match value {
            DeValue::Integer(i) => u64::from_str_radix(i.as_str(), i.radix()).ok(),
            _ => None,
        };
        let fits = number.filter(|n| (from..=to).contains(n));
        if fits.is_none() {
            self.fault(key, format!("must be a whole number from {from} to {to}, not {}", described(value)));
        }
        fits
    }

    /// One of a few words.
    pub fn word<T: Copy>(&self, key: &'static str, words: &[(&str, T)]) -> Option<T> {
        let text = self.text(key)?;
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        if found.is_none() {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.fault(key, format!("`{}` is not known; {}", shortened(text), suggest::hint(text, &known)));
        }
        found
    }

    /// A list of texts, empty when the key is absent.
    pub fn texts(&self, key: &'static str) -> Vec<String> {
        let Some((_, value)) = self.find(key) else { return Vec::new() };
        let texts = value.as_array().and_then(|items| {
            items
                .iter()
                .map(|item| item.get_ref().as_str().map(str::to_owned))
                .collect::<Option<Vec<String>>>()
        });
        texts.unwrap_or_else(|| {
            self.fault(key, format!("must be a list of texts such as [\"i2c\"], not {}", described(value)));
            Vec::new()
        })
    }

    /// A table inside this one.
    pub fn section(&self, key: &'static str) -> Section<'t> {
        let found = self.find(key);
        let table = found.and_then(|(_, value)| value.as_table());
        if let (Some((_, value)), None) = (found, table) {
            self.fault(key, format!("must be a table, not {}", described(value)));
        }
        let offset = found.map_or(self.offset, |(at, _)| at);
        Section::of(table, self.path_of(key), offset, self.faults)
    }

    /// The tables of a list (`[[configuration]]`), in the order of the text.
    pub fn sections(&self, key: &'static str) -> Vec<Section<'t>> {
        let Some((_, value)) = self.find(key) else { return Vec::new() };
        let Some(items) = value.as_array() else {
            self.fault(key, format!("must be a list of tables, each headed [[{key}]]"));
            return Vec::new();
        };
        if items.is_empty() {
            self.fault(key, format!("is empty; write a table headed [[{key}]]"));
        }
        let numbered = items.iter().enumerate();
        numbered.filter_map(|(i, item)| self.item(key, i, item.span().start, item.get_ref())).collect()
    }

    fn item(&self, key: &str, index: usize, offset: usize, value: &'t DeValue<'t>) -> Option<Section<'t>> {
        let path = format!("{}[{index}]", self.path_of(key));
        let table = value.as_table();
        if table.is_none() {
            self.faults.add(offset, path.clone(), format!("must be a table, not {}", described(value)));
        }
        table.map(|table| Section::of(Some(table), path, offset, self.faults))
    }

    /// Every table inside this one, under names the user chose.
    pub fn named(&self) -> Vec<(&'t str, Section<'t>)> {
        let entries = self.table.into_iter().flat_map(|table| table.iter());
        let tables = entries.filter_map(|(k, v)| {
            let (name, at) = (k.get_ref().as_ref(), k.span().start);
            if v.get_ref().as_table().is_none() {
                self.fault(name, format!("must be a table, not {}", described(v.get_ref())));
            }
            let table = v.get_ref().as_table()?;
            Some((name, Section::of(Some(table), self.path_of(name), at, self.faults)))
        });
        tables.collect()
    }

    /// Notes each key that nobody asked for. Every section ends with it.
    pub fn finish(&self) {
        let asked = self.asked.borrow();
        for (key, _) in self.table.into_iter().flat_map(|table| table.iter()) {
            let name: &str = key.get_ref();
            if !asked.contains(&name) {
                let path = self.path_of(&shortened(name));
                let message = format!("is no key of a profile here; {}", suggest::hint(name, &asked));
                self.faults.add(key.span().start, path, message);
            }
        }
    }
}

/// A value as a message shows it.
fn described(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text \"{}\"", shortened(text)),
        DeValue::Integer(i) => format!("`{}`", shortened(&i.to_string())),
        DeValue::Float(f) => format!("`{}`", shortened(f.as_str())),
        DeValue::Boolean(b) => format!("`{b}`"),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// Hostile or accidental text must not flood the terminal, nor send it control characters.
pub(super) fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().nth(40).is_some() {
        short.push_str("...");
    }
    short
}
