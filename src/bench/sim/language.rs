//! SCPI as it arrives: messages out of a byte stream, statements out of a message, headers against patterns.
//!
//! Bounded: a message longer than [`LONGEST_MESSAGE`] is dropped whole. Nothing here knows what a header does.

/// Longest message in bytes, its terminator and blocks included.
pub(super) const LONGEST_MESSAGE: usize = 64 * 1024;

/// Collects bytes into messages. Each ends in `\n`; a newline inside a definite-length block does not count.
#[derive(Debug, Default)]
pub(super) struct Messages {
    bytes: Vec<u8>,
    dropping: bool,
}

impl Messages {
    /// Takes what came from the line.
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole message, without its terminator; `Err` for one that was too long.
    pub(super) fn next(&mut self) -> Option<Result<Vec<u8>, TooLong>> {
        let end = if self.dropping { self.bytes.iter().position(|b| *b == b'\n') } else { end(&self.bytes) };
        let Some(end) = end else {
            if self.bytes.len() > LONGEST_MESSAGE {
                self.bytes.clear();
                self.dropping = true;
            }
            return None;
        };
        let mut message: Vec<u8> = self.bytes.drain(..=end).collect();
        message.pop();
        if std::mem::take(&mut self.dropping) || message.len() > LONGEST_MESSAGE {
            return Some(Err(TooLong));
        }
        if message.last() == Some(&b'\r') {
            message.pop();
        }
        Some(Ok(message))
    }
}

/// A message was longer than [`LONGEST_MESSAGE`].
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// Position of the newline that ends the first message.
fn end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = bytes.get(at..)?;
        let next = rest.iter().position(|b| *b == b'\n' || *b == b'#')?;
        if rest.get(next) == Some(&b'\n') {
            return Some(at + next);
        }
        at += next + block(rest.get(next..)?).map_or(1, |(head, len)| head + len);
    }
}

/// Length of the head and of the data of a definite-length block at the start of `bytes`.
pub(super) fn block(bytes: &[u8]) -> Option<(usize, usize)> {
    let digits = usize::from(bytes.get(1)?.checked_sub(b'0')?);
    if bytes.first() != Some(&b'#') || !(1..=9).contains(&digits) {
        return None;
    }
    let number = std::str::from_utf8(bytes.get(2..2 + digits)?).ok()?;
    let number = Some(number).filter(|n| n.bytes().all(|b| b.is_ascii_digit()))?;
    Some((2 + digits, number.parse().ok()?))
}

/// One statement of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Statement<'a> {
    /// Without its question mark.
    pub(super) header: &'a str,
    /// Ended in a question mark.
    pub(super) query: bool,
    /// What follows the header, blanks around it removed.
    pub(super) argument: &'a [u8],
}

/// The statements of a message; a block makes the rest of the message its argument.
pub(super) fn statements(message: &[u8]) -> impl Iterator<Item = Statement<'_>> {
    let parts: Vec<&[u8]> =
        if message.contains(&b'#') { vec![message] } else { message.split(|b| *b == b';').collect() };
    parts.into_iter().filter_map(statement)
}

fn statement(part: &[u8]) -> Option<Statement<'_>> {
    let part = part.trim_ascii();
    let end = part.iter().position(|b| b.is_ascii_whitespace() || *b == b'?').unwrap_or(part.len());
    let (header, rest) = part.split_at(end);
    let query = rest.first() == Some(&b'?');
    let argument = rest.get(usize::from(query)..)?.trim_ascii();
    let header = std::str::from_utf8(header).ok().filter(|h| !h.is_empty())?;
    Some(Statement { header, query, argument })
}

/// Matches a header against a pattern such as `:TIMebase:[MAIN]:SCALe` or `:CHANnel#:OFFSet`: each node in its long or
/// short form (the characters that are not lower case), in any case; nodes in brackets may be left out. Gives the
/// number in the place of `#`, 0 where there is none.
pub(super) fn matches(pattern: &str, header: &str) -> Option<u8> {
    let header = header.strip_prefix(':').unwrap_or(header);
    let pattern = pattern.strip_prefix(':').unwrap_or(pattern);
    nodes(pattern, header, 0)
}

fn nodes(pattern: &str, header: &str, number: u8) -> Option<u8> {
    let (want, patterns) = pattern.split_once(':').unwrap_or((pattern, ""));
    if want.is_empty() {
        return header.is_empty().then_some(number);
    }
    let (have, rest) = header.split_once(':').unwrap_or((header, ""));
    let optional = want.strip_prefix('[').and_then(|w| w.strip_suffix(']'));
    let here = node(optional.unwrap_or(want), have).and_then(|n| nodes(patterns, rest, number.max(n)));
    here.or_else(|| optional.and_then(|_| nodes(patterns, header, number)))
}

fn node(want: &str, have: &str) -> Option<u8> {
    match want.strip_suffix('#') {
        Some(name) => {
            let digits = have.trim_start_matches(|c: char| !c.is_ascii_digit());
            let number = digits.parse().ok().filter(|n| *n > 0)?;
            word(name, have.strip_suffix(digits)?).then_some(number)
        }
        None => word(want, have).then_some(0),
    }
}

/// True when `have` is the long or the short form of `want`.
pub(super) fn word(want: &str, have: &str) -> bool {
    let lower = |c: char| c.is_ascii_lowercase();
    have.eq_ignore_ascii_case(want)
        || (have.len() < want.len()
            && want.chars().filter(|c| !lower(*c)).eq(have.chars().map(|c| c.to_ascii_uppercase())))
}

/// The short form of a word, which replies use.
pub(super) fn short(word: &str) -> String {
    word.chars().filter(|c| !c.is_ascii_lowercase()).collect()
}

/// A real number as the instrument writes it: six decimals, `e`, a sign and at least two digits.
pub(super) fn scientific(value: f64) -> String {
    let text = format!("{:.6e}", if value == 0.0 { 0.0 } else { value });
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |d| ('-', d));
    format!("{mantissa}e{sign}{digits:0>2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(pieces: &[&[u8]]) -> Vec<Result<Vec<u8>, TooLong>> {
        let mut messages = Messages::default();
        let mut out = Vec::new();
        for piece in pieces {
            messages.extend(piece);
            while let Some(message) = messages.next() {
                out.push(message);
            }
        }
        out
    }

    #[test]
    fn messages_end_in_lf_or_crlf_and_may_come_in_pieces() {
        let found = all(&[b"*IDN?\r", b"\n:RUN\n:ST", b"OP", b"\n*OPC?"]);
        assert_eq!(found, [Ok(b"*IDN?".to_vec()), Ok(b":RUN".to_vec()), Ok(b":STOP".to_vec())]);
    }

    #[test]
    fn a_newline_inside_a_block_is_data() {
        let found = all(&[b":SYST:SET #15a\nb", b"\nc\n*IDN?\n"]);
        assert_eq!(found, [Ok(b":SYST:SET #15a\nb\nc".to_vec()), Ok(b"*IDN?".to_vec())]);
    }

    #[test]
    fn an_endless_message_is_dropped_and_the_next_one_read() {
        let long = vec![b'x'; 50_000];
        assert_eq!(all(&[&long, &long, &long, b"\n:RUN\n"]), [Err(TooLong), Ok(b":RUN".to_vec())]);
        assert_eq!(
            all(&[b":A #9999999999", &long, &long, b"\n:RUN\n"]),
            [Err(TooLong), Ok(b":RUN".to_vec())]
        );
    }

    #[test]
    fn statements_are_split_at_semicolons() {
        let found: Vec<Statement> = statements(b":WAV:SOUR CHAN1 ; *WAI;:TRIG:STAT?;").collect();
        let s = |header, query, argument| Statement { header, query, argument };
        assert_eq!(
            found,
            [s(":WAV:SOUR", false, &b"CHAN1"[..]), s("*WAI", false, b""), s(":TRIG:STAT", true, b"")]
        );
    }

    /// The spellings that clients were seen to send.
    #[test]
    fn headers_match_in_all_their_spellings() {
        for header in [":TIM:SCAL", "timebase:main:scale", ":TIM:MAIN:SCAL", "TIMebase:SCALe"] {
            assert_eq!(matches(":TIMebase:[MAIN]:SCALe", header), Some(0), "{header}");
        }
        assert_eq!(matches(":CHANnel#:BWLimit", ":chan3:bwl"), Some(3));
        assert_eq!(matches(":CHANnel#:BWLimit", ":chan:bwl"), None);
        assert_eq!(matches(":WAVeform:STARt", ":WAV:START"), Some(0));
        assert_eq!(matches(":WAVeform:STARt", ":WAV:STAR"), Some(0));
        assert_eq!(matches(":TRIGger:EDGe:SOURce", ":TRIG:EDG:SOUR"), Some(0));
        assert_eq!(matches(":TRIGger:EDGe:SOURce", ":TRIG:EDGE:SOURCE"), Some(0));
        for header in [":WAV:STA", ":WAV", ":WAV:STAR:X", ":WAVE:STAR", ""] {
            assert_eq!(matches(":WAVeform:STARt", header), None, "{header}");
        }
    }

    /// The forms in the programming guide's examples: `1.000000e-06`, `-1.456000e-02`.
    #[test]
    fn reals_are_written_like_the_instrument_does() {
        assert_eq!(scientific(1e-6), "1.000000e-06");
        assert_eq!(scientific(-0.01456), "-1.456000e-02");
        assert_eq!(scientific(9.9e37), "9.900000e+37");
        assert_eq!(scientific(-0.0), "0.000000e+00");
    }
}
