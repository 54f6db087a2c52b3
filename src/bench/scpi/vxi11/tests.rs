//! The client against a server of known answers, told apart from the simulator by being written after the standard's
//! tables alone: what is in a request is checked word by word.

use super::*;
use crate::bench::clock::SystemClock;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

/// How the server answers a read: error, reason, data; or not at all.
#[derive(Clone)]
enum Reading {
    Says(u32, u32, Vec<u8>),
    Hangs,
}

/// What the server saw: procedure and argument bytes.
type Seen = Receiver<(u32, Vec<u8>)>;

struct Device {
    port: u16,
    seen: Seen,
    #[expect(dead_code, reason = "keeps the abort port")]
    threads: Vec<JoinHandle<()>>,
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_be_bytes(c.try_into().unwrap())).collect()
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_be_bytes()).collect()
}

fn request(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut head = [0; 4];
    stream.read_exact(&mut head).ok()?;
    let mut body = vec![0; (u32::from_be_bytes(head) & 0x7FFF_FFFF) as usize];
    stream.read_exact(&mut body).ok()?;
    Some(body)
}

fn reply(stream: &mut TcpStream, call: u32, results: &[u8]) {
    let mut body = bytes(&[call, 1, 0, 0, 0, 0]);
    body.extend_from_slice(results);
    let mut record = bytes(&[0x8000_0000 | body.len() as u32]);
    record.extend(body);
    stream.write_all(&record).unwrap();
}

/// A device with `receive_size` that plays `readings`; every connection is the core or the abort channel.
fn device(receive_size: u32, readings: &[Reading]) -> Device {
    let (tell, seen) = channel();
    let (core, abort) =
        (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    let (port, abort_port) = (core.local_addr().unwrap().port(), abort.local_addr().unwrap().port());
    let told = tell.clone();
    let aborts = std::thread::spawn(move || {
        let Ok((mut stream, _)) = abort.accept() else { return };
        while let Some(body) = request(&mut stream) {
            let head = words(&body[..24]);
            let _ = told.send((100 + head[5], body[40..].to_vec()));
            reply(&mut stream, head[0], &bytes(&[0]));
        }
    });
    let readings = readings.to_vec();
    let calls = std::thread::spawn(move || {
        let mut readings = readings.into_iter();
        for stream in core.incoming() {
            let mut stream = stream.unwrap();
            while let Some(body) = request(&mut stream) {
                let head = words(&body[..24]);
                assert_eq!(head[1..5], [0, 2, 0x0006_07AF, 1], "call, RPC 2, DEVICE_CORE 1");
                let arguments = body[40..].to_vec();
                let result = match head[5] {
                    10 => bytes(&[0, 77, u32::from(abort_port), receive_size]),
                    11 => bytes(&[0, words(&arguments)[4]]),
                    12 => match readings.next() {
                        Some(Reading::Says(error, reason, data)) => {
                            let mut out = bytes(&[error, reason, data.len() as u32]);
                            out.extend(&data);
                            out.resize(out.len().next_multiple_of(4), 0);
                            out
                        }
                        _ => {
                            let _ = tell.send((12, arguments));
                            continue;
                        }
                    },
                    _ => bytes(&[0, 0]),
                };
                let _ = tell.send((head[5], arguments));
                reply(&mut stream, head[0], &result);
            }
        }
    });
    Device { port, seen, threads: vec![aborts, calls] }
}

fn connect(port: u16, budget: Picos) -> Result<Vxi11Transport, BenchError> {
    let wall = Arc::new(SystemClock::new());
    let mut transport = Vxi11Transport::connect("127.0.0.1", "inst0", Some(port), 1, budget, wall)?;
    transport.begin(budget);
    Ok(transport)
}

const END: u32 = 4;

#[test]
fn a_link_is_made_written_and_read_as_the_standard_has_it() {
    let device = device(2_000, &[Reading::Says(0, END, b"A,B\n".to_vec())]);
    let mut transport = connect(device.port, Picos::from_s(5)).unwrap();
    transport.write(b"*IDN?\n").unwrap();
    assert_eq!(transport.read_line(100).unwrap(), b"A,B");
    assert_eq!(transport.unread().unwrap(), b"");
    drop(transport);
    let (procedure, arguments) = device.seen.recv().unwrap();
    assert_eq!((procedure, &words(&arguments)[1..4]), (10, [0, 0, 5].as_slice()), "no lock, name of five");
    assert_eq!(&arguments[16..21], b"inst0");
    let (procedure, arguments) = device.seen.recv().unwrap();
    let write = words(&arguments);
    assert_eq!(
        (procedure, write[0], write[2], write[3], write[4]),
        (11, 77, 0, 8, 6),
        "END on the only part"
    );
    let (procedure, arguments) = device.seen.recv().unwrap();
    let read = words(&arguments);
    assert_eq!((procedure, read[0], &read[3..]), (12, 77, [0, 0, 0].as_slice()), "no termination character");
    assert!(read[1] >= 250_012, "a block of 250 000 points comes in one call (Q32)");
    assert!(read[2] <= 5_000, "the device gives up before the call does");
    assert_eq!(device.seen.recv().unwrap(), (23, bytes(&[77])), "the link is handed back");
}

#[test]
fn long_messages_go_in_parts_of_the_receive_size_and_only_the_last_ends() {
    let device = device(1_500, &[]);
    let mut transport = connect(device.port, Picos::from_s(5)).unwrap();
    transport.write(&[b'x'; 3_100]).unwrap();
    device.seen.recv().unwrap();
    let parts: Vec<(u32, u32)> =
        (0..3).map(|_| words(&device.seen.recv().unwrap().1[..20])).map(|w| (w[4], w[3])).collect();
    assert_eq!(parts, [(1_500, 0), (1_500, 0), (100, 8)]);
}

#[test]
fn a_block_is_whole_with_and_without_its_mark() {
    let half = |tail: &[u8], reason| Reading::Says(0, reason, tail.to_vec());
    for mark in [END, 0] {
        let device = device(1_500, &[half(b"#14\n\0", 0), half(b"\n\n\n", mark)]);
        let mut transport = connect(device.port, Picos::from_s(5)).unwrap();
        transport.write(b"D?\n").unwrap();
        let block = super::super::block::read(10, |into| transport.read_exact(into)).unwrap();
        assert_eq!((block, transport.unread().unwrap()), (b"\n\0\n\n".to_vec(), Vec::new()));
    }
}

#[test]
fn a_device_that_hangs_is_told_to_give_up() {
    let device = device(1_500, &[Reading::Hangs]);
    let mut transport = connect(device.port, Picos::from_s(5)).unwrap();
    transport.begin(Picos::from_ms(100));
    transport.write(b"X?\n").unwrap();
    assert_eq!(transport.read_line(10).unwrap_err().kind(), ErrorKind::TimedOut);
    let seen: Vec<(u32, Vec<u8>)> = (0..4).map(|_| device.seen.recv().unwrap()).collect();
    assert_eq!(seen[2].0, 12);
    assert_eq!(seen[3], (101, bytes(&[77])), "device_abort of this link on the abort channel");
}

#[test]
fn the_devices_own_time_out_is_one() {
    let device = device(1_500, &[Reading::Says(15, 0, Vec::new())]);
    let mut transport = connect(device.port, Picos::from_s(5)).unwrap();
    transport.write(b"X?\n").unwrap();
    assert_eq!(transport.read_line(10).unwrap_err().kind(), ErrorKind::TimedOut);
}

#[test]
fn refusals_keep_their_number_and_get_a_meaning() {
    let device = device(1_500, &[Reading::Says(11, 0, Vec::new())]);
    let mut transport = connect(device.port, Picos::from_s(5)).unwrap();
    transport.write(b"X?\n").unwrap();
    let error = transport.read_line(10).unwrap_err().to_string();
    assert!(error.contains("11") && error.contains("locked by another program"), "{error}");
}

#[test]
fn a_closed_port_names_the_resource_and_the_raw_socket() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = connect(port, Picos::from_s(5)).err().unwrap().to_string();
    assert!(error.contains(&format!("TCPIP0::127.0.0.1,{port}::inst0::INSTR")), "{error}");
    assert!(error.contains("host:5555"), "{error}");
}
