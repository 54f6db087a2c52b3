use super::*;
use crate::units::{Hertz, Picos, Volts};
use proptest::prelude::*;

/// The smallest profile: everything that has no default, and nothing else. Line numbers below count from `name`.
const SMALL: &str = r#"name = "small"
[bench]
kind = "hardware"
scope = "192.168.1.20"
dut = "/dev/ttyACM0"
[stimulus]
source = "firmware"
channel = 1
probe = 10
high = "3.3 V"
[response]
channel = 2
probe = 10
high = "3.3 V"
[[configuration]]
mode = "direct"
expected = { typical = "1.9 us", worst = "2.4 us" }
"#;

fn faults(text: &str) -> Vec<String> {
    parse(text, "small.toml").unwrap_err().faults().iter().map(ToString::to_string).collect()
}

/// SMALL with one line replaced must be refused at that line, in words that hold `way_out`.
fn refused(line: usize, with: &str, path: &str, way_out: &str) {
    let text: String = SMALL
        .lines()
        .enumerate()
        .map(|(i, l)| format!("{}\n", if i + 1 == line { with } else { l }))
        .collect();
    let found = parse(&text, "small.toml").expect_err(with);
    let hit = found.faults().iter().find(|f| f.path == path && f.message.contains(way_out));
    let hit = hit.unwrap_or_else(|| panic!("no fault at {path} with {way_out:?} in:\n{found}"));
    let last = line + with.lines().count().max(1) - 1;
    assert!((line..=last).contains(&hit.line.unwrap()), "line {:?} instead of {line}\n{found}", hit.line);
}

#[test]
fn what_is_left_out_has_the_documented_value() {
    let profile = parse(SMALL, "small.toml").unwrap();
    assert_eq!(profile.seed, 1);
    assert_eq!(profile.stimulus.low, Volts(0.0));
    assert_eq!(profile.stimulus.threshold, None);
    let row = &profile.configurations[0];
    assert_eq!((row.name.as_str(), row.mode.as_str(), row.count), ("direct", "direct", 1000));
    // A thousandth of 1.9 us is finer than the scope's 2 ns.
    assert_eq!(row.resolution, Picos::from_ns(2));
    assert_eq!((row.spacing, row.window, row.floor), (None, None, Picos::ZERO));
}

#[test]
fn every_fault_is_reported_at_once_with_line_and_path() {
    let text = SMALL
        .replace("probe = 10\nhigh = \"3.3 V\"\n[response]", "probe = 10\nhigh = 3.3\n[response]")
        .replace(
            "mode = \"direct\"",
            "mode = \"Direct Mode\"\nspacing = { min = \"5 us\", max = \"6.5 us\" }",
        )
        .replace("kind = \"hardware\"", "knid = \"hardware\"");
    let found = faults(&text);
    assert_eq!(
        found,
        [
            "line 2: bench.kind: is missing; write kind = \"virtual\" or \"hardware\"",
            "line 3: bench.knid: is no key of a profile here; did you mean `kind`?",
            "line 10: stimulus.high: `3.3` has no unit; write a text such as \"500 mV\"",
            "line 16: configuration[0].mode: `Direct Mode` must be 1 to 24 of lower-case letters, digits and `-`, as \
             the firmware says it",
            "line 17: configuration[0].spacing: min `5 us` is under three times the expected worst latency; use at least \
             8 us",
            "line 17: configuration[0].spacing.max: `6.5 us` is no whole number of microseconds, the unit of START; use \
             6 us or 7 us",
        ]
    );
}

#[test]
fn each_rule_refuses_with_the_way_out() {
    refused(1, "name = \"../evil\"", "name", "it names a folder");
    refused(4, "scope = \"host:99999\"", "bench.scope", "1 to 65535");
    refused(4, "scope = \"virtual\"", "bench.scope", "kind = \"virtual\"");
    refused(5, "dut = \"tcp://host\"", "bench.dut", "port is missing");
    refused(5, "dut = \"virtual\"", "bench.dut", "name its port");
    refused(7, "source = \"fimware\"", "stimulus.source", "did you mean `firmware`?");
    refused(8, "channel = 5", "stimulus.channel", "from 1 to 4");
    refused(9, "probe = 3", "stimulus.probe", "1-2-5");
    refused(10, "high = \"0 V\"", "stimulus.high", "not above the low level");
    refused(10, "high = \"3.3 V\"\nthreshold = \"3.2 V\"", "stimulus.threshold", "use 330 mV to 2.97 V");
    refused(12, "channel = 1", "response.channel", "use another channel");
    refused(13, "probe = 4", "response.probe", "1-2-5");
    refused(14, "high = \"3.3 V\"\nslope = \"up\"", "response.slope", "rising, falling");
    refused(
        17,
        "expected = { typical = \"3 us\", worst = \"2 us\" }",
        "configuration[0].expected.typical",
        "above worst",
    );
    let expected = "expected = { typical = \"1.9 us\", worst = \"2.4 us\" }\n";
    let row = |more: &str, key: &str, way_out: &str| {
        refused(17, &format!("{expected}{more}"), &format!("configuration[0].{key}"), way_out);
    };
    // 3 x 2.4 us = 7.2 us, and START counts whole microseconds.
    row("spacing = { min = \"7 us\", max = \"14 us\" }", "spacing", "at least 8 us");
    row("spacing = { min = \"9 us\", max = \"8 us\" }", "spacing.min", "above max");
    row("spacing = { min = \"0 us\", max = \"8 us\" }", "spacing.min", "above zero");
    row("spacing = { min = \"8 us\", max = \"11 s\" }", "spacing.max", "10 s");
    row(
        "spacing = { min = \"8 us\", max = \"16 us\" }\nwindow = \"9 us\"",
        "window",
        "either of two stimuli",
    );
    row("window = \"2 us\"", "window", "expected worst");
    row("count = 0", "count", "from 1 to 10000000");
    row("strategy = \"brust\"", "strategy", "did you mean `burst`?");
    row("resolution = \"200 ns\"", "resolution", "at most 190 ns");
    row("reference = { source = \"somewhere\" }", "reference", "at least one");
    row("reference = { typical = \"1 us\" }", "reference.source", "is missing");
    let with_table = |table: &str, path: &str, way_out: &str| {
        refused(17, &format!("{expected}{table}"), path, way_out);
    };
    with_table("[virtual]\nmiss_rate = 1.5", "virtual.miss_rate", "0 to 1");
    with_table("[virtual]\ntiming = \"fast\"", "virtual.timing", "instant, realistic");
    with_table("[limits]\nclock = \"128 mhz\"", "limits.clock", "MHz");
    with_table("[flash.zephyr]\ncommand = [\"west\"]", "flash.zephyr", "no image");
    with_table("[flash.zephyr]\ncommand = []", "flash.zephyr.command", "must name a program");
    with_table("[[configuration]]\nmode = \"direct\"", "configuration[1].name", "give each its own");
}

#[test]
fn a_board_without_a_link_cannot_fire_trains() {
    let text = SMALL.replace("/dev/ttyACM0", "none");
    assert_eq!(faults(&text).len(), 1);
    assert!(faults(&text)[0].contains("source = \"external\""), "{:?}", faults(&text));
    assert!(parse(&text.replace("\"firmware\"", "\"external\""), "x").is_ok());
}

#[test]
fn an_external_stimulus_has_no_gaps_to_choose() {
    let text = SMALL.replace("\"firmware\"", "\"external\"");
    let text = format!("{text}spacing = {{ min = \"8 us\", max = \"16 us\" }}\n");
    assert!(faults(&text)[0].contains("found from the first record"), "{:?}", faults(&text));
}

#[test]
fn a_truncated_text_is_no_toml_and_says_where() {
    let text = "name = \"small\"\n[bench\nkind = ";
    let found = faults(text);
    assert!(found[0].starts_with("line 2: is no TOML: "), "{found:?}");
    assert!(!found.iter().any(|f| f.contains("missing; write")), "{found:?}");
}

#[test]
fn messages_never_pass_control_characters_on() {
    let text = SMALL.replace("mode = \"direct\"", "mode = \"\\u001b[2J\"");
    let message = parse(&text, "x").unwrap_err().to_string();
    assert!(!message.contains('\u{1b}'), "{message:?}");
}

#[test]
fn resolution_follows_the_typical_latency() {
    let text = SMALL.replace("\"1.9 us\", worst = \"2.4 us\"", "\"22 us\", worst = \"45 us\"");
    assert_eq!(parse(&text, "x").unwrap().configurations[0].resolution, Picos::from_ns(22));
}

/// 12 cycles at 128 MHz are 93.75 ns.
#[test]
fn the_floor_follows_the_clock_and_a_row_may_have_its_own() {
    let profile = builtin("nrf5340dk").unwrap();
    assert_eq!(profile.clock, Some(Hertz(128e6)));
    assert_eq!(profile.floor, Picos(93_750));
    let floor = |name: &str| profile.configurations.iter().find(|c| c.name == name).unwrap().floor;
    assert_eq!((floor("hw"), floor("direct")), (Picos::ZERO, Picos(93_750)));
}

/// The rows of the article with their published figures.
#[test]
fn both_benches_carry_the_published_figures() {
    let us = |text: &str| Some(text.parse::<Picos>().unwrap());
    let rows = [
        ("bare-metal", us("380 ns"), us("520 ns")),
        ("direct", us("1.9 us"), us("2.4 us")),
        ("thread", us("8.2 us"), us("14 us")),
        ("workqueue", us("22 us"), us("45 us")),
        ("freertos", us("1.4 us"), None),
        ("direct+i2c", None, us("3.1 us")),
    ];
    for profile in [builtin("virtual").unwrap(), builtin("nrf5340dk").unwrap()] {
        for (name, typical, worst) in rows {
            let row = profile.configurations.iter().find(|c| c.name == name).unwrap();
            let reference = row.reference.as_ref().unwrap();
            assert_eq!((reference.typical, reference.worst), (typical, worst), "{name}");
        }
        for name in ["rtic", "embassy"] {
            let row = profile.configurations.iter().find(|c| c.name == name).unwrap();
            assert_eq!(row.reference, None, "{name}: nothing was published");
        }
    }
}

#[test]
fn every_profile_of_the_tree_is_built_in() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("profiles");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let profile = parse(&text, &path.display().to_string()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(path.file_stem().unwrap().to_str(), Some(profile.name.as_str()));
    }
    assert!(builtin_names().all(|name| builtin(name).is_ok()));
    assert!(builtin("nosuch").unwrap_err().to_string().contains("virtual, nrf5340dk"));
}

fn names(profile: &Profile) -> Vec<&str> {
    profile.configurations.iter().map(|c| c.name.as_str()).collect()
}

fn modes(modes: &[&str]) -> Overrides {
    Overrides { modes: modes.iter().map(ToString::to_string).collect(), ..Overrides::default() }
}

#[test]
fn a_mode_is_first_a_name_then_a_mode() {
    let profile = builtin("virtual").unwrap();
    assert_eq!(names(&profile.clone().with(&modes(&["direct"])).unwrap()), ["direct"]);
    let both = profile.with(&modes(&["workqueue", "direct+pm"])).unwrap();
    assert_eq!(names(&both), ["workqueue", "direct+pm"]);
    let board = builtin("nrf5340dk").unwrap();
    assert_eq!(names(&board.with(&modes(&["isr"])).unwrap()), ["bare-metal", "freertos", "rtic"]);
}

#[test]
fn options_that_do_not_fit_are_all_named() {
    let overrides = Overrides { count: Some(0), dut: Some("ttyACM0".to_owned()), ..modes(&["dirct"]) };
    let error = builtin("virtual").unwrap().with(&overrides).unwrap_err();
    let text = error.to_string();
    for part in [
        "--mode: no configuration of profile `virtual` has the name or mode `dirct`; it has hw, bare-metal, direct,",
        "did you mean `direct`?",
        "--dut: is no serial port",
        "--count: 0 pairs",
    ] {
        assert!(text.contains(part), "{part} in:\n{text}");
    }
}

#[test]
fn a_real_scope_makes_a_hardware_bench_and_needs_a_real_board() {
    let real = |dut: Option<&str>| Overrides {
        scope: Some("192.168.1.20".to_owned()),
        dut: dut.map(str::to_owned),
        ..Overrides::default()
    };
    let profile = builtin("virtual").unwrap();
    assert!(profile.clone().with(&real(None)).unwrap_err().to_string().contains("name its port"));
    let bench = profile.with(&real(Some("/dev/ttyACM0"))).unwrap().bench;
    assert_eq!(bench.kind, BenchKind::Hardware);
}

#[test]
fn without_a_link_the_stimulus_runs_freely() {
    let overrides = Overrides { dut: Some("none".to_owned()), ..Overrides::default() };
    let profile = builtin("nrf5340dk").unwrap().with(&overrides).unwrap();
    assert_eq!(profile.source, StimulusSource::External);
    assert!(profile.configurations.iter().all(|c| c.spacing.is_none()));
}

#[test]
fn a_seed_reaches_the_bench_and_the_trains() {
    let seeded = |seed| {
        let overrides = Overrides { seed: Some(seed), ..Overrides::default() };
        let profile = builtin("virtual").unwrap().with(&overrides).unwrap();
        (profile.bench.simulation.seed, profile.seed)
    };
    assert_eq!(seeded(7), (7, 7));
    // START takes no seed of zero.
    assert_eq!(seeded(1 << 32), (1 << 32, 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = parse(&text, "x");
    }

    /// A profile cut anywhere, and one with a piece replaced by anything, is read or refused with at least one fault
    /// that lies inside the text.
    #[test]
    fn damaged_profiles_are_read_or_refused(
        which in 0..3usize, cut in any::<prop::sample::Index>(), tail in "[ -~\n\"\\[\\]=]{0,12}", keep in any::<bool>()
    ) {
        let name = ["virtual", "nrf5340dk", "external"][which];
        let text = builtin_text(name).unwrap();
        let at = (0..=cut.index(text.len() + 1)).rev().find(|i| text.is_char_boundary(*i)).unwrap();
        let damaged = format!("{}{tail}{}", &text[..at], if keep { &text[at..] } else { "" });
        if let Err(error) = parse(&damaged, "x") {
            prop_assert!(!error.faults().is_empty());
            let lines = damaged.lines().count() + 1;
            prop_assert!(error.faults().iter().all(|f| f.line.is_some_and(|l| (1..=lines).contains(&l))));
        }
    }

    /// Any value under any key of the schema: each reader survives each type.
    #[test]
    fn any_value_under_any_key_is_survived(
        line in 0..SMALL.lines().count(),
        value in prop::sample::select(vec![
            "0", "-1", "9223372036854775807", "1e308", "nan", "inf", "true", "[]", "[[]]", "{}", "\"\"", "1979-05-27",
            "\"9223372 s\"", "\"-5 us\"", "\"1e18 V\"", "[{}]", "0x7fffffffffffffff", "99999999999999999999999",
        ])
    ) {
        let text: String = SMALL.lines().enumerate().map(|(i, l)| match l.split_once(" = ") {
            Some((key, _)) if i == line => format!("{key} = {value}\n"),
            _ => format!("{l}\n"),
        }).collect();
        let _ = parse(&text, "x");
    }
}
