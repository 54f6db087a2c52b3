//! What must hold for every request, answer and byte, not only for the examples.

use latency_protocol::{
    Count, Gaps, Identity, LineBuffer, MAX_LINE, Refusal, Request, Train, conditions, crc16, names,
    parse_number, unframe, write_framed,
};
use proptest::prelude::*;

fn train() -> impl Strategy<Value = Train> {
    (1..=u32::MAX, 1..=Train::MAX_GAP_US, 0..=Train::MAX_GAP_US, 1..=u32::MAX).prop_map(
        |(count, min_us, more, seed)| {
            let max_us = min_us.saturating_add(more).min(Train::MAX_GAP_US);
            Train { count, min_us, max_us, seed }
        },
    )
}

/// Lines near the grammar: real words in any order, with numbers and names between them.
fn nearly() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        proptest::sample::select(vec![
            "*IDN?", "MODE", "MODE?", "START", "LOAD", "on", "off", "COUNT?", "ARM", "-1"
        ])
        .prop_map(String::from),
        any::<u64>().prop_map(|n| n.to_string()),
        "[a-z0-9-]{1,30}",
    ];
    proptest::collection::vec(word, 0..7).prop_map(|words| words.join(" "))
}

fn round_trip(request: Request<'_>) {
    let line = request.to_string();
    assert!(line.len() <= MAX_LINE);
    assert_eq!(Request::parse(&line), Ok(request));
}

proptest! {
    #[test]
    fn a_start_comes_back_as_it_was_sent(train in train()) {
        round_trip(Request::Start(train));
    }

    #[test]
    fn names_come_back_as_they_were_sent(name in "[a-z0-9-]{1,24}", on in any::<bool>()) {
        round_trip(Request::SetMode(&name));
        round_trip(Request::Load { name: &name, on });
    }

    #[test]
    fn a_line_is_refused_or_has_one_canonical_form(line in nearly()) {
        if let Ok(request) = Request::parse(&line) {
            let canonical = request.to_string();
            prop_assert_eq!(Request::parse(&canonical), Ok(request));
        }
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in any::<String>()) {
        let _ = Request::parse(&text);
        let _ = unframe(&text);
        let _ = Identity::parse(&text);
        let _ = Count::parse(&text);
        let _ = Refusal::from_payload(&text);
        let _ = parse_number(&text);
        let _ = (conditions(&text).count(), names(&text).count());
    }

    /// Whatever came before, a line feed later the board reads again.
    #[test]
    fn no_bytes_keep_the_next_line_from_being_read(noise in proptest::collection::vec(any::<u8>(), 0..600)) {
        let mut buffer = LineBuffer::new();
        for byte in noise {
            let _ = buffer.push(byte);
        }
        let _ = buffer.push(b'\n');
        for byte in b"COUNT?" {
            prop_assert_eq!(buffer.push(*byte), None);
        }
        prop_assert_eq!(buffer.push(b'\n'), Some(Ok("COUNT?")));
    }

    #[test]
    fn an_answer_comes_back_from_its_frame(payload in "[ -~]{0,200}") {
        let mut line = String::new();
        write_framed(&mut line, &payload).unwrap();
        prop_assert_eq!(unframe(line.trim_end_matches('\n')), Ok(payload.as_str()));
    }

    /// A CRC notices every burst of up to its own 16 bits; one changed character is a burst of 8.
    #[test]
    fn one_changed_character_is_noticed(payload in "[ -~]{1,120}", at in any::<prop::sample::Index>(), flip in 1..=255u8) {
        let mut bytes = payload.clone().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        prop_assert_ne!(crc16(&bytes), crc16(payload.as_bytes()));
    }

    #[test]
    fn counts_and_identities_come_back(n in any::<[u32; 3]>(), busy in any::<bool>(), words in any::<[u16; 4]>()) {
        let count = Count { stimuli: n[0], edges: n[1], lost: n[2], busy };
        prop_assert_eq!(Count::parse(&count.to_string()), Ok(count));
        let [board, runtime, version, build] = words.map(|w| format!("w{w}"));
        let identity = Identity { board: &board, runtime: &runtime, version: &version, build: &build };
        let line = identity.to_string();
        prop_assert_eq!(Identity::parse(&line), Ok(identity));
    }

    #[test]
    fn gaps_stay_between_their_limits(train in train()) {
        for gap in Gaps::new(train).take(100) {
            prop_assert!((train.min_us..=train.max_us).contains(&gap));
        }
    }
}

#[test]
fn every_plain_request_comes_back() {
    let plain = [
        Request::Identity,
        Request::Conditions,
        Request::Modes,
        Request::Mode,
        Request::Arm,
        Request::Stop,
        Request::Count,
        Request::Rate,
        Request::Log,
    ];
    plain.into_iter().for_each(round_trip);
}

#[test]
fn every_refusal_comes_back() {
    for refusal in Refusal::ALL {
        assert_eq!(Refusal::from_payload(&refusal.to_string()), Ok(Some(refusal)));
    }
}
