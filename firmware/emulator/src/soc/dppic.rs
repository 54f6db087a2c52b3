//! DPPIC: the channel enables and the channel groups. The channels themselves are in the fabric.

use super::block::Block;
use super::fabric::Fabric;
use super::port::{Port, Shape};

const GROUPS: usize = 6;

#[derive(Debug)]
pub(super) struct Dppic {
    port: Port,
    groups: [u32; GROUPS],
}

impl Dppic {
    pub(super) fn new() -> Dppic {
        // CHG[n].EN is task 2n, CHG[n].DIS task 2n + 1.
        Dppic { port: Port::new(Shape { tasks: 0xfff, events: 0 }), groups: [0; GROUPS] }
    }

    fn group(offset: u32) -> Option<usize> {
        usize::try_from(offset.checked_sub(0x800)? / 4).ok().filter(|g| *g < GROUPS)
    }
}

impl Block for Dppic {
    fn port(&self) -> &Port {
        &self.port
    }

    fn port_mut(&mut self) -> &mut Port {
        &mut self.port
    }

    fn read(&mut self, offset: u32, fabric: &mut Fabric) -> Option<u32> {
        match offset {
            0x500 | 0x504 | 0x508 => Some(fabric.channels),
            _ => self.groups.get(Self::group(offset)?).copied(),
        }
    }

    fn write(&mut self, offset: u32, value: u32, fabric: &mut Fabric) -> bool {
        match offset {
            0x500 => fabric.channels = value,
            0x504 => fabric.channels |= value,
            0x508 => fabric.channels &= !value,
            _ => match Self::group(offset).and_then(|g| self.groups.get_mut(g)) {
                Some(group) => *group = value,
                None => return false,
            },
        }
        true
    }

    fn task(&mut self, task: usize, fabric: &mut Fabric) {
        let group = self.groups.get(task / 2).copied().unwrap_or(0);
        if task.is_multiple_of(2) {
            fabric.channels |= group;
        } else {
            fabric.channels &= !group;
        }
    }
}
