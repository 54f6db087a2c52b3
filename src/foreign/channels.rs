//! Which channel is meant by what a user types: a name as in the file, or a number.

use super::error::{ForeignError, Named};

/// Position in `names` of the channel `wanted`. The name as it stands wins, then without regard to case, then the last
/// part of a path (`clk` for `top.cpu.clk`), then the number (`1` for `CH1`, `CHAN1` or `Channel 1`, and the reverse).
pub(super) fn choose(named: Named, wanted: &str, names: &[String]) -> Result<usize, ForeignError> {
    let rules: [fn(&str, &str) -> bool; 5] = [
        |name, wanted| name == wanted,
        |name, wanted| name.eq_ignore_ascii_case(wanted),
        |name, wanted| last_part(name).eq_ignore_ascii_case(wanted),
        |name, wanted| channel_number(name).is_some_and(|n| Some(n) == channel_number(wanted)),
        |name, wanted| trailing_number(last_part(name)).is_some_and(|n| n == wanted),
    ];
    let wanted = wanted.trim();
    for rule in rules {
        let mut matches = names.iter().enumerate().filter(|(_, name)| rule(name, wanted)).map(|(at, _)| at);
        if let Some(first) = matches.next() {
            if matches.next().is_none() {
                return Ok(first);
            }
            break;
        }
    }
    Err(ForeignError::Channel {
        name: named.0.to_owned(),
        wanted: wanted.to_owned(),
        channels: names.to_vec(),
    })
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// `1` of `CH1`, `chan 1`, `Channel 1` and `1`; of nothing else.
fn channel_number(name: &str) -> Option<u32> {
    let lower = name.trim().to_ascii_lowercase();
    let bare = ["channel", "chan", "ch"].iter().find_map(|p| lower.strip_prefix(p)).unwrap_or(&lower);
    bare.trim().parse().ok()
}

fn trailing_number(name: &str) -> Option<&str> {
    let digits = name.len() - name.bytes().rev().take_while(u8::is_ascii_digit).count();
    name.get(digits..).filter(|n| !n.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(wanted: &str, names: &[&str]) -> Option<usize> {
        let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        choose(Named("file"), wanted, &names).ok()
    }

    #[test]
    fn names_and_numbers_find_the_channel() {
        let cases: [(&str, &[&str], Option<usize>); 9] = [
            ("CH2", &["CH1", "CH2"], Some(1)),
            ("ch2", &["CH1", "CH2"], Some(1)),
            ("CHAN2", &["1", "2"], Some(1)),
            ("0", &["Channel 0", "Channel 1"], Some(0)),
            ("clk", &["top.clk", "top.irq"], Some(0)),
            ("irq", &["top.a.irq", "top.b.irq"], None),
            ("1", &["D0", "D1"], Some(1)),
            ("irq", &["IRQ", "irq"], Some(1)),
            ("CH3", &["CH1", "CH2"], None),
        ];
        for (wanted, names, at) in cases {
            assert_eq!(chosen(wanted, names), at, "{wanted} in {names:?}");
        }
    }

    #[test]
    fn a_missing_channel_is_answered_with_those_that_exist() {
        let names = ["CH1".to_owned(), "CH2".to_owned()];
        let text = choose(Named("a.csv"), "CH4", &names).unwrap_err().to_string();
        assert_eq!(text, "a.csv: no channel `CH4`; there are `CH1`, `CH2`");
    }
}
