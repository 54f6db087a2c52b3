//! The only room that speaks to instruments.
//!
//! Its seams are narrow: an [`Oscilloscope`] has five verbs (and `restore`), a [`DutLink`] speaks the requests of
//! `latency-protocol`, a [`Clock`] is the only source of time. [`Armed`] and [`Triggered`] are tokens without `Clone`
//! and with private fields, so that a record cannot be fetched twice or without a trigger.
//!
//! It refuses: settings that read back differently, records whose freshness cannot be shown, and going on after a
//! time-out on the same connection (the late answer would be taken for the next one, Q23).

pub mod clock;
pub mod discover;
pub mod ds1000z;
pub mod dut;
mod error;
mod open;
pub mod scpi;
pub mod sim;
mod socket;
mod transcript;

pub use error::BenchError;
pub use open::{Opened, open, open_dut, open_scope, open_virtual, open_virtual_by};
pub use transcript::Transcript;

pub use crate::plan::{Hello, Identity};

use crate::plan::{Applied, Capabilities, Extent, Reading, Setup};
use crate::signal::Shot;
use crate::units::Picos;

/// The acquisition is running and will stop at its trigger. Made by `arm` only.
#[derive(Debug)]
pub struct Armed {
    pub(in crate::bench) shot: u32,
    pub(in crate::bench) seen_waiting: bool,
    pub(in crate::bench) statuses: Vec<String>,
}

impl Armed {
    /// The scope was seen waiting for its trigger.
    #[must_use]
    pub fn seen_waiting(&self) -> bool {
        self.seen_waiting
    }
}

/// The acquisition has triggered and stopped. Made by `wait` only.
#[derive(Debug)]
pub struct Triggered {
    pub(in crate::bench) shot: u32,
    pub(in crate::bench) seen_waiting: bool,
    pub(in crate::bench) statuses: Vec<String>,
}

/// A digital oscilloscope, in five verbs. Each is a whole transaction with a deadline.
pub trait Oscilloscope {
    /// Who it is. Reads only: connecting changes nothing.
    fn identity(&self) -> &Identity;
    /// What it can do, measured link figures included.
    fn capabilities(&self) -> &Capabilities;
    /// The behaviour rows in force, for the evidence.
    fn behaviour(&self) -> serde_json::Value;
    /// Sets everything, reads everything back, compares.
    ///
    /// # Errors
    /// When a setting reads back differently, or the exchange fails.
    fn apply(&mut self, setup: &Setup) -> Result<Applied, BenchError>;
    /// Starts one acquisition. With `gated` the stimulus is known to be silent, so the scope must be *seen* waiting;
    /// without, it may trigger before a poll sees it, and freshness rests on settle time and comparison.
    ///
    /// # Errors
    /// When it is not seen waiting in time, or the exchange fails.
    fn arm(&mut self, gated: bool) -> Result<Armed, BenchError>;
    /// From now on, arming and waiting end with [`BenchError::Interrupted`] when `stop` is set.
    fn interrupt_by(&mut self, stop: std::sync::Arc<std::sync::atomic::AtomicBool>);
    /// Waits until the acquisition has stopped.
    ///
    /// # Errors
    /// [`BenchError::NoTrigger`] after `timeout`, naming the last status.
    fn wait(&mut self, armed: Armed, timeout: Picos) -> Result<Triggered, BenchError>;
    /// Reads both channels of the stopped record inside `extent`.
    ///
    /// # Errors
    /// As [`Oscilloscope::read`].
    fn fetch(&mut self, triggered: Triggered, extent: Extent) -> Result<Shot, BenchError> {
        self.read(triggered, &Reading::Whole(extent))
    }
    /// Reads those parts of the stopped record.
    ///
    /// # Errors
    /// [`BenchError::Stale`] for a record that is the one before; transfer errors.
    fn read(&mut self, triggered: Triggered, reading: &Reading) -> Result<Shot, BenchError>;
    /// Measures the link with real blocks, so that [`Oscilloscope::capabilities`] has figures to plan with. Stops the
    /// acquisition that runs and changes settings, which [`Oscilloscope::restore`] puts back. What cannot be measured
    /// stays assumed.
    ///
    /// # Errors
    /// When the connection is lost for good, or the user stops.
    fn gauge(&mut self) -> Result<(), BenchError> {
        Ok(())
    }
    /// Puts back every setting that was changed. Called at the end, also after an error.
    ///
    /// # Errors
    /// When the exchange fails; what could be restored is.
    fn restore(&mut self) -> Result<(), BenchError>;
    /// One raw query, for `scope query`; a command without `?` gives an empty text.
    ///
    /// # Errors
    /// When there is no answer in time.
    fn query(&mut self, command: &str) -> Result<String, BenchError>;
    /// The screen as a PNG (or BMP, where the firmware has no PNG).
    ///
    /// # Errors
    /// When the exchange fails.
    fn screenshot(&mut self) -> Result<Vec<u8>, BenchError>;
    /// Bytes of waveform data received so far.
    fn bytes_read(&self) -> u64;
}

/// The link to the board's firmware.
pub trait DutLink {
    /// Who it is; asked at connect.
    fn hello(&self) -> &Hello;
    /// Selects a mode and insists on its echo.
    ///
    /// # Errors
    /// [`BenchError::NoSuchMode`], or the exchange fails.
    fn select(&mut self, mode: &str) -> Result<(), BenchError>;
    /// The mode in force.
    ///
    /// # Errors
    /// When the exchange fails.
    fn mode(&mut self) -> Result<String, BenchError>;
    /// Switches a background load.
    ///
    /// # Errors
    /// When the image lacks it, or the exchange fails.
    fn load(&mut self, name: &str, on: bool) -> Result<(), BenchError>;
    /// Response low, counters cleared.
    ///
    /// # Errors
    /// When the exchange fails.
    fn arm(&mut self) -> Result<(), BenchError>;
    /// Fires a train in the background.
    ///
    /// # Errors
    /// When the board refuses it, or the exchange fails.
    fn fire(&mut self, train: latency_protocol::Train) -> Result<(), BenchError>;
    /// What the board itself counted.
    ///
    /// # Errors
    /// When the exchange fails.
    fn count(&mut self) -> Result<latency_protocol::Count, BenchError>;
    /// Ends any train. Called at the end, also after an error.
    ///
    /// # Errors
    /// When the exchange fails.
    fn idle(&mut self) -> Result<(), BenchError>;
}

/// The source of time. Nothing else may ask for the time or sleep.
pub trait Clock: Send + Sync {
    /// Time since an arbitrary start, never going back.
    fn now(&self) -> Picos;
    /// Lets time pass.
    fn sleep(&self, duration: Picos);
}

/// An opened bench.
pub struct Bench {
    /// The scope.
    pub scope: Box<dyn Oscilloscope>,
    /// The board, absent with `--dut none`.
    pub dut: Option<Box<dyn DutLink>>,
    /// Time.
    pub clock: std::sync::Arc<dyn Clock>,
    /// The simulated instruments, which must live as long as the connections to them; dropped last.
    #[expect(dead_code, reason = "holds the simulated instruments alive")]
    keep: Option<sim::VirtualBench>,
}

impl Bench {
    /// A bench of instruments that need nothing else to live.
    #[must_use]
    pub fn new(
        scope: Box<dyn Oscilloscope>,
        dut: Option<Box<dyn DutLink>>,
        clock: std::sync::Arc<dyn Clock>,
    ) -> Bench {
        Bench { scope, dut, clock, keep: None }
    }
}
