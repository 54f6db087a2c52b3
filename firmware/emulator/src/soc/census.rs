//! What the image did that the models don't cover, so that a silent difference from the chip has a name.

use super::map;
use std::collections::BTreeMap;
use std::fmt;

/// Something the run relied on that the emulator does not model, or that the chip would not forgive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// A register without a model was read (as 0) or written (to no effect).
    Unmodelled {
        /// Peripheral and offset, such as `SAADC+0x500`.
        register: String,
        /// Its address.
        address: u32,
        /// How often it was read.
        reads: u64,
        /// How often it was written.
        writes: u64,
    },
    /// The image used the chip in a way that does not work there.
    Misuse {
        /// What it did.
        what: String,
        /// How often.
        count: u64,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Unmodelled { register, address, reads, writes } => {
                write!(f, "{register} ({address:#010x}) is not modelled: {reads} reads, {writes} writes")
            }
            Finding::Misuse { what, count } => write!(f, "{what}, {count} times"),
        }
    }
}

/// Counts findings by address and by kind.
#[derive(Debug, Default)]
pub(crate) struct Census {
    accesses: BTreeMap<u32, (u64, u64)>,
    misuses: BTreeMap<String, u64>,
}

impl Census {
    pub(super) fn read(&mut self, address: u32) {
        self.accesses.entry(address).or_default().0 += 1;
    }

    pub(super) fn write(&mut self, address: u32) {
        self.accesses.entry(address).or_default().1 += 1;
    }

    pub(super) fn misuse(&mut self, what: impl Into<String>) {
        *self.misuses.entry(what.into()).or_default() += 1;
    }

    pub(super) fn findings(&self) -> Vec<Finding> {
        let unmodelled = self.accesses.iter().map(|(address, (reads, writes))| Finding::Unmodelled {
            register: map::name(*address),
            address: *address,
            reads: *reads,
            writes: *writes,
        });
        let misuse = |(what, count): (&String, &u64)| Finding::Misuse { what: what.clone(), count: *count };
        unmodelled.chain(self.misuses.iter().map(misuse)).collect()
    }
}
