//! Captures of other instruments and programs give the pairs that one works out by hand, or are refused by name.
//!
//! The signal of nearly all files here, in samples (24 of them, 2 us apart unless a test says otherwise):
//!
//! * stimulus: 0 V, 3 V from sample 4, 0 V from sample 14. It passes 1.5 V half way between 3 and 4: at 3.5 samples.
//! * response: 0 V, 1 V at sample 8, 3 V from 9, 0 V from 18. It passes 1.5 V between 8 (1 V) and 9 (3 V) at
//!   (1.5 - 1) / (3 - 1) = a quarter: at 8.25 samples.
//!
//! So the latency is 4.75 samples: 9.5 us. Files under `tests/data/foreign` were made with NumPy 2 and sigrok-cli 0.7.2
//! from the same signal, or from a clock of 10 samples low and 10 high.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use latency_cli::foreign::{
    Capture, EdgeChoice, ForeignError, Kind, Note, Selection, channels, identify, open,
};
use latency_cli::signal::Status;
use latency_cli::units::{Picos, Volts};
use std::io::Cursor;
use std::path::Path;

const US: i64 = 1_000_000;

fn stimulus(n: usize) -> f64 {
    if (4..14).contains(&n) { 3.0 } else { 0.0 }
}

fn response(n: usize) -> f64 {
    match n {
        8 => 1.0,
        9..18 => 3.0,
        _ => 0.0,
    }
}

/// Rows of the signal after `header`, each made by `row` and ended by `end`.
fn table(header: &str, end: &str, row: impl Fn(usize, f64, f64) -> String) -> String {
    let mut text = header.replace('\n', end);
    for n in 0..24 {
        text += &row(n, stimulus(n), response(n));
        text += end;
    }
    text
}

fn read(text: impl AsRef<[u8]>, stimulus: &str, response: &str) -> Result<Capture, ForeignError> {
    open(Cursor::new(text.as_ref()), "capture", &Selection::of(stimulus, response))
}

fn pairs(capture: &Capture, edge: EdgeChoice) -> Vec<(Option<i64>, Option<i64>, Status)> {
    let pairing = capture.pairs(edge, edge, None, Picos::ZERO);
    pairing.pairs.iter().map(|p| (p.stimulus.map(|t| t.0), p.response.map(|t| t.0), p.status)).collect()
}

/// One pair of rising edges at these times.
fn assert_pair(capture: &Capture, stimulus: i64, response: i64) {
    assert_eq!(pairs(capture, EdgeChoice::Rising), [(Some(stimulus), Some(response), Status::Paired)]);
}

fn codes(capture: &Capture) -> Vec<&'static str> {
    capture.notes.iter().map(Note::code).collect()
}

fn data(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/foreign").join(name)).unwrap()
}

mod rigol {
    use super::*;

    /// Start -6 us: the stimulus is at -6 + 3.5 * 2 = 1 us, the response at -6 + 8.25 * 2 = 10.5 us.
    const AT: (i64, i64) = (US, 10 * US + US / 2);

    #[test]
    fn every_variant_of_header_units_and_line_end_gives_the_same_pair() {
        let header = "X,CH1,CH2,Start,Increment,\nSequence,Volt,Volt,-6.000000e-06,2.000000e-06";
        let bare = "CH1,CH2,Start,Increment,\nVolt,Volt,-6.000000e-06,2.000000e-06";
        let logic = "X,CH1,CH2,D7-D0,D15-D8,Start,Increment,\nSequence,Volt,Volt,,,-6e-06,2e-06";
        let numbered = |n: usize, s: f64, r: f64| format!("{n},{s:.2e},{r:.2e},");
        let plain = |_: usize, s: f64, r: f64| format!("{s:.2e},{r:.2e},");
        let with_logic = |n: usize, s: f64, r: f64| format!("{n},{s:.2e},{r:.2e},0x00,0x1F,");
        for end in ["\n", "\r\n"] {
            let files = [
                table(&format!("{header}\n"), end, numbered),
                table(&format!("{header},\n"), end, numbered),
                table(&format!("{bare}\n"), end, plain),
                table(&format!("{bare},\n"), end, plain),
                table(&format!("{logic}\n"), end, with_logic),
                format!("\u{feff}{}", table(&format!("{header}\n"), end, numbered)),
                table(&format!("{header}\n"), end, numbered).trim_end().to_owned(),
            ];
            for text in files {
                let capture = read(&text, "CH1", "CH2").unwrap();
                assert_eq!(capture.kind, Kind::RigolCsv);
                assert_pair(&capture, AT.0, AT.1);
                assert_eq!(capture.interval, Picos(2 * US), "{text}");
                assert_eq!(capture.notes, [], "{text}");
            }
        }
    }

    #[test]
    fn start_and_increment_may_stand_in_the_first_row_of_data() {
        let text = table("X,CH1,CH2,Start,Increment,\n", "\n", |n, s, r| match n {
            0 => format!("0,{s},{r},-6e-06,2e-06"),
            n => format!("{n},{s},{r},,"),
        });
        assert_pair(&read(text, "CH1", "CH2").unwrap(), AT.0, AT.1);
    }

    #[test]
    fn the_memory_of_an_mso5000_has_its_times_in_the_names() {
        let text =
            table("CH1V,CH2V,t0 =-6.0e-06, tInc = 2.0e-06,\n", "\n", |_, s, r| format!("{s:.4},{r:.4},,"));
        let capture = read(text, "CH1", "CH2").unwrap();
        assert_pair(&capture, AT.0, AT.1);
    }

    #[test]
    fn a_sequence_that_begins_elsewhere_keeps_its_times() {
        // Cut out of a longer record: the first row is number 7500, so the stimulus is at (7500 + 3.5) * 2 - 6 us.
        let header = "X,CH1,CH2,Start,Increment,\nSequence,Volt,Volt,-6.0e-06,2.0e-06\n";
        let text = table(header, "\n", |n, s, r| format!("{},{s},{r},", n + 7500));
        let capture = read(text, "CH1", "CH2").unwrap();
        assert_pair(&capture, 15_001 * US, 15_001 * US + 9 * US + US / 2);
    }

    #[test]
    fn every_fifth_row_is_marked_and_a_missing_row_refused() {
        let header = "X,CH1,CH2,Start,Increment,\nSequence,Volt,Volt,0,4.0e-07\n";
        // 5 * 0.4 us between the rows that are left.
        let thinned = table(header, "\n", |n, s, r| format!("{},{s},{r},", n * 5));
        let capture = read(thinned, "CH1", "CH2").unwrap();
        assert_pair(&capture, 7 * US, 16 * US + US / 2);
        assert_eq!((capture.interval, codes(&capture)), (Picos(2 * US), vec!["thinned"]));

        let gap = table(header, "\n", |n, s, r| format!("{},{s},{r},", if n > 15 { n + 1 } else { n }));
        assert!(matches!(read(gap, "CH1", "CH2"), Err(ForeignError::Gap { .. })));
    }

    #[test]
    fn what_was_drawn_on_the_screen_is_refused() {
        let long = |points: usize, header: &str, row: &dyn Fn(usize, f64) -> String| {
            let mut text = header.to_owned();
            (0..points).for_each(|n| text += &row(n, if n % 300 < 150 { 0.0 } else { 3.0 }));
            text
        };
        let numbered = |n: usize, v: f64| format!("{n},{v},{v},\n");
        let timed = |n: usize, v: f64| format!("{:e},{v},{v}\n", n as f64 * 1e-6);
        let header = "X,CH1,CH2,Start,Increment,\nSequence,Volt,Volt,-6e-04,1e-06\n";
        let cases = [
            (long(1200, header, &numbered), Some(1200)),
            (long(1400, header, &numbered), Some(1400)),
            (long(600, "Time,X(CH1),X(CH2)\nSecond,Volt,Volt\n", &timed), Some(600)),
            (long(1000, "Time(s),CH1V,CH2V\n", &timed), Some(1000)),
            (long(12_000, header, &numbered), None),
            (long(8192, "Time,X(CH1),X(CH2)\nSecond,Volt,Volt\n", &timed), None),
        ];
        for (text, refused) in cases {
            match (read(text, "CH1", "CH2"), refused) {
                (Err(ForeignError::ScreenData { points, .. }), Some(expected)) => {
                    assert_eq!(points, expected)
                }
                (Ok(_), None) => {}
                (other, expected) => panic!("{expected:?}: {other:?}"),
            }
        }
    }

    #[test]
    fn points_closer_than_the_scope_samples_are_interpolated() {
        let header = "X,CH1,CH2,Start,Increment,\nSequence,Volt,Volt,0,5.0e-11\n";
        let text = table(header, "\n", |n, s, r| format!("{n},{s},{r},"));
        assert!(matches!(read(text, "CH1", "CH2"), Err(ForeignError::Interpolated { .. })));
    }

    #[test]
    fn values_that_are_held_over_several_points_show_the_true_resolution() {
        // 200 samples with a little noise, each written four times: points every 1 us, samples every 4 us.
        let noise = |n: usize| [0.00, 0.04, 0.08, 0.04, 0.00, 0.08][n * 7 % 6];
        let mut text = "X,CH1,CH2,Start,Increment,\nSequence,Volt,Volt,0,1e-06\n".to_owned();
        for n in 0..800 {
            let (sample, high) = (n / 4, |from: usize| f64::from(u8::from(n / 4 % 50 >= from)) * 3.0);
            text += &format!("{n},{:.2},{:.2},\n", high(10) + noise(sample), high(20) + noise(sample + 3));
        }
        let capture = read(text, "CH1", "CH2").unwrap();
        assert_eq!(capture.interval, Picos(4 * US));
        assert_eq!(codes(&capture), ["held"]);
    }

    #[test]
    fn a_header_without_its_numbers_is_refused() {
        for text in
            ["X,CH1,CH2,Start,Increment,\nSequence,Volt,Volt,,\n0,1,2,\n1,1,2,\n", "X,CH1,Start,Increment,\n"]
        {
            let error = read(text, "CH1", "CH1").unwrap_err();
            assert!(matches!(error, ForeignError::Header { .. }), "{error}");
        }
    }
}

mod other_scopes {
    use super::*;

    #[test]
    fn keysight() {
        // Times with the five digits that the instrument gives; padding where channels have different lengths.
        let header = "x-axis,1,2\nsecond,Volt,Volt\n-10.000E-06,,\n-8.0000E-06,,\n";
        let text =
            table(header, "\r\n", |n, s, r| format!("{:.4}E-06,{s:+.6E},{r:+.6E}", n as f64 * 2.0 - 6.0));
        let text = text + "42.000E-06,,\r\n";
        for (stimulus, response) in [("1", "2"), ("CH1", "CH2"), ("Channel 1", "chan2")] {
            let capture = read(&text, stimulus, response).unwrap();
            assert_eq!(capture.kind, Kind::KeysightCsv);
            assert_pair(&capture, US, 10 * US + US / 2);
            assert_eq!(codes(&capture), ["unstated-sampling"]);
        }
        let hole = text.replace("+3.000000E0,+3.000000E0", "+3.000000E0,");
        assert!(matches!(read(hole, "1", "2"), Err(ForeignError::Row { .. })));
    }

    #[test]
    fn times_with_too_few_digits_are_spread_evenly() {
        // Around 1 ms five digits give 100 ns steps, so of 24 rows 20 ns apart several share a time. First and last row
        // are exact: 1.0000 ms and 1.00046 ms -> here 24 rows over 460 ns, written to 10 ns.
        let text = table("x-axis,1,2\nsecond,Volt,Volt\n", "\n", |n, s, r| {
            format!("{:.8},{s},{r}", 1e-3 + (n as f64 * 2.0).round() * 1e-8)
        });
        // 3.5 * 20 ns and 8.25 * 20 ns after 1 ms.
        assert_pair(&read(text, "1", "2").unwrap(), 1_000_070_000, 1_000_165_000);
        let coarse = table("x-axis,1,2\nsecond,Volt,Volt\n", "\n", |n, s, r| {
            format!("{:.7},{s},{r}", n as f64 * 2e-8)
        });
        // 23 * 20 ns = 460 ns is written as 0.5 us; the interval becomes 500 / 23 ns, and 3.5 of them 76.087 ns.
        assert_eq!(pairs(&read(coarse, "1", "2").unwrap(), EdgeChoice::Rising)[0].0, Some(76_087));
    }

    #[test]
    fn a_gap_in_the_times_is_refused() {
        let header = "x-axis,1,2\nsecond,Volt,Volt\n";
        let mut text = header.to_owned();
        for n in 0..5_000 {
            let at = if n < 2_500 { n } else { n + 400 };
            let level = if n % 100 < 50 { 0.0 } else { 3.0 };
            text += &format!("{:e},{level},{level}\n", f64::from(at) * 1e-6);
        }
        let error = read(&text, "1", "2").unwrap_err();
        assert!(matches!(error, ForeignError::Gap { .. }), "{error}");
        let still = table(header, "\n", |_, s, r| format!("1.0E-3,{s},{r}"));
        assert!(matches!(read(still, "1", "2"), Err(ForeignError::Gap { .. })));
    }

    #[test]
    fn siglent() {
        let keys = "Record Length,Analog:24,\nSample Interval,Analog:2.000000E-06,\nVertical Units,CH1:V CH2:V,,\n\
                    Vertical Scale,CH1:0.50 CH2:0.50,,\nHorizontal Units,s,,\nModel Number,SDS1104X-E,,\n\n";
        let row = |n: usize, s: f64, r: f64| format!("{:+.6E},{s:+.6E},{r:+.6E}", n as f64 * 2e-6 - 6e-6);
        let headers = [
            "Source,CH1,CH2\nSecond,Value,Value\n",
            "Source,CH1,CH2\nSecond,Volt,Volt\n",
            "Second,Volt,Volt\n",
        ];
        for columns in headers {
            let capture = read(table(&format!("{keys}{columns}"), "\r\n", row), "CH1", "CH2").unwrap();
            assert_eq!(capture.kind, Kind::SiglentCsv);
            assert_pair(&capture, US, 10 * US + US / 2);
            assert_eq!(capture.notes, []);
        }
        // The converter states a rate: 500 kSa/s is 2 us.
        let rate = "Record Length,Analog:24\nSample Rate,500000.0\nVertical Scale,CH1: 0.05\nSecond,Volt\n";
        let text = table(rate, "\n", |n, s, _| format!("{:.11},{s:.5}", n as f64 * 2e-6));
        assert_eq!(channels(Cursor::new(&text), "f").unwrap(), ["CH1"]);
        let capture = read(text, "CH1", "CH1").unwrap();
        assert_eq!((capture.interval, codes(&capture)), (Picos(2 * US), vec![]));
    }

    #[test]
    fn a_thinned_or_filled_export_is_marked_with_what_was_sampled() {
        let header = |stated: &str, points: u32| {
            format!(
                "Record Length,Analog:{points},\nSample Interval,Analog:{stated},\nSource,CH1,CH2\nSecond,Volt,Volt\n"
            )
        };
        let row = |n: usize, s: f64, r: f64| format!("{:.9},{s},{r}", n as f64 * 2e-6);
        // Sampled every 0.5 us, 96 points; every fourth is in the file.
        let thinned = read(table(&header("5.0E-07", 96), "\n", row), "CH1", "CH2").unwrap();
        assert_eq!(thinned.interval, Picos(2 * US));
        assert_eq!(codes(&thinned), ["point-count", "thinned"]);
        // Sampled every 8 us, interpolated to 2 us: nothing is known to better than 8 us.
        let filled = read(table(&header("8.0E-06", 24), "\n", row), "CH1", "CH2").unwrap();
        assert_eq!((filled.interval, codes(&filled)), (Picos(8 * US), vec!["filled"]));
    }

    #[test]
    fn tektronix() {
        let keys = "Model,MDO3014\nFirmware Version,1.20\n\nWaveform Type,ANALOG,,,\nPoint Format,Y,,,\n\
                    Horizontal Units,s,,,\nSample Interval,2e-06,,,\nRecord Length,24,,,\nGating,0.0% to 100.0%,,,\n\
                    Vertical Units,V,V,,\nLabel,,,,\n";
        // A second block, of the digital channels, has a time column of its own.
        let names = "TIME,CH1,CH2,,TIME,D1,D0\n";
        let row = |n: usize, s: f64, r: f64| {
            let time = n as f64 * 2e-6 - 6e-6;
            format!("{time:.9e},{s:.4},{r:.4},,{time:.9e},0,{}", u8::from(s > 1.0))
        };
        let text = table(&format!("{keys}{names}"), "\n", row);
        let capture = read(&text, "CH1", "CH2").unwrap();
        assert_eq!((capture.kind, codes(&capture)), (Kind::TektronixCsv, vec![]));
        assert_pair(&capture, US, 10 * US + US / 2);
        assert_eq!(channels(Cursor::new(&text), "f").unwrap(), ["CH1", "CH2", "D1", "D0"]);
        // The columns may be asked for from right to left: D0 steps between samples 3 and 4, too.
        assert_pair(&read(&text, "D0", "CH2").unwrap(), US, 10 * US + US / 2);

        let envelope = text.replace("Point Format,Y", "Point Format,ENV");
        assert!(matches!(read(envelope, "CH1", "CH2"), Err(ForeignError::Envelope { .. })));
    }

    #[test]
    fn tektronix_tds_has_its_header_beside_the_data() {
        let keys = [
            "Record Length,2.400000e+01",
            "Sample Interval,2.000000e-06",
            "Trigger Point,3.0e+00",
            "",
            "",
            "",
            "Source,CH2",
        ];
        let text = table("", "\r\n", |n, s, _| {
            let key = keys.get(n).filter(|k| !k.is_empty()).unwrap_or(&",");
            format!("{key},,{:018.12},  {s:.5},", n as f64 * 2e-6 - 6e-6)
        });
        assert_eq!(channels(Cursor::new(&text), "f").unwrap(), ["CH2"]);
        // One channel: rising to falling is the width of the pulse, from 3.5 to 13.5 samples: 20 us.
        let capture = read(&text, "CH2", "CH2").unwrap();
        let pairing = capture.pairs(EdgeChoice::Rising, EdgeChoice::Falling, None, Picos::ZERO);
        assert_eq!(pairing.latencies().collect::<Vec<_>>(), [Picos(20 * US)]);
        let error = read(&text, "CH1", "CH2").unwrap_err().to_string();
        assert_eq!(error, "capture: no channel `CH1`; there is only `CH2`");
    }

    #[test]
    fn a_table_of_unknown_origin_is_read_by_its_time_column() {
        let text = table("time,irq,out\n", "\n", |n, s, r| format!("{:e},{s},{r}", n as f64 * 2e-6));
        let capture = read(text, "irq", "out").unwrap();
        assert_eq!((capture.kind, codes(&capture)), (Kind::PlainCsv, vec!["unstated-sampling"]));
        assert_pair(&capture, 7 * US, 16 * US + US / 2);
    }

    #[test]
    fn the_unit_of_time_is_taken_from_the_names_or_the_line_under_them() {
        let headers = [
            ("Time,Channel A,Channel B\n(ms),(V),(V)\n\n", 1e-3),
            ("Time (us),Channel A,Channel B\n", 1.0),
            ("time_ns,Channel A,Channel B\n", 1e3),
            ("time,Channel A,Channel B\n", 1e-6),
        ];
        for (header, unit) in headers {
            // Two microseconds between rows.
            let text = table(header, "\r\n", |n, s, r| format!("{:.8},{s:.4},{r:.4}", n as f64 * 2.0 * unit));
            assert_pair(&read(&text, "Channel A", "Channel B").unwrap(), 7 * US, 16 * US + US / 2);
            // The same as states: edges at the first rows behind them, 4 (8 us) and 9 (18 us).
            let text = table(header, "\r\n", |n, s, r| {
                format!("{:.8},{},{}", n as f64 * 2.0 * unit, u8::from(s > 1.5), u8::from(r > 1.5))
            });
            assert_pair(&read(&text, "Channel A", "Channel B").unwrap(), 8 * US, 18 * US);
        }
        let strange = table("Time (samples),a,b\n", "\n", |n, s, r| format!("{n},{s},{r}"));
        assert!(matches!(read(strange, "a", "b"), Err(ForeignError::Header { .. })));
    }

    #[test]
    fn a_file_that_was_cut_off_loses_its_last_row_and_says_so() {
        let text = table("time,irq,out\n", "\n", |n, s, r| format!("{:e},{s},{r}", n as f64 * 2e-6));
        let capture = read(format!("{text}4.8e-5,0.0"), "irq", "out").unwrap();
        assert_pair(&capture, 7 * US, 16 * US + US / 2);
        assert!(capture.notes.contains(&Note::Truncated));
        let damaged = text.replace("2e-5,0,0", "2e-5,#,0").replace("2e-5,3,3", "2e-5,#,3");
        let error = read(damaged, "irq", "out").unwrap_err().to_string();
        assert!(error.contains("`2.2e-5,#,3`"), "{error}");
    }
}

mod analog {
    use super::*;

    fn text() -> String {
        table("time,irq,out\n", "\n", |n, s, r| format!("{:e},{s},{r}", n as f64 * 2e-6))
    }

    #[test]
    fn a_threshold_in_volts_moves_the_instant() {
        let mut selection = Selection::of("irq", "out");
        selection.response.threshold = Some(Volts(1.0));
        // The response reaches 1 V at sample 8 sharp; the stimulus stays at 3.5: 4.5 samples are 9 us.
        let capture = open(Cursor::new(text()), "f", &selection).unwrap();
        assert_pair(&capture, 7 * US, 16 * US);
        selection.response.threshold = Some(Volts(2.9));
        let error = open(Cursor::new(text()), "f", &selection).unwrap_err();
        assert!(matches!(error, ForeignError::Threshold { .. }), "{error}");
    }

    #[test]
    fn either_edge_pairs_a_response_that_toggles() {
        // Stimuli at 3.5 and 13.5 samples, answers at 8.25 (rising) and 17.5 (falling): 9.5 us and 8 us.
        let capture = read(text(), "irq", "out").unwrap();
        let pairing = capture.pairs(EdgeChoice::Either, EdgeChoice::Either, None, Picos::ZERO);
        assert_eq!(pairing.latencies().collect::<Vec<_>>(), [Picos(9 * US + US / 2), Picos(8 * US)]);
        let falling = capture.pairs(EdgeChoice::Falling, EdgeChoice::Falling, None, Picos::ZERO);
        assert_eq!(falling.latencies().collect::<Vec<_>>(), [Picos(8 * US)]);
        assert_eq!("either".parse(), Ok(EdgeChoice::Either));
        assert!("both".parse::<EdgeChoice>().is_err());
    }

    #[test]
    fn a_silent_response_leaves_every_stimulus_unanswered() {
        let text = table("time,irq,out\n", "\n", |n, s, _| format!("{:e},{s},0.01", n as f64 * 2e-6));
        let capture = read(&text, "irq", "out").unwrap();
        assert_eq!(pairs(&capture, EdgeChoice::Rising)[0].1, None);
        assert!(codes(&capture).contains(&"silent-response"));
        assert!(matches!(read(&text, "out", "irq"), Err(ForeignError::Flat { .. })));
    }

    #[test]
    fn crosstalk_is_pointed_out() {
        let text = table("time,irq,out\n", "\n", |n, s, r| format!("{:e},{s},{}", n as f64 * 2e-6, r / 50.0));
        assert!(codes(&read(text, "irq", "out").unwrap()).contains(&"small-swing"));
    }

    #[test]
    fn edges_far_apart_in_a_long_record_are_all_found() {
        // 300 000 samples, 1 us apart: 100 stimuli every 2 900 samples, the k-th answer 40 + k samples later.
        let mut text = "time,irq,out\n".to_owned();
        for n in 0..300_000u32 {
            let (k, place) = (n / 2_900, n % 2_900);
            let on = |from: u32| if k < 100 && (from..from + 60).contains(&place) { 3.3 } else { 0.0 };
            text += &format!("{}e-6,{},{}\n", n, on(1_000), on(1_040 + k));
        }
        let capture = read(text, "irq", "out").unwrap();
        let pairing = capture.pairs(EdgeChoice::Rising, EdgeChoice::Rising, None, Picos::ZERO);
        let latencies: Vec<i64> = pairing.latencies().map(|l| l.0).collect();
        assert_eq!(latencies, (0..100).map(|k| (40 + k) * US).collect::<Vec<_>>());
    }
}

mod saleae {
    use super::*;

    const DIGITAL: &str = "Time [s],Channel 0,\"IRQ, out\"\n-0.000002000,1,0\n0.000000000,0,0\n0.000001500,1,0\n\
                           0.000004250,1,1\n0.000010000,1,1\n";

    #[test]
    fn the_first_row_is_a_state_and_no_edge() {
        // Channel 0 rises once, at 1.5 us (it begins high and falls at 0); the answer comes at 4.25 us.
        for text in [DIGITAL.to_owned(), DIGITAL.replace('\n', "\r\n")] {
            let capture = read(text, "0", "IRQ, out").unwrap();
            assert_eq!(capture.kind, Kind::SaleaeCsv);
            assert_pair(&capture, US + US / 2, 4 * US + US / 4);
            assert_eq!(capture.interval, Picos(1_000));
            assert_eq!(capture.response.spans, [(Picos(-2 * US), Picos(10 * US))]);
        }
    }

    #[test]
    fn times_of_day_count_from_the_first_row() {
        let text = "Time [s],Channel 0,Channel 1\n2026-12-01T23:59:59.999998000+01:00,0,0\n\
                    2026-12-02T00:00:00.000001500+01:00,1,0\n2026-12-02T00:00:00.000004250+01:00,1,1\n\
                    2026-12-02T00:00:01.000000000+01:00,0,0\n";
        // 3.5 us and 6.25 us after the first row, over midnight.
        let capture = read(text, "0", "1").unwrap();
        assert_pair(&capture, 3 * US + US / 2, 6 * US + US / 4);
    }

    #[test]
    fn states_that_are_unknown_are_no_edges() {
        let text = "Time [s],Channel 0,Channel 1\n0.0,X,0\n0.000001,1,0\n0.000002,0,0\n0.000003,1,0\n0.000005,1,1\n0.000009,X,X\n";
        // The rise out of X at 1 us is none; the one at 3 us is answered at 5 us.
        assert_pair(&read(text, "0", "1").unwrap(), 3 * US, 5 * US);
    }

    #[test]
    fn the_sampling_shows_in_the_times_and_is_the_resolution() {
        // 8 MSa/s: every time is a multiple of 125 ns after the trigger, the first row aside.
        let mut text = "Time [s],Channel 0,Channel 1\n-0.000000033,0,0\n".to_owned();
        for n in 1..100u32 {
            let at = f64::from(n * (n % 5 + 3)) * 125e-9 + f64::from(n) * 50e-6;
            text += &format!("{at:.9},{},{}\n", n % 2, n / 2 % 2);
        }
        let capture = read(text, "0", "1").unwrap();
        assert_eq!((capture.interval, codes(&capture)), (Picos(125_000), vec!["coarse-ticks"]));
    }

    #[test]
    fn the_analog_export_is_sampled() {
        let text = table("Time [s],Channel 0,Channel 1\n", "\n", |n, s, r| {
            format!("{:.9},{s:.6},{r:.6}", n as f64 * 2e-6)
        });
        assert_pair(&read(text, "0", "1").unwrap(), 7 * US, 16 * US + US / 2);
    }

    #[test]
    fn time_that_runs_back_is_refused() {
        let text = "Time [s],Channel 0,Channel 1\n0.0,0,0\n0.000002,1,0\n0.000001,1,1\n";
        assert!(matches!(read(text, "0", "1"), Err(ForeignError::Gap { .. })));
        let error = read("Time [s],a,b\n0.0,0,0\n0.000002,1,q\n0.1,0,0\n", "a", "b").unwrap_err();
        assert!(matches!(error, ForeignError::Row { row: 1, .. }), "{error}");
    }
}

mod vcd {
    use super::*;

    fn file(timescale: &str, body: &str) -> String {
        format!(
            "$date today $end\n$comment\n #5 1! is no change in here\n$end\n$timescale {timescale} $end\n\
             $scope module top $end\n$var wire 1 ! irq $end\n$scope module cpu $end\n$var reg 8 \" port [7:0] $end\n\
             $var real 64 # level $end\n$var wire 1 $ irq $end\n$upscope $end\n$var wire 1 bb out $end\n$upscope $end\n\
             $enddefinitions $end\n{body}"
        )
    }

    /// `irq` rises at 100, `out` at 450, `port[3]` at 700 ticks; `out` falls at 900.
    const BODY: &str = "$dumpvars\n0!\n0bb\nb0 \"\nr0 #\n1$\n$end\n#0\n#100\n1!\n#450\n1bb b101 \"\n#700\nb1101 \"\n#900\n0bb\n#1000\n";

    #[test]
    fn every_timescale_is_understood() {
        for (text, tick) in
            [("1 us", 1_000_000), ("10ns", 10_000), ("100 ps", 100), ("1\n  ps", 1), ("1 ms", 1_000_000_000)]
        {
            let capture = read(file(text, BODY), "top.irq", "out").unwrap();
            assert_pair(&capture, 100 * tick, 450 * tick);
            assert_eq!((capture.kind, capture.interval), (Kind::Vcd, Picos(tick)));
        }
        // 100 fs: 100 ticks are 10 ps, 450 are 45 ps; nothing is finer than the picosecond that is counted.
        assert_pair(&read(file("100 fs", BODY), "top.irq", "out").unwrap(), 10, 45);
        let none = file("1 ns", BODY).replace("$timescale 1 ns $end\n", "");
        assert!(matches!(read(none, "top.irq", "out"), Err(ForeignError::Header { .. })));
    }

    #[test]
    fn a_bit_of_a_vector_counts_from_the_right_of_what_is_written() {
        let capture = read(file("1 ns", BODY), "top.irq", "port[3]").unwrap();
        assert_pair(&capture, 100_000, 700_000);
        // Bit 2 is set by `101` at 450; bit 0 with it; bits that are not written are 0.
        assert_pair(&read(file("1 ns", BODY), "top.irq", "port[2]").unwrap(), 100_000, 450_000);
        assert_eq!(
            pairs(&read(file("1 ns", BODY), "top.irq", "port[7]").unwrap(), EdgeChoice::Rising)[0].1,
            None
        );
        assert!(matches!(
            read(file("1 ns", BODY), "top.irq", "port"),
            Err(ForeignError::Wide { width: 8, .. })
        ));
        assert!(matches!(read(file("1 ns", BODY), "top.irq", "port[8]"), Err(ForeignError::Channel { .. })));
        // A range that counts upwards: [0:7] has bit 7 on the right, so bit 4 is the fourth from the right.
        let upwards = file("1 ns", BODY).replace("port [7:0]", "port[0:7]");
        assert_pair(&read(upwards, "top.irq", "port[4]").unwrap(), 100_000, 700_000);
    }

    #[test]
    fn a_path_tells_variables_of_one_name_apart() {
        let names = ["top.irq", "top.cpu.port", "top.cpu.level", "top.cpu.irq", "top.out"];
        assert_eq!(channels(Cursor::new(file("1 ns", BODY)), "f").unwrap(), names);
        let error = read(file("1 ns", BODY), "irq", "out").unwrap_err();
        assert!(matches!(&error, ForeignError::Channel { channels, .. } if *channels == names), "{error}");
    }

    #[test]
    fn real_variables_are_compared_with_the_middle_and_not_interpolated() {
        // 0 V, up over 1.0 (200) and 2.0 (210) to 3.3 (220), down at 600. The middle, 1.65, is passed at 210.
        let body = "#0\n0!\nr0.0 #\n#100\n1!\n#200\nr1.0 #\n#210\nr2 #\n#220\nr3.3 #\n#600\nr0 #\n#1000\n";
        let capture = read(file("1 ns", body), "top.irq", "level").unwrap();
        assert_pair(&capture, 100_000, 210_000);
        assert_eq!(codes(&capture), ["stepwise"]);
        // 1.0 -> 2.0 -> 1.2 -> 2.4 passes at 210, 212 and 214: mean of first and last is 212.
        let body = body.replace("r2 #\n", "r2 #\n#212\nr1.2 #\n#214\nr2.4 #\n");
        assert_pair(&read(file("1 ns", &body), "top.irq", "level").unwrap(), 100_000, 212_000);
    }

    #[test]
    fn sigrok_writes_all_changes_of_an_instant_on_one_line() {
        let body = "#0 0! 0bb\n#3 1!\n#5 0! 1bb\n#9 0bb\n#12\n";
        assert_pair(&read(file("1 us", body), "top.irq", "out").unwrap(), 3 * US, 5 * US);
        // Its own dump of a clock at 24 MHz, 10 samples (416.67 ns) low and high, in steps of 100 ps; 4000 samples have
        // 399 edges. sigrok-cli put a line of its own before the dump.
        let file = data("clock.vcd");
        assert!(file.starts_with(b"META samplerate: 24000000"));
        let capture = read(file, "0", "0").unwrap();
        let widths: Vec<i64> = capture.stimulus.list.windows(2).map(|w| (w[1].at - w[0].at).0).collect();
        assert!(widths.len() == 398 && widths.iter().all(|w| (416_600..=416_700).contains(w)), "{widths:?}");
    }

    #[test]
    fn unknown_states_make_no_edges_and_weak_ones_count() {
        let body = "#0\nx!\n0bb\n#1\n1!\n#2\n0!\n#3\nH!\n#4\n1bb\n#5\nz!\n#6\n1!\n#9\n";
        assert_pair(&read(file("1 us", body), "top.irq", "out").unwrap(), 3 * US, 4 * US);
    }

    #[test]
    fn what_is_no_change_is_named_with_its_place() {
        let error = read(file("1 ns", "#0\n0!\n#7\n?!\n#9\n"), "top.irq", "out").unwrap_err();
        assert!(matches!(&error, ForeignError::Row { problem, .. } if problem.contains("`?!`")), "{error}");
        let back = file("1 ns", "#5\n0!\n#4\n1!\n#9\n");
        assert!(matches!(read(back, "top.irq", "out"), Err(ForeignError::Gap { .. })));
    }
}

mod numpy {
    use super::*;

    fn read(
        name: &str,
        stimulus: &str,
        response: &str,
        interval: Option<Picos>,
    ) -> Result<Capture, ForeignError> {
        let selection = Selection { interval, ..Selection::of(stimulus, response) };
        open(Cursor::new(data(name)), name, &selection)
    }

    #[test]
    fn every_layout_that_numpy_saves_is_read() {
        for name in ["columns.npy", "rows.npy", "fortran.npy"] {
            let capture = read(name, "0", "1", Some(Picos(2 * US))).unwrap();
            assert_eq!(capture.kind, Kind::Npy);
            assert_pair(&capture, 7 * US, 16 * US + US / 2);
        }
        assert_eq!(channels(Cursor::new(data("one.npy")), "f").unwrap(), ["0"]);
    }

    #[test]
    fn without_an_interval_there_are_no_times() {
        assert!(matches!(read("columns.npy", "0", "1", None), Err(ForeignError::NoSampleRate { .. })));
    }

    #[test]
    fn records_bring_their_own_times() {
        // time_ps begins at -6 us. `out` holds ten times the volts as whole numbers: 0, 10, 30; middle 15.
        let capture = read("record.npy", "irq", "out", None).unwrap();
        assert_pair(&capture, US, 10 * US + US / 2);
        assert_eq!(channels(Cursor::new(data("record.npy")), "f").unwrap(), ["irq", "out"]);
    }

    #[test]
    fn an_array_that_was_cut_off_says_so() {
        let whole = data("rows.npy");
        let selection = Selection { interval: Some(Picos(US)), ..Selection::of("0", "0") };
        // Of the first row, 24 four-byte values, 20 are left.
        let cut = &whole[..whole.len() - 24 * 4 - 4 * 4];
        let capture = open(Cursor::new(cut), "f", &selection).unwrap();
        assert!(capture.notes.contains(&Note::PointCount { stated: 24, found: 20 }), "{:?}", capture.notes);
    }
}

mod sigrok {
    use super::*;
    use std::io::Write;

    fn session(metadata: &str, parts: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let mut files = vec![("version", b"2".to_vec()), ("metadata", metadata.as_bytes().to_vec())];
        files.extend_from_slice(parts);
        for (n, (name, bytes)) in files.iter().enumerate() {
            let method = [zip::CompressionMethod::Deflated, zip::CompressionMethod::Stored][n % 2];
            let options = zip::write::SimpleFileOptions::default().compression_method(method);
            zip.start_file(*name, options).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    const METADATA: &str = "[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\ntotal probes=2\n\
                            samplerate=500 kHz\ntotal analog=1\nprobe1=irq\nprobe2=out\nanalog3=A0\nunitsize=1\n";

    fn logic() -> Vec<u8> {
        (0..24).map(|n| u8::from(stimulus(n) > 1.5) | u8::from(response(n) > 1.5) << 1).collect()
    }

    fn analog() -> Vec<u8> {
        (0..24).flat_map(|n| (response(n) as f32).to_le_bytes()).collect()
    }

    #[test]
    fn logic_and_analog_whole_or_in_parts() {
        // 2 us a sample. Logic edges stand at the first sample behind them: 4 (8 us) and 9 (18 us); the analog
        // response is interpolated to 8.25 samples (16.5 us).
        let whole = session(METADATA, &[("logic-1", logic()), ("analog-1-3", analog())]);
        // Eleven logic parts in the order of a directory listing (10 before 2), analog parts of other lengths.
        let (logic, analog) = (logic(), analog());
        let part = |n: usize| logic.chunks(2).nth(n - 1).unwrap().to_vec();
        let names: Vec<String> = (1..=12).map(|n| format!("logic-1-{n}")).collect();
        let mut parts: Vec<(&str, Vec<u8>)> = (1..=12).map(|n| (names[n - 1].as_str(), part(n))).collect();
        parts.sort_by_key(|(name, _)| *name);
        parts.push(("analog-1-3-2", analog[50..].to_vec()));
        parts.push(("analog-1-3-1", analog[..50].to_vec()));
        for file in [whole, session(METADATA, &parts)] {
            let capture = read(&file, "irq", "out").unwrap();
            assert_eq!((capture.kind, capture.interval), (Kind::Sigrok, Picos(2 * US)));
            assert_pair(&capture, 8 * US, 18 * US);
            assert_pair(&read(&file, "irq", "A0").unwrap(), 8 * US, 16 * US + US / 2);
            assert_eq!(channels(Cursor::new(&file), "f").unwrap(), ["irq", "out", "A0"]);
        }
    }

    #[test]
    fn wide_units_put_later_probes_into_later_bytes() {
        let metadata = METADATA.replace("unitsize=1", "unitsize=2").replace("probe2", "probe10");
        let wide: Vec<u8> = logic().iter().flat_map(|b| [b & 1, b & 2]).collect();
        let file = session(&metadata, &[("logic-1-1", wide), ("analog-1-3-1", analog())]);
        assert_pair(&read(file, "irq", "out").unwrap(), 8 * US, 18 * US);
    }

    #[test]
    fn a_logic_and_an_analog_copy_of_one_clock_agree_within_a_sample() {
        // Written by sigrok-cli, both channels named `0`. 24 MHz: a sample is 41.67 ns.
        let file = data("clock.sr");
        assert_eq!(channels(Cursor::new(&file), "f").unwrap(), ["logic.0", "analog.0"]);
        for (stimulus, response) in [("analog.0", "logic.0"), ("logic.0", "logic.0")] {
            let capture = read(&file, stimulus, response).unwrap();
            let pairing = capture.pairs(EdgeChoice::Rising, EdgeChoice::Rising, None, Picos::ZERO);
            // Both at one instant would be no answer; 200 periods, of which the first begins low.
            let delays: Vec<i64> = capture
                .stimulus
                .list
                .iter()
                .zip(&capture.response.list)
                .map(|(s, r)| (r.at - s.at).0)
                .collect();
            assert_eq!((delays.len(), pairing.counts().stimuli), (399, 200));
            assert!(delays.iter().all(|d| d.abs() < 41_667), "{delays:?}");
        }
    }

    #[test]
    fn a_session_without_a_sample_rate_is_refused() {
        // What libsigrok writes where none was set: 0 Hz. And one that leaves the line out.
        let left_out = METADATA.replace("samplerate=500 kHz\n", "");
        for file in [data("clock-without-rate.sr"), session(&left_out, &[("logic-1-1", logic())])] {
            let error = read(&file, "0", "0").unwrap_err();
            assert!(matches!(error, ForeignError::NoSampleRate { .. }), "{error}");
        }
    }

    #[test]
    fn missing_and_damaged_parts_are_refused() {
        let logic = logic();
        let parts = [("logic-1-1", logic[..8].to_vec()), ("logic-1-3", logic[8..].to_vec())];
        let error = read(session(METADATA, &parts), "irq", "out").unwrap_err();
        assert!(error.to_string().contains("logic-1-2"), "{error}");
        let mut file = session(METADATA, &[("logic-1-1", logic.clone())]);
        let at = file.windows(24).position(|w| w == logic);
        // The part may be deflated; then its bytes are not to be found and the rest of the test is of the stored one.
        if let Some(at) = at {
            file[at + 20] ^= 0xff;
            assert!(matches!(read(&file, "irq", "out"), Err(ForeignError::Read { .. })));
        }
        assert!(matches!(read(&file[..file.len() - 30], "irq", "out"), Err(ForeignError::Header { .. })));
    }
}

mod others {
    use super::*;

    #[test]
    fn what_is_no_capture_is_named_as_what_it_is() {
        let cases: [(Vec<u8>, Kind, &str); 6] = [
            (data("pointer.csv"), Kind::LfsPointer, "git lfs pull"),
            (
                b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0\0\0\0\0\0\0\0\0\0\0\0\0\x13\0\0\0[Content_Types].xml"
                    .to_vec(),
                Kind::Spreadsheet,
                "spreadsheet",
            ),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec(), Kind::Spreadsheet, "spreadsheet"),
            (b"X,MATH,Start,Increment,\nSequence,dBV,0,1e3\n0,-60,\n".to_vec(), Kind::Spectrum, "spectrum"),
            (b"<!DOCTYPE html>\n<html lang=\"en\">".to_vec(), Kind::Html, "web page"),
            (Vec::new(), Kind::Empty, "nothing in it"),
        ];
        for (bytes, kind, words) in cases {
            assert_eq!(identify(&bytes), kind);
            let error = read(&bytes, "1", "2").unwrap_err();
            assert!(
                matches!(error, ForeignError::NotACapture { .. }) && error.to_string().contains(words),
                "{error}"
            );
        }
    }

    #[test]
    fn a_header_without_data_is_empty() {
        for text in ["time,a,b\n1,2,3\n", "X,CH1,CH2,Start,Increment,\nSequence,Volt,Volt,0,1e-6\n"] {
            let error = read(text, "1", "2").and(read(text, "a", "b")).unwrap_err();
            assert!(!matches!(error, ForeignError::NotACapture { .. }), "{error}");
        }
    }
}

mod round_trip {
    use super::*;
    use latency_cli::export;
    use latency_cli::signal::{Pairing, PairingRule, RawTrace, Role, Segment, Shot, Slope, edges, pair};

    const RULE: PairingRule = PairingRule {
        response_slope: Slope::Rising,
        stimulus_slope: Slope::Rising,
        window: None,
        floor: Picos::ZERO,
    };

    /// Codes of pulses that begin at `begins` (in samples), with edges of `rise` samples and a noise of one code.
    fn wave(length: usize, begins: &[f64], rise: f64) -> Vec<u8> {
        let level = |n: usize| {
            let at = n as f64;
            let up = |b: &f64| ((at - b) / rise).clamp(0.0, 1.0) - ((at - b - 150.0) / rise).clamp(0.0, 1.0);
            begins.iter().map(up).sum::<f64>()
        };
        (0..length).map(|n| (40.0 + 170.0 * level(n)).round() as u8 + (n * n / 3 % 2) as u8).collect()
    }

    fn shot(segments: &[(u32, u32)]) -> Shot {
        let begins: Vec<f64> = (0..40).map(|k| 300.3 + f64::from(k) * 1_000.17).collect();
        let answers: Vec<f64> =
            begins.iter().zip(0..).map(|(b, k)| b + 200.0 + f64::from(k * 7 % 90) * 1.31).collect();
        let trace = |role, channel: &str, begins: &[f64], rise| {
            let codes = wave(41_000, begins, rise);
            let cut = |(from, to): &(u32, u32)| Segment {
                first: *from,
                codes: codes[*from as usize..*to as usize].to_vec(),
            };
            let preamble = "0,2,41000,1,2.000000e-09,-1.000000e-05,0,4.000000e-02,-75,127".to_owned();
            RawTrace {
                role,
                channel: channel.to_owned(),
                preamble,
                segments: segments.iter().map(cut).collect(),
            }
        };
        Shot {
            number: 7,
            stimulus: trace(Role::Stimulus, "CHAN1", &begins, 2.5),
            response: trace(Role::Response, "CHAN2", &answers, 4.0),
            statuses: Vec::new(),
            seen_waiting: true,
        }
    }

    fn own(shot: &Shot) -> Pairing {
        pair(&edges(&shot.stimulus, None).unwrap(), &edges(&shot.response, None).unwrap(), &RULE)
    }

    fn imported(bytes: &[u8], stimulus: &str, response: &str) -> Pairing {
        let capture = read(bytes, stimulus, response).unwrap();
        pair(&capture.stimulus, &capture.response, &RULE)
    }

    /// The pairs with times that count from `origin`.
    fn since(pairing: &Pairing, origin: Picos) -> Vec<(Option<Picos>, Option<Picos>, Status)> {
        let moved = |t: Option<Picos>| t.map(|t| t - origin);
        pairing.pairs.iter().map(|p| (moved(p.stimulus), moved(p.response), p.status)).collect()
    }

    /// First sample of the record: -10 us.
    const ORIGIN: Picos = Picos(-10 * US);

    #[test]
    fn a_shot_comes_back_from_every_format_with_the_same_pairs() {
        let shot = shot(&[(0, 41_000)]);
        let expected = own(&shot);
        assert_eq!(expected.counts().paired, 40);

        let mut npy = Vec::new();
        export::npy(&shot, &mut npy).unwrap();
        assert_eq!(imported(&npy, "stimulus", "response"), expected);

        let mut vcd = Vec::new();
        export::vcd(&shot, &mut vcd).unwrap();
        let found = imported(&vcd, "shot.stimulus", "shot.response");
        assert_eq!(since(&found, Picos::ZERO), since(&expected, ORIGIN));

        let mut sr = Vec::new();
        export::sigrok(&shot, &mut sr).unwrap();
        assert_eq!(since(&imported(&sr, "CHAN1", "CHAN2"), Picos::ZERO), since(&expected, ORIGIN));
        // The wires know whole samples of 2 ns only.
        for (wire, own) in imported(&sr, "stimulus", "response").latencies().zip(expected.latencies()) {
            assert!((wire - own).abs() <= Picos(2_000), "{wire} {own}");
        }
    }

    #[test]
    fn windows_stay_windows_or_are_refused() {
        // Each window holds a stimulus and its answer.
        let windows: Vec<(u32, u32)> = (0..40).map(|k| (k * 1_000 + 250, k * 1_000 + 1_000)).collect();
        let shot = shot(&windows);
        let expected = own(&shot);
        let mut npy = Vec::new();
        export::npy(&shot, &mut npy).unwrap();
        assert_eq!(imported(&npy, "stimulus", "response"), expected);
        let mut vcd = Vec::new();
        export::vcd(&shot, &mut vcd).unwrap();
        // Times count from sample 250.
        let found = imported(&vcd, "shot.stimulus", "shot.response");
        assert_eq!(since(&found, Picos::ZERO)[..20], since(&expected, ORIGIN + Picos(500_000))[..20]);
        let refused = export::sigrok(&shot, Vec::new()).unwrap_err();
        assert!(matches!(refused, export::ExportError::Windowed { windows: 40, .. }), "{refused}");
    }

    #[test]
    fn channels_of_different_records_cannot_share_a_file() {
        let mut shot = shot(&[(0, 41_000)]);
        shot.response.preamble = shot.response.preamble.replace("2.000000e-09", "4.000000e-09");
        assert_eq!(export::npy(&shot, Vec::new()), Err(export::ExportError::Unaligned { shot: 7 }));
    }

    #[test]
    fn pairs_as_csv_are_the_columns_of_the_report() {
        let pairing = own(&shot(&[(0, 700)]));
        let mut csv = Vec::new();
        export::csv(export::rows("isr, direct", 3, &pairing), &mut csv).unwrap();
        let text = String::from_utf8(csv).unwrap();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("configuration,shot,pair,stimulus_ps,response_ps,latency_ps,status"));
        let first = &pairing.pairs[0];
        let (s, r) = (first.stimulus.unwrap().0, first.response.unwrap().0);
        assert_eq!(lines.next(), Some(format!("\"isr, direct\",3,1,{s},{r},{},paired", r - s).as_str()));
        assert_eq!(lines.next(), None);
    }
}

/// The programs that the files are for. Where one is not installed its test says so; `LATENCY_CLIENTS=required` (CI) makes
/// that a failure.
mod clients {
    use super::*;
    use latency_cli::export;
    use latency_cli::signal::{Pair, Pairing, RawTrace, Role, Segment, Shot};
    use std::process::Command;

    /// What the program prints; `None` when it cannot be run.
    fn run(program: &str, arguments: &[&str]) -> Option<String> {
        match Command::new(program).args(arguments).output() {
            Ok(output) if output.status.success() => {
                Some(String::from_utf8_lossy(&output.stdout).into_owned())
            }
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(text.contains("ModuleNotFoundError"), "{program}: {text}");
                absent(program)
            }
            Err(_) => absent(program),
        }
    }

    fn absent(program: &str) -> Option<String> {
        assert!(std::env::var_os("LATENCY_CLIENTS").is_none(), "{program} is required and not installed");
        eprintln!("{program} is not installed: not tried");
        None
    }

    /// 100 samples, 2 ns apart; the stimulus is high from sample 20, the response from 45, both to 80.
    fn shot() -> Shot {
        let trace = |role, channel: &str, from: usize| {
            let codes = (0..100).map(|n| if (from..80).contains(&n) { 200 } else { 50 }).collect();
            let preamble = "0,2,100,1,2.000000e-09,-4.000000e-08,0,4.000000e-02,-75,127".to_owned();
            let segments = vec![Segment { first: 0, codes }];
            RawTrace { role, channel: channel.to_owned(), preamble, segments }
        };
        let (stimulus, response) = (trace(Role::Stimulus, "CHAN1", 20), trace(Role::Response, "CHAN2", 45));
        Shot { number: 1, stimulus, response, statuses: Vec::new(), seen_waiting: true }
    }

    #[test]
    fn sigrok_cli_opens_the_session() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shot.sr");
        export::sigrok(&shot(), std::fs::File::create(&path).unwrap()).unwrap();
        let path = path.to_str().unwrap();
        let Some(shown) = run("sigrok-cli", &["-i", path, "--show"]) else { return };
        for line in
            ["Samplerate: 500000000", "- stimulus: logic", "- CHAN2: analog", "Logic sample count: 100"]
        {
            assert!(shown.contains(line), "{line} is not in\n{shown}");
        }
        let bits = run("sigrok-cli", &["-i", path, "-C", "response", "-O", "bits:width=100"]).unwrap();
        let line = bits.lines().find_map(|l| l.strip_prefix("response:")).unwrap();
        let states: String = line.chars().filter(|c| *c != ' ').collect();
        // Low to 44, high to 79.
        let expected = format!("{}{}{}", "0".repeat(45), "1".repeat(35), "0".repeat(20));
        assert_eq!(states, expected);
    }

    #[test]
    fn numpy_opens_the_array_and_pandas_the_table() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| std::fs::File::create(folder.path().join(name)).unwrap();
        export::npy(&shot(), file("shot.npy")).unwrap();
        let time = |ps| Some(Picos(ps));
        let pairing = Pairing {
            pairs: vec![
                Pair { stimulus: time(-5), response: time(1_900), status: Status::Paired, position: 0 },
                Pair { stimulus: time(9_000), response: None, status: Status::Unanswered, position: 1 },
                Pair { stimulus: None, response: time(i64::MAX), status: Status::Spurious, position: 1 },
            ],
        };
        // More rows than fit into a row group.
        let rows = |shots| (1..=shots).flat_map(|shot| export::rows("is\u{e9}", shot, &pairing));
        export::parquet(rows(30_000), file("pairs.parquet")).unwrap();
        let script = "import sys, numpy, pandas\n\
                      a = numpy.load(sys.argv[1] + '/shot.npy')\n\
                      print(len(a), a['time_ps'][0], round(float(a['stimulus'][30]), 3), round(float(a['response'][30]), 3))\n\
                      t = pandas.read_parquet(sys.argv[1] + '/pairs.parquet', dtype_backend='pyarrow')\n\
                      print(len(t), t.shot.sum(), t.latency_ps.sum(), t.stimulus_ps.isna().sum(), t.response_ps.max())\n\
                      print(*t.columns)\n\
                      print(*t.status[-3:], t.configuration[89999])";
        let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let Some(text) = run(&python, &["-c", script, folder.path().to_str().unwrap()]) else { return };
        // (200 + 75 - 127) * 0.04 V = 5.92 V, (50 + 75 - 127) * 0.04 V = -0.08 V; 3 * 30000 * 30001 / 2; 30000 * 1905.
        assert_eq!(
            text.lines().collect::<Vec<_>>(),
            [
                "100 -40000 5.92 -0.08",
                "90000 1350045000 57150000 30000 9223372036854775807",
                "configuration shot pair stimulus_ps response_ps latency_ps status",
                "paired unanswered spurious is\u{e9}",
            ]
        );
    }
}

mod any_bytes {
    use super::*;
    use proptest::prelude::*;

    fn seeds() -> Vec<Vec<u8>> {
        let scope = "X,CH1,CH2,Start,Increment,\nSequence,Volt,Volt,-6.0e-06,2.0e-06\n";
        let inline = "CH1V,CH2V,t0 =-6.0e-06, tInc = 2.0e-06,\n";
        let siglent =
            "Record Length,Analog:24,\nSample Interval,Analog:2.0E-06,\nSource,CH1,CH2\nSecond,Volt,Volt\n";
        let tektronix = "Model,MDO3014\nSample Interval,2e-06,\nTIME,CH1,CH2\n";
        let timed = |n: usize, s: f64, r: f64| format!("{:e},{s},{r}", n as f64 * 2e-6);
        let texts = [
            table(scope, "\r\n", |n, s, r| format!("{n},{s},{r},")),
            table(inline, "\n", |_, s, r| format!("{s},{r},")),
            table("x-axis,1,2\nsecond,Volt,Volt\n", "\n", timed),
            table(siglent, "\n", timed),
            table(tektronix, "\n", timed),
            table("", "\n", |n, s, _| format!("Record Length,24,,{:.9},{s}", n as f64 * 2e-6)),
            "Time [s],Channel 0,Channel 1\n0.0,0,0\n0.1,1,0\n2026-12-01T00:00:00Z,0,0\n0.2,1,1\n".to_owned(),
            "$timescale 1 ns $end $var wire 1 ! CH1 $end $var real 64 # CH2 $end $enddefinitions $end\n#0 0!\nr0 #\n\
             #10 1!\n#20\nr3.3 #\n#30 0!\nr0 #\n"
                .to_owned(),
        ];
        let files = ["clock.sr", "record.npy", "rows.npy", "columns.npy", "fortran.npy"];
        texts.into_iter().map(String::into_bytes).chain(files.map(data)).collect()
    }

    /// Opens with each of the channels that there are, and with some that there may be.
    fn open_all(bytes: &[u8]) {
        let mut names = channels(Cursor::new(bytes), "f").unwrap_or_default();
        names.truncate(3);
        names.extend(["1".to_owned(), "CH2".to_owned()]);
        for name in &names {
            let selection = Selection { interval: Some(Picos(US)), ..Selection::of(&names[0], name) };
            if let Ok(capture) = open(Cursor::new(bytes), "f", &selection) {
                let _ = pairs(&capture, EdgeChoice::Either);
                assert!(capture.interval > Picos::ZERO);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn damaged_files_of_every_format_give_an_answer(
            seed in any::<prop::sample::Index>(),
            cut in any::<prop::sample::Index>(),
            edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        ) {
            let mut bytes = seed.get(&seeds()).clone();
            for (at, byte) in edits {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            open_all(&bytes);
            bytes.truncate(cut.index(bytes.len()));
            open_all(&bytes);
        }

        #[test]
        fn arbitrary_bytes_behind_every_beginning_give_an_answer(
            seed in any::<prop::sample::Index>(),
            keep in 0usize..200,
            tail in prop::collection::vec(any::<u8>(), 0..400),
        ) {
            let mut bytes = seed.get(&seeds()).clone();
            bytes.truncate(keep);
            bytes.extend(tail);
            open_all(&bytes);
        }

        #[test]
        fn text_of_numbers_and_separators_gives_an_answer(
            seed in any::<prop::sample::Index>(),
            keep in 0usize..120,
            tail in "[0-9eE.,+#!brx \\n-]{0,300}",
        ) {
            let mut bytes = seed.get(&seeds()).clone();
            bytes.truncate(keep);
            bytes.extend(tail.bytes());
            open_all(&bytes);
        }
    }
}
