//! The VISA library of the machine, loaded when somebody asks for VISA and never before.
//!
//! Nothing is linked: the program starts on machines without VISA, and says what to install where it is needed. Only
//! the functions that every implementation has are called, each looked up before the first call (`visa-rs` would panic
//! on one that is missing, and on a status that it has no name for). A library stays loaded until the program ends, since
//! those of the vendors keep threads.

#![expect(unsafe_code, reason = "a C library is called; the argument stands beside each call")]

use super::VisaError;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use visa_rs::vs::{
    LibVisa, VI_ATTR_RSRC_MANF_NAME, VI_ERROR_RSRC_NFOUND, ViAttr, ViAttrState, ViChar, ViSession, ViStatus,
};

/// Names a library, and is then the only one tried.
pub const LIBRARY_VARIABLE: &str = "LATENCY_VISA_LIBRARY";

/// Where vendors put it. R&S and Keysight use names of their own; NI has the plain one.
#[cfg(windows)]
const NAMES: &[&str] = &["visa64.dll", "visa32.dll"];
#[cfg(target_os = "macos")]
const NAMES: &[&str] = &["/Library/Frameworks/VISA.framework/VISA", "libvisa.dylib", "librsvisa.dylib"];
#[cfg(not(any(windows, target_os = "macos")))]
const NAMES: &[&str] = &[
    "libvisa.so",
    "libvisa.so.0",
    "librsvisa.so",
    "libktvisa32.so.0",
    "/opt/keysight/iolibs/libktvisa32.so",
    "/usr/local/vxipnp/linux/lib64/libvisa.so",
];

/// Resources that a list may have.
const MOST_RESOURCES: usize = 256;
/// Room for texts; the standard's own are 256 bytes.
const TEXT: usize = 1_024;

/// The library of this process, which a choice may replace.
static CURRENT: Mutex<Option<Arc<Library>>> = Mutex::new(None);
/// What was loaded stays: sessions may be open, and the vendors' libraries keep threads.
static LOADED: Mutex<Vec<Arc<Library>>> = Mutex::new(Vec::new());

fn current() -> MutexGuard<'static, Option<Arc<Library>>> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A function of the library that must be there.
macro_rules! needed {
    ($library:ident, $name:ident, $path:expr) => {
        match &$library.$name {
            Ok(function) => *function,
            Err(_) => return Err(VisaError::NotVisa { path: $path, missing: stringify!($name) }),
        }
    };
}

/// A loaded library with the functions that are used.
pub(super) struct Library {
    path: OsString,
    calls: Calls,
    /// Keeps the code behind the functions mapped.
    library: LibVisa,
}

struct Calls {
    open_manager: unsafe extern "system" fn(*mut ViSession) -> ViStatus,
    open: unsafe extern "system" fn(ViSession, *const ViChar, u32, u32, *mut ViSession) -> ViStatus,
    close: unsafe extern "system" fn(ViSession) -> ViStatus,
    read: unsafe extern "system" fn(ViSession, *mut u8, u32, *mut u32) -> ViStatus,
    write: unsafe extern "system" fn(ViSession, *const u8, u32, *mut u32) -> ViStatus,
    set: unsafe extern "system" fn(ViSession, ViAttr, ViAttrState) -> ViStatus,
}

impl Library {
    /// The library that was chosen or found before; else the one that the environment names; else the first of the
    /// known names that loads.
    ///
    /// # Errors
    /// [`VisaError::NoLibrary`] with every name tried, [`VisaError::NotVisa`].
    pub(super) fn find() -> Result<Arc<Library>, VisaError> {
        let mut current = current();
        if let Some(library) = &*current {
            return Ok(Arc::clone(library));
        }
        let library = match std::env::var_os(LIBRARY_VARIABLE).filter(|name| !name.is_empty()) {
            Some(name) => Library::first_of([name.as_os_str()]),
            None => Library::first_of(NAMES.iter().map(OsStr::new)),
        }?;
        Ok(Arc::clone(current.insert(library)))
    }

    /// Makes the library in `file` the one that is used.
    ///
    /// # Errors
    /// As [`Library::find`].
    pub(super) fn choose(file: &OsStr) -> Result<(), VisaError> {
        *current() = Some(Library::first_of([file])?);
        Ok(())
    }

    fn first_of<'a>(names: impl IntoIterator<Item = &'a OsStr>) -> Result<Arc<Library>, VisaError> {
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tried = Vec::new();
        for name in names {
            if let Some(known) = loaded.iter().find(|l| l.path == name) {
                return Ok(Arc::clone(known));
            }
            // SAFETY: loading runs the library's own start-up code. That is what a user asks for who asks for VISA: the
            // names are those of VISA libraries, or the user's own choice.
            match unsafe { LibVisa::new(name) } {
                Ok(library) => {
                    let library = Arc::new(Library::of(library, name)?);
                    loaded.push(Arc::clone(&library));
                    return Ok(library);
                }
                Err(e) => tried.push(format!("{} ({e})", name.display())),
            }
        }
        Err(VisaError::NoLibrary { tried: tried.join("; ") })
    }

    fn of(library: LibVisa, name: &OsStr) -> Result<Library, VisaError> {
        let path = || name.display().to_string();
        let calls = Calls {
            open_manager: needed!(library, viOpenDefaultRM, path()),
            open: needed!(library, viOpen, path()),
            close: needed!(library, viClose, path()),
            read: needed!(library, viRead, path()),
            write: needed!(library, viWrite, path()),
            set: needed!(library, viSetAttribute, path()),
        };
        Ok(Library { path: name.to_owned(), calls, library })
    }

    /// As it was named.
    pub(super) fn path(&self) -> String {
        self.path.display().to_string()
    }

    /// Opens a resource manager.
    pub(super) fn open_manager(&self) -> Result<ViSession, VisaError> {
        let mut manager = 0;
        // SAFETY (here and below): the signatures are those of VPP-4.3.2, the pointers are to locals that live through
        // the call, lengths are those of the buffers, and what comes back is checked before it is used.
        let status = unsafe { (self.calls.open_manager)(&raw mut manager) };
        self.checked("viOpenDefaultRM", 0, status).map(|_| manager)
    }

    /// Opens a session without a lock.
    pub(super) fn open(&self, manager: ViSession, name: &str, time: u32) -> Result<ViSession, VisaError> {
        let name = CString::new(name).map_err(|_| VisaError::Name)?;
        let mut session = 0;
        // SAFETY: see `open_manager`.
        let status = unsafe { (self.calls.open)(manager, name.as_ptr(), 0, time, &raw mut session) };
        self.checked("viOpen", manager, status).map(|_| session)
    }

    /// Closes whatever `object` is. There is nothing to be done about one that cannot be closed.
    pub(super) fn close(&self, object: ViSession) {
        // SAFETY: see `open_manager`; `object` came from the same library, and an unknown one is answered by a status.
        let _ = unsafe { (self.calls.close)(object) };
    }

    /// Reads into `room`: the status, an error included, and how many bytes came all the same.
    pub(super) fn read(&self, session: ViSession, room: &mut [u8]) -> (ViStatus, usize) {
        let length = u32::try_from(room.len()).unwrap_or(u32::MAX);
        let mut got = 0;
        // SAFETY: see `open_manager`.
        let status = unsafe { (self.calls.read)(session, room.as_mut_ptr(), length, &raw mut got) };
        (status, usize::try_from(got.min(length)).unwrap_or(0))
    }

    /// Writes `bytes`; says how many were taken.
    pub(super) fn write(&self, session: ViSession, bytes: &[u8]) -> Result<usize, VisaError> {
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let mut taken = 0;
        // SAFETY: see `open_manager`.
        let status = unsafe { (self.calls.write)(session, bytes.as_ptr(), length, &raw mut taken) };
        self.checked("viWrite", session, status)?;
        Ok(usize::try_from(taken.min(length)).unwrap_or(0))
    }

    /// Sets an attribute.
    pub(super) fn set(&self, session: ViSession, attribute: ViAttr, value: u32) -> Result<(), VisaError> {
        let value = ViAttrState::from(value);
        // SAFETY: see `open_manager`.
        let status = unsafe { (self.calls.set)(session, attribute, value) };
        self.checked("viSetAttribute", session, status).map(drop)
    }

    /// A text attribute, where the library has it.
    pub(super) fn text(&self, session: ViSession, attribute: ViAttr) -> Option<String> {
        let get = *self.library.viGetAttribute.as_ref().ok()?;
        let mut room = [0u8; TEXT];
        // SAFETY: see `open_manager`; the standard limits texts to 256 bytes with their end.
        let status = unsafe { get(session, attribute, room.as_mut_ptr().cast()) };
        (status >= 0).then(|| until_zero(&room)).flatten()
    }

    /// A 16-bit attribute, where the library has it.
    pub(super) fn short(&self, session: ViSession, attribute: ViAttr) -> Option<u16> {
        let get = *self.library.viGetAttribute.as_ref().ok()?;
        // Room for any width that a library may take for it; the standard's is the first two bytes.
        let mut room = [0u16; 8];
        // SAFETY: see `open_manager`.
        let status = unsafe { get(session, attribute, room.as_mut_ptr().cast()) };
        (status >= 0).then_some(room[0])
    }

    /// Who made it, as it says itself.
    pub(super) fn maker(&self, manager: ViSession) -> Option<String> {
        self.text(manager, VI_ATTR_RSRC_MANF_NAME)
    }

    /// All resources that it finds. Some libraries ask the whole network for that.
    pub(super) fn resources(&self, manager: ViSession) -> Result<Vec<String>, VisaError> {
        let (Ok(first), Ok(next)) = (&self.library.viFindRsrc, &self.library.viFindNext) else {
            return Err(VisaError::NotVisa { path: self.path(), missing: "viFindRsrc" });
        };
        let (mut list, mut count) = (0, 0);
        let mut room = [0u8; TEXT];
        let text = room.as_mut_ptr().cast();
        // SAFETY: see `open_manager`; a description has at most 256 bytes.
        let status = unsafe { first(manager, c"?*".as_ptr(), &raw mut list, &raw mut count, text) };
        if status == VI_ERROR_RSRC_NFOUND {
            return Ok(Vec::new());
        }
        self.checked("viFindRsrc", manager, status)?;
        let mut found: Vec<String> = until_zero(&room).into_iter().collect();
        let most = usize::try_from(count).unwrap_or(0).min(MOST_RESOURCES);
        for _ in 1..most {
            // SAFETY: as above.
            if unsafe { next(list, room.as_mut_ptr().cast()) } < 0 {
                break;
            }
            found.extend(until_zero(&room));
        }
        self.close(list);
        Ok(found)
    }

    /// An error of `status`, if it is one; warnings are not.
    pub(super) fn checked(
        &self,
        call: &'static str,
        object: ViSession,
        status: ViStatus,
    ) -> Result<ViStatus, VisaError> {
        if status >= 0 {
            return Ok(status);
        }
        Err(VisaError::Status { call, status, text: self.meaning(object, status) })
    }

    /// What the library says to a status; what the standard says, where it has nothing to say.
    fn meaning(&self, object: ViSession, status: ViStatus) -> String {
        let described = self.library.viStatusDesc.as_ref().ok().and_then(|describe| {
            let mut room = [0u8; TEXT];
            // SAFETY: see `open_manager`; a description has at most 256 bytes.
            let said = unsafe { describe(object, status, room.as_mut_ptr().cast()) };
            (said == 0).then(|| until_zero(&room)).flatten()
        });
        let named = || visa_rs::enums::status::ErrorCode::try_from(status).ok().map(|code| code.to_string());
        described
            .or_else(named)
            .unwrap_or_else(|| "a status that neither library nor standard explains".into())
    }
}

/// The text up to its zero; none when it is empty or has no end.
fn until_zero(room: &[u8]) -> Option<String> {
    let text = CStr::from_bytes_until_nul(room).ok()?.to_string_lossy().trim().to_owned();
    (!text.is_empty()).then_some(text)
}
