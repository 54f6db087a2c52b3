//! A VISA library for tests: sessions over loopback sockets, and any fault on demand.
//!
//! It has the functions that every implementation has, and behaves as the standard wants where implementations differ:
//! a session dies with its resource manager, a socket session has no ends of messages, the time-out ends a read with what
//! came until then. Names it opens:
//!
//! ```text
//! TCPIP0::127.0.0.1::5555::SOCKET          a byte stream
//! shim/CLASS/FAULTS/127.0.0.1/5555         the same address behind a name that only this library knows
//! ```
//!
//! `CLASS` is `SOCKET` or `INSTR` (messages with ends over the same socket). `FAULTS` is `none` or a list with `+` between:
//! `viRead=BFFF00A6` (that status from each call), `viRead=BFFF00A6@2` (from the second call only), `chunk=7` (no more
//! than seven bytes a read), `empty=2` (the first two reads give nothing), `mute` (no description of any status).
//! Faults belong to a session, so tests may run at the same time.

#![allow(non_snake_case, reason = "the names are the standard's")]

mod session;

use session::Session;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

type Status = i32;

pub(crate) const SUCCESS: Status = 0;
pub(crate) const TERM_CHAR: Status = 0x3FFF_0005;
pub(crate) const MAX_CNT: Status = 0x3FFF_0006;
pub(crate) const INV_OBJECT: Status = error(0xBFFF_000E);
pub(crate) const RSRC_NFOUND: Status = error(0xBFFF_0011);
pub(crate) const INV_RSRC_NAME: Status = error(0xBFFF_0012);
pub(crate) const TMO: Status = error(0xBFFF_0015);
pub(crate) const NSUP_ATTR: Status = error(0xBFFF_001D);
pub(crate) const CONN_LOST: Status = error(0xBFFF_00A6);

pub(crate) const ATTR_TERMCHAR: u32 = 0x3FFF_0018;
pub(crate) const ATTR_TMO: u32 = 0x3FFF_001A;
pub(crate) const ATTR_TERMCHAR_EN: u32 = 0x3FFF_0038;
const ATTR_INTF_TYPE: u32 = 0x3FFF_0171;
const ATTR_RSRC_CLASS: u32 = 0xBFFF_0001;
const ATTR_MANF_NAME: u32 = 0xBFFF_0174;

/// What it lists, whatever is there.
const LISTED: [&str; 3] = ["TCPIP0::127.0.0.1::5555::SOCKET", "GPIB0::7::INSTR", "ASRL1::INSTR"];

const fn error(code: u32) -> Status {
    code.cast_signed()
}

enum Object {
    Manager,
    Session {
        manager: u32,
        session: Arc<Mutex<Session>>,
    },
    /// What is left of a list.
    List(Vec<&'static str>),
}

#[derive(Default)]
struct Objects {
    last: u32,
    known: HashMap<u32, Object>,
}

static OBJECTS: LazyLock<Mutex<Objects>> = LazyLock::new(Mutex::default);

fn objects() -> MutexGuard<'static, Objects> {
    OBJECTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn add(object: Object) -> u32 {
    let mut objects = objects();
    objects.last += 1;
    let id = objects.last;
    objects.known.insert(id, object);
    id
}

fn find(id: u32) -> Option<Arc<Mutex<Session>>> {
    match objects().known.get(&id) {
        Some(Object::Session { session, .. }) => Some(Arc::clone(session)),
        _ => None,
    }
}

fn with(id: u32, act: impl FnOnce(&mut Session) -> Status) -> Status {
    // Not under the lock of the objects: a read may take as long as its time-out.
    find(id).map_or(INV_OBJECT, |s| act(&mut s.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// Copies `text` with its zero into the 256 bytes that the standard gives a text.
///
/// # Safety
/// `room` points to 256 bytes.
unsafe fn put(room: *mut c_char, text: &str) {
    let n = text.len().min(255);
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), room, n);
        *room.add(n) = 0;
    }
}

/// # Safety
/// As the VISA standard has it, for this and all functions below: pointers are valid for what is read or written.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn viOpenDefaultRM(manager: *mut u32) -> Status {
    unsafe { *manager = add(Object::Manager) };
    SUCCESS
}

/// # Safety
/// See [`viOpenDefaultRM`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn viOpen(
    rm: u32,
    name: *const c_char,
    _: u32,
    time: u32,
    vi: *mut u32,
) -> Status {
    if !matches!(objects().known.get(&rm), Some(Object::Manager)) {
        return INV_OBJECT;
    }
    let Ok(name) = unsafe { CStr::from_ptr(name) }.to_str() else { return INV_RSRC_NAME };
    match Session::open(name, time) {
        Ok(session) => {
            let session = Arc::new(Mutex::new(session));
            unsafe { *vi = add(Object::Session { manager: rm, session }) };
            SUCCESS
        }
        Err(status) => status,
    }
}

/// # Safety
/// See [`viOpenDefaultRM`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn viClose(vi: u32) -> Status {
    let mut objects = objects();
    match objects.known.remove(&vi) {
        None => return INV_OBJECT,
        Some(Object::Manager) => {
            objects.known.retain(|_, o| !matches!(o, Object::Session { manager, .. } if *manager == vi));
        }
        Some(_) => {}
    }
    SUCCESS
}

/// # Safety
/// See [`viOpenDefaultRM`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn viRead(vi: u32, room: *mut u8, length: u32, got: *mut u32) -> Status {
    with(vi, |session| {
        let (bytes, status) = session.read(length as usize);
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), room, bytes.len());
            *got = bytes.len() as u32;
        }
        status
    })
}

/// # Safety
/// See [`viOpenDefaultRM`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn viWrite(vi: u32, bytes: *const u8, length: u32, taken: *mut u32) -> Status {
    let bytes = unsafe { std::slice::from_raw_parts(bytes, length as usize) };
    with(vi, |session| {
        let status = session.write(bytes);
        unsafe { *taken = if status == SUCCESS { length } else { 0 } };
        status
    })
}

/// # Safety
/// See [`viOpenDefaultRM`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn viSetAttribute(vi: u32, attribute: u32, value: usize) -> Status {
    with(vi, |session| session.set(attribute, value as u32))
}

/// # Safety
/// See [`viOpenDefaultRM`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn viGetAttribute(vi: u32, attribute: u32, value: *mut c_void) -> Status {
    if attribute == ATTR_MANF_NAME {
        unsafe { put(value.cast(), "test shim") };
        return SUCCESS;
    }
    with(vi, |session| {
        match attribute {
            ATTR_RSRC_CLASS => unsafe { put(value.cast(), session.class()) },
            ATTR_INTF_TYPE => unsafe { *value.cast::<u16>() = 6 },
            _ => return NSUP_ATTR,
        }
        SUCCESS
    })
}

/// # Safety
/// See [`viOpenDefaultRM`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn viFindRsrc(
    rm: u32,
    _expression: *const c_char,
    list: *mut u32,
    count: *mut u32,
    first: *mut c_char,
) -> Status {
    if !matches!(objects().known.get(&rm), Some(Object::Manager)) {
        return INV_OBJECT;
    }
    let [head, tail @ ..] = LISTED;
    unsafe {
        *list = add(Object::List(tail.to_vec()));
        *count = LISTED.len() as u32;
        put(first, head);
    }
    SUCCESS
}

/// # Safety
/// See [`viOpenDefaultRM`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn viFindNext(list: u32, next: *mut c_char) -> Status {
    match objects().known.get_mut(&list) {
        Some(Object::List(left)) if !left.is_empty() => {
            unsafe { put(next, left.remove(0)) };
            SUCCESS
        }
        Some(Object::List(_)) => RSRC_NFOUND,
        _ => INV_OBJECT,
    }
}

/// # Safety
/// See [`viOpenDefaultRM`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn viStatusDesc(vi: u32, status: Status, text: *mut c_char) -> Status {
    const UNKNOWN_STATUS: Status = 0x3FFF_0085;
    let mute = find(vi).is_some_and(|s| s.lock().unwrap_or_else(PoisonError::into_inner).mute());
    if mute {
        unsafe { put(text, "") };
        return UNKNOWN_STATUS;
    }
    unsafe { put(text, &format!("shim's words for {:08X}", status.cast_unsigned())) };
    SUCCESS
}
