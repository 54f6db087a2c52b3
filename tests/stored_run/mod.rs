//! A small shot that several tests store and read back.

use latency_cli::signal::{RawTrace, Role, Segment, Shot};

fn trace(role: Role, codes: &[u8]) -> RawTrace {
    RawTrace {
        role,
        channel: "CHAN1".to_owned(),
        preamble: "0,2,12,1,2.000000e-09,-4.000000e-09,0,2.000000e-02,-50,127".to_owned(),
        segments: vec![Segment { first: 3, codes: codes.to_vec() }],
    }
}

/// A shot whose first codes tell its number; a zero and a line feed are data in it.
pub fn shot(number: u32) -> Shot {
    let low = number as u8;
    Shot {
        number,
        stimulus: trace(Role::Stimulus, &[low, 10, 200, 200, 0, b'\n']),
        response: trace(Role::Response, &[low, 10, 10, 10, 200, 200, 7]),
        statuses: vec!["WAIT".to_owned(), "STOP".to_owned()],
        seen_waiting: true,
    }
}
