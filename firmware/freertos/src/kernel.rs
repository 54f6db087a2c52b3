//! The five functions of `c/shim.c`, with what each asks of its caller.

use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

type Body = extern "C" fn(*mut c_void);
/// A function for the timer daemon.
pub type Deferred = extern "C" fn(*mut c_void, u32);

unsafe extern "C" {
    fn fw_task(slot: u32, body: Body, priority: u32) -> *mut c_void;
    fn fw_notify_from_isr(task: *mut c_void);
    fn fw_wait();
    fn fw_pend_from_isr(function: Deferred);
    fn fw_run();
}

const WORKER_SLOT: u32 = 0;
const CONSOLE_SLOT: u32 = 1;
const WORKER_PRIORITY: u32 = 6;
const CONSOLE_PRIORITY: u32 = 1;

static WORKER: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// Starts the kernel with a task that answers edges and one that serves the console. Comes back only when the kernel could
/// not start.
pub fn run(worker: Body, console: Body) {
    // SAFETY: called once, by start-up code, before the scheduler runs; both bodies never return.
    let task = unsafe { fw_task(WORKER_SLOT, worker, WORKER_PRIORITY) };
    WORKER.store(task, Ordering::Relaxed);
    // SAFETY: as above, another slot.
    let console = unsafe { fw_task(CONSOLE_SLOT, console, CONSOLE_PRIORITY) };
    if task.is_null() || console.is_null() {
        return;
    }
    // SAFETY: both tasks exist, and the exceptions of the kernel (SVCall, PendSV, SysTick) are linked into the table.
    unsafe { fw_run() };
}

/// Wakes the worker. For an interrupt at the kernel's ceiling or below.
#[inline(always)]
pub fn notify_worker_from_isr() {
    // SAFETY: the handle is that of a task that never ends, stored before the scheduler started; no edge is answered before
    // that. Callers are handlers of modes at the ceiling, from which the kernel may be called.
    unsafe { fw_notify_from_isr(WORKER.load(Ordering::Relaxed)) };
}

/// Sleeps until notified. For the worker.
pub fn wait() {
    // SAFETY: called by a task only, outside any critical section.
    unsafe { fw_wait() };
}

/// Lets the timer daemon call `function`. For an interrupt at the kernel's ceiling or below.
#[inline(always)]
pub fn pend_from_isr(function: Deferred) {
    // SAFETY: the daemon was created with the scheduler; callers as in `notify_worker_from_isr`; the function takes both of
    // the daemon's arguments and uses neither.
    unsafe { fw_pend_from_isr(function) };
}
