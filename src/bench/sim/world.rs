//! The shared state behind both wires, and the time that exchanges cost.

use super::board::{Board, Response};
use super::cost;
use super::faults::{Fault, Faults};
use super::run::{Run, World};
use super::scope::{Outcome, Scope};
use super::truth::Truth;
use crate::bench::Clock;
use crate::units::Picos;
use latency_protocol::LineError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Longest stretch that is slept at once, so that a bench that is dropped ends soon.
const SLICE: Picos = Picos::from_ms(50);

struct State {
    board: Board,
    scope: Scope,
    faults: Faults,
    truth: Truth,
    exchanges: u64,
}

/// The bench as its servers see it.
pub(super) struct Shared {
    pub(super) clock: Arc<dyn Clock>,
    state: Mutex<State>,
    stopping: AtomicBool,
    seed: u64,
    /// Mean of a query.
    latency: Picos,
}

impl Shared {
    /// Puts the parts together.
    pub(super) fn new(
        clock: Arc<dyn Clock>,
        (seed, latency): (u64, Picos),
        board: Board,
        scope: Scope,
        faults: Faults,
        truth: Truth,
    ) -> Shared {
        let state = State { board, scope, faults, truth, exchanges: 0 };
        Shared { clock, state: Mutex::new(state), stopping: AtomicBool::new(false), seed, latency }
    }

    /// A panic in another thread has nothing to do with the state: it is whole between two exchanges.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bench is being dropped.
    pub(super) fn stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }
    /// Asks all threads to end.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }

    /// Lets time pass: the clock's own for stepped time, the wall's for realistic timing.
    pub(super) fn spend(&self, mut time: Picos) {
        while time > Picos::ZERO && !self.stopping() {
            let part = Picos(time.0.min(SLICE.0));
            self.clock.sleep(part);
            time = time - part;
        }
    }

    /// One message to the scope, with its cost in time.
    pub(super) fn scope(&self, message: Option<&[u8]>) -> Outcome {
        let exchange = {
            let mut state = self.lock();
            state.exchanges += 1;
            state.exchanges
        };
        self.spend(cost::latency(self.seed, exchange, message, self.latency));
        let outcome = self.carry_out(message);
        self.spend(outcome.cost);
        outcome
    }

    fn carry_out(&self, message: Option<&[u8]>) -> Outcome {
        let mut state = self.lock();
        let State { board, scope, faults, truth, .. } = &mut *state;
        let mut world = World { now: self.clock.now(), schedule: &board.schedule, faults, truth };
        match message {
            Some(message) => scope.execute(message, &mut world),
            None => {
                scope.overrun();
                Outcome::default()
            }
        }
    }

    /// One line to the board, with its time on the serial line.
    pub(super) fn board(&self, line: Result<&str, LineError>) -> Response {
        self.spend(cost::uart(line.map_or(0, str::len) + 1));
        let response = {
            let mut state = self.lock();
            let now = self.clock.now();
            let State { board, scope, faults, truth, .. } = &mut *state;
            // What the scope saw until now is settled before the board changes what it will see.
            let mut world = World { now, schedule: &board.schedule, faults, truth };
            scope.run.settle(&scope.settings, &mut world);
            board.answer(line, now, Run::looks_back(&scope.settings), faults)
        };
        if let Response::Line(bytes) = &response {
            self.spend(cost::uart(bytes.len()));
        }
        response
    }

    /// A client of the scope connected.
    pub(super) fn scope_connected(&self) {
        self.lock().scope.reconnected();
    }

    /// The link to the board was closed.
    pub(super) fn board_released(&self) {
        let mut state = self.lock();
        let now = self.clock.now();
        let State { board, scope, faults, truth, .. } = &mut *state;
        let mut world = World { now, schedule: &board.schedule, faults, truth };
        scope.run.settle(&scope.settings, &mut world);
        board.released(now, Run::looks_back(&scope.settings));
    }

    /// Whether a habit strikes now.
    pub(super) fn strikes(&self, fault: Fault) -> bool {
        self.lock().faults.strike(fault)
    }
}
