//! The header of a NumPy file: element type, order and shape (NEP 1, format versions 1 to 3).

use super::error::{ForeignError, Named};

/// Longest header that is read. NumPy itself stops at 10 000 characters.
const LONGEST: usize = 32 * 1024;

/// How an element is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Element {
    /// `f`, `i`, `u` or `b`.
    kind: u8,
    pub size: usize,
    big: bool,
}

impl Element {
    fn of(code: &str) -> Option<Element> {
        let (order, rest) = match code.split_at_checked(1)? {
            (order @ ("<" | ">" | "=" | "|"), rest) => (order, rest),
            _ => ("=", code),
        };
        let (kind, size) = rest.split_at_checked(1)?;
        let kind = *kind.as_bytes().first()?;
        let size = if rest == "?" { 1 } else { size.parse().ok()? };
        let kind = if kind == b'?' { b'b' } else { kind };
        let known = matches!((kind, size), (b'f', 4 | 8) | (b'i' | b'u', 1 | 2 | 4 | 8) | (b'b', 1));
        known.then_some(Element { kind, size, big: order == ">" })
    }

    /// The value of an element.
    pub fn value(self, bytes: &[u8]) -> Option<f64> {
        Some(match (self.kind, self.size) {
            (b'f', 4) => f64::from(f32::from_bits(self.word(bytes)? as u32)),
            (b'f', _) => f64::from_bits(self.word(bytes)?),
            (b'i', _) => self.integer(bytes)? as f64,
            _ => self.word(bytes)? as f64,
        })
    }

    /// A signed or unsigned integer; `None` for floats.
    pub fn integer(self, bytes: &[u8]) -> Option<i64> {
        let word = self.word(bytes)?;
        let unused = 64 - 8 * self.size as u32;
        match self.kind {
            b'i' => Some((word << unused) as i64 >> unused),
            b'u' | b'b' => i64::try_from(word).ok(),
            _ => None,
        }
    }

    fn word(self, bytes: &[u8]) -> Option<u64> {
        let bytes = bytes.get(..self.size)?;
        let add = |word: u64, byte: &u8| word << 8 | u64::from(*byte);
        Some(if self.big { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) })
    }
}

/// A field of a record, or the only one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub name: String,
    pub element: Element,
    pub offset: usize,
}

/// What the header says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    /// Offset of the data.
    pub data: u64,
    /// One without a name, or those of a structured array.
    pub fields: Vec<Field>,
    /// Bytes of an element with all its fields.
    pub size: usize,
    pub fortran: bool,
    pub shape: Vec<u64>,
}

impl Header {
    /// Reads the first bytes of a file.
    pub fn of(head: &[u8], named: Named) -> Result<Header, ForeignError> {
        let (text, data) = dictionary(head).ok_or_else(|| named.header("is cut short"))?;
        let strange = |what: &str| named.header(format!("has no usable {what}: `{}`", text.trim()));
        let fields = fields(&text).ok_or_else(|| {
            strange("descr (known are f4, f8, integers and bool, and records of them without padding)")
        })?;
        let shape = shape(&text).ok_or_else(|| strange("shape"))?;
        let fortran = entry(&text, "fortran_order").is_some_and(|v| v.starts_with("True"));
        let size = fields.iter().map(|f| f.element.size).sum();
        Ok(Header { data, fields, size, fortran, shape })
    }
}

/// The literal of the header and the offset behind it.
fn dictionary(head: &[u8]) -> Option<(String, u64)> {
    let (length, begin) = match head.get(6)? {
        1 => (usize::from(u16::from_le_bytes([*head.get(8)?, *head.get(9)?])), 10),
        2 | 3 => {
            let bytes = [*head.get(8)?, *head.get(9)?, *head.get(10)?, *head.get(11)?];
            (usize::try_from(u32::from_le_bytes(bytes)).ok()?, 12)
        }
        _ => return None,
    };
    let text = head.get(begin..begin + length.min(LONGEST))?;
    Some((String::from_utf8_lossy(text).into_owned(), (begin + length) as u64))
}

/// What stands behind a key.
fn entry<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let quoted = [format!("'{key}'"), format!("\"{key}\"")];
    let at = quoted.iter().find_map(|q| text.find(q).map(|at| at + q.len()))?;
    text.get(at..)?.trim_start().strip_prefix(':').map(str::trim_start)
}

fn fields(text: &str) -> Option<Vec<Field>> {
    let descr = entry(text, "descr")?;
    if !descr.starts_with('[') {
        let (code, _) = quoted(descr)?;
        return Some(vec![Field { name: String::new(), element: Element::of(code)?, offset: 0 }]);
    }
    let mut fields: Vec<Field> = Vec::new();
    let mut rest = descr.get(1..)?.trim_start();
    let mut offset = 0;
    while let Some(inner) = rest.strip_prefix('(') {
        let (name, after) = quoted(inner)?;
        let (code, after) = quoted(after.trim_start().strip_prefix(',')?)?;
        let element = Element::of(code)?;
        fields.push(Field { name: name.to_owned(), element, offset });
        offset += element.size;
        rest = after.trim_start().strip_prefix(')')?.trim_start_matches([',', ' ']);
    }
    (rest.starts_with(']') && !fields.is_empty()).then_some(fields)
}

/// A string literal and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text.get(1..)?.split_once(quote)
}

fn shape(text: &str) -> Option<Vec<u64>> {
    let (inner, _) = entry(text, "shape")?.strip_prefix('(')?.split_once(')')?;
    let sizes = inner.split(',').map(str::trim).filter(|s| !s.is_empty());
    sizes.map(|s| s.trim_end_matches('L').parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(literal: &str) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\0".to_vec();
        bytes.extend((literal.len() as u16).to_le_bytes());
        bytes.extend(literal.as_bytes());
        bytes
    }

    #[test]
    fn records_and_plain_arrays_are_read() {
        let plain = file("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 300), }          \n");
        let header = Header::of(&plain, Named("a.npy")).unwrap();
        assert_eq!((header.fortran, header.shape, header.size), (true, vec![2, 300], 2));
        assert_eq!(header.fields[0].element.value(&[0xff, 0xfe]), Some(-2.0));

        let record = file(
            "{'descr': [('time_ps', '<i8'), ('a', '<f4'), ('b', '|b1')], 'fortran_order': False, 'shape': (5,), }\n",
        );
        let header = Header::of(&record, Named("a.npy")).unwrap();
        let places: Vec<(&str, usize)> = header.fields.iter().map(|f| (f.name.as_str(), f.offset)).collect();
        assert_eq!(places, [("time_ps", 0), ("a", 8), ("b", 12)]);
        assert_eq!(header.size, 13);
    }

    #[test]
    fn what_holds_no_numbers_is_refused() {
        for descr in ["'<U8'", "'|O'", "'<c16'", "'<M8[ns]'", "[('a', '<f4', (2,))]", "{'names': ['a']}"] {
            let bytes = file(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (3,), }}\n"));
            assert!(
                matches!(Header::of(&bytes, Named("a.npy")), Err(ForeignError::Header { .. })),
                "{descr}"
            );
        }
    }
}
