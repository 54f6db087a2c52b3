//! Numbers in text, read byte by byte at the speed of the disk.
//!
//! Values become `f64`, correctly rounded. Times become whole attoseconds, never a binary fraction: ten digits of
//! seconds beside nanoseconds would not survive one.

use super::grid::to_picos;
use crate::units::Picos;

/// Powers of ten that a double holds exactly.
const EXACT: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];
/// Largest mantissa that a double holds exactly.
const EXACT_MANTISSA: u64 = 1 << 53;
/// Digits that always fit into 64 bits.
const DIGITS: u32 = 19;
/// Powers of ten in whole numbers.
const WHOLE: [u64; 20] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
    10_000_000_000,
    100_000_000_000,
    1_000_000_000_000,
    10_000_000_000_000,
    100_000_000_000_000,
    1_000_000_000_000_000,
    10_000_000_000_000_000,
    100_000_000_000_000_000,
    1_000_000_000_000_000_000,
    10_000_000_000_000_000_000,
];
/// Values beyond are no voltages, but marks for overload (9.9E+37) or damage.
const LARGEST: f64 = 1e30;

/// Sign, digits and exponent of a number in text.
struct Number {
    negative: bool,
    mantissa: u64,
    exponent: i32,
    /// Digits seen; over [`DIGITS`] the mantissa is not complete.
    digits: u32,
}

/// The digits at the start of `text`.
#[inline]
fn digits<'a>(mut text: &'a [u8], number: &mut Number) -> &'a [u8] {
    while let Some((&byte, rest)) = text.split_first() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number.mantissa = number.mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        number.digits += 1;
        text = rest;
    }
    text
}

/// The number at the start of `text` and what follows it.
#[inline]
fn number(text: &[u8]) -> Option<(Number, &[u8])> {
    let mut rest = text;
    while let Some((b' ', after)) = rest.split_first() {
        rest = after;
    }
    let mut number = Number { negative: false, mantissa: 0, exponent: 0, digits: 0 };
    if let Some((&sign @ (b'-' | b'+'), after)) = rest.split_first() {
        number.negative = sign == b'-';
        rest = after;
    }
    rest = digits(rest, &mut number);
    if let Some((b'.', after)) = rest.split_first() {
        let whole = number.digits;
        rest = digits(after, &mut number);
        number.exponent -= (number.digits - whole) as i32;
    }
    if number.digits == 0 {
        return None;
    }
    if let Some((b'e' | b'E', after)) = rest.split_first() {
        let (shift, after) = exponent(after)?;
        number.exponent += shift;
        rest = after;
    }
    Some((number, rest))
}

/// The exponent behind its `e`; limited to what any double can hold and more.
#[inline]
fn exponent(text: &[u8]) -> Option<(i32, &[u8])> {
    let (negative, mut rest) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    let mut value = 0i32;
    let mut any = false;
    while let Some((&byte, after)) = rest.split_first() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value = (value * 10 + i32::from(digit)).min(9_999);
        any = true;
        rest = after;
    }
    any.then_some((if negative { -value } else { value }, rest))
}

/// The value at the start of `text` and what follows it. `None` when there is no number or it is no usable voltage.
#[inline]
pub(super) fn real(text: &[u8]) -> Option<(f64, &[u8])> {
    let (number, rest) = number(text)?;
    let scale = EXACT.get(number.exponent.unsigned_abs() as usize);
    let value = match scale {
        Some(scale) if number.digits < DIGITS && number.mantissa < EXACT_MANTISSA => {
            let mantissa = number.mantissa as f64;
            let value = if number.exponent < 0 { mantissa / scale } else { mantissa * scale };
            if number.negative { -value } else { value }
        }
        _ => slowly(text, rest)?,
    };
    (value.abs() <= LARGEST).then_some((value, rest))
}

/// As the standard library reads it; for the rare long numbers.
#[cold]
fn slowly(text: &[u8], rest: &[u8]) -> Option<f64> {
    let token = text.get(..text.len().checked_sub(rest.len())?)?;
    std::str::from_utf8(token).ok()?.trim().parse().ok()
}

/// The seconds at the start of `text` as whole attoseconds, rounded half away from zero, and what follows.
#[inline]
pub(super) fn attoseconds(text: &[u8]) -> Option<(i128, &[u8])> {
    let (number, rest) = number(text)?;
    if number.digits > DIGITS {
        return long_attoseconds(text, rest).map(|value| (value, rest));
    }
    let value = shifted(i128::from(number.mantissa), number.exponent + 18)?;
    Some((if number.negative { -value } else { value }, rest))
}

/// The seconds at the start of `text` as picoseconds, rounded to the nearest, and what follows.
#[inline]
pub(super) fn picoseconds(text: &[u8]) -> Option<(Picos, &[u8])> {
    let (number, rest) = number(text)?;
    let scale = usize::try_from(number.exponent + 12).ok().and_then(|n| WHOLE.get(n));
    let whole =
        scale.filter(|_| number.digits < DIGITS).and_then(|scale| number.mantissa.checked_mul(*scale));
    match whole.and_then(|w| i64::try_from(w).ok()) {
        Some(whole) => Some((Picos(if number.negative { -whole } else { whole }), rest)),
        None => attoseconds(text).map(|(value, rest)| (to_picos(value), rest)),
    }
}

/// How finely a time is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Precision {
    /// What one step of the last digit is worth, in attoseconds; at least one.
    pub unit: i128,
    /// Digits from the first that is not zero.
    pub digits: u32,
    /// With an exponent.
    pub scientific: bool,
}

/// How finely the time at the start of `text` is written.
pub(super) fn precision(text: &[u8]) -> Option<Precision> {
    let (number, rest) = number(text)?;
    let token = text.get(..text.len().checked_sub(rest.len())?)?;
    let exponent = u32::try_from(number.exponent + 18).unwrap_or(0);
    let unit = 10i128.checked_pow(exponent).unwrap_or(i128::MAX >> 2);
    let digits = if number.mantissa == 0 { 0 } else { number.mantissa.ilog10() + 1 };
    Some(Precision { unit, digits, scientific: token.iter().any(|b| matches!(b, b'e' | b'E')) })
}

/// More digits than a word holds: the first ones decide, the rest is cut off.
#[cold]
fn long_attoseconds(text: &[u8], rest: &[u8]) -> Option<i128> {
    let token = text.get(..text.len().checked_sub(rest.len())?)?;
    let mut mantissa = 0i128;
    let (mut exponent, mut point) = (18i32, false);
    for byte in token.iter().take_while(|b| !matches!(b, b'e' | b'E')) {
        match byte {
            b'0'..=b'9' if mantissa < 10i128.pow(34) => {
                mantissa = mantissa * 10 + i128::from(byte - b'0');
                exponent -= i32::from(point);
            }
            b'0'..=b'9' => exponent += i32::from(!point),
            b'.' => point = true,
            _ => {}
        }
    }
    if let Some(at) = token.iter().position(|b| matches!(b, b'e' | b'E')) {
        exponent += self::exponent(token.get(at + 1..)?)?.0;
    }
    let value = shifted(mantissa, exponent)?;
    Some(if token.trim_ascii_start().starts_with(b"-") { -value } else { value })
}

/// `value * 10^exponent`, rounded half up; `None` on overflow.
#[inline]
pub(super) fn shifted(value: i128, exponent: i32) -> Option<i128> {
    if value == 0 {
        return Some(0);
    }
    if let Some(scale) = usize::try_from(exponent).ok().and_then(|n| WHOLE.get(n)) {
        return value.checked_mul(i128::from(*scale));
    }
    match 10i128.checked_pow(exponent.unsigned_abs()) {
        Some(scale) if exponent >= 0 => value.checked_mul(scale),
        Some(scale) => Some((value + scale / 2) / scale),
        None if exponent < 0 => Some(0),
        None => None,
    }
}

/// The seconds that make up all of `text`, blanks aside.
pub(super) fn whole_attoseconds(text: &str) -> Option<i128> {
    let (value, rest) = attoseconds(text.trim().as_bytes())?;
    rest.is_empty().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_keep_every_digit() {
        let cases: [(&str, i128); 7] = [
            ("2.000000e-09", 2_000_000_000),
            ("-5.999998e-02", -59_999_980_000_000_000),
            ("289.692741059", 289_692_741_059_000_000_000),
            (" 0.00000006320", 63_200_000_000),
            ("-84.48E-06", -84_480_000_000_000),
            ("0.000000000000000000000000", 0),
            ("1764558605.123456789012345678", 1_764_558_605_123_456_789_012_345_678),
        ];
        for (text, value) in cases {
            assert_eq!(attoseconds(text.as_bytes()), Some((value, &b""[..])), "{text}");
            assert_eq!(picoseconds(text.as_bytes()), Some((to_picos(value), &b""[..])), "{text}");
        }
        for bad in ["", "-", ".", "e5", "1e", "1e99"] {
            assert_eq!(attoseconds(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn a_number_ends_where_the_field_does() {
        assert_eq!(real(b"4.72e+01,2.40e+00,\r\n"), Some((47.2, &b",2.40e+00,\r\n"[..])));
        assert_eq!(real(b" -.5\n"), Some((-0.5, &b"\n"[..])));
        for bad in [&b",1"[..], b"9.9E+37", b"nan", b"1e400"] {
            assert_eq!(real(bad), None, "{}", String::from_utf8_lossy(bad));
        }
    }

    proptest! {
        #[test]
        fn values_are_what_the_standard_library_reads(value in -1e25f64..1e25, digits in 0usize..24) {
            for text in [format!("{value:.digits$e}"), format!("{:.digits$}", value % 1e6)] {
                prop_assert_eq!(real(text.as_bytes()), Some((text.parse().unwrap(), &b""[..])));
            }
        }

        #[test]
        fn any_bytes_give_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = (real(&bytes), attoseconds(&bytes));
        }
    }
}
