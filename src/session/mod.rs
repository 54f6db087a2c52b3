//! One run: [`Recording`] drives a bench by a plan into a run folder, [`analyze`] turns a run folder into a report.
//!
//! It refuses to know a number that is not in the evidence: `measure` prints what `analyze` of its own run gives.

mod analyze;
mod configuration;
mod error;
mod event;
mod record;
mod waveform;

pub use analyze::analyze;
pub use error::SessionError;
pub use event::Event;
pub use record::Recording;
pub use waveform::worst_waveforms;
