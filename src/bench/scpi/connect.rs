//! From a resource name to the transport that serves it.
//!
//! Native transports serve what they can, so that what happens does not depend on what else is installed; the VISA
//! library of the machine serves the rest, and whatever has `visa:` before it. A name never falls through to a transport
//! that was not named: a scope that cannot be reached over one way is an error, not a reason to try another.

use super::vxi11::PORT_MAPPER_PORT;
use super::{Resource, TcpTransport, Transport, VisaTransport, Vxi11Transport};
use crate::bench::{BenchError, Clock};
use crate::units::Picos;
use std::sync::Arc;

/// Connects to `resource` within `budget`, which also is the time for a later reconnect; `wall` is real time.
///
/// # Errors
/// [`BenchError::Unreachable`], and [`BenchError::Unsupported`] for the virtual scope, which must be started first, and
/// for what this system has no way to.
pub fn connect(
    resource: &Resource,
    budget: Picos,
    wall: &Arc<dyn Clock>,
) -> Result<Box<dyn Transport>, BenchError> {
    let clock = Arc::clone(wall);
    Ok(match resource {
        Resource::Virtual => {
            return Err(BenchError::Unsupported("the virtual scope is started, not connected to".into()));
        }
        Resource::Socket { host, port, .. } => Box::new(TcpTransport::connect(host, *port, budget, clock)?),
        Resource::Lan { host, port, device, .. } if !resource.is_hislip() => {
            Box::new(Vxi11Transport::connect(host, device, *port, PORT_MAPPER_PORT, budget, clock)?)
        }
        Resource::Usb { vendor, product, serial, .. } => {
            return usb(resource, (*vendor, *product, serial), budget, clock);
        }
        Resource::Device { path } => return device(path, budget, clock),
        Resource::Visa { name } => Box::new(VisaTransport::connect(name, budget, clock)?),
        Resource::Lan { .. } | Resource::Serial { .. } => {
            Box::new(VisaTransport::connect(&resource.to_string(), budget, clock)?)
        }
    })
}

/// By the kernel's driver where it shows this scope, else by VISA.
fn usb(
    resource: &Resource,
    (vendor, product, serial): (u16, u16, &str),
    budget: Picos,
    wall: Arc<dyn Clock>,
) -> Result<Box<dyn Transport>, BenchError> {
    #[cfg(target_os = "linux")]
    if let Some(found) = super::usbtmc::find(vendor, product, serial) {
        return device(&found, budget, wall);
    }
    let _ = (vendor, product);
    match VisaTransport::connect(&resource.to_string(), budget, wall) {
        Ok(transport) => Ok(Box::new(transport)),
        Err(BenchError::Unsupported(why)) if cfg!(target_os = "linux") => {
            Err(BenchError::Unsupported(format!(
                "no /dev/usbtmcN of the kernel has the serial number {serial}: is the scope on and its cable plugged in \
             (docs/usb.md)? there is no other way either: {why}"
            )))
        }
        Err(e) => Err(e),
    }
}

#[cfg(target_os = "linux")]
fn device(path: &str, budget: Picos, wall: Arc<dyn Clock>) -> Result<Box<dyn Transport>, BenchError> {
    Ok(Box::new(super::usbtmc::UsbTmcTransport::connect(path, budget, wall)?))
}
#[cfg(not(target_os = "linux"))]
fn device(path: &str, _: Picos, _: Arc<dyn Clock>) -> Result<Box<dyn Transport>, BenchError> {
    Err(BenchError::Unsupported(format!(
        "`{path}` is a device file of Linux; use the USB name and a VISA library"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::clock::SystemClock;

    fn refused(name: &str) -> String {
        let wall: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let resource: Resource = name.parse().unwrap();
        connect(&resource, Picos::from_s(2), &wall).err().unwrap().to_string()
    }

    #[test]
    fn each_name_goes_to_the_transport_that_serves_it() {
        // Nothing listens on port 1 of the loopback, and no machine of a test has these instruments.
        assert!(refused("127.0.0.1:1").contains("at 127.0.0.1:1:"));
        assert!(refused("TCPIP::127.0.0.1,1::INSTR").contains("at TCPIP0::127.0.0.1,1::inst0::INSTR:"));
        for visa in
            ["TCPIP::127.0.0.1::hislip0::INSTR", "GPIB0::7::INSTR", "ASRL99::INSTR", "visa:nosuchalias"]
        {
            let text = refused(visa);
            assert!(text.contains("VISA"), "{text}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn usb_names_both_ways_that_were_tried() {
        let text = refused("USB::0x1AB1::0x04CE::NOSUCHSERIAL::INSTR");
        assert!(text.contains("usbtmc") && text.contains("NOSUCHSERIAL") || text.contains("VISA"), "{text}");
        assert!(refused("/dev/usbtmc999").contains("docs/usb.md"));
    }
}
