//! What a status says about an acquisition: a pure function of what was known, what was seen, and when.
//!
//! The status of this family is late (Q01): behind `:SINGle` it may still say STOP of the acquisition before, and two
//! queries close together may be answered out of order. There is no trigger event to ask for (Q04). So a STOP is believed
//! only when it cannot be the old one: behind a status that is not STOP and far enough from it, or, where the stimulus
//! runs free and may trigger before a query sees the scope wait (Q03), after the longest lag.

use super::models::Behaviour;
use crate::units::Picos;

/// `:TRIGger:STATus?`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Filling the memory before the trigger.
    Run,
    /// Waiting for the trigger.
    Wait,
    /// Triggered, filling the memory behind it.
    Triggered,
    /// Running without a trigger.
    Auto,
    /// Stopped.
    Stop,
    /// Something this program does not know.
    Other,
}

impl Status {
    /// Reads an answer; older models write `T'D`, some firmware `FIN`.
    #[must_use]
    pub fn parse(text: &str) -> Status {
        match text.trim().to_ascii_uppercase().as_str() {
            "RUN" => Status::Run,
            "WAIT" => Status::Wait,
            "TD" | "T'D" => Status::Triggered,
            "AUTO" => Status::Auto,
            "STOP" | "FIN" => Status::Stop,
            _ => Status::Other,
        }
    }
}

/// What is known of an acquisition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Started; no status since then could not be an old one.
    Started,
    /// It has left STOP.
    Running {
        /// When that was seen.
        since: Picos,
    },
    /// It waits for its trigger, or did.
    Waiting {
        /// When that was seen first.
        since: Picos,
    },
    /// It has stopped, beyond doubt.
    Stopped,
}

/// How far a status can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trust {
    /// When `:SINGle` was sent.
    pub started: Picos,
    /// A STOP is believed this long after that, without any other status before. `None` where a stimulus cannot have come
    /// yet, so that STOP only means that the acquisition has not begun.
    pub settle: Option<Picos>,
    /// Statuses closer than this may be out of order.
    pub jitter: Picos,
}

impl Trust {
    /// For an acquisition started at `started`; `gated` when the stimulus is known to be silent.
    #[must_use]
    pub fn new(behaviour: &Behaviour, started: Picos, gated: bool) -> Trust {
        Trust { started, settle: (!gated).then_some(behaviour.status_lag), jitter: behaviour.status_jitter }
    }
}

impl Phase {
    /// What is known after `status` was seen at `now`.
    #[must_use]
    pub fn after(self, status: Status, now: Picos, trust: &Trust) -> Phase {
        match (self, status) {
            (Phase::Stopped, _) | (_, Status::Other) => self,
            (Phase::Waiting { since } | Phase::Running { since }, Status::Stop) => {
                if now - since >= trust.jitter { Phase::Stopped } else { self }
            }
            (Phase::Started, Status::Stop) => match trust.settle {
                Some(settle) if now - trust.started >= settle => Phase::Stopped,
                _ => self,
            },
            (Phase::Waiting { .. }, _) => self,
            (_, Status::Wait) => Phase::Waiting { since: now },
            (Phase::Running { .. }, _) => self,
            (Phase::Started, _) => Phase::Running { since: now },
        }
    }

    /// It was seen waiting.
    #[must_use]
    pub fn waited(self) -> bool {
        matches!(self, Phase::Waiting { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: fn(i64) -> Picos = Picos::from_ms;
    const GATED: Trust = Trust { started: Picos::ZERO, settle: None, jitter: Picos::from_ms(60) };
    const FREE: Trust = Trust { settle: Some(Picos::from_ms(200)), ..GATED };

    fn play(trust: &Trust, seen: &[(i64, &str)]) -> Phase {
        seen.iter().fold(Phase::Started, |p, (ms, s)| p.after(Status::parse(s), MS(*ms), trust))
    }

    #[test]
    fn a_gated_acquisition_is_never_stopped_before_it_was_seen_running() {
        assert_eq!(play(&GATED, &[(5, "STOP"), (900, "STOP")]), Phase::Started);
        assert_eq!(
            play(&GATED, &[(5, "STOP"), (110, "RUN"), (120, "WAIT")]),
            Phase::Waiting { since: MS(120) }
        );
        assert_eq!(play(&GATED, &[(110, "WAIT"), (300, "STOP")]), Phase::Stopped);
        assert_eq!(play(&GATED, &[(110, "RUN"), (120, "TD"), (300, "STOP")]), Phase::Stopped);
    }

    #[test]
    fn a_stop_just_behind_wait_may_be_the_old_one() {
        assert_eq!(play(&GATED, &[(110, "WAIT"), (120, "STOP")]), Phase::Waiting { since: MS(110) });
        assert_eq!(play(&GATED, &[(110, "WAIT"), (120, "STOP"), (170, "STOP")]), Phase::Stopped);
    }

    #[test]
    fn with_a_free_stimulus_stop_counts_after_the_lag() {
        assert_eq!(play(&FREE, &[(5, "STOP"), (199, "STOP")]), Phase::Started);
        assert_eq!(play(&FREE, &[(5, "STOP"), (200, "STOP")]), Phase::Stopped);
    }

    #[test]
    fn what_is_not_known_changes_nothing() {
        assert_eq!(play(&FREE, &[(500, "SAUSAGE"), (600, "")]), Phase::Started);
        assert_eq!(Status::parse("t'd"), Status::Triggered);
    }

    proptest! {
        /// The claim the counted pairs rest on. An acquisition starts at 0 out of STOP, waits from `fill` on, is fired
        /// after it was seen waiting, and stops; each status is up to `lag` old, the oldest and the newest 60 ms apart.
        #[test]
        fn a_gated_stop_is_believed_only_after_the_real_one(
            fill in 0i64..150, fire in 0i64..80, length in 0i64..40,
            lags in prop::collection::vec(100i64..160, 200),
        ) {
            let mut phase = Phase::Started;
            let mut stopped_at = None;
            for (k, lag) in lags.iter().enumerate() {
                let now = 7 * (k as i64 + 1);
                let at = now - lag;
                let status = match stopped_at {
                    _ if at < 0 => Status::Stop,
                    Some(stop) if at >= stop => Status::Stop,
                    _ if at < fill => Status::Run,
                    _ => Status::Wait,
                };
                phase = phase.after(status, MS(now), &GATED);
                if phase.waited() && stopped_at.is_none() {
                    stopped_at = Some(now + fire + length);
                }
                if phase == Phase::Stopped {
                    prop_assert!(stopped_at.is_some_and(|stop| stop <= now));
                    return Ok(());
                }
            }
            prop_assert!(false, "never believed");
        }
    }
}
