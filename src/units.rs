//! Quantities with their units, in types and in text.
//!
//! Time is a whole number of picoseconds ([`Picos`]): additions are exact and a report of the same evidence is the
//! same bytes on every machine. Text is read digit by digit ("20 us", `2.000000e-09`), never through a binary
//! fraction, so that "0.1 us" is 100 000 ps and nothing else. A number without a unit is refused: a profile that says
//! `20` could mean microseconds or samples.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};
use std::str::FromStr;
use std::time::Duration;

/// A text that is no quantity, or has the wrong unit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// The number itself cannot be read.
    #[error("`{0}` does not start with a number")]
    Number(String),
    /// There is no unit behind the number, or one that does not fit.
    #[error("`{text}` needs a unit out of {expected}, such as \"{example}\"")]
    Unit {
        /// The offending text.
        text: String,
        /// The units that would do.
        expected: &'static str,
        /// A value written as it should be.
        example: &'static str,
    },
    /// The value does not fit the type.
    #[error("`{0}` is out of range")]
    Range(String),
}

/// A time or duration in whole picoseconds; covers +-106 days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Picos(pub i64);

impl Picos {
    /// No time at all.
    pub const ZERO: Picos = Picos(0);
    /// The longest time that can be held.
    pub const MAX: Picos = Picos(i64::MAX);

    /// Whole nanoseconds.
    #[must_use]
    pub const fn from_ns(ns: i64) -> Picos {
        Picos(ns.saturating_mul(1_000))
    }
    /// Whole microseconds.
    #[must_use]
    pub const fn from_us(us: i64) -> Picos {
        Picos(us.saturating_mul(1_000_000))
    }
    /// Whole milliseconds.
    #[must_use]
    pub const fn from_ms(ms: i64) -> Picos {
        Picos(ms.saturating_mul(1_000_000_000))
    }
    /// Whole seconds.
    #[must_use]
    pub const fn from_s(s: i64) -> Picos {
        Picos(s.saturating_mul(1_000_000_000_000))
    }
    /// A standard duration, rounded down to picoseconds and limited to [`Picos::MAX`].
    #[must_use]
    pub fn from_duration(d: Duration) -> Picos {
        Picos(i64::try_from(d.as_nanos().saturating_mul(1_000)).unwrap_or(i64::MAX))
    }
    /// The standard duration of this time; a negative time gives zero.
    #[must_use]
    pub fn to_duration(self) -> Duration {
        Duration::from_nanos(u64::try_from(self.0 / 1_000).unwrap_or(0))
    }
    /// Seconds written as SCPI writes them (`2.000000e-09`), read without loss, rounded to the nearest picosecond.
    ///
    /// # Errors
    /// When the text is no finite decimal number or does not fit.
    pub fn from_scpi_seconds(text: &str) -> Result<Picos, UnitError> {
        let (value, rest) = decimal(text.trim(), 12).ok_or_else(|| UnitError::Number(text.to_owned()))?;
        if !rest.is_empty() {
            return Err(UnitError::Number(text.to_owned()));
        }
        i64::try_from(value).map(Picos).map_err(|_| UnitError::Range(text.to_owned()))
    }
    /// Absolute value.
    #[must_use]
    pub const fn abs(self) -> Picos {
        Picos(self.0.saturating_abs())
    }
    /// Half of it, rounded towards zero.
    #[must_use]
    pub const fn half(self) -> Picos {
        Picos(self.0 / 2)
    }
    /// Multiplication that stops at the limits instead of wrapping.
    #[must_use]
    pub const fn saturating_mul(self, k: i64) -> Picos {
        Picos(self.0.saturating_mul(k))
    }
    /// Seconds as a floating number, for rates and for the `elapsed_s` of the report only.
    #[must_use]
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 * 1e-12
    }
}

impl Add for Picos {
    type Output = Picos;
    fn add(self, o: Picos) -> Picos {
        Picos(self.0.saturating_add(o.0))
    }
}
impl AddAssign for Picos {
    fn add_assign(&mut self, o: Picos) {
        *self = *self + o;
    }
}
impl Sub for Picos {
    type Output = Picos;
    fn sub(self, o: Picos) -> Picos {
        Picos(self.0.saturating_sub(o.0))
    }
}
impl Neg for Picos {
    type Output = Picos;
    fn neg(self) -> Picos {
        Picos(self.0.saturating_neg())
    }
}
impl Mul<i64> for Picos {
    type Output = Picos;
    fn mul(self, k: i64) -> Picos {
        self.saturating_mul(k)
    }
}
impl Div<i64> for Picos {
    type Output = Picos;
    fn div(self, k: i64) -> Picos {
        Picos(self.0.checked_div(k).unwrap_or(i64::MAX))
    }
}

/// The scale of a time unit: picoseconds per unit and its name.
const TIME_SCALES: [(i64, &str); 5] =
    [(1_000_000_000_000, "s"), (1_000_000_000, "ms"), (1_000_000, "us"), (1_000, "ns"), (1, "ps")];

impl fmt::Display for Picos {
    /// Four significant digits in the unit that leaves one to three digits before the point, trailing zeros cut:
    /// `1.912 us`, `520 ns`, `85 ps`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.0.unsigned_abs();
        let (scale, name) =
            TIME_SCALES.into_iter().find(|(scale, _)| magnitude >= scale.unsigned_abs()).unwrap_or((1, "ps"));
        f.pad(&format!(
            "{}{} {name}",
            if self.0 < 0 { "-" } else { "" },
            significant(magnitude, scale.unsigned_abs())
        ))
    }
}

/// `value / scale` with four significant digits, without trailing zeros. Integers only, so it never surprises.
fn significant(value: u64, scale: u64) -> String {
    let whole = value / scale;
    let decimals = 4usize.saturating_sub(whole.to_string().len()).min(scale.ilog10() as usize);
    let unit = scale / 10u64.pow(decimals as u32);
    let rounded = (u128::from(value) + u128::from(unit) / 2) / u128::from(unit);
    let ten = 10u128.pow(decimals as u32);
    let text = format!("{}.{:0width$}", rounded / ten, rounded % ten, width = decimals);
    match decimals {
        0 => (rounded / ten).to_string(),
        _ => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
    }
}

impl FromStr for Picos {
    type Err = UnitError;
    /// Reads "20 us", "1.9us", "-3 ns", "0.5 s".
    fn from_str(text: &str) -> Result<Picos, UnitError> {
        let unit = |name: &str| match name {
            "s" => Some(12),
            "ms" => Some(9),
            "us" | "\u{b5}s" | "\u{3bc}s" => Some(6),
            "ns" => Some(3),
            "ps" => Some(0),
            _ => None,
        };
        let value = scaled(text, unit, "s, ms, us, ns, ps", "20 us")?;
        i64::try_from(value).map(Picos).map_err(|_| UnitError::Range(text.to_owned()))
    }
}

/// An electric potential in volts.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Volts(pub f64);

impl fmt::Display for Volts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 != 0.0 && self.0.abs() < 1.0 {
            f.pad(&format!("{} mV", trimmed(self.0 * 1e3)))
        } else {
            f.pad(&format!("{} V", trimmed(self.0)))
        }
    }
}
impl FromStr for Volts {
    type Err = UnitError;
    /// Reads "500 mV", "-1.65 V", "200 uV".
    fn from_str(text: &str) -> Result<Volts, UnitError> {
        let unit = |name: &str| match name {
            "V" => Some(6),
            "mV" => Some(3),
            "uV" => Some(0),
            _ => None,
        };
        scaled(text, unit, "V, mV, uV", "500 mV").map(|micro| Volts(micro as f64 / 1e6))
    }
}

/// A frequency or rate in hertz (or samples a second).
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hertz(pub f64);

impl fmt::Display for Hertz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scale, name) = match self.0.abs() {
            v if v >= 1e9 => (1e9, "GHz"),
            v if v >= 1e6 => (1e6, "MHz"),
            v if v >= 1e3 => (1e3, "kHz"),
            _ => (1.0, "Hz"),
        };
        f.pad(&format!("{} {name}", trimmed(self.0 / scale)))
    }
}
impl FromStr for Hertz {
    type Err = UnitError;
    /// Reads "128 MHz", "1 GHz", "32768 Hz".
    fn from_str(text: &str) -> Result<Hertz, UnitError> {
        let unit = |name: &str| match name {
            "GHz" => Some(12),
            "MHz" => Some(9),
            "kHz" => Some(6),
            "Hz" => Some(3),
            _ => None,
        };
        scaled(text, unit, "Hz, kHz, MHz, GHz", "128 MHz").map(|milli| Hertz(milli as f64 / 1e3))
    }
}

/// Up to four decimals, trailing zeros cut.
fn trimmed(v: f64) -> String {
    let text = format!("{v:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Number, blanks, unit -> value times ten to the power that belongs to the unit.
fn scaled(
    text: &str,
    unit: impl Fn(&str) -> Option<i32>,
    expected: &'static str,
    example: &'static str,
) -> Result<i128, UnitError> {
    let text = text.trim();
    let (_, rest) = decimal(text, 0).ok_or_else(|| UnitError::Number(text.to_owned()))?;
    let power =
        unit(rest.trim()).ok_or_else(|| UnitError::Unit { text: text.to_owned(), expected, example })?;
    decimal(text, power).map(|(value, _)| value).ok_or_else(|| UnitError::Range(text.to_owned()))
}

/// Reads a decimal number at the start of `text` and gives it times `10^power`, rounded half away from zero, with
/// what follows. `None` when there is no number or it does not fit.
fn decimal(text: &str, power: i32) -> Option<(i128, &str)> {
    let (negative, body) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    let end = body.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(body.len());
    let (number, mut rest) = body.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
        return None;
    }
    let mut exponent = power.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    if let Some((shift, after)) = exponent_part(rest) {
        exponent = exponent.checked_add(shift)?;
        rest = after;
    }
    let mut digits: i128 = 0;
    for d in whole.bytes().chain(fraction.bytes()) {
        digits = digits.checked_mul(10)?.checked_add(i128::from(d - b'0'))?;
    }
    let value = shift_decimal(digits, exponent)?;
    Some((if negative { -value } else { value }, rest))
}

/// `e-09` at the start of `text`: its value and what follows. An `e` without digits behind it is no exponent.
fn exponent_part(text: &str) -> Option<(i32, &str)> {
    let after = text.strip_prefix(['e', 'E'])?;
    let digits_from = after.strip_prefix(['+', '-']).unwrap_or(after);
    let n = digits_from.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits_from.len());
    if n == 0 {
        return None;
    }
    let len = after.len() - digits_from.len() + n;
    Some((after.get(..len)?.parse().ok()?, after.get(len..)?))
}

/// `digits * 10^exponent`, rounded half up; `None` on overflow.
fn shift_decimal(digits: i128, exponent: i32) -> Option<i128> {
    if exponent >= 0 {
        return if digits == 0 {
            Some(0)
        } else {
            digits.checked_mul(10i128.checked_pow(exponent.unsigned_abs())?)
        };
    }
    match 10i128.checked_pow(exponent.unsigned_abs()) {
        Some(divisor) => Some((digits + divisor / 2) / divisor),
        None => Some(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_exactly() {
        let cases = [
            ("20 us", 20_000_000),
            ("1.9us", 1_900_000),
            ("0.1 us", 100_000),
            ("-3 ns", -3_000),
            ("5 s", 5_000_000_000_000),
        ];
        for (text, ps) in cases {
            assert_eq!(text.parse(), Ok(Picos(ps)), "{text}");
        }
    }

    #[test]
    fn a_bare_number_is_refused_with_the_way_out() {
        let message = "20".parse::<Picos>().unwrap_err().to_string();
        assert!(message.contains("\"20 us\""), "{message}");
        assert!("us".parse::<Picos>().is_err());
        assert!("1.2.3 us".parse::<Picos>().is_err());
        assert!("9999999999999999999999 s".parse::<Picos>().is_err());
        assert!("20 mV".parse::<Picos>().is_err());
    }

    #[test]
    fn scpi_seconds_have_no_rounding_error() {
        assert_eq!(Picos::from_scpi_seconds("2.000000e-09"), Ok(Picos(2_000)));
        assert_eq!(Picos::from_scpi_seconds("-3.000000e+00"), Ok(Picos(-3_000_000_000_000)));
        assert_eq!(Picos::from_scpi_seconds("4.166667e-09"), Ok(Picos(4_167)));
        for bad in ["nan", "inf", "", "1e", "1e400", "2 ns"] {
            assert!(Picos::from_scpi_seconds(bad).is_err(), "{bad}");
        }
        assert_eq!(Picos::from_scpi_seconds("1e-400"), Ok(Picos(0)));
    }

    #[test]
    fn times_are_printed_for_people() {
        let cases = [
            (0, "0 ps"),
            (85, "85 ps"),
            (1_911_640, "1.912 us"),
            (520_000, "520 ns"),
            (-2_500, "-2.5 ns"),
            (999_999, "1000 ns"),
            (14_000_000, "14 us"),
            (999, "999 ps"),
        ];
        for (ps, text) in cases {
            assert_eq!(Picos(ps).to_string(), text);
        }
    }

    #[test]
    fn volts_and_hertz() {
        assert_eq!("500 mV".parse(), Ok(Volts(0.5)));
        assert_eq!("-1.65 V".parse(), Ok(Volts(-1.65)));
        assert_eq!(Volts(0.5).to_string(), "500 mV");
        assert_eq!("128 MHz".parse(), Ok(Hertz(128e6)));
        assert_eq!(Hertz(5e8).to_string(), "500 MHz");
    }
}
