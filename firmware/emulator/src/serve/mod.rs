//! The emulated board for other programs: its UART on one loopback TCP port, its pins on another.
//!
//! **Time is virtual.** It stands still until somebody asks for something:
//!
//! * a line on the UART port lets it run until the image has answered and the UART is quiet again (at most
//!   [`Settings::answer`]), and at least [`Settings::exchange`];
//! * `RUN us` on the control port lets it run that long.
//!
//! So a session is repeatable to the cycle whatever the host's speed, as long as its client waits for each answer
//! before the next request. Bytes without a line feed wait for one (at most [`LONGEST`] of them).

mod control;
mod edges;
mod input;

use crate::emulator::POLL;
use crate::{Cycles, Emulator, EmulatorError};
use edges::EdgeLog;
use input::{Event, Source};
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::mpsc;
use thiserror::Error;

/// Bytes of the UART that are handed on even without a line feed.
pub const LONGEST: usize = 4_096;

/// How to serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Loopback port of the UART, 0 for a free one.
    pub uart_port: u16,
    /// Loopback port for control and pins, 0 for a free one.
    pub control_port: u16,
    /// A file for all edges, as CSV.
    pub edges: Option<PathBuf>,
    /// The longest an image may take to answer.
    pub answer: Cycles,
    /// The least time a line on the UART takes.
    pub exchange: Cycles,
}

impl Default for Settings {
    fn default() -> Settings {
        let (answer, exchange) = (Cycles::from_millis(1_000), Cycles::ZERO);
        Settings { uart_port: 0, control_port: 0, edges: None, answer, exchange }
    }
}

/// Why serving ended.
#[derive(Debug, Error)]
pub enum ServeError {
    /// A port could not be opened.
    #[error("cannot listen on 127.0.0.1:{port}: {error}")]
    Listen {
        /// The port.
        port: u16,
        /// The system's answer.
        error: io::Error,
    },
    /// The edge file could not be written.
    #[error("cannot write the edges to {path}: {error}")]
    Edges {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        error: io::Error,
    },
    /// The image's run ended.
    #[error(transparent)]
    Emulator(#[from] EmulatorError),
}

/// A board that is being served.
pub struct Server {
    emulator: Emulator,
    settings: Settings,
    events: mpsc::Receiver<Event>,
    uart: SocketAddr,
    control: SocketAddr,
    uart_client: Option<TcpStream>,
    control_client: Option<TcpStream>,
    log: EdgeLog,
    /// Edges that `EDGES?` has not given out yet start here.
    told: usize,
}

impl Server {
    /// Lets the image come up ([`Emulator::BOOT`]) and opens the ports.
    ///
    /// # Errors
    /// [`ServeError`].
    pub fn open(mut emulator: Emulator, settings: Settings) -> Result<Server, ServeError> {
        emulator.step_until(Emulator::BOOT)?;
        let (sender, events) = mpsc::channel();
        let uart = listen(settings.uart_port, Source::Uart, &sender)?;
        let control = listen(settings.control_port, Source::Control, &sender)?;
        let log = EdgeLog::create(settings.edges.as_deref())?;
        let (uart_client, control_client, told) = (None, None, 0);
        Ok(Server { emulator, settings, events, uart, control, uart_client, control_client, log, told })
    }

    /// Where the UART is.
    #[must_use]
    pub fn uart(&self) -> SocketAddr {
        self.uart
    }

    /// Where control and pins are.
    #[must_use]
    pub fn control(&self) -> SocketAddr {
        self.control
    }

    /// Serves until `QUIT`.
    ///
    /// # Errors
    /// [`ServeError`]; a client that goes away is none.
    pub fn run(&mut self) -> Result<(), ServeError> {
        while let Ok(event) = self.events.recv() {
            match event {
                Event::Connected(Source::Uart, client) => self.uart_client = Some(client),
                Event::Connected(Source::Control, client) => self.control_client = Some(client),
                Event::Line(Source::Uart, line) => self.exchange(&line)?,
                Event::Line(Source::Control, line) => {
                    if self.control_line(&line)? {
                        return Ok(());
                    }
                }
            }
            self.log.append(&self.emulator)?;
            self.emulator.forget_edges_before(self.told.min(self.log.written()));
        }
        Ok(())
    }

    fn exchange(&mut self, line: &[u8]) -> Result<(), ServeError> {
        let start = self.emulator.now();
        self.emulator.push_uart(line);
        let mut answer = Vec::new();
        while self.emulator.now() < start + self.settings.answer {
            self.emulator.run_for(POLL)?;
            answer.extend(self.emulator.take_uart());
            let whole = answer.ends_with(b"\n") || !line.ends_with(b"\n");
            if whole && self.emulator.uart_is_quiet() {
                break;
            }
        }
        self.emulator.step_until(start + self.settings.exchange)?;
        answer.extend(self.emulator.take_uart());
        // A client that has gone away misses its answer; the next one starts afresh.
        if self.uart_client.as_mut().is_some_and(|c| c.write_all(&answer).is_err()) {
            self.uart_client = None;
        }
        Ok(())
    }

    /// True when the client wants the program to end.
    fn control_line(&mut self, line: &[u8]) -> Result<bool, ServeError> {
        let text = String::from_utf8_lossy(line);
        let request = control::Request::parse(text.trim());
        let quit = request == Ok(control::Request::Quit);
        let answer = match request {
            Ok(request) => control::answer(&request, &mut self.emulator, &mut self.told)?,
            Err(what) => format!("ERR {what}\n"),
        };
        if self.control_client.as_mut().is_some_and(|c| c.write_all(answer.as_bytes()).is_err()) {
            self.control_client = None;
        }
        Ok(quit)
    }
}

fn listen(port: u16, source: Source, events: &mpsc::Sender<Event>) -> Result<SocketAddr, ServeError> {
    let failed = |error| ServeError::Listen { port, error };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    input::spawn(listener, source, events.clone());
    Ok(address)
}
