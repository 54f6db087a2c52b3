//! The 48 pins: who drives them, which level they have, and the log of every edge.
//!
//! A pin driven by the chip has the chip's level; otherwise it takes the level from outside, otherwise that of the pin
//! at the other end of a jumper wire, otherwise its pull resistor's (none: low). Wires join two pins and don't chain.
//! The UART's pins are not modelled as levels: its bytes go in and out whole.

mod drive;

use crate::Cycles;
pub(crate) use drive::Drive;
use std::fmt;
use std::str::FromStr;

/// A pin, `P0.00` to `P1.15`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pin(u8);

impl Pin {
    /// How many the chip has.
    pub(crate) const COUNT: u8 = 48;
    /// The stimulus output of the companion firmware.
    pub const STIMULUS: Pin = Pin(6);
    /// The input that interrupts; the scope's channel 1.
    pub const INPUT: Pin = Pin(5);
    /// The response output; the scope's channel 2.
    pub const RESPONSE: Pin = Pin(4);
    /// The input that captures the response.
    pub const CAPTURE: Pin = Pin(7);

    /// The pin of a port, if the chip has it.
    #[must_use]
    pub const fn new(port: u8, number: u8) -> Option<Pin> {
        match (port, number) {
            (0, 0..32) => Some(Pin(number)),
            (1, 0..16) => Some(Pin(32 + number)),
            _ => None,
        }
    }

    /// P0.n at n, P1.n at 32 + n.
    #[must_use]
    pub const fn index(self) -> u8 {
        self.0
    }

    pub(crate) const fn mask(self) -> u64 {
        1 << self.0
    }

    pub(crate) fn all() -> impl Iterator<Item = Pin> {
        (0..Pin::COUNT).map(Pin)
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "P{}.{:02}", self.0 / 32, self.0 % 32)
    }
}

impl FromStr for Pin {
    type Err = String;

    fn from_str(text: &str) -> Result<Pin, String> {
        let parts = text.strip_prefix(['P', 'p']).and_then(|t| t.split_once('.'));
        let numbers = parts.and_then(|(port, pin)| Some((port.parse().ok()?, pin.parse().ok()?)));
        let pin = numbers.and_then(|(port, pin)| Pin::new(port, pin));
        pin.ok_or_else(|| format!("`{text}` is no pin; P0.00 to P0.31 and P1.00 to P1.15 are"))
    }
}

/// A change of a pin's level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// When.
    pub at: Cycles,
    /// Where.
    pub pin: Pin,
    /// The level from then on.
    pub high: bool,
}

/// A jumper wire between two pins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wire {
    /// One end.
    pub a: Pin,
    /// The other end.
    pub b: Pin,
}

/// Levels, wires and the edge log.
#[derive(Debug, Default)]
pub(crate) struct Pins {
    pub(crate) drive: Drive,
    wires: Vec<Wire>,
    levels: u64,
    log: Vec<Edge>,
    forgotten: usize,
    changed: Vec<(Pin, bool)>,
}

impl Pins {
    /// Computes the levels again and logs what changed at `now`.
    pub(crate) fn settle(&mut self, now: u64) {
        let levels = self.drive.levels(&self.wires);
        let mut changes = levels ^ self.levels;
        self.levels = levels;
        while changes != 0 {
            let pin = Pin(u8::try_from(changes.trailing_zeros()).unwrap_or(0));
            changes &= changes - 1;
            let high = levels & pin.mask() != 0;
            self.log.push(Edge { at: Cycles(now), pin, high });
            self.changed.push((pin, high));
        }
    }

    /// The changes that no block has seen yet.
    pub(crate) fn take_changed(&mut self) -> Vec<(Pin, bool)> {
        std::mem::take(&mut self.changed)
    }

    /// All levels, bit = [`Pin::index`].
    pub(crate) fn levels(&self) -> u64 {
        self.levels
    }

    /// Adds or removes a wire; false if it was already so.
    pub(crate) fn set_wire(&mut self, wire: Wire, connected: bool) -> bool {
        let same = |w: &Wire| *w == wire || (w.a == wire.b && w.b == wire.a);
        let before = self.wires.len();
        self.wires.retain(|w| !same(w));
        let was = self.wires.len() != before;
        if connected {
            self.wires.push(wire);
        }
        was != connected
    }

    pub(crate) fn wires(&self) -> &[Wire] {
        &self.wires
    }

    /// Number of edges so far: the mark from which [`Self::edges_since`] reads on.
    pub(crate) fn mark(&self) -> usize {
        self.forgotten + self.log.len()
    }

    pub(crate) fn edges_since(&self, mark: usize) -> &[Edge] {
        self.log.get(mark.saturating_sub(self.forgotten)..).unwrap_or_default()
    }

    /// Drops what lies before `mark`, so that a long run needs no more memory than it has readers.
    pub(crate) fn forget_before(&mut self, mark: usize) {
        let dropped = mark.saturating_sub(self.forgotten).min(self.log.len());
        self.log.drain(..dropped);
        self.forgotten += dropped;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_data_sheet() {
        assert_eq!(Pin::new(1, 5).unwrap().to_string(), "P1.05");
        assert_eq!("P0.06".parse(), Ok(Pin::STIMULUS));
        assert!("P1.16".parse::<Pin>().is_err());
        assert!("A0".parse::<Pin>().is_err());
    }

    #[test]
    fn a_wire_carries_the_level_and_a_pulled_one_does_not() {
        let mut pins = Pins::default();
        let wire = Wire { a: Pin::STIMULUS, b: Pin::INPUT };
        assert!(pins.set_wire(wire, true));
        pins.drive.external(Pin::STIMULUS, Some(true));
        pins.settle(7);
        let log: Vec<_> = pins.edges_since(0).iter().map(|e| (e.at.0, e.pin, e.high)).collect();
        assert_eq!(log, [(7, Pin::INPUT, true), (7, Pin::STIMULUS, true)]);
        assert!(pins.set_wire(Wire { a: Pin::INPUT, b: Pin::STIMULUS }, false));
        pins.settle(9);
        assert_eq!(pins.edges_since(2), [Edge { at: Cycles(9), pin: Pin::INPUT, high: false }]);
    }

    #[test]
    fn marks_outlive_forgotten_edges() {
        let mut pins = Pins::default();
        for (at, high) in [(1, true), (2, false), (3, true)] {
            pins.drive.external(Pin::INPUT, Some(high));
            pins.settle(at);
        }
        pins.forget_before(2);
        assert_eq!(pins.mark(), 3);
        assert_eq!(pins.edges_since(2).len(), 1);
        assert_eq!(pins.edges_since(0).len(), 1);
    }
}
