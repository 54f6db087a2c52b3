//! The vectors of `vectors.txt`, which the C implementation reads too: what they say is what this crate does.

use latency_protocol::{
    FrameError, Gaps, LineBuffer, LineError, Refusal, Request, Train, crc16, is_name, unframe, write_framed,
};

const TEXT: &str = include_str!("../vectors.txt");

fn vectors() -> impl Iterator<Item = Vec<&'static str>> {
    TEXT.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).map(|l| l.split('\t').collect())
}

fn hex(digits: &str) -> u16 {
    u16::from_str_radix(digits, 16).unwrap()
}

fn framed(payload: &str) -> String {
    let mut line = String::new();
    write_framed(&mut line, payload).unwrap();
    line
}

/// What a board answers to `line`, were every readable request accepted.
fn outcome(line: &str) -> String {
    match Request::parse(line) {
        Ok(request) => request.to_string(),
        Err(refusal) => refusal.to_string(),
    }
}

fn typed(line: &str) -> String {
    let mut buffer = LineBuffer::new();
    assert!(line.bytes().all(|b| buffer.push(b).is_none()));
    match buffer.push(b'\n') {
        Some(Ok(line)) => outcome(line),
        Some(Err(LineError::Long)) => Refusal::Long.to_string(),
        other => panic!("{other:?}"),
    }
}

fn train(words: &str) -> Train {
    let numbers: Vec<u32> = words.split(' ').map(|w| w.parse().unwrap()).collect();
    Train { count: numbers[0], min_us: numbers[1], max_us: numbers[2], seed: numbers[3] }
}

fn check(vector: &[&str]) {
    match *vector {
        ["crc", text, digits] => assert_eq!(crc16(text.as_bytes()), hex(digits), "{text}"),
        ["frame", payload, line] => {
            assert_eq!(framed(payload), format!("{line}\n"));
            assert_eq!(unframe(line), Ok(payload));
        }
        ["unframed", line] => assert_eq!(unframe(line), Err(FrameError::Unframed), "{line}"),
        ["damaged", line, stated, real] => {
            let damage = FrameError::Checksum { stated: hex(stated), computed: hex(real) };
            assert_eq!(unframe(line), Err(damage), "{line}");
        }
        ["request", line, canonical] => assert_eq!(typed(line), canonical),
        ["refuse", line, number, text] => assert_eq!(typed(line), format!("ERR {number} {text}"), "{line}"),
        ["long", length, number, text] => {
            assert_eq!(typed(&"x".repeat(length.parse().unwrap())), format!("ERR {number} {text}"));
        }
        ["name", text, usable] => assert_eq!(is_name(text), usable == "yes", "{text}"),
        ["gaps", words, gaps] => {
            let found: Vec<String> = Gaps::new(train(words)).map(|g| g.to_string()).collect();
            assert_eq!(found.join(" "), gaps);
        }
        _ => panic!("no kind of vector: {vector:?}"),
    }
}

#[test]
fn every_vector_holds() {
    vectors().for_each(|v| check(&v));
}

#[test]
fn every_kind_is_there_and_fits_a_c_buffer() {
    for kind in ["crc", "frame", "unframed", "damaged", "request", "refuse", "gaps", "name", "long"] {
        assert!(vectors().any(|v| v[0] == kind), "no vector of kind {kind}");
    }
    assert!(
        vectors().flatten().all(|field| field.len() <= 400 && field.bytes().all(|b| (32..127).contains(&b)))
    );
}

/// The example in the crate's documentation is what goes over the wire.
#[test]
fn the_documented_session_has_true_checksums() {
    let source = include_str!("../src/lib.rs");
    let answers: Vec<&str> = source.lines().filter_map(|l| l.strip_prefix("//! < ")).collect();
    assert_eq!(answers.len(), 4);
    for line in answers {
        let payload = unframe(line).unwrap();
        assert!(TEXT.contains(&format!("frame\t{payload}\t{line}\n")), "no vector for {line}");
    }
}
