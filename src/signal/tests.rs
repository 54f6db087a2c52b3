//! What a user would lose if the room were wrong: instants, refusals, the attribution of answers.

use super::synthetic::{Random, Wave, picos, preamble};
use super::*;
use crate::units::{Picos, Volts};
use proptest::prelude::*;

fn trace(preamble: &str, segments: Vec<Segment>) -> RawTrace {
    RawTrace { role: Role::Stimulus, channel: "CHAN1".into(), preamble: preamble.into(), segments }
}

fn whole(codes: Vec<u8>) -> RawTrace {
    trace(&preamble(codes.len(), 2.0, 0.0), vec![Segment { first: 0, codes }])
}

/// Levels 50 and 200, one straight edge whose middle, 125, is crossed half way between points 100 and 101.
fn straight() -> Vec<u8> {
    let mut codes = vec![50u8; 300];
    codes[99..103].copy_from_slice(&[50, 75, 175, 200]);
    codes[102..200].fill(200);
    codes
}

#[test]
fn a_straight_edge_is_timed_to_the_fraction() {
    let found = edges(&whole(straight()), None).unwrap();
    // (125 - 75) / (175 - 75) = 0.5 of 2 ns after point 100; down between points 199 (200) and 200 (50), half way.
    let at: Vec<(Picos, Slope, u64)> = found.list.iter().map(|e| (e.at, e.slope, e.index)).collect();
    assert_eq!(at, [(Picos(201_000), Slope::Rising, 100), (Picos(399_000), Slope::Falling, 199)]);
    assert_eq!((found.levels.low, found.levels.high), (50.0, 200.0));
    assert!(found.list[0].resolved && !found.list[1].resolved);
    assert_eq!(found.interval, Picos(2_000));
    assert_eq!(found.spans, [(Picos::ZERO, Picos(598_000))]);
}

#[test]
fn the_origin_and_the_reference_of_the_preamble_move_the_times() {
    let codes = straight();
    let moved = trace(
        "0,2,300,1,2.000000e-09,-3.000000e-06,10,2.000000e-02,-75,122",
        vec![Segment { first: 0, codes }],
    );
    assert_eq!(edges(&moved, None).unwrap().list[0].at, Picos(201_000 - 3_000_000 - 20_000));
}

#[test]
fn a_threshold_in_volts_goes_through_the_preamble() {
    // V = (code - (-75) - 122) * 20 mV: code 100 is 1.06 V, crossed at a quarter of the step from 75 to 175.
    let found = edges(&whole(straight()), Some(Volts(1.06))).unwrap();
    assert_eq!(found.list[0].at, Picos(200_500));
    let refused = edges(&whole(straight()), Some(Volts(3.2))).unwrap_err();
    assert!(matches!(refused, SignalError::Threshold { .. }), "{refused}");
}

#[test]
fn noise_on_a_slow_edge_makes_one_edge() {
    let wave = Wave { pulses: vec![5_000.0], width: 8_000.0, rise: 900.0, noise: 6.0, ..Wave::default() };
    let found = edges(&wave.trace(Role::Response), None).unwrap();
    assert_eq!(found.list.len(), 2);
    assert!((found.list[0].at - picos(5_000.0)).abs() < Picos(40_000), "{}", found.list[0].at);
}

#[test]
fn overshoot_and_ringing_move_neither_levels_nor_edges() {
    let wave = Wave { pulses: vec![2_000.0, 8_000.0], width: 2_500.0, high: 200.0, ..Wave::default() };
    let clean = edges(&wave.trace(Role::Response), None).unwrap();
    let mut ringing = wave.trace(Role::Response);
    for edge in &clean.list {
        let sign = if edge.slope == Slope::Rising { 1.0 } else { -1.0 };
        let from = edge.index as usize + 4;
        for (n, code) in ringing.segments[0].codes[from..from + 200].iter_mut().enumerate() {
            // A quarter of the amplitude, 25 MHz, gone after 0.2 us.
            let t = n as f64 * 2.0;
            let ring = sign * 38.0 * (-t / 60.0).exp() * (t * 0.157).cos();
            *code = (f64::from(*code) + ring).round().clamp(0.0, 255.0) as u8;
        }
    }
    let found = edges(&ringing, None).unwrap();
    assert_eq!(found.list.len(), 4);
    for (a, b) in clean.list.iter().zip(&found.list) {
        assert!((a.at - b.at).abs() < Picos(30), "{} {}", a.at, b.at);
    }
    assert!((found.levels.high - clean.levels.high).abs() < 0.5 && (found.levels.noise - 1.0).abs() < 0.15);
}

#[test]
fn crosstalk_on_a_silent_channel_is_no_answer() {
    // 22 codes for 10 ns at each stimulus: 13 % of its 165 codes.
    let wave = Wave { pulses: vec![3_000.0, 9_000.0], width: 10.0, rise: 3.0, high: 67.3, ..Wave::default() };
    assert_eq!(edges_or_silence(&wave.trace(Role::Response), None).unwrap().list, []);
}

#[test]
fn what_cannot_be_timed_is_refused_by_name() {
    let flat = Wave { noise: 1.5, ..Wave::default() }.codes();
    assert!(matches!(edges(&whole(flat.clone()), None), Err(SignalError::Flat { .. })));
    assert_eq!(edges_or_silence(&whole(flat), None).unwrap().list, []);

    let noisy = Wave {
        pulses: vec![5_000.0],
        width: 5_000.0,
        low: 100.0,
        high: 140.0,
        noise: 6.0,
        ..Wave::default()
    };
    assert!(matches!(edges(&noisy.trace(Role::Response), None), Err(SignalError::Noisy { .. })));

    let clipped = Wave { pulses: vec![5_000.0], width: 5_000.0, low: 60.0, high: 400.0, ..Wave::default() };
    let error = edges(&clipped.trace(Role::Response), None).unwrap_err();
    assert!(matches!(error, SignalError::Clipped { level: "high", .. }), "{error}");
    let found = edges(&clipped.trace(Role::Response), Some(Volts(2.0))).unwrap();
    assert_eq!((found.list.len(), found.clipped > 2_000), (2, true));

    let screen = trace("0,0,1200,1,2.000000e-08,-1.200000e-05,0,4.000000e-02,-75,127", vec![]);
    assert!(matches!(edges(&screen, None), Err(SignalError::ScreenData { .. })));
    assert!(matches!(edges(&trace("0,2,0,1", vec![]), None), Err(SignalError::Preamble { .. })));
    assert!(matches!(edges(&trace(&preamble(9, 2.0, 0.0), vec![]), None), Err(SignalError::Empty { .. })));
}

#[test]
fn segments_that_cannot_be_of_the_record_are_refused() {
    let part = |first, n| Segment { first, codes: vec![0; n] };
    for bad in [vec![part(90, 11)], vec![part(0, 20), part(10, 20)], vec![part(50, 10), part(0, 10)]] {
        let error = edges(&trace(&preamble(100, 2.0, 0.0), bad), None).unwrap_err();
        assert!(matches!(error, SignalError::Segment { .. }), "{error}");
    }
}

#[test]
fn windowed_reads_give_the_same_edges_as_the_whole_record() {
    let wave = Wave { pulses: vec![3_000.3, 9_000.7, 15_000.1], ..Wave::default() };
    let codes = wave.codes();
    let all = edges(&wave.trace(Role::Stimulus), None).unwrap();
    let cut = |first: usize, end: usize| Segment { first: first as u32, codes: codes[first..end].to_vec() };
    let windows = trace(
        &preamble(codes.len(), 2.0, 0.0),
        vec![cut(1_400, 1_700), cut(4_411, 4_700), cut(7_401, 7_699)],
    );
    let seen = edges(&windows, None).unwrap();
    assert_eq!(seen.list.len(), 6);
    for (a, b) in all.list.iter().zip(&seen.list) {
        assert_eq!((a.index, a.slope), (b.index, b.slope));
        // The levels of a window rest on fewer samples: 0.2 codes at 24 codes a nanosecond.
        assert!((a.at - b.at).abs() < Picos(9), "{} {}", a.at, b.at);
    }
}

#[test]
fn an_edge_under_way_at_the_ends_is_not_an_edge() {
    // The rising edge, 50 75 | 175 200, lies across the border of two segments.
    let codes = straight();
    let (a, b) = codes.split_at(101);
    let parts = vec![Segment { first: 0, codes: a.to_vec() }, Segment { first: 101, codes: b.to_vec() }];
    let found = edges(&trace(&preamble(300, 2.0, 0.0), parts), None).unwrap();
    assert_eq!(found.list.iter().map(|e| e.slope).collect::<Vec<_>>(), [Slope::Falling]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Volts per division and offset must not change an instant by more than the code they round to.
    #[test]
    fn gain_and_offset_do_not_move_an_edge(low in 5.0..60.0f64, amplitude in 80.0..180.0f64, at in 4_000.0..4_010.0f64) {
        let wave = Wave { pulses: vec![at], low, high: low + amplitude, noise: 0.0, ..Wave::default() };
        let found = edges(&wave.trace(Role::Stimulus), None).unwrap();
        prop_assert_eq!(found.list.len(), 2);
        // Slope at the middle: amplitude / (sigma * sqrt(2 pi)); one code of error in middle and samples.
        let one_code = 2.731 * 2.5066 / amplitude;
        let error = (found.list[0].at - picos(at)).0 as f64 / 1000.0;
        prop_assert!(error.abs() < one_code + 0.02, "{} of {}", error, one_code);
    }

    /// Any bytes at all: an error or edges in order, never a panic.
    #[test]
    fn any_bytes(codes in proptest::collection::vec(any::<u8>(), 0..3_000), split in 0usize..3_000) {
        let split = split.min(codes.len());
        let (a, b) = codes.split_at(split);
        let segments =
            vec![Segment { first: 0, codes: a.to_vec() }, Segment { first: split as u32, codes: b.to_vec() }];
        if let Ok(found) = edges(&trace(&preamble(codes.len(), 2.0, -1.0), segments), None) {
            prop_assert!(found.list.windows(2).all(|w| w[0].at <= w[1].at));
        }
    }
}

/// Edges without samples behind them, for the pairing alone.
fn given(times_ns: &[f64], spans_ns: &[(f64, f64)]) -> Edges {
    let silent = edges_or_silence(&whole(vec![9; 10]), None).unwrap();
    let edge = |t: &f64| Edge { at: picos(*t), slope: Slope::Rising, index: 0, resolved: true };
    let spans = spans_ns.iter().map(|(a, b)| (picos(*a), picos(*b))).collect();
    Edges { list: times_ns.iter().map(edge).collect(), spans, ..silent }
}

fn rule(window_ns: Option<f64>, floor_ns: f64) -> PairingRule {
    PairingRule {
        response_slope: Slope::Rising,
        stimulus_slope: Slope::Rising,
        window: window_ns.map(picos),
        floor: picos(floor_ns),
    }
}

fn paired(stimuli: &[f64], responses: &[f64], rule: &PairingRule) -> Pairing {
    let span = [(-100.0, 1e9)];
    pair(&given(stimuli, &span), &given(responses, &span), rule)
}

/// 200 stimuli about 10 us apart, answered after 1.9 us +- 0.1 us.
fn train(seed: u64, n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut random = Random(seed);
    let stimuli: Vec<f64> = (0..n).map(|k| k as f64 * 10_000.0 + random.between(0.0, 2_000.0)).collect();
    let responses = stimuli.iter().map(|s| s + random.between(1_800.0, 2_000.0)).collect();
    (stimuli, responses)
}

fn sorted(mut times: Vec<f64>) -> Vec<f64> {
    times.sort_by(f64::total_cmp);
    times
}

#[test]
fn a_clean_train_pairs_one_to_one() {
    let (stimuli, responses) = train(7, 200);
    let pairing = paired(&stimuli, &responses, &rule(Some(6_000.0), 100.0));
    assert_eq!(pairing.counts(), Counts { stimuli: 200, paired: 200, ..Counts::default() });
    let first = pairing.pairs[0];
    assert_eq!(first.latency(), Some(picos(responses[0]) - picos(stimuli[0])));
    assert_eq!(pairing.pairs[199].position, 199);
}

#[test]
fn missing_responses_are_unanswered_one_for_one() {
    let (stimuli, mut responses) = train(8, 200);
    for k in [150, 77, 76, 30, 0] {
        responses.remove(k);
    }
    let counts = paired(&stimuli, &responses, &rule(Some(6_000.0), 100.0)).counts();
    assert_eq!(counts, Counts { stimuli: 200, paired: 195, unanswered: 5, ..Counts::default() });
}

#[test]
fn double_responses_are_spurious_one_for_one() {
    let (stimuli, mut responses) = train(9, 200);
    for k in [10, 11, 120, 199] {
        responses.push(responses[k] + 700.0);
    }
    let pairing = paired(&stimuli, &sorted(responses.clone()), &rule(Some(6_000.0), 100.0));
    assert_eq!(pairing.counts(), Counts { stimuli: 200, paired: 200, spurious: 4, ..Counts::default() });
    assert_eq!(pairing.pairs[10].latency(), Some(picos(responses[10]) - picos(stimuli[10])));
}

#[test]
fn late_responses_make_two_ambiguous_each_wherever_they_land() {
    for late_by in [60.0, 500.0, 1_700.0, 1_950.0, 3_000.0, 7_000.0] {
        let (stimuli, mut responses) = train(10, 200);
        for k in [20, 90, 150] {
            responses[k] = stimuli[k + 1] + late_by;
        }
        let pairing = paired(&stimuli, &sorted(responses), &rule(None, 100.0));
        let counts = pairing.counts();
        assert_eq!(
            (counts.ambiguous, counts.paired, counts.unanswered, counts.spurious),
            (6, 194, 0, 0),
            "{late_by}"
        );
        assert!(pairing.latencies().all(|l| l >= picos(1_799.0)));
    }
}

#[test]
fn a_late_answer_that_swallows_the_next_is_ambiguous() {
    for late_by in [300.0, 1_000.0, 1_500.0] {
        let (stimuli, mut responses) = train(11, 200);
        responses[50] = stimuli[51] + late_by;
        responses.remove(51);
        let pairing = paired(&stimuli, &responses, &rule(Some(6_000.0), 100.0));
        assert_eq!(pairing.counts().ambiguous, 2, "{late_by}");
        assert!(pairing.latencies().all(|l| l >= picos(1_799.0)));
    }
}

#[test]
fn a_chain_of_late_answers_is_taken_back() {
    let (stimuli, mut responses) = train(12, 200);
    // Stimuli 60 to 63 are answered one slot late each; 64 sees its own answer, too.
    for k in 60..64 {
        responses[k] = stimuli[k + 1] + 900.0 + 400.0 * (k % 2) as f64;
    }
    let pairing = paired(&stimuli, &sorted(responses), &rule(Some(6_000.0), 100.0));
    assert_eq!(pairing.counts().ambiguous, 5);
    assert_eq!(pairing.counts().paired, 195);
}

#[test]
fn answers_that_lag_one_stimulus_throughout_are_never_latencies() {
    let (stimuli, _) = train(13, 60);
    let responses: Vec<f64> = stimuli.iter().map(|s| s + 11_500.0).collect();
    let counts = paired(&stimuli, &responses, &rule(None, 100.0)).counts();
    assert_eq!((counts.ambiguous, counts.paired), (60, 0));
}

/// A periodic stimulus seen on a grid: rounding can make the answers fit the stimulus before to the tick. That spread says
/// nothing, because it is all grid.
#[test]
fn rounding_of_a_periodic_stimulus_is_no_lag() {
    let stimuli: Vec<f64> = (0..100).map(|k| f64::from(k) * 10_000.0 + f64::from(k % 2)).collect();
    let responses: Vec<f64> =
        (0..100).map(|k| f64::from(k) * 10_000.0 + 1_900.0 + f64::from((k + 1) % 2)).collect();
    let counts = paired(&stimuli, &responses, &rule(None, 100.0)).counts();
    assert_eq!((counts.ambiguous, counts.paired), (0, 100));
}

#[test]
fn under_the_floor_both_neighbours_are_ambiguous() {
    let (stimuli, mut responses) = train(14, 100);
    responses[40] = stimuli[40] + 50.0;
    let pairing = paired(&stimuli, &responses, &rule(Some(6_000.0), 100.0));
    let status: Vec<Status> = pairing.pairs[38..42].iter().map(|p| p.status).collect();
    assert_eq!(status, [Status::Paired, Status::Ambiguous, Status::Ambiguous, Status::Paired]);
}

#[test]
fn a_window_longer_than_the_spacing_leaves_the_next_in_doubt() {
    let (stimuli, mut responses) = train(15, 100);
    responses.remove(40);
    let counts = paired(&stimuli, &responses, &rule(Some(30_000.0), 100.0)).counts();
    assert_eq!((counts.ambiguous, counts.unanswered, counts.paired), (2, 0, 98));
}

#[test]
fn an_answer_after_the_window_is_no_latency() {
    let (stimuli, mut responses) = train(16, 100);
    responses[40] = stimuli[40] + 6_500.0;
    let pairing = paired(&stimuli, &responses, &rule(Some(6_000.0), 100.0));
    let counts = pairing.counts();
    assert_eq!((counts.unanswered, counts.spurious, counts.paired), (1, 1, 99));
}

#[test]
fn the_ends_of_a_record_are_cut_off_and_not_missed() {
    let (stimuli, responses) = train(17, 50);
    let end = stimuli[49] + 1_000.0;
    let span = [(stimuli[0] - 3_000.0, end)];
    let mut seen = vec![stimuli[0] - 1_000.0];
    seen.extend(responses.iter().filter(|r| **r < end));
    let pairing = pair(&given(&stimuli, &span), &given(&seen, &span), &rule(Some(6_000.0), 100.0));
    let counts = pairing.counts();
    assert_eq!(counts, Counts { stimuli: 50, paired: 49, cut_off: 1, ..Counts::default() });
    assert_eq!((pairing.pairs[0].status, pairing.pairs[0].stimulus), (Status::CutOff, None));
    // With room for an answer the same silence is a miss.
    let longer = [(stimuli[0] - 3_000.0, stimuli[49] + 6_000.0)];
    let counts =
        pair(&given(&stimuli, &longer), &given(&seen, &longer), &rule(Some(6_000.0), 100.0)).counts();
    assert_eq!((counts.unanswered, counts.cut_off), (1, 0));
}

#[test]
fn a_lone_stimulus_without_an_answer_is_a_miss() {
    let span = [(-5_000.0, 5_000.0)];
    let silent = given(&[], &span);
    assert_eq!(pair(&given(&[0.0], &span), &silent, &rule(None, 100.0)).counts().unanswered, 1);
    let counts = pair(&given(&[0.0], &span), &silent, &rule(Some(9_000.0), 100.0)).counts();
    assert_eq!((counts.unanswered, counts.cut_off), (0, 1));
}

#[test]
fn windows_pair_within_themselves() {
    let (stimuli, responses) = train(18, 30);
    let spans: Vec<(f64, f64)> = stimuli.iter().map(|s| (s - 200.0, s + 4_000.0)).collect();
    let counts =
        pair(&given(&stimuli, &spans), &given(&responses, &spans), &rule(Some(3_500.0), 100.0)).counts();
    assert_eq!(counts, Counts { stimuli: 30, paired: 30, ..Counts::default() });
    // One answer comes after its window was read; the record has nothing of it.
    let mut some = responses.clone();
    some.remove(12);
    let short: Vec<(f64, f64)> = stimuli.iter().map(|s| (s - 200.0, s + 3_000.0)).collect();
    let counts = pair(&given(&stimuli, &short), &given(&some, &short), &rule(Some(3_500.0), 100.0)).counts();
    assert_eq!((counts.paired, counts.cut_off, counts.unanswered), (29, 1, 0));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Missing, double, late and swallowed answers at random, on top of each other: nothing faster than answers are
    /// (1.8 us less the slack of the fence, 0.25 us) ever passes for a latency.
    #[test]
    fn no_late_answer_becomes_a_short_latency(seed in any::<u64>(), rate in 0.0..0.12f64) {
        let (stimuli, on_time) = train(seed, 300);
        let mut random = Random(seed ^ 1);
        let mut responses = Vec::new();
        for (k, r) in on_time.iter().enumerate() {
            let next = stimuli.get(k + 1).copied().unwrap_or(stimuli[k] + 10_000.0);
            match random.uniform() / rate {
                u if u < 1.0 => {}
                u if u < 2.0 => responses.extend([*r, r + random.between(50.0, 5_000.0)]),
                u if u < 3.0 => responses.push(next + random.between(0.0, 4_000.0)),
                _ => responses.push(*r),
            }
        }
        let pairing = paired(&stimuli, &sorted(responses), &rule(Some(6_000.0), 100.0));
        for latency in pairing.latencies() {
            prop_assert!(latency >= picos(1_550.0), "{}", latency);
        }
    }

    /// Every edge appears once, whatever comes: stimuli all, responses all, in balance.
    #[test]
    fn pairing_conserves_edges(
        stimuli in proptest::collection::vec(0i64..4_000, 0..60),
        responses in proptest::collection::vec(-100i64..4_200, 0..80),
        window in proptest::option::of(1i64..300),
        floor in 0i64..30,
        cut in 1_000i64..4_500,
    ) {
        let times = |v: &[i64]| { let mut v: Vec<f64> = v.iter().map(|t| *t as f64).collect(); v.sort_by(f64::total_cmp); v };
        let spans = [(-100.0, 900.0), (950.0, cut as f64)];
        let (s, r) = (given(&times(&stimuli), &spans), given(&times(&responses), &spans));
        let pairing = pair(&s, &r, &rule(window.map(|w| w as f64), floor as f64));
        let counts = pairing.counts();
        prop_assert_eq!(counts.stimuli as usize, stimuli.len());
        prop_assert_eq!(counts.stimuli, counts.paired + counts.unanswered + counts.ambiguous + counts.cut_off);
        let listed = |f: fn(&Pair) -> Option<Picos>| { let mut v: Vec<Picos> = pairing.pairs.iter().filter_map(f).collect(); v.sort(); v };
        let expected = |e: &Edges| e.list.iter().map(|e| e.at).collect::<Vec<_>>();
        prop_assert_eq!(listed(|p| p.stimulus), expected(&s));
        prop_assert_eq!(listed(|p| p.response), expected(&r));
        for l in pairing.latencies() {
            prop_assert!(l >= picos(floor as f64) && window.is_none_or(|w| l <= picos(w as f64)));
        }
    }
}
