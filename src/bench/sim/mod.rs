//! The virtual bench: a DS1054Z that answers SCPI bytes and a board that answers UART bytes.
//!
//! Both are real byte streams on real sockets, so whatever drives an instrument can drive this one; the room imports
//! nothing of the driver, the SCPI layer or the board link, so that one wrong belief is not shared by both sides. It
//! knows the truth and can write it beside what the instruments show (see [`Options::truth`]).
//!
//! With [`Timing::Instant`] simulated time advances by what exchanges cost and by what the client sleeps on
//! [`VirtualBench::clock`], never by the wall clock: a client that waits for each answer before it sends the next
//! message gets the same bytes each time. Settings without an answer are ordered by the query after them, on the same
//! socket; `*OPC?` serves.
//!
//! It refuses: faults and modes that it does not know, messages over 64 kB, trains over a million stimuli.

mod actions;
mod board;
mod catalogue;
mod cost;
mod faults;
mod geometry;
mod glyphs;
mod language;
mod laws;
mod measure;
#[cfg(unix)]
mod pty;
mod random;
mod reading;
mod record;
mod rules;
mod run;
mod schedule;
mod scope;
mod screen;
mod server;
mod settings;
mod setup;
#[cfg(test)]
mod tests;
mod truth;
mod view;
mod vxi11;
mod waveform;
mod world;

pub use faults::{fault_names, fault_quirk};

use super::clock::{SteppedClock, SystemClock};
use super::{BenchError, Clock};
use crate::profile::{Simulation, Timing};
use board::Board;
use faults::Faults;
use scope::Scope;
use server::{BoardSpeaker, ScopeSpeaker, Server};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use truth::Truth;
use vxi11::Vxi11;
use world::Shared;

/// How to set up a virtual bench.
pub struct Options {
    /// What it simulates.
    pub simulation: Simulation,
    /// Address to listen on.
    pub host: IpAddr,
    /// Port of the scope, 0 for a free one.
    pub scope_port: u16,
    /// Port of the board, 0 for a free one.
    pub dut_port: u16,
    /// Also offers the scope over VXI-11, on this port, 0 for a free one. With 111 clients find it by its address alone.
    pub vxi11_port: Option<u16>,
    /// Also offers the board on a pseudo-terminal (Unix).
    pub pty: bool,
    /// Mode that the board starts in; `direct` when absent.
    pub mode: Option<String>,
    /// An outside generator makes stimuli until ARM, START or STOP takes over, and again after the board's link closed.
    pub free_running: bool,
    /// Where the truth goes, as CSV: `shot,pair,stimulus_ps,response_ps,latency_ps`, a block of rows for each completed
    /// single acquisition. Times are after the trigger, in the board's own time; second responses that no stimulus
    /// caused have a row with `shot` and `response_ps` only.
    pub truth: Option<Box<dyn std::io::Write + Send>>,
}

impl Default for Options {
    /// Loopback, free ports, no VXI-11, no pseudo-terminal, no free-running stimulus, no truth.
    fn default() -> Options {
        Options {
            simulation: Simulation::default(),
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            scope_port: 0,
            dut_port: 0,
            vxi11_port: None,
            pty: false,
            mode: None,
            free_running: false,
            truth: None,
        }
    }
}

/// A running virtual bench; dropping it ends its threads.
pub struct VirtualBench {
    shared: Arc<Shared>,
    servers: Vec<Server>,
    scope_address: SocketAddr,
    dut_address: SocketAddr,
    vxi11: Option<Vxi11>,
    #[cfg(unix)]
    pty: Option<pty::Pty>,
}

impl VirtualBench {
    /// Starts listening.
    ///
    /// # Errors
    /// [`BenchError::Resource`] for an unknown fault, [`BenchError::NoSuchMode`], [`BenchError::Unreachable`] for a port
    /// that cannot be had, [`BenchError::Unsupported`] for a pseudo-terminal where there are none.
    pub fn start(options: Options) -> Result<VirtualBench, BenchError> {
        let simulation = options.simulation;
        let seed = simulation.seed;
        let faults = Faults::parse(seed, &simulation.faults)?;
        let board = Board::new(&simulation, options.mode.as_deref(), options.free_running)?;
        let clock: Arc<dyn Clock> = match simulation.timing {
            Timing::Instant => Arc::new(SteppedClock::new()),
            Timing::Realistic => Arc::new(SystemClock::new()),
        };
        let (scope, truth) = (Scope::new(&simulation), Truth::new(options.truth));
        let shared =
            Arc::new(Shared::new(clock, (seed, simulation.command_latency), board, scope, faults, truth));
        let mut bench = VirtualBench {
            shared: Arc::clone(&shared),
            servers: Vec::new(),
            scope_address: SocketAddr::new(options.host, 0),
            dut_address: SocketAddr::new(options.host, 0),
            vxi11: None,
            #[cfg(unix)]
            pty: None,
        };
        // Kept one by one: if a later step fails, dropping the bench ends what was started.
        let scope = Server::start(&shared, "scope", options.host, options.scope_port, ScopeSpeaker)?;
        bench.scope_address = scope.address;
        bench.servers.push(scope);
        let dut = Server::start(&shared, "board", options.host, options.dut_port, BoardSpeaker)?;
        bench.dut_address = dut.address;
        bench.servers.push(dut);
        if let Some(port) = options.vxi11_port {
            bench.vxi11 = Some(Vxi11::start(&shared, options.host, port)?);
        }
        if options.pty {
            bench.open_pty()?;
        }
        Ok(bench)
    }

    #[cfg(unix)]
    fn open_pty(&mut self) -> Result<(), BenchError> {
        self.pty = Some(pty::Pty::start(&self.shared)?);
        Ok(())
    }
    #[cfg(not(unix))]
    fn open_pty(&mut self) -> Result<(), BenchError> {
        Err(BenchError::Unsupported(
            "this system has no pseudo-terminals; use the board's TCP port".to_owned(),
        ))
    }

    /// Where the scope listens.
    #[must_use]
    pub fn scope_address(&self) -> SocketAddr {
        self.scope_address
    }
    /// Where the board listens.
    #[must_use]
    pub fn dut_address(&self) -> SocketAddr {
        self.dut_address
    }
    /// Where the scope listens for VXI-11, if it does: port mapper, core and abort channel in one.
    #[must_use]
    pub fn vxi11_address(&self) -> Option<SocketAddr> {
        self.vxi11.as_ref().map(|server| server.address)
    }
    /// The board's device file, if one was asked for.
    #[must_use]
    pub fn pty(&self) -> Option<&Path> {
        #[cfg(unix)]
        return self.pty.as_ref().map(pty::Pty::path);
        #[cfg(not(unix))]
        return None;
    }
    /// The bench's time. With [`Timing::Instant`] a sleep on it returns at once and moves simulated time on.
    #[must_use]
    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.shared.clock)
    }
}

impl Drop for VirtualBench {
    fn drop(&mut self) {
        self.shared.stop();
        self.vxi11 = None;
        self.servers.iter_mut().for_each(Server::end);
        #[cfg(unix)]
        self.pty.iter_mut().for_each(pty::Pty::end);
    }
}

/// Names and one-line descriptions of the board's modes.
#[must_use]
pub fn mode_names() -> &'static [(&'static str, &'static str)] {
    const LIST: [(&str, &str); laws::LAWS.len()] = {
        let mut list = [("", ""); laws::LAWS.len()];
        let mut i = 0;
        while i < laws::LAWS.len() {
            #[allow(clippy::indexing_slicing)] // evaluated while compiling: out of range cannot be built
            {
                list[i] = (laws::LAWS[i].name, laws::LAWS[i].what);
            }
            i += 1;
        }
        list
    };
    &LIST
}
