use super::*;
use crate::profile::Strategy;
use crate::profile::{Overrides, StrategyChoice, builtin, parse};
use crate::units::{Hertz, Volts};
use latency_protocol::{Gaps, Train};
use proptest::prelude::{ProptestConfig, prop, prop_assert, prop_assert_eq, proptest};
use proptest::strategy::Strategy as Generator;

fn virtual_profile(modes: &[&str]) -> Profile {
    let modes = modes.iter().map(ToString::to_string).collect();
    builtin("virtual").unwrap().with(&Overrides { modes, ..Overrides::default() }).unwrap()
}

fn planned(profile: &Profile) -> ConfigurationPlan {
    plan(profile, &assumed_capabilities()).unwrap().configurations.remove(0)
}

fn refused(profile: &Profile) -> String {
    plan(profile, &assumed_capabilities()).unwrap_err().to_string()
}

/// ds1000z.md section 7, "legal rates with 6 M": 1 ms/div gives 500 MSa/s, 2 gives 250, 5 gives 100, 10 gives 50, 20
/// gives 25, 50 gives 10; by the same rule 100 gives 5.
#[test]
fn six_million_points_have_the_rates_of_the_dossier() {
    let legal = records::legal(&assumed_capabilities());
    let deep: Vec<(i64, i64)> = legal
        .iter()
        .filter(|r| r.depth == 6_000_000)
        .map(|r| (r.timebase.0 / 1_000_000_000, 1_000_000 / r.interval.0))
        .collect();
    assert_eq!(deep, [(1, 500), (2, 250), (5, 100), (10, 50), (20, 25), (50, 10), (100, 5)]);
    // 6 M at 500 MSa/s are 12 ms (section 3.1).
    let finest = legal.iter().find(|r| r.depth == 6_000_000).unwrap();
    assert_eq!(finest.length(), Picos::from_ms(12));
}

/// 3 ms/div would give 6 M points at 166.7 MSa/s: a divider of 3, where the scope shows a rate it does not sample with.
#[test]
fn odd_dividers_are_never_planned() {
    let mut capabilities = assumed_capabilities();
    let before = records::legal(&capabilities);
    capabilities.timebases.extend([Picos::from_ms(3), Picos::from_ms(4), Picos::from_us(700)]);
    // 4 ms/div is 125 MSa/s, a divider of 4.
    assert_eq!(records::legal(&capabilities), before);
}

/// By hand: 0.2 ms of the 12 ms precede the trigger, 64 points are kept off, 8 us stay for the last answer; with gaps
/// up to 16 us (and a permille) 737 stimuli fit, so 1000 take two shots of 500.
#[test]
fn the_articles_direct_mode_takes_two_shots() {
    let plan = planned(&virtual_profile(&["direct"]));
    let setup = &plan.setup;
    assert_eq!((setup.depth, setup.interval), (6_000_000, Picos::from_ns(2)));
    assert_eq!(setup.timebase, Picos::from_ms(1));
    assert_eq!(setup.delay, Picos::from_us(5_800));
    assert_eq!((plan.strategy, plan.burst, plan.prediction.shots), (Strategy::Burst, 500, 2));
    // 3.3 V at 500 mV a division: 6.6 divisions, 165 codes, "best" in section 3.2.
    assert_eq!((setup.stimulus.scale, setup.stimulus.offset), (Volts(0.5), Volts(-1.65)));
    assert_eq!(setup.level, Volts(1.65));
    // 499 gaps of 12 us on average are 6 ms: 3 M points a channel, 12 MB in all.
    assert!((11_500_000..12_600_000).contains(&plan.prediction.bytes), "{}", plan.prediction.bytes);
}

/// Section 7: "83 kHz, 500 MSa/s, 12 ms: 1 acquisition, 12 MB, 13 s at 1.0 MB/s", 8 s at 1.7, 31 s at 0.4.
#[test]
fn a_full_deep_record_takes_the_time_of_the_dossier() {
    let mut link = assumed_capabilities().link;
    let record =
        records::Record { depth: 6_000_000, timebase: Picos::from_ms(1), interval: Picos::from_ns(2) };
    let extent = Extent { from: Picos::ZERO, to: Picos::from_ms(12) };
    for (rate, seconds) in [(1.7e6, 8.0), (1.0e6, 13.0), (0.4e6, 31.0)] {
        link.bytes_per_second = rate;
        let load = cost::Load::of(extent, record.interval, 250_000);
        let time = (cost::acquisition(&link, record, Picos::ZERO) + load.time(&link)).as_seconds();
        assert!((time - seconds).abs() <= 0.5, "{rate}: {time} s instead of {seconds} s");
    }
}

/// Section 3.6: per edge 0.012 ns of quantisation, and of interpolation 0.017 ns at 2 ns, 0.14 ns at 4 ns; two edges.
#[test]
fn the_sampling_uncertainty_is_the_dossiers() {
    let rise = Picos::from_ns(7);
    let ps = |ns| cost::resolution(Picos::from_ns(ns), rise, 165.0).0;
    // sqrt(2) x sqrt(0.012^2 + 0.017^2) = 0.029 ns; sqrt(2) x sqrt(0.012^2 + 0.14^2) = 0.199 ns.
    assert!((28..=31).contains(&ps(2)), "{}", ps(2));
    assert!((190..=200).contains(&ps(4)), "{}", ps(4));
    // Longer than the edge: one interval, nothing better.
    assert_eq!(ps(20), 20_000);
}

/// A thousandth of 22 us is 22 ns; the coarsest legal interval within that is 20 ns, a tenth of the bytes of 2 ns.
#[test]
fn slow_modes_do_not_pay_for_fine_samples() {
    assert_eq!(planned(&virtual_profile(&["workqueue"])).setup.interval, Picos::from_ns(20));
    assert_eq!(planned(&virtual_profile(&["thread"])).setup.interval, Picos::from_ns(4));
    assert_eq!(planned(&virtual_profile(&["bare-metal"])).setup.interval, Picos::from_ns(2));
}

/// One pair: nothing to gain from a train, and 12 us at 6000 points hold the 8 us that an answer may take.
#[test]
fn one_pair_is_a_single_shot() {
    let mut profile = virtual_profile(&["direct"]);
    profile.configurations[0].count = 1;
    let plan = planned(&profile);
    assert_eq!((plan.strategy, plan.burst, plan.prediction.shots), (Strategy::Single, 1, 1));
    assert_eq!((plan.setup.depth, plan.setup.timebase), (6_000, Picos::from_us(1)));
}

/// Section 7 B: one by one, 1000 pairs take 4 to 8 minutes; the train is at least 25 times quicker.
#[test]
fn single_is_minutes_and_burst_is_seconds() {
    let mut profile = virtual_profile(&["direct"]);
    let burst = planned(&profile).prediction.duration.as_seconds();
    profile.configurations[0].strategy = StrategyChoice::Fixed(Strategy::Single);
    let single = planned(&profile);
    assert_eq!((single.strategy, single.prediction.shots), (Strategy::Single, 1000));
    assert!(
        (240.0..=480.0).contains(&single.prediction.duration.as_seconds()),
        "{}",
        single.prediction.duration
    );
    assert!(single.prediction.duration.as_seconds() >= 25.0 * burst, "{burst} s");
}

/// Stimuli up to 2 ms apart at 2 ns: a record is quiet nearly everywhere, and reading around them is quicker than reading
/// all of it. By hand: at most 5 stimuli in 11.8 ms, windows of 48 us and some drift, so some 30 k points a stimulus and
/// channel instead of a million.
#[test]
fn wide_gaps_at_fine_sampling_are_read_in_windows() {
    let mut profile = virtual_profile(&["direct"]);
    let row = &mut profile.configurations[0];
    row.spacing = Some(Spacing { min: Picos::from_us(1_000), max: Picos::from_us(2_000) });
    row.window = Some(Picos::from_us(48));
    row.count = 50;
    let plan = planned(&profile);
    assert_eq!(plan.strategy, Strategy::Windowed, "{}", plan.reason);
    let whole = u64::from(plan.extent.points(plan.setup.interval)) * 2 * u64::from(plan.prediction.shots);
    assert!(plan.prediction.bytes * 10 < whole, "{} of {whole}", plan.prediction.bytes);
    profile.configurations[0].strategy = StrategyChoice::Fixed(Strategy::Burst);
    assert!(planned(&profile).prediction.duration > plan.prediction.duration * 3);
}

/// A plan of before windows and link figures were measured.
#[test]
fn plans_of_earlier_runs_can_be_read() {
    let plan = plan(&virtual_profile(&["direct"]), &assumed_capabilities()).unwrap();
    let mut value = serde_json::to_value(&plan).unwrap();
    for key in ["setting", "block", "gauged"] {
        assert!(value["link"].as_object_mut().unwrap().remove(key).is_some());
    }
    let row = value["configurations"][0].as_object_mut().unwrap();
    row.remove("around").unwrap();
    row["prediction"].as_object_mut().unwrap().remove("setup").unwrap();
    let old: RunPlan = serde_json::from_value(value).unwrap();
    assert_eq!(old.configurations[0].setup, plan.configurations[0].setup);
    assert!(matches!(old.configurations[0].reading(0), Reading::Whole(_)));
}

#[test]
fn gaps_that_no_record_holds_leave_single() {
    let mut profile = virtual_profile(&["direct"]);
    profile.configurations[0].spacing = Some(Spacing { min: Picos::from_us(8), max: Picos::from_ms(20) });
    let plan = planned(&profile);
    assert_eq!(plan.strategy, Strategy::Single);
    assert!(plan.reason.contains("no record sampled at 2 ns holds two stimuli"), "{}", plan.reason);
    profile.configurations[0].strategy = StrategyChoice::Fixed(Strategy::Burst);
    assert!(refused(&profile).contains("use strategy single"));
}

#[test]
fn all_refusals_are_listed_with_their_way_out() {
    let mut profile = virtual_profile(&["direct", "thread", "workqueue", "bare-metal"]);
    profile.response.channel = 2;
    profile.stimulus.high = Volts(1e6);
    let [bare, direct, thread, _] = &mut profile.configurations[..] else { panic!() };
    bare.strategy = StrategyChoice::Fixed(Strategy::Record);
    direct.resolution = Picos::from_ns(1);
    thread.window = Some(Picos::from_s(1));
    let text = refused(&profile);
    for part in [
        "the stimulus swings 1000000 V, more than 700 V with this probe; use a probe with more attenuation",
        "configuration `bare-metal`: strategy record is not available yet: waveform recording is an option of the scope that this program neither probes nor drives; use auto, windowed, burst or single",
        "configuration `direct`: a resolution of 1 ns is finer than the 2 ns",
        "configuration `thread`: one pair needs 1 s after its trigger, but records sampled at 4 ns end after 23.6 ms",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    assert_eq!(text.lines().count(), 5, "{text}");
}

#[test]
fn a_probe_that_leaves_no_signal_is_refused() {
    let mut profile = virtual_profile(&["direct"]);
    profile.response.probe = 1000.0;
    // x1000 shows 1 V a division at best: 3.3 V are 82 codes, fine; 0.5 V are 12.
    assert!(plan(&profile, &assumed_capabilities()).is_ok());
    profile.response.high = Volts(0.5);
    assert!(
        refused(&profile).contains("the response swings only 500 mV, less than 800 mV"),
        "{}",
        refused(&profile)
    );
    profile.response.channel = 5;
    assert!(refused(&profile).contains("there is no CH5"));
}

/// 3 x 2.4 us = 7.2 us, in whole microseconds 8 us.
#[test]
fn gaps_left_out_follow_the_expected_worst() {
    let mut profile = virtual_profile(&["direct"]);
    profile.configurations[0].spacing = None;
    let spacing = planned(&profile).spacing;
    assert_eq!(spacing, Some(Spacing { min: Picos::from_us(8), max: Picos::from_us(16) }));
}

/// A generator at 1 kHz: of the 12 ms record 11.8 ms follow the trigger, so 11 further stimuli, the last of them with
/// its answer within it; 1000 pairs are 84 shots of 12.
#[test]
fn an_external_stimulus_is_counted_from_the_first_record() {
    let first = planned(&builtin("external").unwrap());
    assert_eq!((first.spacing, first.setup.depth), (None, 6_000_000));
    assert_eq!(first.extent.to, Picos(11_799_872_000), "read to the end of what is surely there");
    let ms = Picos::from_ms(1);
    let window = Picos::from_us(100);
    let plan =
        refine(&ConfigurationPlan { window: Some(window), ..first.clone() }, Spacing { min: ms, max: ms });
    assert_eq!((plan.burst, plan.prediction.shots), (12, 84));
    assert_eq!(plan.prediction.bytes, 84 * (first.prediction.bytes / u64::from(first.prediction.shots)));
    assert_eq!(plan.setup, first.setup);
}

#[test]
fn every_profile_of_the_tree_can_be_planned() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("profiles");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let profile = parse(&std::fs::read_to_string(&path).unwrap(), "file").unwrap();
        let plan =
            plan(&profile, &assumed_capabilities()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(plan.configurations.len(), profile.configurations.len());
        assert!(!plan.link.measured, "assumed figures must not pass for measured ones");
        seen += 1;
    }
    assert!(seen >= 3);
}

/// One configuration with everything that the plan looks at.
fn questions() -> impl Generator<Value = (Profile, Capabilities)> {
    let spacing = (1..2_000i64, 0..5_000i64);
    (1..3_000u32, spacing, 1..200i64, 1..=u32::MAX, 0..2u8, 0..4usize, prop::bool::ANY).prop_map(
        |(count, (min, more), resolution, seed, source, strategy, deeper)| {
            let mut profile = virtual_profile(&["direct"]);
            profile.seed = seed;
            if source == 1 {
                profile.source = StimulusSource::External;
            }
            let row = &mut profile.configurations[0];
            row.count = count;
            row.expected_worst = Picos(Picos::from_us(min).0 / 3);
            row.spacing = Some(Spacing { min: Picos::from_us(min), max: Picos::from_us(min + more) });
            row.resolution = Picos::from_ns(resolution);
            row.strategy = [
                StrategyChoice::Auto,
                StrategyChoice::Fixed(Strategy::Single),
                StrategyChoice::Fixed(Strategy::Burst),
                StrategyChoice::Fixed(Strategy::Windowed),
            ][strategy];
            let mut capabilities = assumed_capabilities();
            if deeper {
                capabilities.limits[1].depths.push(12_000_000);
            }
            (profile, capabilities)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// What is planned fits: record, extent, trains of all shots with the last answer, count and bytes.
    #[test]
    fn a_feasible_plan_fits_its_record((profile, capabilities) in questions()) {
        let Ok(run) = plan(&profile, &capabilities) else { return Ok(()) };
        let (p, row) = (&run.configurations[0], &profile.configurations[0]);
        let (setup, shots) = (&p.setup, p.prediction.shots);
        let length = setup.interval * i64::from(setup.depth);
        prop_assert_eq!(length, setup.timebase * 12);
        prop_assert!(setup.interval <= row.resolution);
        prop_assert!(p.extent.from <= Picos::ZERO && p.extent.to > Picos::ZERO);
        prop_assert!(p.extent.from >= -(length.half() - setup.delay), "before the record");
        prop_assert!(p.extent.to <= length.half() + setup.delay, "behind the record");
        prop_assert_eq!((p.extent.to - p.extent.from).0 % setup.interval.0, 0);
        let points = ((p.extent.to - p.extent.from).0 / setup.interval.0) as u64;
        let whole = u64::from(shots) * 2 * points;
        if p.strategy == Strategy::Windowed {
            prop_assert!(p.prediction.bytes <= whole);
        } else {
            prop_assert_eq!(p.prediction.bytes, whole);
        }
        prop_assert!(u64::from(shots) * u64::from(p.burst) >= u64::from(row.count));
        prop_assert!(shots == 1 || u64::from(shots - 1) * u64::from(p.burst) < u64::from(row.count), "a shot too many");
        prop_assert!(p.timeout > length);
        if let Some(Spacing { min, max }) = p.spacing {
            for shot in 0..shots {
                let us = |t: Picos| (t.0 / 1_000_000) as u32;
                let seed = p.seed.wrapping_add(shot);
                let train = Train { count: p.burst, min_us: us(min), max_us: us(max), seed };
                let last: i64 = Gaps::new(train).skip(1).map(i64::from).sum();
                prop_assert!(Picos::from_us(last) + min <= p.extent.to, "shot {shot} is cut off");
                if let Reading::Windows(windows) = p.reading(shot) {
                    prop_assert!(windows.is_sorted_by(|a, b| a.to < b.from), "{windows:?}");
                    let mut at = Picos::ZERO;
                    for (n, gap) in Gaps::new(train).enumerate() {
                        at += if n == 0 { Picos::ZERO } else { Picos::from_us(i64::from(gap)) };
                        let held = windows.iter().any(|w| w.from < at && at + min <= w.to);
                        prop_assert!(held, "shot {shot}: the stimulus at {at} and its answer are not in {windows:?}");
                    }
                }
            }
        }
    }

    /// No capabilities make it panic, and what it refuses it names.
    #[test]
    fn odd_instruments_are_refused_or_planned(
        divisions in -1..20i64, rate in prop::sample::select(vec![0.0, 1.0, 5e8, f64::NAN, f64::INFINITY, -1.0]),
        depth in prop::sample::select(vec![0u32, 1, 6000, u32::MAX]), block in 0..3u32, link in prop::sample::select(vec![0.0, 1e6, f64::NAN]),
        time in prop::sample::select(vec![0, 1, 1_000_000, i64::MAX]), codes in prop::sample::select(vec![0.0, 25.0, f64::NAN]),
    ) {
        let mut capabilities = assumed_capabilities();
        capabilities.divisions = divisions;
        capabilities.limits = vec![ChannelLimits { channels: 2, rate: Hertz(rate), depths: vec![depth] }];
        capabilities.block_points = block;
        capabilities.link.bytes_per_second = link;
        capabilities.timebases.push(Picos(time));
        capabilities.codes_per_division = codes;
        if let Err(error) = plan(&virtual_profile(&["direct"]), &capabilities) {
            prop_assert!(!error.refusals().is_empty());
        }
    }
}
