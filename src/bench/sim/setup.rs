//! `:SYSTem:SETup`: all settings in one block that can be written back.
//!
//! The real block is 2081 bytes beginning `VZ8\0DS1054Z`, of unknown layout; this one has the same length and beginning
//! and holds the settings that differ from a reset as text.

use super::catalogue::ROWS;
use super::settings::{Settings, Value};
use crate::units::Picos;

const LENGTH: usize = 2081;
const BEGINNING: &[u8] = b"VZ8\0DS1054Z";

/// The block's data.
pub(super) fn save(settings: &Settings) -> Vec<u8> {
    let mut data = BEGINNING.to_vec();
    for (row, channel, value) in settings.changes() {
        let text = match value {
            Value::Flag(on) => format!("f{}", u8::from(on)),
            Value::Choice(n) => format!("c{n}"),
            Value::Whole(n) => format!("w{n}"),
            Value::Real(v) => format!("r{v}"),
            Value::Span(t) => format!("s{}", t.0),
        };
        data.extend_from_slice(format!(";{row},{channel},{text}").as_bytes());
    }
    data.resize(LENGTH, 0);
    data
}

/// The settings in a block; `None` for one that was not made by [`save`].
pub(super) fn restore(data: &[u8]) -> Option<Settings> {
    let text = data.strip_prefix(BEGINNING).filter(|_| data.len() == LENGTH)?;
    let text = std::str::from_utf8(text).ok()?.trim_end_matches('\0');
    let mut settings = Settings::new();
    for entry in text.split(';').skip(1) {
        let (row, channel, value) = read(entry)?;
        settings.set(row, channel, value);
    }
    Some(settings)
}

fn read(entry: &str) -> Option<(usize, u8, Value)> {
    let mut fields = entry.split(',');
    let (row, channel, value) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?, fields.next()?);
    let (kind, text) = value.split_at_checked(1)?;
    let value = match kind {
        "f" => Value::Flag(text == "1"),
        "c" => Value::Choice(text.parse().ok()?),
        "w" => Value::Whole(text.parse().ok()?),
        "r" => Value::Real(text.parse().ok().filter(|v: &f64| v.is_finite())?),
        "s" => Value::Span(Picos(text.parse().ok()?)),
        _ => return None,
    };
    let fits = row < ROWS.len() && same_kind(Settings::new().get(row, channel)?, value);
    fits.then_some((row, channel, value))
}

fn same_kind(a: Value, b: Value) -> bool {
    std::mem::discriminant(&a) == std::mem::discriminant(&b)
}

#[cfg(test)]
mod tests {
    use super::super::settings::Id;
    use super::*;

    #[test]
    fn a_saved_setup_comes_back() {
        let mut s = Settings::new();
        s.put(Id::Scale, 2, Value::Real(0.5));
        s.put(Id::TimeOffset, 0, Value::Span(Picos::from_ms(5)));
        s.put(Id::Display, 1, Value::Flag(false));
        let data = save(&s);
        assert_eq!(data.len(), 2081);
        assert_eq!(restore(&data), Some(s));
    }

    #[test]
    fn damaged_blocks_change_nothing() {
        let data = save(&Settings::new());
        assert_eq!(restore(&data[1..]), None);
        assert_eq!(restore(b""), None);
        let mut bad = data;
        bad[BEGINNING.len()..BEGINNING.len() + 8].copy_from_slice(b";0,1,rxx");
        assert_eq!(restore(&bad), None);
    }
}
