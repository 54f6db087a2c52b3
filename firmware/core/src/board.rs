//! What the console asks of a board.

use latency_protocol::{Count, Identity, Train};

/// The conditions a measurement is made under, as the board reads them back from its own registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conditions {
    /// Core clock in hertz.
    pub clock_hz: u32,
    /// What drives it: `xtal`, `rc`, or `none` where the board cannot tell.
    pub source: &'static str,
    /// `low-latency` or `low-power`; `none` on a chip without such a setting.
    pub gpiote: &'static str,
    /// `on`, `off`, or `none` where there is no cache.
    pub cache: &'static str,
    /// Where the first instruction of the measured interrupt lies: `ram`, `flash`, or `none` in a mode without one.
    pub isr: &'static str,
    /// NVIC priority of the measured interrupt, 0 the most urgent.
    pub priority: u8,
    /// What started the board: `power`, `pin`, `watchdog`, `soft`, `lockup`.
    pub reset: &'static str,
}

/// What went wrong with a train.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The bookkeeping of the train stands still.
    Stuck,
    /// The bookkeeping came so late that the next stimulus could not be placed where the host expects it.
    Late,
}

impl Fault {
    /// The word in `CONF?`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Fault::Stuck => "stuck",
            Fault::Late => "late",
        }
    }
}

/// A board with its runtime: what the image really is.
///
/// Indices count the names that the board itself gave, from 0.
pub trait Board {
    /// Who is there.
    fn identity(&self) -> Identity<'static>;
    /// The conditions, read back.
    fn conditions(&self) -> Conditions;
    /// Names of the modes this image has.
    fn modes(&self) -> impl Iterator<Item = &'static str>;
    /// Index of the mode in force.
    fn mode(&self) -> usize;
    /// Switches the mode; the output is low afterwards and no edge is pending.
    fn select(&mut self, mode: usize);
    /// Names of the background loads this image has.
    fn loads(&self) -> impl Iterator<Item = &'static str>;
    /// Whether a load is on.
    fn loaded(&self, load: usize) -> bool;
    /// Switches a load.
    fn load(&mut self, load: usize, on: bool);
    /// Output low, pending edge dropped, counters, log and fault cleared.
    fn arm(&mut self);
    /// Smallest spacing in microseconds that the mode in force can serve.
    fn min_gap_us(&self) -> u32;
    /// Starts a train in the background. Only called when none runs, and never below [`Board::min_gap_us`].
    fn start(&mut self, train: Train);
    /// Ends a train, if one runs.
    fn stop(&mut self);
    /// The counters since [`Board::arm`] and whether a train runs.
    fn count(&self) -> Count;
    /// Unit of the capture log in hertz; 0 when the board has none.
    fn log_hz(&self) -> u32;
    /// The oldest entry of the capture log.
    fn pop(&mut self) -> Option<u32>;
    /// Called again and again from the main loop: feeds the hardware watchdog, does what the board does by polling, and
    /// reports a train that does not go on. The console then calls [`Board::stop`].
    fn service(&mut self) -> Option<Fault>;
}
