//! The VISA library of the machine (NI, Keysight, R&S, an open one), for what no native transport serves.
//!
//! `library` loads it and holds every unsafe call, `session` is one open resource, this file a [`Transport`] of it. It
//! refuses to be a reason for a program that does not start: without a library, only who asks for VISA gets an error. No
//! device is ever cleared, since that hangs this family over USB (Q36). Searching is [`resources`] alone: opening a
//! resource never sends anything to anybody else.

mod library;
mod session;

pub use library::LIBRARY_VARIABLE;

use super::inbox::{Inbox, Part, Want};
use super::{Resource, Transport};
use crate::bench::{BenchError, Clock};
use crate::units::Picos;
use library::Library;
use session::Session;
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use visa_rs::vs::{VI_ERROR_CONN_LOST, VI_ERROR_RSRC_NFOUND, VI_ERROR_TMO, ViStatus};

const ADVICE: &str = "does the vendor's own tool see it (NI MAX, Connection Expert, RsVisaTester)? is the name right, and \
                      is no other program connected?";

/// What can go wrong in a VISA library.
#[derive(Debug, thiserror::Error)]
pub enum VisaError {
    /// None could be loaded.
    #[error(
        "no VISA library could be loaded; install NI-VISA, Keysight IO Libraries or R&S VISA for this system, or set \
         {LIBRARY_VARIABLE} to the file of another one; tried: {tried}"
    )]
    NoLibrary {
        /// Names and reasons.
        tried: String,
    },
    /// A library that is something else.
    #[error("`{path}` was loaded but is no usable VISA library: it has no {missing}; see {LIBRARY_VARIABLE}")]
    NotVisa {
        /// As it was named.
        path: String,
        /// What it lacks.
        missing: &'static str,
    },
    /// A name that C cannot take.
    #[error("the resource name holds a zero byte")]
    Name,
    /// A call failed.
    #[error("{call} gave 0x{status:08X}: {text}")]
    Status {
        /// The function.
        call: &'static str,
        /// What it gave.
        status: ViStatus,
        /// What that means, by `viStatusDesc`.
        text: String,
    },
}

impl From<VisaError> for io::Error {
    fn from(error: VisaError) -> io::Error {
        let kind = match &error {
            VisaError::Status { status, .. } => match *status {
                VI_ERROR_TMO => ErrorKind::TimedOut,
                VI_ERROR_CONN_LOST => ErrorKind::ConnectionAborted,
                VI_ERROR_RSRC_NFOUND => ErrorKind::NotFound,
                _ => ErrorKind::Other,
            },
            VisaError::NoLibrary { .. } => ErrorKind::NotFound,
            VisaError::NotVisa { .. } => ErrorKind::Unsupported,
            VisaError::Name => ErrorKind::InvalidInput,
        };
        io::Error::new(kind, error)
    }
}

/// A scope behind a VISA library.
pub struct VisaTransport {
    wire: Wire,
    inbox: Inbox,
}

/// The session and its deadline.
struct Wire {
    name: String,
    budget: Picos,
    deadline: Picos,
    library: Arc<Library>,
    wall: Arc<dyn Clock>,
    /// `None` between a failed reconnect and the next one.
    session: Option<Session>,
}

impl VisaTransport {
    /// Opens `name` within `budget` with the library that was chosen or is found; `wall` is real time.
    ///
    /// # Errors
    /// [`BenchError::Unsupported`] without a library, [`BenchError::Unreachable`].
    pub fn connect(name: &str, budget: Picos, wall: Arc<dyn Clock>) -> Result<VisaTransport, BenchError> {
        let missing = |e| BenchError::Unsupported(format!("cannot open `{name}` by VISA: {e}"));
        let library = Library::find().map_err(missing)?;
        let session = Session::open(&library, name, budget).map_err(|e| BenchError::Unreachable {
            what: "scope",
            at: format!("{name} by the VISA library {}", library.path()),
            source: e.into(),
            advice: ADVICE,
        })?;
        let (name, deadline) = (name.to_owned(), wall.now() + budget);
        let wire = Wire { name, budget, deadline, library, wall, session: Some(session) };
        Ok(VisaTransport { wire, inbox: Inbox::default() })
    }
}

impl Wire {
    /// The session and the time that is left.
    fn session(&mut self) -> io::Result<(&mut Session, Picos)> {
        let left = self.deadline - self.wall.now();
        if left.0 <= 0 {
            return Err(ErrorKind::TimedOut.into());
        }
        Ok((self.session.as_mut().ok_or(ErrorKind::NotConnected)?, left))
    }

    fn part(&mut self, want: Want) -> io::Result<Part> {
        let (session, left) = self.session()?;
        Ok(session.read(want, left)?)
    }
}

impl Transport for VisaTransport {
    fn name(&self) -> &str {
        &self.wire.name
    }
    fn begin(&mut self, budget: Picos) {
        self.wire.deadline = self.wire.wall.now() + budget;
    }
    fn unread(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = self.inbox.surplus();
        let session = self.wire.session.as_mut().ok_or(ErrorKind::NotConnected)?;
        bytes.extend(session.arrived()?);
        Ok(bytes)
    }
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.inbox.expect_message();
        let (session, left) = self.wire.session()?;
        Ok(session.write(bytes, left)?)
    }
    fn read_line(&mut self, limit: usize) -> io::Result<Vec<u8>> {
        self.inbox.line(limit, |want| self.wire.part(want))
    }
    fn read_exact(&mut self, into: &mut [u8]) -> io::Result<()> {
        self.inbox.exact(into, |want| self.wire.part(want))
    }
    fn reconnect(&mut self) -> io::Result<()> {
        // The old session goes first: some instruments serve one only (Q28).
        self.wire.session = None;
        self.inbox = Inbox::default();
        self.wire.session = Some(Session::open(&self.wire.library, &self.wire.name, self.wire.budget)?);
        Ok(())
    }
}

/// Loads the library in `file` for all that this process opens from now on, whatever the environment names.
///
/// # Errors
/// [`VisaError::NoLibrary`], [`VisaError::NotVisa`].
pub fn choose(file: &OsStr) -> Result<(), VisaError> {
    Library::choose(file)
}

/// What the machine's VISA library lists, and who made it. Some libraries broadcast on every interface for that.
///
/// # Errors
/// [`VisaError`].
pub fn resources() -> Result<(String, Vec<String>), VisaError> {
    let library = Library::find()?;
    let manager = library.open_manager()?;
    let maker = library.maker(manager).unwrap_or_else(|| "unknown maker".to_owned());
    let found = library.resources(manager);
    library.close(manager);
    Ok((format!("{} ({maker})", library.path()), found?))
}

/// Whether a name leads to a byte stream without ends of messages, by its form alone.
fn is_stream(name: &str) -> bool {
    matches!(name.parse(), Ok(Resource::Socket { .. } | Resource::Serial { .. }))
}
