//! Progress on stderr: pairs, current median and worst, rate, time left. Silent when stderr is no terminal.

use crate::session::Event;
use crate::units::Picos;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shows events as they come.
pub(super) struct Progress {
    bar: ProgressBar,
    verbose: bool,
}

impl Progress {
    /// `quiet` shows nothing but warnings.
    pub fn new(quiet: bool, verbose: bool) -> Progress {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        let style = ProgressStyle::with_template(
            "{prefix:20} {bar:24} {pos}/{len} pairs  {msg}  {per_sec}  ETA {eta}",
        );
        if let Ok(style) = style {
            bar.set_style(style);
        }
        Progress { bar, verbose }
    }

    /// Takes note of one event.
    pub fn observe(&mut self, event: &Event) {
        match event {
            Event::Connected { scope, dut } if self.verbose => {
                self.line(&format!("scope {scope}; board {}", dut.as_deref().unwrap_or("none")));
            }
            Event::Started { configuration, wanted, predicted } => {
                self.bar.reset();
                self.bar.set_length(u64::from(*wanted));
                self.bar.set_prefix(configuration.clone());
                if self.verbose {
                    self.line(&format!("{configuration}: {wanted} pairs, about {predicted}"));
                }
            }
            Event::Shot { pairs, median, worst, .. } => {
                self.bar.set_position(*pairs);
                self.bar.set_message(format!("median {} worst {}", shown(*median), shown(*worst)));
            }
            Event::Discarded { configuration, why, .. } => {
                self.line(&format!("warning: {configuration}: {why}"))
            }
            Event::Skipped { configuration, why } => {
                self.line(&format!("warning: {configuration} is not measured: {why}"))
            }
            Event::Finished { configuration, pairs, elapsed, predicted } if self.verbose => {
                let error = error(*predicted, *elapsed);
                self.line(&format!(
                    "{configuration}: {pairs} pairs in {elapsed}, predicted {predicted}{error}"
                ));
            }
            _ => {}
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn line(&self, text: &str) {
        self.bar.suspend(|| eprintln!("{text}"));
    }
}

/// How far the prediction was off.
fn error(predicted: Picos, elapsed: Picos) -> String {
    if elapsed <= Picos::ZERO {
        return String::new();
    }
    let off = (predicted - elapsed).as_seconds() / elapsed.as_seconds() * 100.0;
    format!(" ({off:+.0} %)")
}

fn shown(time: Option<Picos>) -> String {
    time.map_or_else(|| "-".to_owned(), |t| t.to_string())
}
