//! The program as another program sees it: one line when it listens, a UART on one port, time and pins on the other.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// A port of the program.
struct Port {
    reader: BufReader<TcpStream>,
    writer: TcpStream,
}

impl Port {
    fn connect(address: &str) -> Port {
        let writer = TcpStream::connect(address).expect("the port is open");
        writer.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Port { reader: BufReader::new(writer.try_clone().unwrap()), writer }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.reader.read_line(&mut line).expect("an answer within a minute");
        line.trim_end().to_owned()
    }

    fn ask(&mut self, request: &str) -> String {
        self.writer.write_all(format!("{request}\n").as_bytes()).unwrap();
        self.line()
    }

    fn list(&mut self, request: &str) -> Vec<String> {
        self.writer.write_all(format!("{request}\n").as_bytes()).unwrap();
        let rows: Vec<String> =
            std::iter::from_fn(|| Some(self.line()).filter(|l| !l.starts_with("END "))).collect();
        rows
    }
}

/// A running program; killed when the test ends early.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A program that answers every byte with itself: `echo.elf`, assembled by hand, see below.
fn start(elf: &[u8], extra: &[&str], folder: &std::path::Path) -> (Program, Port, Port) {
    let path = folder.join("echo.elf");
    std::fs::write(&path, elf).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_latency-emulator"));
    let mut child = command.arg(&path).args(extra).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut ready = String::new();
    let out: ChildStdout = child.stdout.take().unwrap();
    BufReader::new(out).read_line(&mut ready).unwrap();
    let words: Vec<&str> = ready.trim_end().split(' ').collect();
    let [word, uart, control] = words[..] else { panic!("no READY line: `{ready}`") };
    assert_eq!(word, "READY");
    let (uart, control) = (uart.strip_prefix("uart=").unwrap(), control.strip_prefix("control=").unwrap());
    assert!(uart.starts_with("127.0.0.1:") && control.starts_with("127.0.0.1:"));
    (Program(child), Port::connect(uart), Port::connect(control))
}

/// An image in some thirty instructions: UARTE0 on, then for ever: receive a byte, send it back, toggle P0.04.
fn echo() -> Vec<u8> {
    let code: Vec<u16> = vec![
        0xF248, 0x0000, 0xF2C5, 0x0000, // movw r0,#0x8000; movt r0,#0x5000      UARTE0
        0xF242, 0x5100, 0xF2C5, 0x0184, // movw r1,#0x2500; movt r1,#0x5084      P0
        0x2210, 0x618A, // movs r2,#16; str r2,[r1,#0x18]                         DIRSET
        0x2208, 0xF8C0, 0x2500, // movs r2,#8; str.w r2,[r0,#0x500]               ENABLE
        0xF240, 0x0200, 0xF2C0, 0x12D6, 0xF8C0, 0x2524, // movw/movt r2,#0x01D60000; BAUDRATE
        0x2214, 0xF8C0, 0x250C, 0x2216, 0xF8C0, 0x2514, // PSEL.TXD P0.20, PSEL.RXD P0.22
        0xF04F, 0x5300, // mov.w r3,#0x20000000
        0xF8C0, 0x3534, 0xF8C0, 0x3544, // RXD.PTR, TXD.PTR
        0x2401, 0xF8C0, 0x4538, 0xF8C0, 0x4548, // movs r4,#1; RXD.MAXCNT, TXD.MAXCNT
        0x2500, // movs r5,#0
        // loop:
        0xF8C0, 0x5110, 0x6004, // ENDRX = 0; STARTRX
        0xF8D0, 0x6110, 0x2E00, 0xD0FB, // wait for ENDRX
        0xF8C0, 0x5120, 0x6084, // ENDTX = 0; STARTTX
        0xF8D0, 0x6120, 0x2E00, 0xD0FB, // wait for ENDTX
        0x684E, 0xF086, 0x0610, 0x604E, // OUT ^= 16
        0xE7EB, // b loop
    ];
    let mut bytes = Vec::new();
    bytes.extend(0x2000_1000u32.to_le_bytes());
    bytes.extend(0x41u32.to_le_bytes());
    bytes.resize(0x40, 0);
    bytes.extend(code.iter().flat_map(|h| h.to_le_bytes()));
    elf(&bytes)
}

/// The smallest ELF file for Arm: a header, one program header, the bytes at address 0.
fn elf(bytes: &[u8]) -> Vec<u8> {
    let mut file = vec![0x7f, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let half = |f: &mut Vec<u8>, v: u16| f.extend(v.to_le_bytes());
    let word = |f: &mut Vec<u8>, v: u32| f.extend(v.to_le_bytes());
    half(&mut file, 2);
    half(&mut file, 40);
    [1, 0x41, 52, 0, 0x0500_0000].into_iter().for_each(|v| word(&mut file, v));
    [52, 32, 1, 40, 0, 0].into_iter().for_each(|v| half(&mut file, v));
    let length = u32::try_from(bytes.len()).unwrap();
    [1, 84, 0, 0, length, length, 5, 4].into_iter().for_each(|v| word(&mut file, v));
    file.extend(bytes);
    file
}

fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_line_advances_virtual_time_by_what_it_takes_and_no_more() {
    let folder = folder("serve-line");
    let csv = folder.join("edges.csv");
    let (mut program, mut uart, mut control) = start(&echo(), &["--edges", csv.to_str().unwrap()], &folder);
    let before = control.ask("NOW?");
    assert_eq!(uart.ask("hello"), "hello");
    let after = control.ask("NOW?");
    let cycles = |answer: &str| answer.split([' ', '=']).nth(1).unwrap().parse::<u64>().unwrap();
    // Six bytes there at 11 111 cycles each; each comes back as soon as it is in, the last one a byte later.
    let spent = cycles(&after) - cycles(&before);
    assert!((7 * 11_111..8 * 11_111).contains(&spent), "{before} -> {after}");
    assert_eq!(control.ask("NOW?"), after, "time stands still between requests");
    // To the first instruction boundary after 10 us; none of this image takes 40 cycles.
    let then = control.ask("RUN 10");
    assert!((1_280..1_320).contains(&(cycles(&then) - cycles(&after))), "{after} -> {then}");
    assert!(then.ends_with(&format!("ps={}", cycles(&then) * 15_625 / 2)));
    let edges = control.list("EDGES?");
    let toggles = |pin: &str| edges.iter().filter(|row| row.contains(pin)).count();
    assert_eq!(
        (toggles("P0.04"), toggles("P0.07")),
        (6, 6),
        "one a byte, and the same at the wire's other end"
    );
    assert_eq!(control.list("EDGES?"), [""; 0], "each edge is told once");
    assert!(control.ask("HELP").starts_with("ERR NOW?, RUN us"));
    assert_eq!(control.ask("QUIT"), "QUIT");
    assert!(program.0.wait().unwrap().success());
    let text = std::fs::read_to_string(&csv).unwrap();
    assert_eq!(text.lines().next(), Some("cycle,ps,pin,level"));
    assert_eq!(text.lines().filter(|l| l.contains("P0.04")).count(), 6);
}

#[test]
fn a_client_may_go_and_another_come() {
    let folder = folder("serve-clients");
    let (_program, uart, mut control) = start(&echo(), &["--unplug", "P0.04-P0.07"], &folder);
    let address = uart.writer.peer_addr().unwrap().to_string();
    drop(uart);
    let mut second = Port::connect(&address);
    assert_eq!(second.ask("again"), "again");
    assert!(control.list("EDGES?").iter().all(|row| !row.contains("P0.07")), "the wire is unplugged");
    assert_eq!(control.ask("WIRE P0.04 P0.07 on"), "WIRE P0.04 P0.07 on");
    assert_eq!(second.ask("more"), "more");
    assert!(control.list("EDGES?").iter().any(|row| row.contains("P0.07")));
    assert_eq!(control.list("FINDINGS?"), [""; 0]);
}

#[test]
fn what_cannot_be_served_is_refused_with_the_way_out() {
    let folder = folder("serve-refused");
    let path = folder.join("x86.elf");
    let mut foreign = echo();
    foreign[18] = 3;
    std::fs::write(&path, foreign).unwrap();
    let run = |arguments: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_latency-emulator")).args(arguments).output().unwrap();
        assert_eq!((out.status.code(), out.stdout.len()), (Some(2), 0));
        String::from_utf8(out.stderr).unwrap()
    };
    assert!(run(&[path.to_str().unwrap()]).contains("thumbv8m.main-none-eabihf"));
    assert!(run(&[]).contains("--help"));
    assert!(run(&["no-such-file.elf"]).contains("no-such-file.elf"));
    let good = folder.join("echo.elf");
    std::fs::write(&good, echo()).unwrap();
    assert!(run(&[good.to_str().unwrap(), "--unplug", "P0.01-P0.02"]).contains("no wire P0.01-P0.02"));
}
