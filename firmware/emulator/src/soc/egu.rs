//! EGU: sixteen software events with one interrupt. RTIC and embassy borrow its interrupt as a dispatcher.

use super::block::Block;
use super::fabric::Fabric;
use super::port::{Port, Shape};

#[derive(Debug)]
pub(super) struct Egu {
    port: Port,
}

impl Egu {
    pub(super) fn new() -> Egu {
        Egu { port: Port::new(Shape { tasks: 0xffff, events: 0xffff }) }
    }
}

impl Block for Egu {
    fn port(&self) -> &Port {
        &self.port
    }

    fn port_mut(&mut self) -> &mut Port {
        &mut self.port
    }

    fn read(&mut self, _offset: u32, _fabric: &mut Fabric) -> Option<u32> {
        None
    }

    fn write(&mut self, _offset: u32, _value: u32, _fabric: &mut Fabric) -> bool {
        false
    }

    fn task(&mut self, task: usize, fabric: &mut Fabric) {
        self.port.raise(task, fabric);
    }
}
