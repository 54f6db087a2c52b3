//! Bytes from the serial interrupt to the console.
//!
//! One side pushes (the interrupt), one side pops (the main loop or task). A full ring drops the new byte: the damaged
//! line is then refused as unreadable, which the host sees; the alternative, waiting in an interrupt, would show up in
//! somebody's latency.

use core::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

/// A ring of `N` bytes for one producer and one consumer.
#[derive(Debug)]
pub struct Ring<const N: usize> {
    bytes: [AtomicU8; N],
    head: AtomicUsize,
    tail: AtomicUsize,
}

impl<const N: usize> Ring<N> {
    /// An empty ring.
    #[must_use]
    pub const fn new() -> Ring<N> {
        Ring { bytes: [const { AtomicU8::new(0) }; N], head: AtomicUsize::new(0), tail: AtomicUsize::new(0) }
    }

    /// Adds a byte; false when the ring was full and the byte was dropped.
    pub fn push(&self, byte: u8) -> bool {
        let head = self.head.load(Ordering::Relaxed);
        if head.wrapping_sub(self.tail.load(Ordering::Acquire)) >= N {
            return false;
        }
        let Some(slot) = self.bytes.get(head % N) else { return false };
        slot.store(byte, Ordering::Relaxed);
        self.head.store(head.wrapping_add(1), Ordering::Release);
        true
    }

    /// Takes the oldest byte.
    pub fn pop(&self) -> Option<u8> {
        let tail = self.tail.load(Ordering::Relaxed);
        if tail == self.head.load(Ordering::Acquire) {
            return None;
        }
        let byte = self.bytes.get(tail % N)?.load(Ordering::Relaxed);
        self.tail.store(tail.wrapping_add(1), Ordering::Release);
        Some(byte)
    }

    /// Whether nothing is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tail.load(Ordering::Relaxed) == self.head.load(Ordering::Acquire)
    }
}

impl<const N: usize> Default for Ring<N> {
    fn default() -> Ring<N> {
        Ring::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out_in_order_and_a_full_ring_keeps_the_old_ones() {
        let ring = Ring::<4>::new();
        for round in 0..10u8 {
            assert!((0..4).all(|i| ring.push(round * 4 + i)));
            assert!(!ring.push(255));
            assert!((0..4).all(|i| ring.pop() == Some(round * 4 + i)));
            assert!(ring.is_empty());
        }
    }
}
