//! The board's serial port as a pseudo-terminal, for programs that want a device file.
//!
//! Closed and opened as often as one likes: this side keeps the terminal end open, too. Raw mode, no echo, so that the
//! bytes are those of a UART.

use super::server::Console;
use super::world::Shared;
use crate::bench::BenchError;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

/// How often a thread without work looks whether the bench stops.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// A pseudo-terminal with its thread.
pub(super) struct Pty {
    path: PathBuf,
    thread: Option<JoinHandle<()>>,
}

impl Pty {
    /// Opens one and serves the board's console on it.
    ///
    /// # Errors
    /// [`BenchError::Unreachable`] when the system has none to give.
    pub(super) fn start(shared: &Arc<Shared>) -> Result<Pty, BenchError> {
        let failed = |source: std::io::Error| BenchError::Unreachable {
            what: "board",
            at: "a new pseudo-terminal".to_owned(),
            source,
            advice: "the system gave no pseudo-terminal; leave the option out and use the TCP port",
        };
        let (master, slave, path) = open().map_err(|e| failed(e.into()))?;
        let shared = Arc::clone(shared);
        let serve = move || serve(&shared, &master, &slave);
        let thread = std::thread::Builder::new().name("virtual board pty".to_owned()).spawn(serve);
        Ok(Pty { path, thread: Some(thread.map_err(failed)?) })
    }

    /// The device file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for the end of the thread; the bench must be stopping.
    pub(super) fn end(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn open() -> rustix::io::Result<(OwnedFd, OwnedFd, PathBuf)> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, Vec::new())?;
    let path = PathBuf::from(name.to_string_lossy().into_owned());
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY;
    let slave = rustix::fs::open(&path, flags, rustix::fs::Mode::empty())?;
    let mut attributes = tcgetattr(&slave)?;
    attributes.make_raw();
    tcsetattr(&slave, OptionalActions::Now, &attributes)?;
    Ok((master, slave, path))
}

fn serve(shared: &Shared, master: &OwnedFd, _kept_open: &OwnedFd) {
    let mut console = Console::default();
    let mut buffer = [0; 512];
    while !shared.stopping() {
        let mut waiting = [PollFd::new(master, PollFlags::IN)];
        if !matches!(poll(&mut waiting, Some(&LOOK)), Ok(n) if n > 0) {
            continue;
        }
        let Ok(n) = rustix::io::read(master, &mut buffer) else { continue };
        let bytes = buffer.get(..n).unwrap_or_default();
        // A closed link has no meaning on a terminal: the line goes on with the next byte.
        console.take(shared, bytes, |answer| write(master, answer));
    }
}

fn write(master: &OwnedFd, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        match rustix::io::write(master, bytes) {
            Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
    true
}
