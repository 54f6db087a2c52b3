//! Dialogues line by line: what leaves is what the programming guide says, in the order that the quirks demand.

use super::*;
use crate::bench::scpi::scripted::{Rest, Script, dialogue_with_clock};
use crate::plan::{ChannelSetup, Extent, Input};
use crate::signal::Slope;
use crate::units::Volts;

const IDN: &str = "RIGOL TECHNOLOGIES,DS1054Z,DS1ZA000000001,00.04.04.SP4";

fn setup() -> Setup {
    let channel = |n| ChannelSetup { input: Input(n), probe: 10.0, scale: Volts(0.5), offset: Volts(-1.65) };
    Setup {
        stimulus: channel(1),
        response: channel(2),
        timebase: Picos::from_us(1),
        delay: Picos::from_us(3),
        depth: 6_000,
        interval: Picos::from_ns(2),
        level: Volts(1.65),
        slope: Slope::Rising,
    }
}

/// Header, value that is written, reply, reply of the user's own setting.
const RUNNING: [(&str, &str, &str, &str); 29] = [
    (":CHAN1:DISPlay", "1", "1", "1"),
    (":CHAN2:DISPlay", "1", "1", "0"),
    (":CHAN3:DISPlay", "0", "0", "1"),
    (":CHAN4:DISPlay", "0", "0", "0"),
    (":CHAN1:PROBe", "10", "1.000000e+01", "1.000000e+00"),
    (":CHAN1:COUPling", "DC", "DC", "AC"),
    (":CHAN1:BWLimit", "OFF", "OFF", "20M"),
    (":CHAN1:INVert", "0", "0", "0"),
    (":CHAN1:SCALe", "0.5", "5.000000e-01", "1.000000e+00"),
    (":CHAN1:OFFSet", "-1.65", "-1.660000e+00", "0.000000e+00"),
    (":CHAN2:PROBe", "10", "1.000000e+01", "1.000000e+01"),
    (":CHAN2:COUPling", "DC", "DC", "DC"),
    (":CHAN2:BWLimit", "OFF", "OFF", "OFF"),
    (":CHAN2:INVert", "0", "0", "0"),
    (":CHAN2:SCALe", "0.5", "5.000000e-01", "5.000000e-01"),
    (":CHAN2:OFFSet", "-1.65", "-1.650000e+00", "0.000000e+00"),
    (":TIMebase:DELay:ENABle", "0", "0", "0"),
    (":TIMebase:MODE", "MAIN", "MAIN", "MAIN"),
    (":TIMebase:MAIN:SCALe", "0.000001", "1.000000e-06", "5.000000e-03"),
    (":TIMebase:MAIN:OFFSet", "0.000003", "3.000000e-06", "0.000000e+00"),
    (":ACQuire:TYPE", "NORM", "NORM", "NORM"),
    (":ACQuire:MDEPth", "6000", "6000", "AUTO"),
    (":TRIGger:MODE", "EDGE", "EDGE", ""),
    (":TRIGger:EDGe:SOURce", "CHAN1", "CHAN1", "AC"),
    (":TRIGger:EDGe:SLOPe", "POS", "POS", "NEG"),
    (":TRIGger:EDGe:LEVel", "1.65", "1.660000e+00", "0.000000e+00"),
    (":TRIGger:COUPling", "DC", "DC", "DC"),
    (":TRIGger:NREJect", "0", "0", "0"),
    (":TRIGger:HOLDoff", "0.000000016", "1.600000e-08", "2.000000e-07"),
];
const READOUT: [(&str, &str, &str, &str); 2] =
    [(":WAVeform:MODE", "RAW", "RAW", "NORM"), (":WAVeform:FORMat", "BYTE", "BYTE", "BYTE")];
const CURSORS: [(&str, &str); 3] =
    [(":WAVeform:SOURce", "CHAN1"), (":WAVeform:STARt", "1"), (":WAVeform:STOP", "1200")];

fn connecting() -> Script {
    (0..6).fold(Script::new(), |s, _| s.ask("*IDN?", IDN))
}

/// The user's settings are read before anything is written; pulse trigger, running in NORM.
fn saving() -> Script {
    let script = Script::new().set("*CLS").ask(":TRIGger:STATus?", "WAIT").ask(":TRIGger:SWEep?", "NORM");
    let script = script.ask(":TRIGger:MODE?", "PULS").set(":TRIGger:MODE EDGE");
    let rows = RUNNING.iter().chain(&READOUT).filter(|r| r.0 != ":TRIGger:MODE");
    let script = rows.fold(script, |s, (header, _, _, own)| s.ask(&format!("{header}?"), own));
    CURSORS.iter().fold(script, |s, (header, own)| s.ask(&format!("{header}?"), own))
}

fn writing(rows: &[(&str, &str, &str, &str)]) -> Script {
    let written =
        rows.iter().fold(Script::new(), |s, (header, value, ..)| s.set(&format!("{header} {value}")));
    rows.iter().fold(written, |s, (header, _, reply, _)| s.ask(&format!("{header}?"), reply))
}

fn applying() -> Script {
    saving()
        .set(":TRIGger:SWEep AUTO")
        .set(":RUN")
        .then(writing(&RUNNING))
        .ask(":ACQuire:SRATe?", "5.000000e+08")
        .ask(":CHAN1:TCAL?", "0.000000e+00")
        .ask(":CHAN2:TCAL?", "2.000000e-08")
        .ask(":SYSTem:ERRor?", "-113,\"Undefined header; keyword cannot be found\"")
        .ask(":SYSTem:ERRor?", "0,\"No error\"")
        .set(":STOP")
        .ask(":TRIGger:STATus?", "STOP")
        .then(writing(&READOUT))
}

fn scope(script: Script) -> (Ds1000z, Rest) {
    let (dialogue, clock, rest) = dialogue_with_clock(connecting().then(script));
    (Ds1000z::connect(dialogue, clock).unwrap(), rest)
}

/// A scope that is set up, and what follows.
fn applied(script: Script) -> (Ds1000z, Rest) {
    let (mut scope, rest) = scope(applying().then(script));
    scope.apply(&setup()).unwrap();
    (scope, rest)
}

const PREAMBLE: &str = "0,2,6000,1,2.000000e-09,-3.000000e-06,0,2.000000e-02,-82,127";
const EXTENT: Extent = Extent { from: Picos::ZERO, to: Picos::from_ns(8) };

/// Arming as seen by a client whose polls come 10 ms apart; fired behind WAIT.
fn arming() -> Script {
    let script = Script::new().set(":SINGle").ask(":TRIGger:STATus?", "STOP").ask(":TRIGger:STATus?", "RUN");
    script.ask(":TRIGger:STATus?", "WAIT")
}

/// STOP is believed 60 ms behind WAIT: queries at 0, 10 ... 60 ms.
fn stopping() -> Script {
    (0..7).fold(Script::new(), |s, _| s.ask(":TRIGger:STATus?", "STOP")).ask(":TRIGger:POSition?", "1500")
}

/// One channel, 4 points from t = 0 at index 1500: points 1501 to 1504, counted from 1 (guide 2-221, 2-242).
fn reading(channel: &str, preamble: &str, codes: &[u8]) -> Script {
    Script::new()
        .set(&format!(":WAVeform:SOURce {channel}"))
        .ask(":WAVeform:PREamble?", preamble)
        .set(":WAVeform:STARt 1501")
        .set(":WAVeform:STOP 1504")
        .block(":WAVeform:DATA?", codes)
}

/// A change of source that is read back.
fn source(channel: &str) -> Script {
    Script::new().set(&format!(":WAVeform:SOURce {channel}")).ask(":WAVeform:SOURce?", channel)
}

/// As [`reading`], with the source read back.
fn checked(channel: &str, codes: &[u8]) -> Script {
    source(channel)
        .ask(":WAVeform:PREamble?", PREAMBLE)
        .set(":WAVeform:STARt 1501")
        .set(":WAVeform:STOP 1504")
        .block(":WAVeform:DATA?", codes)
}

/// The first record, whose preambles later ones are compared with.
fn first(one: &[u8], two: &[u8]) -> Script {
    let read = checked("CHAN1", one).then(checked("CHAN2", two)).ask(":TRIGger:STATus?", "STOP");
    read.then(knobs())
}

/// The look at the knobs behind the first record.
fn knobs() -> Script {
    let knobs = RUNNING.iter().filter(|r| [":SCALe", ":OFFSet", ":LEVel"].iter().any(|n| r.0.ends_with(n)));
    knobs.fold(Script::new(), |s, (header, _, reply, _)| s.ask(&format!("{header}?"), reply))
}

fn fetching(one: &[u8], two: &[u8]) -> Script {
    reading("CHAN1", PREAMBLE, one).then(reading("CHAN2", PREAMBLE, two)).ask(":TRIGger:STATus?", "STOP")
}

#[test]
fn a_setup_is_saved_written_read_back_and_remarked() {
    let (mut scope, rest) = scope(applying());
    let applied = scope.apply(&setup()).unwrap();
    rest.finished();
    assert_eq!((applied.interval, applied.depth), (Picos::from_ns(2), 6_000));
    let reads = |header: &str| applied.settings.iter().find(|(h, _)| h == header).map(|(_, r)| r.as_str());
    assert_eq!(reads(":CHAN1:OFFSet"), Some("-1.660000e+00"));
    assert_eq!(reads(":ACQuire:SRATe"), Some("5.000000e+08"));
    assert_eq!(applied.remarks.len(), 2);
    assert!(
        applied.remarks[0].contains("20 ns") && applied.remarks[1].contains("-113"),
        "{:?}",
        applied.remarks
    );
}

#[test]
fn one_shot_is_this_dialogue() {
    let script = arming().then(stopping()).then(first(b"\n\0#9", b"abcd"));
    let (mut scope, rest) = applied(script);
    let armed = scope.arm(true).unwrap();
    assert!(armed.seen_waiting());
    let triggered = scope.wait(armed, Picos::from_s(1)).unwrap();
    let shot = scope.fetch(triggered, EXTENT).unwrap();
    rest.finished();
    assert_eq!(shot.statuses, ["STOP", "RUN", "WAIT", "STOP"]);
    assert_eq!((shot.number, shot.stimulus.segments[0].first), (1, 1_500));
    assert_eq!(
        (shot.stimulus.segments[0].codes.as_slice(), shot.response.preamble.as_str()),
        (&b"\n\0#9"[..], PREAMBLE)
    );
}

/// Shots to the end of `script`, as a session with a gated stimulus takes them.
fn shoot(scope: &mut Ds1000z) -> Result<Shot, BenchError> {
    let armed = scope.arm(true)?;
    let triggered = scope.wait(armed, Picos::from_s(1))?;
    scope.fetch(triggered, EXTENT)
}

#[test]
fn an_equal_record_behind_a_seen_wait_is_remarked() {
    let shot = |record| arming().then(stopping()).then(record);
    let (mut scope, rest) = applied(shot(first(b"abcd", b"efgh")).then(shot(fetching(b"abcd", b"efgh"))));
    shoot(&mut scope).unwrap();
    let second = shoot(&mut scope).unwrap();
    rest.finished();
    assert_eq!(second.statuses.last().map(String::as_str), Some("same bytes as the record before"));
}

#[test]
fn a_turned_knob_is_named() {
    let turned = "0,2,6000,1,2.000000e-09,-3.000000e-06,0,4.000000e-02,-41,127";
    let second = arming()
        .then(stopping())
        .then(Script::new().set(":WAVeform:SOURce CHAN1").ask(":WAVeform:PREamble?", turned))
        .then(source("CHAN1").ask(":WAVeform:PREamble?", turned));
    let (mut scope, rest) = applied(arming().then(stopping()).then(first(b"abcd", b"efgh")).then(second));
    shoot(&mut scope).unwrap();
    let error = shoot(&mut scope).unwrap_err().to_string();
    rest.finished();
    assert!(error.contains("`CHAN1:YINCrement` changed during the run from 0.02 to 0.04"), "{error}");
}

#[test]
fn one_input_read_twice_is_noticed_and_read_right() {
    let shot = arming().then(stopping()).then(first(b"ijkl", b"mnop"));
    let lost = reading("CHAN1", PREAMBLE, b"abcd").then(reading("CHAN2", PREAMBLE, b"abcd"));
    let again = checked("CHAN1", b"abcd").then(checked("CHAN2", b"efgh")).ask(":TRIGger:STATus?", "STOP");
    let (mut scope, rest) = applied(shot.then(arming()).then(stopping()).then(lost).then(again));
    shoot(&mut scope).unwrap();
    let shot = shoot(&mut scope).unwrap();
    rest.finished();
    assert_eq!(shot.response.segments[0].codes, b"efgh");
}

#[test]
fn screen_data_is_refused() {
    let screen = "0,0,1200,1,1.000000e-08,-6.000000e-06,0,2.000000e-02,-82,127";
    let tail = source("CHAN1").ask(":WAVeform:PREamble?", screen);
    let (mut scope, _) = applied(arming().then(stopping()).then(tail));
    let error = shoot(&mut scope).unwrap_err().to_string();
    assert!(error.contains("screen data"), "{error}");
}

#[test]
fn a_record_whose_scope_ran_on_is_not_one_acquisition() {
    let running = checked("CHAN1", b"abcd").then(checked("CHAN2", b"efgh"));
    let script = arming().then(stopping()).then(running.ask(":TRIGger:STATus?", "AUTO"));
    let (mut scope, _) = applied(script);
    assert!(matches!(shoot(&mut scope), Err(BenchError::Changed { .. })));
}

#[test]
fn a_failed_connection_is_renewed_and_everything_verified_before_the_record_is_read_again() {
    let verifying = RUNNING
        .iter()
        .chain(&READOUT)
        .fold(Script::new().reconnect().set("*CLS").ask("*IDN?", IDN), |s, (header, _, reply, _)| {
            s.ask(&format!("{header}?"), reply)
        });
    let cut = checked("CHAN1", b"abcd").then(source("CHAN2")).silent(":WAVeform:PREamble?");
    let script = arming().then(stopping()).then(cut).then(verifying).then(first(b"abcd", b"efgh"));
    let (mut scope, rest) = applied(script);
    let shot = shoot(&mut scope).unwrap();
    rest.finished();
    assert_eq!(shot.response.segments[0].codes, b"efgh");
    assert_eq!(scope.recoveries().reconnects, 1);
}

#[test]
fn another_instrument_behind_the_new_connection_is_not_measured_with() {
    let other = IDN.replace("DS1ZA000000001", "DS1ZA000000002");
    let cut = source("CHAN1").silent(":WAVeform:PREamble?");
    let script = arming().then(stopping()).then(cut).reconnect().set("*CLS").ask("*IDN?", &other);
    let (mut scope, rest) = applied(script);
    let error = shoot(&mut scope).unwrap_err().to_string();
    rest.finished();
    assert!(error.contains("`*IDN?` changed") && error.contains("DS1ZA000000002"), "{error}");
}

#[test]
fn a_refused_setting_is_written_twice_and_then_named() {
    let refusing = |s: Script| {
        let written = RUNNING.iter().fold(s, |s, (header, value, ..)| s.set(&format!("{header} {value}")));
        RUNNING.iter().fold(written, |s, (header, _, reply, _)| {
            s.ask(&format!("{header}?"), if *header == ":ACQuire:MDEPth" { "AUTO" } else { reply })
        })
    };
    let run = |s: Script| s.set(":TRIGger:SWEep AUTO").set(":RUN");
    let script = refusing(run(refusing(run(saving()))));
    let (mut scope, rest) = scope(script);
    let error = scope.apply(&setup()).unwrap_err().to_string();
    rest.finished();
    assert!(error.contains("`:ACQuire:MDEPth` was set to 6000 but reads back AUTO"), "{error}");
}

#[test]
fn what_was_changed_is_put_back_trigger_mode_and_run_state_last() {
    let back = |s: Script, header: &str, own: &str| {
        s.set(&format!("{header} {own}")).ask(&format!("{header}?"), own)
    };
    let script = Script::new().set(":TRIGger:SWEep AUTO").set(":RUN");
    let rows = RUNNING.iter().chain(&READOUT).filter(|r| r.0 != ":TRIGger:MODE");
    let script = rows.fold(script, |s, (header, _, _, own)| back(s, header, own));
    let script = CURSORS.iter().fold(script, |s, (header, own)| back(s, header, own));
    let script = back(script, ":TRIGger:MODE", "PULS");
    let script = back(back(script, ":TRIGger:SWEep", "NORM").set(":RUN"), ":TRIGger:SWEep", "NORM");
    let script = script.ask(":TRIGger:STATus?", "WAIT");
    let (mut scope, rest) = applied(script);
    scope.restore().unwrap();
    rest.finished();
    scope.restore().unwrap();
}

#[test]
fn old_firmware_is_refused_before_anything_is_touched() {
    let script =
        (0..6).fold(Script::new(), |s, _| s.ask("*IDN?", "RIGOL TECHNOLOGIES,DS1054Z,X,00.04.02.SP4"));
    let (dialogue, clock, rest) = dialogue_with_clock(script);
    let mut scope = Ds1000z::connect(dialogue, clock).unwrap();
    let error = scope.apply(&setup()).unwrap_err().to_string();
    rest.finished();
    assert!(error.contains("(Q10)") && error.contains("00.04.04.SP3"), "{error}");
}

#[test]
fn inputs_that_are_not_there_are_refused() {
    let (mut scope, rest) = scope(Script::new());
    let with = |n| {
        let mut setup = setup();
        setup.response.input = Input(n);
        setup
    };
    assert!(scope.apply(&with(5)).unwrap_err().to_string().contains("has no CHAN5"));
    assert!(scope.apply(&with(1)).unwrap_err().to_string().contains("need an input each"));
    rest.finished();
}

#[test]
fn a_screen_without_png_is_asked_for_without_arguments() {
    let screen = Script::new().silent(":DISPlay:DATA? ON,OFF,PNG").reconnect().set("*CLS").ask("*IDN?", IDN);
    let (mut scope, rest) = scope(screen.block(":DISPlay:DATA?", b"BM a bitmap"));
    assert_eq!(scope.screenshot().unwrap(), b"BM a bitmap");
    rest.finished();
}

#[test]
fn a_free_stimulus_is_waited_for_again_when_the_scope_stopped_without_it() {
    let baseline =
        source("CHAN1").ask(":WAVeform:PREamble?", "garbage").ask(":WAVeform:PREamble?", "garbage");
    let started = || Script::new().set(":SINGle");
    // The lag of 200 ms at 10 ms a poll.
    let polls = || (0..21).fold(Script::new(), |s, _| s.ask(":TRIGger:STATus?", "STOP"));
    let script = baseline.then(started()).then(polls()).ask(":TRIGger:POSition?", "-2");
    let (mut scope, rest) = applied(script.then(started()).then(polls()).ask(":TRIGger:POSition?", "1500"));
    let armed = scope.arm(false).unwrap();
    let triggered = scope.wait(armed, Picos::from_s(2)).unwrap();
    rest.finished();
    assert_eq!(triggered.statuses, ["STOP", "STOP without a trigger", "STOP"]);
}

/// Guide 2-221: STARt, STOP and DATA? on one line; what the ends read as comes before the block.
fn reading_on_one_line(ends: &str, codes: &[u8]) -> Script {
    let line = ":WAVeform:STARt 1501;:WAVeform:STOP 1504;:WAVeform:STARt?;:WAVeform:STOP?;:WAVeform:DATA?";
    let mut reply = format!("{ends}#9{:09}", codes.len()).into_bytes();
    reply.extend_from_slice(codes);
    reply.push(b'\n');
    Script::new().bytes(line, &reply)
}

/// A window that was lost on its way gives the bytes of the window before, as many as asked for: only its ends tell (Q29).
#[test]
fn a_window_that_was_lost_is_asked_for_again_line_by_line() {
    let channel = |name: &str| source(name).ask(":WAVeform:PREamble?", PREAMBLE);
    let again = Script::new().set(":WAVeform:STARt 1501").set(":WAVeform:STOP 1504");
    let script = arming()
        .then(stopping())
        .then(channel("CHAN1"))
        .then(reading_on_one_line("1501;1504;", b"abcd"))
        .then(channel("CHAN2"))
        .then(reading_on_one_line("1;4;", b"wxyz"))
        .then(again.block(":WAVeform:DATA?", b"efgh"))
        .ask(":TRIGger:STATus?", "STOP");
    let script = script.then(knobs());
    let (mut scope, rest) = applied(script);
    scope.one_line = true;
    let armed = scope.arm(true).unwrap();
    let triggered = scope.wait(armed, Picos::from_s(1)).unwrap();
    let shot = scope.fetch(triggered, EXTENT).unwrap();
    rest.finished();
    assert_eq!(shot.stimulus.segments[0].codes, b"abcd");
    assert_eq!(shot.response.segments[0].codes, b"efgh");
    assert_eq!((scope.one_line, scope.recoveries().blocks), (false, 1));
}
