//! One open resource of a VISA library.

use super::library::Library;
use super::{VisaError, is_stream};
use crate::bench::scpi::inbox::{Part, Want};
use crate::units::Picos;
use std::sync::Arc;
use visa_rs::vs::{
    VI_ATTR_INTF_TYPE, VI_ATTR_RSRC_CLASS, VI_ATTR_TERMCHAR, VI_ATTR_TERMCHAR_EN, VI_ATTR_TMO_VALUE,
    VI_ERROR_TMO, VI_INTF_ASRL, VI_SUCCESS, VI_TMO_IMMEDIATE, ViSession,
};

/// Most bytes of one `viRead`: a whole block of a deep record on links with messages, a piece of it on a stream.
const PIECE: usize = 512 * 1024;
/// First room for a line on a stream.
const LINE: usize = 4 * 1024;

/// An open resource with the manager that it belongs to: some libraries close it with the manager.
pub(super) struct Session {
    library: Arc<Library>,
    manager: ViSession,
    session: ViSession,
    /// No ends of messages: lines end at the termination character, the rest by its length.
    stream: bool,
    /// What the termination character is set to now.
    by_character: Option<bool>,
}

impl Session {
    /// Opens `name`, without a lock.
    ///
    /// # Errors
    /// [`VisaError`].
    pub(super) fn open(library: &Arc<Library>, name: &str, budget: Picos) -> Result<Session, VisaError> {
        let manager = library.open_manager()?;
        let session = match library.open(manager, name, milliseconds(budget)) {
            Ok(session) => session,
            Err(e) => {
                library.close(manager);
                return Err(e);
            }
        };
        let mut opened =
            Session { library: Arc::clone(library), manager, session, stream: false, by_character: None };
        opened.stream = opened.streams().unwrap_or_else(|| is_stream(name));
        if opened.stream {
            library.set(session, VI_ATTR_TERMCHAR, u32::from(b'\n'))?;
        }
        Ok(opened)
    }

    /// What the library itself says: an alias shows nothing by its name.
    fn streams(&self) -> Option<bool> {
        let class = self.library.text(self.session, VI_ATTR_RSRC_CLASS)?;
        let serial = u32::from(self.library.short(self.session, VI_ATTR_INTF_TYPE)?) == VI_INTF_ASRL;
        Some(class.eq_ignore_ascii_case("SOCKET") || serial)
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// [`VisaError`].
    pub(super) fn write(&mut self, bytes: &[u8], budget: Picos) -> Result<(), VisaError> {
        self.library.set(self.session, VI_ATTR_TMO_VALUE, milliseconds(budget))?;
        let mut rest = bytes;
        while !rest.is_empty() {
            let taken = self.library.write(self.session, rest)?;
            if taken == 0 {
                let text = "no byte was taken".to_owned();
                return Err(VisaError::Status { call: "viWrite", status: 0, text });
            }
            rest = rest.get(taken..).unwrap_or_default();
        }
        Ok(())
    }

    /// Reads what there is of what is wanted.
    ///
    /// # Errors
    /// [`VisaError`]; a time-out after some bytes is none yet, they are kept.
    pub(super) fn read(&mut self, want: Want, budget: Picos) -> Result<Part, VisaError> {
        if self.stream {
            self.end_at_line_feed(matches!(want, Want::Line(_)))?;
        }
        self.library.set(self.session, VI_ATTR_TMO_VALUE, milliseconds(budget))?;
        let most = match want {
            // A stream has no end: asked for more than there is, it would wait for the rest.
            Want::Bytes(n) if self.stream => n.min(PIECE),
            Want::Line(n) if self.stream => n.min(LINE),
            _ => PIECE,
        };
        let mut bytes = vec![0; most];
        let (status, got) = self.library.read(self.session, &mut bytes);
        bytes.truncate(got);
        if got == 0 {
            self.library.checked("viRead", self.session, status)?;
        }
        // A full buffer may be the end or not, whatever the status says; what is missing then is asked for.
        let ended = !self.stream && status == SUCCESS && got < most;
        Ok(Part { bytes, ended })
    }

    /// What has arrived on a stream already, without waiting. Messages are asked for, they do not arrive.
    ///
    /// # Errors
    /// [`VisaError`], but not a time-out.
    pub(super) fn arrived(&mut self) -> Result<Vec<u8>, VisaError> {
        if !self.stream {
            return Ok(Vec::new());
        }
        self.end_at_line_feed(false)?;
        self.library.set(self.session, VI_ATTR_TMO_VALUE, VI_TMO_IMMEDIATE)?;
        let mut bytes = vec![0; LINE];
        let (status, got) = self.library.read(self.session, &mut bytes);
        bytes.truncate(got);
        if status != VI_ERROR_TMO {
            self.library.checked("viRead", self.session, status)?;
        }
        Ok(bytes)
    }

    /// Inside a block a line feed is data: a read that ends at it would still be complete, by asking again, but slow.
    fn end_at_line_feed(&mut self, on: bool) -> Result<(), VisaError> {
        if self.by_character != Some(on) {
            self.library.set(self.session, VI_ATTR_TERMCHAR_EN, u32::from(on))?;
            self.by_character = Some(on);
        }
        Ok(())
    }
}

/// The end of a message.
const SUCCESS: i32 = VI_SUCCESS as i32;

impl Drop for Session {
    fn drop(&mut self) {
        self.library.close(self.session);
        self.library.close(self.manager);
    }
}

/// A time for the library, at least one millisecond, which is not yet its "do not wait at all".
fn milliseconds(budget: Picos) -> u32 {
    const LONGEST: u32 = u32::MAX - 1; // the largest number means "for ever"
    u32::try_from(budget.to_duration().as_millis()).unwrap_or(LONGEST).clamp(1, LONGEST)
}
