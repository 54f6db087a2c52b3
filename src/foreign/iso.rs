//! Times of day as ISO 8601 writes them: `2026-12-01T03:06:42.123456789+01:00`.

use super::decimal::attoseconds as seconds;
use super::grid::AS_PER_S;

/// Attoseconds since 1970 (UTC where an offset is given), or `None` when this is no such time. A separator of `T` or a
/// blank, any number of decimals, `Z`, an offset or nothing at the end.
pub(super) fn attoseconds(text: &[u8]) -> Option<i128> {
    let text = text.trim_ascii();
    let (year, rest) = text.split_at_checked(4)?;
    let (month, rest) = part(rest, b'-')?;
    let (day, rest) = part(rest, b'-')?;
    let (separator, rest) = rest.split_first()?;
    let (hour, rest) = rest.split_at_checked(2)?;
    let (minute, rest) = part(rest, b':')?;
    let (second, rest) = seconds(rest.strip_prefix(b":")?)?;
    let sound =
        matches!(separator, b'T' | b't' | b' ') && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !sound || !(0..=60 * AS_PER_S).contains(&second) {
        return None;
    }
    let days = days_since_1970(integer(year)?, month, day);
    let minutes = (days * 24 + integer(hour)?) * 60 + minute - offset(rest)?;
    Some(i128::from(minutes) * 60 * AS_PER_S + second)
}

/// Two digits behind `separator`.
fn part(text: &[u8], separator: u8) -> Option<(i64, &[u8])> {
    let (digits, rest) = text.strip_prefix(&[separator])?.split_at_checked(2)?;
    Some((integer(digits)?, rest))
}

fn integer(digits: &[u8]) -> Option<i64> {
    let sound = digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits).ok().filter(|_| sound)?.parse().ok()
}

/// Minutes east of Greenwich.
fn offset(text: &[u8]) -> Option<i64> {
    let (sign, rest) = match text.split_first() {
        None | Some((b'Z' | b'z', [])) => return Some(0),
        Some((b'+', rest)) => (1, rest),
        Some((b'-', rest)) => (-1, rest),
        _ => return None,
    };
    let (hours, rest) = rest.split_at_checked(2)?;
    let minutes = rest.strip_prefix(b":").unwrap_or(rest);
    let minutes = if minutes.is_empty() { 0 } else { integer(minutes.get(..2)?)? };
    Some(sign * (integer(hours)? * 60 + minutes))
}

/// Of the Gregorian calendar; years begin in March so that the leap day comes last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = year / 4 - year / 100 + year / 400;
    year * 365 + leaps + (month * 153 + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_become_seconds_since_1970() {
        // `date -u -d 2026-12-01T03:06:42Z +%s` says 1796094402; 2000-03-01 is 951868800.
        let cases: [(&str, i128); 5] = [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-03-01 00:00:00", 951_868_800 * AS_PER_S),
            ("2026-12-01T03:06:42Z", 1_796_094_402 * AS_PER_S),
            ("2026-12-01T04:06:42.5+01:00", 1_796_094_402 * AS_PER_S + AS_PER_S / 2),
            ("2026-11-30T22:06:42.000000001-0500", 1_796_094_402 * AS_PER_S + 1_000_000_000),
        ];
        for (text, value) in cases {
            assert_eq!(attoseconds(text.as_bytes()), Some(value), "{text}");
        }
        for bad in
            ["", "2026", "0.000000000", "2026-13-01T00:00:00Z", "2026-12-01T00:00", "2026-12-01T00:00:00+"]
        {
            assert_eq!(attoseconds(bad.as_bytes()), None, "{bad}");
        }
    }
}
