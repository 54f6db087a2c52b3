//! The register pattern that every nRF peripheral shares: tasks, events, publish, subscribe, interrupt enables.
//!
//! Task n is triggered at 0x000 + 4n and subscribes at 0x080 + 4n; event n stands at 0x100 + 4n, publishes at
//! 0x180 + 4n and interrupts when bit n of INTEN is set. Registers that a peripheral does not have are no part of its
//! [`Shape`] and are left to the census.

use super::fabric::Fabric;

/// Which tasks and events a peripheral has: bit n for number n. One without events has no interrupt either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) tasks: u32,
    pub(super) events: u32,
}

/// What a write to the pattern means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Trigger this task.
    Task(usize),
    /// Nothing further.
    Done,
    /// The pattern has no such register.
    Unknown,
}

/// The pattern's state.
#[derive(Debug)]
pub(super) struct Port {
    shape: Shape,
    subscribe: [u32; 32],
    publish: [u32; 32],
    events: u32,
    pub(super) enables: u32,
}

const ENABLED: u32 = 1 << 31;

impl Port {
    pub(super) const fn new(shape: Shape) -> Port {
        Port { shape, subscribe: [0; 32], publish: [0; 32], events: 0, enables: 0 }
    }

    pub(super) fn read(&self, offset: u32) -> Option<u32> {
        let index = (offset / 4) % 32;
        let slot = usize::try_from(index).ok()?;
        let has = |mask: u32| mask & (1 << index) != 0;
        match offset {
            0x000..0x080 => has(self.shape.tasks).then_some(0),
            0x080..0x100 => self.subscribe.get(slot).copied().filter(|_| has(self.shape.tasks)),
            0x100..0x180 => has(self.shape.events).then_some((self.events >> index) & 1),
            0x180..0x200 => self.publish.get(slot).copied().filter(|_| has(self.shape.events)),
            0x300 | 0x304 | 0x308 if self.interrupts() => Some(self.enables),
            0x30c if self.interrupts() => Some(self.events & self.enables),
            _ => None,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32) -> Effect {
        let index = (offset / 4) % 32;
        let Ok(slot) = usize::try_from(index) else { return Effect::Unknown };
        let (task, event) = (self.shape.tasks & (1 << index) != 0, self.shape.events & (1 << index) != 0);
        match offset {
            0x000..0x080 if task => return if value & 1 == 1 { Effect::Task(slot) } else { Effect::Done },
            0x080..0x100 if task => put(&mut self.subscribe, slot, value),
            0x100..0x180 if event => self.events = (self.events & !(1 << index)) | ((value & 1) << index),
            0x180..0x200 if event => put(&mut self.publish, slot, value),
            0x300 if self.interrupts() => self.enables = value & self.shape.events,
            0x304 if self.interrupts() => self.enables |= value & self.shape.events,
            0x308 if self.interrupts() => self.enables &= !value,
            _ => return Effect::Unknown,
        }
        Effect::Done
    }

    fn interrupts(&self) -> bool {
        self.shape.events != 0
    }

    /// Sets the event and publishes it.
    pub(super) fn raise(&mut self, event: usize, fabric: &mut Fabric) {
        self.set(event);
        let publish = self.publish.get(event).copied().unwrap_or(0);
        if publish & ENABLED != 0 {
            fabric.publish(publish & 0xff);
        }
    }

    /// Sets the event and publishes nothing.
    pub(super) fn set(&mut self, event: usize) {
        self.events |= 1 << event;
    }

    /// The tasks that listen to `channel`, bit n for task n.
    pub(super) fn listeners(&self, channel: u32) -> u32 {
        let listens = |s: &u32| *s & ENABLED != 0 && *s & 0xff == channel;
        let tasks = self.subscribe.iter().enumerate().filter(|(_, s)| listens(s));
        tasks.fold(0, |all, (n, _)| all | (1 << n)) & self.shape.tasks
    }

    /// The level of the peripheral's interrupt line.
    pub(super) fn interrupt(&self) -> bool {
        self.events & self.enables != 0
    }
}

fn put(registers: &mut [u32; 32], slot: usize, value: u32) {
    if let Some(register) = registers.get_mut(slot) {
        *register = value;
    }
}
