//! QEMU's Cortex-M3 board with its serial line and its pins in hand.
//!
//! The serial line and the control sockets are loopback connections that QEMU makes to listeners of this process, so that no
//! port is guessed. Every wait is bounded, and QEMU ends with the value that started it.

use latency_protocol::unframe;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const WAIT: Duration = Duration::from_secs(10);
/// The response pin and the input pin of port B.
const RESPONSE: u32 = 4;
const INPUT: u32 = 5;

/// What went wrong with the machine.
#[derive(Debug, thiserror::Error)]
pub enum QemuError {
    /// A connection.
    #[error("qemu: {0}")]
    Io(#[from] io::Error),
    /// Nothing came.
    #[error("nothing from qemu within {WAIT:?} after `{0}`")]
    Silent(String),
    /// Something else came.
    #[error("qemu answered `{answer}` to `{asked}`")]
    Unexpected {
        /// What was asked.
        asked: String,
        /// What came.
        answer: String,
    },
}

/// How fast time goes in the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// As fast as the host.
    Host,
    /// 1024 ns an instruction, whatever the host does.
    Counted,
}

/// A running machine.
#[derive(Debug)]
pub struct Qemu {
    child: Child,
    serial: BufReader<TcpStream>,
    control: TcpStream,
    replies: Receiver<String>,
    edges: Receiver<bool>,
    port_b: String,
}

fn listener() -> Result<(TcpListener, String), QemuError> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    // Without `nodelay` each edge waits for the 40 ms of a delayed acknowledgement.
    let address = format!("tcp:{},nodelay=on", listener.local_addr()?);
    Ok((listener, address))
}

/// Waits for QEMU to connect, but not for one that has ended.
fn accept(listener: &TcpListener, child: &mut Child) -> Result<TcpStream, QemuError> {
    listener.set_nonblocking(true)?;
    for _ in 0..1000 {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(WAIT))?;
                return Ok(stream);
            }
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
            Err(e) => return Err(e.into()),
        }
        if let Some(status) = child.try_wait()? {
            return Err(QemuError::Unexpected { asked: "start".into(), answer: status.to_string() });
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err(QemuError::Silent("start".into()))
}

fn spawn(image: &Path, time: Time, serial: &str, qtest: &str, qmp: &str) -> Result<Child, QemuError> {
    let mut command = Command::new("qemu-system-arm");
    command.args(["-M", "lm3s6965evb", "-display", "none", "-monitor", "none", "-nodefaults"]);
    command.arg("-kernel").arg(image).args(["-accel", "tcg", "-serial", serial, "-qmp", qmp]);
    command.args(["-qtest", qtest, "-qtest-log", "none"]);
    if time == Time::Counted {
        command.args(["-icount", "shift=10,align=off,sleep=off"]);
    }
    Ok(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?)
}

/// Ends the machine if the rest of the start fails.
struct Guard(Option<Child>);

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The path of GPIO port B: the second of the seven ports, whose numbers differ between versions of QEMU.
fn find_port_b(qmp: TcpStream) -> Result<String, QemuError> {
    let mut writer = qmp.try_clone()?;
    let mut lines = BufReader::new(qmp).lines();
    let mut ask = |command: &str| -> Result<serde_json::Value, QemuError> {
        writeln!(writer, "{command}")?;
        for _ in 0..100 {
            let line = lines.next().ok_or_else(|| QemuError::Silent(command.to_owned()))??;
            let value: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
            if value.get("return").is_some() {
                return Ok(value);
            }
        }
        Err(QemuError::Silent(command.to_owned()))
    };
    ask(r#"{"execute":"qmp_capabilities"}"#)?;
    let listing = r#"{"execute":"qom-list","arguments":{"path":"/machine/unattached"}}"#;
    let reply = ask(listing)?;
    let children = reply.get("return").and_then(serde_json::Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut ports: Vec<u32> = children.iter().filter_map(port_number).collect();
    ports.sort_unstable();
    let number = ports
        .get(1)
        .ok_or(QemuError::Unexpected { asked: listing.into(), answer: format!("{} ports", ports.len()) })?;
    Ok(format!("/machine/unattached/device[{number}]"))
}

fn port_number(child: &serde_json::Value) -> Option<u32> {
    let kind = child.get("type")?.as_str()?;
    let name = child.get("name")?.as_str()?;
    (kind == "child<pl061_luminary>").then_some(())?;
    name.strip_prefix("device[")?.strip_suffix(']')?.parse().ok()
}

/// Sorts what the control socket says into replies and edges of the response pin.
fn listen(control: TcpStream) -> (Receiver<String>, Receiver<bool>) {
    let ((replies, replies_out), (edges, edges_out)) = (channel(), channel());
    std::thread::spawn(move || {
        let mut lines = BufReader::new(control).lines();
        // A read time-out is no end: the machine may be quiet for long.
        while let Some(line) = lines.next().filter(|l| !matches!(l, Err(e) if ended(e))) {
            let Ok(line) = line else { continue };
            let sent = match line.strip_prefix("IRQ ") {
                Some(event) if event == format!("raise {RESPONSE}") => edges.send(true).is_ok(),
                Some(event) if event == format!("lower {RESPONSE}") => edges.send(false).is_ok(),
                Some(_) => true,
                None => replies.send(line).is_ok(),
            };
            if !sent {
                break;
            }
        }
    });
    (replies_out, edges_out)
}

fn ended(error: &io::Error) -> bool {
    !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

impl Qemu {
    /// Starts `image` and waits until its console answers.
    ///
    /// # Errors
    /// [`QemuError`] when QEMU does not start, ends, or the image does not answer.
    pub fn start(image: &Path, time: Time) -> Result<Qemu, QemuError> {
        let (serial_in, serial) = listener()?;
        let (control_in, qtest) = listener()?;
        let (qmp_in, qmp) = listener()?;
        let mut guard = Guard(Some(spawn(image, time, &serial, &qtest, &qmp)?));
        let child = guard.0.as_mut().ok_or_else(|| QemuError::Silent("start".into()))?;
        // QEMU connects in the order of its own start-up, which is not ours to know.
        let serial = BufReader::new(accept(&serial_in, child)?);
        let qmp = accept(&qmp_in, child)?;
        let control = accept(&control_in, child)?;
        let (replies, edges) = listen(control.try_clone()?);
        let port_b = find_port_b(qmp)?;
        let child = guard.0.take().ok_or_else(|| QemuError::Silent("start".into()))?;
        let mut machine = Qemu { child, serial, control, replies, edges, port_b };
        machine.settle()?;
        let port_b = machine.port_b.clone();
        machine.command(&format!("irq_intercept_out {port_b}"))?;
        Ok(machine)
    }

    /// What is sent before the image has switched its serial line on is lost: ask until the answer is whole.
    fn settle(&mut self) -> Result<(), QemuError> {
        let mut last = String::new();
        for _ in 0..20 {
            last = self.ask("*IDN?")?;
            if last.starts_with("latency-firmware/") {
                return Ok(());
            }
        }
        Err(QemuError::Unexpected { asked: "*IDN?".into(), answer: last })
    }

    /// Sends a request over the serial line and gives the payload of the answer.
    ///
    /// # Errors
    /// [`QemuError`] when nothing comes or the checksum differs.
    pub fn ask(&mut self, line: &str) -> Result<String, QemuError> {
        self.send(format!("{line}\n").as_bytes())?;
        self.answer(line)
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// [`QemuError::Io`].
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), QemuError> {
        Ok(self.serial.get_mut().write_all(bytes)?)
    }

    /// The next answer; `asked` is for the message only.
    ///
    /// # Errors
    /// As [`Qemu::ask`].
    pub fn answer(&mut self, asked: &str) -> Result<String, QemuError> {
        let mut answer = String::new();
        self.serial.read_line(&mut answer)?;
        let line = answer.trim_end_matches('\n');
        let unexpected = |_| QemuError::Unexpected { asked: asked.to_owned(), answer: line.to_owned() };
        unframe(line).map(str::to_owned).map_err(unexpected)
    }

    fn command(&mut self, command: &str) -> Result<(), QemuError> {
        writeln!(self.control, "{command}")?;
        let reply = self.replies.recv_timeout(WAIT).map_err(|_| QemuError::Silent(command.to_owned()))?;
        if reply.starts_with("OK") {
            return Ok(());
        }
        Err(QemuError::Unexpected { asked: command.to_owned(), answer: reply })
    }

    /// Drives the input pin from outside.
    ///
    /// # Errors
    /// [`QemuError`] when QEMU does not take it.
    pub fn input(&mut self, high: bool) -> Result<(), QemuError> {
        let command = format!("set_irq_in {} unnamed-gpio-in {INPUT} {}", self.port_b, u8::from(high));
        self.command(&command)
    }

    /// The next change of the response pin.
    ///
    /// # Errors
    /// [`QemuError::Silent`] when none comes.
    pub fn next_edge(&mut self) -> Result<bool, QemuError> {
        self.edges.recv_timeout(WAIT).map_err(|_| QemuError::Silent("an edge".into()))
    }

    /// Changes of the response pin that were not asked for yet, dropped and counted.
    pub fn drain_edges(&mut self) -> usize {
        self.edges.try_iter().count()
    }
}

impl Drop for Qemu {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
