//! One session over a loopback socket, with its faults.

use crate::{
    ATTR_TERMCHAR, ATTR_TERMCHAR_EN, ATTR_TMO, CONN_LOST, INV_RSRC_NAME, MAX_CNT, NSUP_ATTR, RSRC_NFOUND,
    SUCCESS, Status, TERM_CHAR, TMO,
};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// A status from a call: always, or at its n-th time.
struct Fault {
    call: String,
    status: Status,
    at: Option<u32>,
    seen: u32,
}

/// What may go wrong in a session.
#[derive(Default)]
struct Faults {
    statuses: Vec<Fault>,
    chunk: Option<usize>,
    empty: u32,
    mute: bool,
}

impl Faults {
    fn parse(text: &str) -> Option<Faults> {
        let mut faults = Faults::default();
        for one in text.split('+').filter(|one| *one != "none") {
            match one.split_once('=') {
                Some(("chunk", n)) => faults.chunk = Some(n.parse().ok()?),
                Some(("empty", n)) => faults.empty = n.parse().ok()?,
                Some((call, status)) => {
                    let (status, at) = match status.split_once('@') {
                        Some((status, at)) => (status, Some(at.parse().ok()?)),
                        None => (status, None),
                    };
                    let status = u32::from_str_radix(status, 16).ok()?.cast_signed();
                    faults.statuses.push(Fault { call: call.to_owned(), status, at, seen: 0 });
                }
                None if one == "mute" => faults.mute = true,
                None => return None,
            }
        }
        Some(faults)
    }

    fn strike(&mut self, call: &str) -> Option<Status> {
        let fault = self.statuses.iter_mut().find(|f| f.call == call)?;
        fault.seen += 1;
        fault.at.is_none_or(|at| at == fault.seen).then_some(fault.status)
    }
}

pub(crate) struct Session {
    stream: TcpStream,
    class: &'static str,
    faults: Faults,
    unread: Vec<u8>,
    time: u32,
    termination: Option<u8>,
    character: u8,
}

impl Session {
    pub(crate) fn open(name: &str, time: u32) -> Result<Session, Status> {
        let (class, mut faults, address) = parse(name).ok_or(INV_RSRC_NAME)?;
        if let Some(status) = faults.strike("viOpen") {
            return Err(status);
        }
        let wait = Duration::from_millis(u64::from(time.max(1)));
        let stream = TcpStream::connect_timeout(&address, wait).map_err(|_| RSRC_NFOUND)?;
        stream.set_nodelay(true).map_err(|_| CONN_LOST)?;
        let (unread, character) = (Vec::new(), b'\n');
        Ok(Session { stream, class, faults, unread, time: 2_000, termination: None, character })
    }

    pub(crate) fn class(&self) -> &'static str {
        self.class
    }
    pub(crate) fn mute(&self) -> bool {
        self.faults.mute
    }

    pub(crate) fn set(&mut self, attribute: u32, value: u32) -> Status {
        if let Some(status) = self.faults.strike("viSetAttribute") {
            return status;
        }
        match attribute {
            ATTR_TMO => self.time = value,
            ATTR_TERMCHAR => self.character = (value & 0xFF) as u8,
            ATTR_TERMCHAR_EN => self.termination = (value != 0).then_some(self.character),
            _ => return NSUP_ATTR,
        }
        SUCCESS
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Status {
        if let Some(status) = self.faults.strike("viWrite") {
            return status;
        }
        if self.stream.write_all(bytes).is_ok() { SUCCESS } else { CONN_LOST }
    }

    /// Up to `most` bytes and why it ended.
    pub(crate) fn read(&mut self, most: usize) -> (Vec<u8>, Status) {
        if self.faults.empty > 0 {
            self.faults.empty -= 1;
            return (Vec::new(), SUCCESS);
        }
        if let Some(status) = self.faults.strike("viRead") {
            return (Vec::new(), status);
        }
        let most = most.min(self.faults.chunk.unwrap_or(usize::MAX));
        let deadline = Instant::now() + Duration::from_millis(u64::from(self.time));
        loop {
            if let Some((n, status)) = self.enough(most) {
                return (self.unread.drain(..n).collect(), status);
            }
            if let Err(status) = self.more(deadline) {
                let n = self.unread.len().min(most);
                return (self.unread.drain(..n).collect(), status);
            }
        }
    }

    /// How many bytes a read gives, once it can end.
    fn enough(&self, most: usize) -> Option<(usize, Status)> {
        let here = self.unread.len().min(most);
        if self.class == "INSTR" {
            let whole = message(&self.unread)?;
            return Some(if whole <= most { (whole, SUCCESS) } else { (most, MAX_CNT) });
        }
        let at = self.termination.and_then(|c| self.unread.iter().take(here).position(|b| *b == c));
        match at {
            Some(at) => Some((at + 1, TERM_CHAR)),
            None if here == most => Some((most, MAX_CNT)),
            None => None,
        }
    }

    fn more(&mut self, deadline: Instant) -> Result<(), Status> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() && self.time != 0 {
            return Err(TMO);
        }
        // "At once" still has to look at what has come; a socket takes no zero.
        self.stream.set_read_timeout(Some(left.max(Duration::from_millis(1)))).map_err(|_| CONN_LOST)?;
        let mut room = [0; 1 << 16];
        match self.stream.read(&mut room) {
            Ok(0) => Err(CONN_LOST),
            Ok(n) => {
                self.unread.extend_from_slice(&room[..n]);
                Ok(())
            }
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Err(TMO),
            Err(_) => Err(CONN_LOST),
        }
    }
}

/// What is left of a message: to its line feed, or a block with its own. A message that is read in pieces ends where
/// its rest has a line feed at its end and nothing behind.
fn message(bytes: &[u8]) -> Option<usize> {
    let digits = match bytes {
        [b'#', n @ b'1'..=b'9', ..] => usize::from(n - b'0'),
        [b'#'] => return None,
        _ => return (bytes.last() == Some(&b'\n')).then_some(bytes.len()),
    };
    let length: usize = std::str::from_utf8(bytes.get(2..2 + digits)?).ok()?.parse().ok()?;
    let whole = 2 + digits + length + 1;
    (bytes.len() >= whole).then_some(whole)
}

fn parse(name: &str) -> Option<(&'static str, Faults, SocketAddr)> {
    let class = |text: &str| ["SOCKET", "INSTR"].into_iter().find(|c| c.eq_ignore_ascii_case(text));
    let address = |host: &str, port: &str| format!("{host}:{port}").parse().ok();
    if let [interface, host, port, "SOCKET"] = *name.split("::").collect::<Vec<_>>() {
        return interface
            .starts_with("TCPIP")
            .then(|| Some(("SOCKET", Faults::default(), address(host, port)?)))?;
    }
    match *name.split('/').collect::<Vec<_>>() {
        ["shim", kind, faults, host, port] => {
            Some((class(kind)?, Faults::parse(faults)?, address(host, port)?))
        }
        _ => None,
    }
}
