//! The compact protocol of Apache Thrift, as far as the metadata of Parquet need it.
//!
//! Source: "Thrift compact protocol" of the Thrift specification: a field is one byte of number step and type, integers
//! are zigzag varints, lists have their length before them, a zero byte ends a structure.

/// Types on the wire.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A structure under construction. Fields must come in the order of their numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

impl Struct {
    fn field(mut self, number: u8, kind: u8) -> Struct {
        self.bytes.push(number.saturating_sub(self.last) << 4 | kind);
        self.last = number;
        self
    }
    pub fn i32(self, number: u8, value: i32) -> Struct {
        let mut with = self.field(number, I32);
        with.bytes.extend(zigzag(value.into()));
        with
    }
    pub fn i64(self, number: u8, value: i64) -> Struct {
        let mut with = self.field(number, I64);
        with.bytes.extend(zigzag(value));
        with
    }
    pub fn text(self, number: u8, value: &str) -> Struct {
        let mut with = self.field(number, BINARY);
        with.bytes.extend(binary(value));
        with
    }
    pub fn structure(self, number: u8, value: Struct) -> Struct {
        let mut with = self.field(number, STRUCT);
        with.bytes.extend(value.finished());
        with
    }
    pub fn structures(self, number: u8, values: Vec<Struct>) -> Struct {
        self.list(number, STRUCT, values.into_iter().map(Struct::finished).collect())
    }
    pub fn i32s(self, number: u8, values: &[i32]) -> Struct {
        self.list(number, I32, values.iter().map(|v| zigzag((*v).into())).collect())
    }
    pub fn texts(self, number: u8, values: &[&str]) -> Struct {
        self.list(number, BINARY, values.iter().map(|v| binary(v)).collect())
    }
    fn list(self, number: u8, kind: u8, items: Vec<Vec<u8>>) -> Struct {
        let mut with = self.field(number, LIST);
        match u8::try_from(items.len()).ok().filter(|n| *n < 15) {
            Some(n) => with.bytes.push(n << 4 | kind),
            None => {
                with.bytes.push(0xf0 | kind);
                with.bytes.extend(varint(items.len() as u64));
            }
        }
        with.bytes.extend(items.concat());
        with
    }
    /// The bytes, with the end mark.
    pub fn finished(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

fn binary(text: &str) -> Vec<u8> {
    let mut bytes = varint(text.len() as u64);
    bytes.extend(text.as_bytes());
    bytes
}

fn zigzag(value: i64) -> Vec<u8> {
    varint((value << 1 ^ value >> 63) as u64)
}

/// Seven bits a byte, the lowest first, the top bit set on all but the last.
pub(super) fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(2);
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_those_of_the_specification() {
        // The specification's own examples: 0, -1, 1, -2, 2 are 0, 1, 2, 3, 4; 50399 is 0xDF 0x89 0x03.
        assert_eq!([0, -1, 1, -2, 2].map(|v| zigzag(v)[0]), [0, 1, 2, 3, 4]);
        assert_eq!(varint(50_399), [0xdf, 0x89, 0x03]);
        assert_eq!(zigzag(i64::MIN).len(), 10);
    }

    #[test]
    fn fields_carry_the_step_of_their_number() {
        let bytes = Struct::default().i32(1, 0).text(4, "ab").finished();
        assert_eq!(bytes, [0x15, 0, 0x38, 2, b'a', b'b', 0]);
    }
}
