//! What a user meets who asks for VISA: no library, a library that is something else, and every way a call can fail.
//!
//! The library is the fault-injecting one of this tree; a name carries its faults, so the tests do not disturb each other.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a failing step is a failing test

use latency_cli::bench::clock::SystemClock;
use latency_cli::bench::scpi::{self, Resource, Transport};
use latency_cli::bench::sim::{Options, VirtualBench};
use latency_cli::bench::{BenchError, Clock, discover};
use latency_cli::units::Picos;
use std::io::{ErrorKind, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;

fn shim() -> PathBuf {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let head = format!("{}visa_shim", std::env::consts::DLL_PREFIX);
    let mut found: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.starts_with(&head) && name.ends_with(std::env::consts::DLL_SUFFIX)
        })
        .collect();
    found.sort_by_key(|path| std::fs::metadata(path).and_then(|m| m.modified()).unwrap());
    found.pop().expect("cargo builds the shim beside the tests")
}

fn wall() -> Arc<dyn Clock> {
    Arc::new(SystemClock::new())
}

/// Opens `shim/CLASS/FAULTS` at the virtual scope.
fn connect(bench: &VirtualBench, class: &str, faults: &str) -> Result<Box<dyn Transport>, BenchError> {
    scpi::visa::choose(shim().as_os_str()).unwrap();
    let address = bench.scope_address();
    let name = format!("visa:shim/{class}/{faults}/{}/{}", address.ip(), address.port());
    let resource: Resource = name.parse().unwrap();
    let mut transport = scpi::connect(&resource, Picos::from_s(5), &wall())?;
    transport.begin(Picos::from_s(5));
    Ok(transport)
}

fn bench() -> VirtualBench {
    VirtualBench::start(Options::default()).unwrap()
}

/// The program itself, so that the environment is its own.
fn program(library: &str, scope: &str) -> (bool, String) {
    let mut command = assert_cmd::Command::cargo_bin("latency-cli").unwrap();
    let output = command
        .args(["scope", "--scope", scope, "idn"])
        .env("LATENCY_VISA_LIBRARY", library)
        .timeout(std::time::Duration::from_secs(60))
        .output()
        .unwrap();
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("panicked"), "{said}");
    (output.status.success(), said)
}

#[test]
fn without_a_library_the_error_says_what_to_install_and_where_it_looked() {
    let (done, said) = program("/nowhere/libvisa.so", "GPIB0::7::INSTR");
    assert!(!done);
    for part in ["GPIB0::7::INSTR", "NI-VISA", "LATENCY_VISA_LIBRARY", "/nowhere/libvisa.so"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_library_that_is_something_else_is_named_with_what_it_lacks() {
    let (done, said) = program("libc.so.6", "visa:scope1");
    assert!(!done && said.contains("`libc.so.6`") && said.contains("viOpenDefaultRM"), "{said}");
}

#[test]
fn the_library_of_the_environment_is_used() {
    let bench = bench();
    let address = bench.scope_address();
    let name = format!("visa:TCPIP0::{}::{}::SOCKET", address.ip(), address.port());
    let (done, said) = program(shim().to_str().unwrap(), &name);
    assert!(done && said.contains("RIGOL TECHNOLOGIES,DS1054Z"), "{said}");
}

#[test]
fn blocks_and_lines_come_whole_however_they_are_read() {
    let bench = bench();
    for class in ["SOCKET", "INSTR"] {
        for faults in ["none", "chunk=7", "chunk=1"] {
            let mut transport = connect(&bench, class, faults).unwrap();
            transport.write(b":STOP;:WAV:SOUR CHAN1;:WAV:MODE NORM;:WAV:DATA?\n").unwrap();
            let block = scpi::block::read(1_200, |into| transport.read_exact(into)).unwrap();
            assert_eq!(block.len(), 1_200, "{class} {faults}");
            transport.write(b"*IDN?\n").unwrap();
            assert!(transport.read_line(100).unwrap().starts_with(b"RIGOL"), "{class} {faults}");
            assert_eq!(transport.unread().unwrap(), b"", "{class} {faults}");
        }
    }
}

#[test]
fn a_vendors_own_status_is_an_error_with_its_number_and_the_librarys_words() {
    let bench = bench();
    let mut transport = connect(&bench, "SOCKET", "viRead=BFFC0123").unwrap();
    transport.write(b"*IDN?\n").unwrap();
    let error = transport.read_line(100).unwrap_err().to_string();
    assert!(error.contains("viRead") && error.contains("0xBFFC0123"), "{error}");
    assert!(error.contains("shim's words for BFFC0123"), "{error}");
}

#[test]
fn where_the_library_has_no_words_the_standard_has() {
    let bench = bench();
    let mut transport = connect(&bench, "SOCKET", "viWrite=BFFF0067+mute").unwrap();
    let error = transport.write(b"*IDN?\n").unwrap_err().to_string();
    assert!(error.contains("does not support this operation"), "{error}");
    let mut transport = connect(&bench, "SOCKET", "viWrite=BFFC0123+mute").unwrap();
    let error = transport.write(b"*IDN?\n").unwrap_err().to_string();
    assert!(error.contains("0xBFFC0123") && error.contains("neither"), "{error}");
}

#[test]
fn statuses_of_the_standard_become_what_the_driver_reacts_to() {
    let bench = bench();
    let kinds = [("BFFF0015", ErrorKind::TimedOut), ("BFFF00A6", ErrorKind::ConnectionAborted)];
    for (status, kind) in kinds {
        let mut transport = connect(&bench, "INSTR", &format!("viRead={status}@2")).unwrap();
        transport.write(b"*IDN?\n").unwrap();
        transport.read_line(100).unwrap();
        transport.write(b"*IDN?\n").unwrap();
        assert_eq!(transport.read_line(100).unwrap_err().kind(), kind);
        transport.reconnect().unwrap();
        transport.write(b"*IDN?\n").unwrap();
        assert!(transport.read_line(100).is_ok(), "a new session after {status}");
    }
}

#[test]
fn warnings_are_no_errors_and_empty_answers_are_asked_again() {
    let bench = bench();
    // VI_WARN_CONFIG_NLOADED from each setting of an attribute.
    let mut transport = connect(&bench, "INSTR", "viSetAttribute=3FFF0077+empty=2").unwrap();
    transport.write(b"*IDN?\n").unwrap();
    assert!(transport.read_line(100).unwrap().starts_with(b"RIGOL"));
}

#[test]
fn a_resource_that_cannot_be_opened_names_it_the_library_and_the_reason() {
    let bench = bench();
    let error = connect(&bench, "SOCKET", "viOpen=BFFF0072").err().unwrap().to_string();
    for part in ["shim/SOCKET", "visa_shim", "viOpen", "0xBFFF0072"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn silence_ends_with_the_budget() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    scpi::visa::choose(shim().as_os_str()).unwrap();
    let port = listener.local_addr().unwrap().port();
    for class in ["SOCKET", "INSTR"] {
        let name: Resource = format!("visa:shim/{class}/none/127.0.0.1/{port}").parse().unwrap();
        let mut transport = scpi::connect(&name, Picos::from_s(5), &wall()).unwrap();
        let (mut served, _) = listener.accept().unwrap();
        served.write_all(b"half").unwrap();
        transport.begin(Picos::from_ms(100));
        transport.write(b"X?\n").unwrap();
        assert_eq!(transport.read_line(100).unwrap_err().kind(), ErrorKind::TimedOut, "{class}");
    }
}

#[test]
fn late_bytes_on_a_stream_are_seen_before_the_next_question() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    scpi::visa::choose(shim().as_os_str()).unwrap();
    let port = listener.local_addr().unwrap().port();
    let name: Resource = format!("visa:TCPIP0::127.0.0.1::{port}::SOCKET").parse().unwrap();
    let mut transport = scpi::connect(&name, Picos::from_s(5), &wall()).unwrap();
    let (mut served, _) = listener.accept().unwrap();
    served.write_all(b"1\nlate\n").unwrap();
    transport.begin(Picos::from_s(5));
    assert_eq!(transport.read_line(10).unwrap(), b"1");
    assert_eq!(transport.unread().unwrap(), b"late\n");
}

#[test]
fn what_the_library_lists_can_be_pasted_into_a_profile() {
    scpi::visa::choose(shim().as_os_str()).unwrap();
    let search = discover::Search { visa: true, ..discover::Search::default() };
    let discovery = discover::devices(&search, &wall());
    let names: Vec<&str> =
        discovery.found.iter().filter(|f| f.by.contains("test shim")).map(|f| f.resource.as_str()).collect();
    let expected = ["visa:GPIB0::7::INSTR", "visa:TCPIP0::127.0.0.1::5555::SOCKET", "visa:ASRL1::INSTR"];
    assert_eq!(names, expected, "{:?}", discovery.notes);
    assert!(names.iter().all(|name| name.parse::<Resource>().is_ok()));
}
