//! Who is there. Reads only: connecting changes nothing.

use super::models::{self, Behaviour};
use super::{Ds1000z, recovery, wrong_reply};
use crate::bench::scpi::Dialogue;
use crate::bench::{BenchError, Clock, Identity};
use crate::units::Picos;
use std::sync::Arc;

/// Tries for a usable identity: empty and partial ones come now and then (Q26).
const IDENTITY_TRIES: u32 = 3;
/// Queries whose median is the round trip.
const ROUND_TRIPS: usize = 5;

impl Ds1000z {
    /// Asks who is at the other end of `dialogue` and how fast it answers.
    ///
    /// # Errors
    /// When it does not answer, is not of this family, or does not answer over the network (Q26).
    pub fn connect(dialogue: Dialogue, clock: Arc<dyn Clock>) -> Result<Ds1000z, BenchError> {
        Ds1000z::connect_with(dialogue, clock, |_| {})
    }

    /// As [`Ds1000z::connect`], with a last word on the behaviour: so a test can take a remedy away.
    ///
    /// # Errors
    /// As [`Ds1000z::connect`].
    pub fn connect_with(
        mut dialogue: Dialogue,
        clock: Arc<dyn Clock>,
        adjust: impl FnOnce(&mut Behaviour),
    ) -> Result<Ds1000z, BenchError> {
        let identity = identify(&mut dialogue)?;
        let (mut capabilities, mut behaviour) = models::resolve(&identity)?;
        adjust(&mut behaviour);
        capabilities.block_points = behaviour.block_points;
        capabilities.link.round_trip = round_trip(&mut dialogue, clock.as_ref())?;
        capabilities.link.measured = true;
        dialogue.pace(behaviour.confirm, behaviour.gap);
        Ok(Ds1000z {
            dialogue,
            clock,
            identity,
            capabilities,
            behaviour,
            saved: None,
            active: None,
            pending: None,
            stopped_since: None,
            shots: 0,
            last: None,
            recoveries: recovery::Recoveries::default(),
            bytes_read: 0,
            one_line: false,
            stop: Arc::default(),
        })
    }
}

/// Asks until an identity can be read, over a new connection where the old one failed.
fn identify(dialogue: &mut Dialogue) -> Result<Identity, BenchError> {
    let mut result = ask_identity(dialogue);
    for _ in 1..IDENTITY_TRIES {
        match &result {
            Ok(_) => break,
            Err(e) if recovery::recoverable(e) => {
                dialogue.reconnect().map_err(|e| unreachable(dialogue, e))?
            }
            Err(_) => {}
        }
        result = ask_identity(dialogue);
    }
    result.map_err(|e| unreachable(dialogue, e))
}

/// A connection that is taken and closed again has its own reasons.
fn unreachable(dialogue: &Dialogue, error: BenchError) -> BenchError {
    match error {
        BenchError::Link { source, .. } => BenchError::Unreachable {
            what: "scope",
            at: dialogue.name().to_owned(),
            source,
            advice: "it takes connections but drops them: is a USB cable plugged in (it takes LAN away, Q27), or \
                     another program connected (one client only, Q28)?",
        },
        other => other,
    }
}

pub(super) fn ask_identity(dialogue: &mut Dialogue) -> Result<Identity, BenchError> {
    let reply = dialogue.ask("*IDN?")?;
    parse_identity(&reply)
}

/// `RIGOL TECHNOLOGIES,<model>,<serial>,<firmware>`, blanks tolerated.
pub(super) fn parse_identity(reply: &str) -> Result<Identity, BenchError> {
    if reply.to_ascii_lowercase().contains("command error") {
        let why = "remote control over LAN is off: set Utility > IO Setting > RemoteIO > LAN to ON (Q26)";
        return Err(wrong_reply("*IDN?", reply, why));
    }
    let fields: Vec<&str> = reply.split(',').map(str::trim).collect();
    match fields.as_slice() {
        [manufacturer, model, serial, firmware, ..] if !model.is_empty() && !firmware.is_empty() => {
            Ok(Identity {
                manufacturer: (*manufacturer).to_owned(),
                model: (*model).to_owned(),
                serial: (*serial).to_owned(),
                firmware: (*firmware).to_owned(),
            })
        }
        _ => Err(wrong_reply(
            "*IDN?",
            reply,
            "an identity has four fields; is this the SCPI port of the scope?",
        )),
    }
}

fn round_trip(dialogue: &mut Dialogue, clock: &dyn Clock) -> Result<Picos, BenchError> {
    let mut times = Vec::new();
    for _ in 0..ROUND_TRIPS {
        let before = clock.now();
        if let Err(e) = dialogue.ask("*IDN?") {
            if !recovery::recoverable(&e) {
                return Err(e);
            }
            dialogue.reconnect()?;
            continue;
        }
        times.push(clock.now() - before);
    }
    times.sort_unstable();
    Ok(times.get(times.len() / 2).copied().unwrap_or(Picos::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_are_read_with_blanks_and_surplus_fields() {
        let identity = parse_identity("RIGOL TECHNOLOGIES, DS1074Z Plus ,DS1ZA1,00.04.04.SP4,x").unwrap();
        assert_eq!((identity.model.as_str(), identity.firmware.as_str()), ("DS1074Z Plus", "00.04.04.SP4"));
        assert!(parse_identity("RIGOL TECHNOLOGIES,DS10").is_err());
        assert!(parse_identity("").is_err());
    }

    #[test]
    fn the_network_switch_is_named() {
        let error = parse_identity("command error").unwrap_err().to_string();
        assert!(error.contains("RemoteIO"), "{error}");
    }
}
