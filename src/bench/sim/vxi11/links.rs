//! What the instrument does on its links: the procedures of the core and abort channels (VXI-11 revision 1.0).
//!
//! Each link has its own input and output. A command that comes while an answer is unread drops the answer (IEEE 488.2,
//! query interrupted). Locks, service requests and interrupts are not supported and say so.

use super::rpc::{Reader, Refusal, string, words};
use crate::bench::sim::faults::Fault;
use crate::bench::sim::language::Messages;
use crate::bench::sim::world::Shared;
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What the real instrument says it can receive in one write; it has nothing to do with reads (Q32).
const RECEIVE_SIZE: u32 = 1_500;
/// Links at a time.
const MOST_LINKS: usize = 8;
/// Most that one read gives.
const MOST_READ: usize = 4 << 20;
/// Longest that a read waits for an answer, whatever the client allows.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Error numbers of the standard.
const DEVICE_NOT_ACCESSIBLE: u32 = 3;
const INVALID_LINK: u32 = 4;
const NOT_SUPPORTED: u32 = 8;
const OUT_OF_RESOURCES: u32 = 9;
const TIME_OUT: u32 = 15;
const ABORTED: u32 = 23;

/// Why a read ended.
const REASON_COUNT: u32 = 1;
const REASON_CHARACTER: u32 = 2;
const REASON_END: u32 = 4;

#[derive(Default)]
struct Link {
    input: Messages,
    output: Vec<u8>,
    /// The mark of the end is lost on this answer (Q33).
    unmarked: bool,
    aborts: u64,
}

/// All links.
#[derive(Default)]
pub(super) struct Links {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    next: u32,
    links: BTreeMap<u32, Link>,
}

/// The result of a procedure; `None` cuts the connection.
pub(super) type Outcome = Option<Result<Vec<u8>, Refusal>>;

impl Links {
    /// Wakes readers, so that they see the bench stop.
    pub(super) fn wake(&self) {
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A procedure of the core channel. `made` are the links of this connection, which end with it.
    pub(super) fn core(
        &self,
        procedure: u32,
        arguments: &mut Reader<'_>,
        made: &mut Vec<u32>,
        port: u16,
        shared: &Shared,
    ) -> Outcome {
        let result = match procedure {
            0 => Some(Ok(Vec::new())),
            10 => self.create(arguments, made, port).map(Ok),
            11 => self.write(arguments, shared).map(Ok),
            12 => return self.read(arguments, shared),
            13 => self.status(arguments).map(Ok),
            // Remote and local have no effect on what a client sees.
            15..=17 => self.clear(arguments, procedure == 15).map(Ok),
            14 | 18..=20 | 22 | 25 | 26 => Some(Ok(words(&[NOT_SUPPORTED, 0]))),
            23 => arguments.word().map(|id| Ok(words(&[self.destroy(id)]))),
            _ => Some(Err(Refusal::NoProcedure)),
        };
        Some(result.unwrap_or(Err(Refusal::BadArguments)))
    }

    /// The one procedure of the abort channel.
    pub(super) fn abort(&self, procedure: u32, arguments: &mut Reader<'_>) -> Outcome {
        let id = match procedure {
            0 => return Some(Ok(Vec::new())),
            1 => arguments.word(),
            _ => return Some(Err(Refusal::NoProcedure)),
        };
        let Some(id) = id else { return Some(Err(Refusal::BadArguments)) };
        let known = self.lock().links.get_mut(&id).map(|link| link.aborts += 1);
        self.changed.notify_all();
        Some(Ok(words(&[if known.is_some() { 0 } else { INVALID_LINK }])))
    }

    /// Ends a link.
    pub(super) fn destroy(&self, id: u32) -> u32 {
        if self.lock().links.remove(&id).is_some() { 0 } else { INVALID_LINK }
    }

    fn create(&self, arguments: &mut Reader<'_>, made: &mut Vec<u32>, port: u16) -> Option<Vec<u8>> {
        let (_client, lock, _wait) = (arguments.word()?, arguments.word()?, arguments.word()?);
        let device = arguments.string()?;
        let mut state = self.lock();
        let error = match () {
            () if !device.eq_ignore_ascii_case(b"inst0") => DEVICE_NOT_ACCESSIBLE,
            () if lock != 0 => NOT_SUPPORTED,
            () if state.links.len() >= MOST_LINKS => OUT_OF_RESOURCES,
            () => 0,
        };
        if error != 0 {
            return Some(words(&[error, 0, 0, 0]));
        }
        state.next = state.next.wrapping_add(1);
        let id = state.next;
        state.links.insert(id, Link::default());
        made.push(id);
        // Core and abort channel share one port: a call names its program.
        Some(words(&[0, id, u32::from(port), RECEIVE_SIZE]))
    }

    fn write(&self, arguments: &mut Reader<'_>, shared: &Shared) -> Option<Vec<u8>> {
        const END: u32 = 8;
        let (id, _time, _lock) = (arguments.word()?, arguments.word()?, arguments.word()?);
        let (flags, data) = (arguments.word()?, arguments.string()?);
        let mut messages = Vec::new();
        {
            let mut state = self.lock();
            let Some(link) = state.links.get_mut(&id) else { return Some(words(&[INVALID_LINK, 0])) };
            link.output.clear();
            link.input.extend(data);
            if flags & END != 0 && data.last() != Some(&b'\n') {
                link.input.extend(b"\n");
            }
            while let Some(message) = link.input.next() {
                messages.push(message);
            }
        }
        // Not under the lock: what the instrument does takes time, and an abort must get through.
        for message in messages {
            self.answer(id, shared.scope(message.as_deref().ok()).bytes, shared);
        }
        Some(words(&[0, u32::try_from(data.len()).unwrap_or(0)]))
    }

    fn answer(&self, id: u32, bytes: Vec<u8>, shared: &Shared) {
        let unmarked = !bytes.is_empty() && shared.strikes(Fault::LostEnd);
        if let Some(link) = self.lock().links.get_mut(&id) {
            link.unmarked = unmarked;
            link.output.extend(bytes);
        }
        self.changed.notify_all();
    }

    fn read(&self, arguments: &mut Reader<'_>, shared: &Shared) -> Outcome {
        let Some([id, size, time, _lock_time, flags, character]) = take(arguments) else {
            return Some(Err(Refusal::BadArguments));
        };
        let (mut state, outcome) = self.wait(id, Duration::from_millis(u64::from(time)), shared);
        let link = match (outcome, state.links.get_mut(&id)) {
            (0, Some(link)) => link,
            (0, None) => return Some(Ok(empty(INVALID_LINK))),
            (error, _) => return Some(Ok(empty(error))),
        };
        const BY_CHARACTER: u32 = 128;
        let stop = u8::try_from(character & 0xFF).ok().filter(|_| flags & BY_CHARACTER != 0);
        let size = usize::try_from(size).unwrap_or(MOST_READ).min(MOST_READ);
        let (data, reason) = part(link, size, stop);
        drop(state);
        if shared.strikes(Fault::Drop) {
            return None;
        }
        let mut results = words(&[0, reason]);
        results.extend(string(&data));
        Some(Ok(results))
    }

    /// Waits for an answer: 0 when there is one, else the error.
    fn wait(&self, id: u32, time: Duration, shared: &Shared) -> (MutexGuard<'_, State>, u32) {
        let mut state = self.lock();
        let aborts = state.links.get(&id).map_or(0, |link| link.aborts);
        let waits = |state: &mut State| {
            let link = state.links.get(&id);
            !shared.stopping() && link.is_some_and(|l| l.output.is_empty() && l.aborts == aborts)
        };
        let (guard, timed) = self
            .changed
            .wait_timeout_while(state, time.min(LONGEST_WAIT), waits)
            .unwrap_or_else(PoisonError::into_inner);
        state = guard;
        let aborted = state.links.get(&id).is_some_and(|link| link.aborts != aborts);
        let error = match () {
            () if aborted || shared.stopping() => ABORTED,
            () if timed.timed_out() => TIME_OUT,
            () => 0,
        };
        (state, error)
    }

    fn status(&self, arguments: &mut Reader<'_>) -> Option<Vec<u8>> {
        const MESSAGE_AVAILABLE: u32 = 16;
        let id = arguments.word()?;
        let state = self.lock();
        Some(match state.links.get(&id) {
            Some(link) if !link.output.is_empty() => words(&[0, MESSAGE_AVAILABLE]),
            Some(_) => words(&[0, 0]),
            None => words(&[INVALID_LINK, 0]),
        })
    }

    fn clear(&self, arguments: &mut Reader<'_>, really: bool) -> Option<Vec<u8>> {
        let id = arguments.word()?;
        let mut state = self.lock();
        let Some(link) = state.links.get_mut(&id) else { return Some(words(&[INVALID_LINK])) };
        if really {
            link.output.clear();
            link.input = Messages::default();
        }
        Some(words(&[0]))
    }
}

/// What a read of `size` bytes takes, and why it ends.
fn part(link: &mut Link, size: usize, stop: Option<u8>) -> (Vec<u8>, u32) {
    let mut reason = 0;
    let mut n = size.min(link.output.len());
    let stopped = stop.and_then(|c| link.output.iter().take(n).position(|b| *b == c));
    if let Some(at) = stopped {
        n = at + 1;
        reason |= REASON_CHARACTER;
    }
    if n == size {
        reason |= REASON_COUNT;
    }
    let data: Vec<u8> = link.output.drain(..n).collect();
    if link.output.is_empty() && !link.unmarked {
        reason |= REASON_END;
    }
    (data, reason)
}

fn take<const N: usize>(arguments: &mut Reader<'_>) -> Option<[u32; N]> {
    let mut words = [0; N];
    for word in &mut words {
        *word = arguments.word()?;
    }
    Some(words)
}

fn empty(error: u32) -> Vec<u8> {
    words(&[error, 0, 0])
}
