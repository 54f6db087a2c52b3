//! What is connected to this machine and its networks: scopes and serial ports, each as the string for a profile.
//!
//! Serial ports and the kernel's USB instruments are looked up on the machine itself, nothing is sent. The network is
//! asked only where the caller names an interface, and the VISA library only where the caller asks for it, since most
//! libraries broadcast on every interface when they list. What could not be looked at is said in the notes: an empty list
//! never means more than that nothing was found where it was looked.
//!
//! Scopes are found by a VXI-11 broadcast. Multicast DNS is left out: whether this family announces itself is doubtful
//! (Q61), and its answer would be the address that the broadcast finds as well.

use super::scpi::{self, Resource, Transport, vxi11};
use super::{BenchError, Clock};
use crate::units::Picos;
use serialport::{SerialPortInfo, SerialPortType, UsbPortInfo};
use socket2::{Domain, Protocol, Socket, Type};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::str::FromStr;
use std::sync::Arc;

/// How long a host may take for its identity.
const IDENTITY_TIME: Picos = Picos::from_s(2);
/// How long answers to a broadcast are collected.
const WAIT: Picos = Picos::from_s(2);
/// Longest identity.
const LONGEST_IDENTITY: usize = 256;

/// What to look at beyond the machine itself.
#[derive(Debug, Default)]
pub struct Search {
    /// Networks to ask by broadcast.
    pub networks: Vec<Network>,
    /// Also what the VISA library lists.
    pub visa: bool,
}

/// Where a broadcast goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Network {
    /// Out of the interface of this name, such as `eth0` (Linux).
    Interface(String),
    /// Out of the interface that has this address.
    Own(Ipv4Addr),
    /// To the broadcast address of this network, such as `192.168.1.0/24`.
    Subnet {
        /// Any address in it.
        address: Ipv4Addr,
        /// Bits of the network's part.
        bits: u8,
    },
}

impl FromStr for Network {
    type Err = BenchError;

    fn from_str(text: &str) -> Result<Network, BenchError> {
        let network = match text.split_once('/') {
            Some((address, bits)) => {
                address.parse().ok().zip(bits.parse().ok().filter(|b| (1..=30).contains(b)))
            }
            None => return text.parse().map(Network::Own).or_else(|_| interface(text)),
        };
        let (address, bits) = network.ok_or_else(|| unknown(text))?;
        Ok(Network::Subnet { address, bits })
    }
}

/// The kernel's own rule for names, so that a misspelt address is not taken for one.
fn interface(text: &str) -> Result<Network, BenchError> {
    let sound = |c: char| c.is_ascii_alphanumeric() || "-_.:@".contains(c);
    let named = (1..16).contains(&text.len())
        && text.chars().all(sound)
        && text.contains(|c: char| c.is_ascii_alphabetic());
    if named { Ok(Network::Interface(text.to_owned())) } else { Err(unknown(text)) }
}

fn unknown(text: &str) -> BenchError {
    BenchError::Resource {
        name: text.to_owned(),
        what: "network to scan",
        why: "give the name of an interface (eth0), this machine's address on it (192.168.1.10), or the network \
              (192.168.1.0/24)"
            .to_owned(),
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Network::Interface(name) => f.write_str(name),
            Network::Own(address) => write!(f, "{address}"),
            Network::Subnet { address, bits } => write!(f, "{address}/{bits}"),
        }
    }
}

/// What a device is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// For `scope = "..."`.
    Scope,
    /// For `dut = "..."`.
    Board,
}

/// One device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where the string belongs.
    pub role: Role,
    /// The string for a profile.
    pub resource: String,
    /// How it was found: "VXI-11 broadcast on eth0".
    pub by: String,
    /// What it says it is; empty when it said nothing.
    pub identity: String,
    /// What a user should know about it; may be empty.
    pub hint: &'static str,
}

/// What was found, and what could not be looked at.
#[derive(Debug, Default)]
pub struct Discovery {
    /// Scopes first.
    pub found: Vec<Found>,
    /// One sentence each.
    pub notes: Vec<String>,
}

/// Looks. `wall` is real time; a network takes about two seconds, and two more a scope.
#[must_use]
pub fn devices(search: &Search, wall: &Arc<dyn Clock>) -> Discovery {
    let mut discovery = Discovery::default();
    for network in &search.networks {
        match scopes_on(network, vxi11::PORT_MAPPER_PORT, wall) {
            Ok(scopes) => discovery.found.extend(scopes),
            Err(e) => discovery.notes.push(format!("`{network}` could not be asked: {e}")),
        }
    }
    kernel_devices(&mut discovery);
    if search.visa {
        visa_resources(&mut discovery);
    }
    serial_ports(&mut discovery);
    discovery.found.sort_by(|a, b| (a.role, &a.resource).cmp(&(b.role, &b.resource)));
    discovery.found.dedup_by(|a, b| a.resource == b.resource);
    discovery
}

/// Asks a network, then each host that answers for its identity.
fn scopes_on(network: &Network, port: u16, wall: &Arc<dyn Clock>) -> std::io::Result<Vec<Found>> {
    let (socket, to) = socket_for(network)?;
    let hosts = vxi11::hosts(&socket, SocketAddr::new(IpAddr::V4(to), port), WAIT, wall.as_ref())?;
    let by = format!("VXI-11 broadcast on {network}");
    Ok(hosts.into_iter().map(|host| scope_at(host, &by, wall)).collect())
}

/// A socket whose broadcasts leave by the network, and the address to send to.
fn socket_for(network: &Network) -> std::io::Result<(UdpSocket, Ipv4Addr)> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
    let any = Ipv4Addr::UNSPECIFIED;
    let (from, to) = match network {
        Network::Own(address) => (*address, Ipv4Addr::BROADCAST),
        Network::Subnet { address, bits } => {
            let hosts = u32::MAX.checked_shr(u32::from(*bits)).unwrap_or(0);
            (any, Ipv4Addr::from_bits(address.to_bits() | hosts))
        }
        Network::Interface(name) => {
            bind_to(&socket, name)?;
            (any, Ipv4Addr::BROADCAST)
        }
    };
    socket.bind(&SocketAddr::new(IpAddr::V4(from), 0).into())?;
    Ok((socket.into(), to))
}

#[cfg(target_os = "linux")]
fn bind_to(socket: &Socket, interface: &str) -> std::io::Result<()> {
    socket.bind_device(Some(interface.as_bytes()))
}
#[cfg(not(target_os = "linux"))]
fn bind_to(_: &Socket, _: &str) -> std::io::Result<()> {
    let text = "give this machine's address on the interface instead of its name";
    Err(std::io::Error::new(std::io::ErrorKind::Unsupported, text))
}

/// The raw socket where it answers, since it is the faster way; else VXI-11.
fn scope_at(host: IpAddr, by: &str, wall: &Arc<dyn Clock>) -> Found {
    let lan = format!("TCPIP0::{host}::inst0::INSTR");
    let ways = [format!("TCPIP0::{host}::5555::SOCKET"), lan.clone()];
    let answered = ways.into_iter().find_map(|name| Some((identity(&name, wall)?, name)));
    let (identity, resource, hint) = match answered {
        Some((identity, resource)) => (identity, resource, ""),
        None => (String::new(), lan, "it did not say who it is; another program may be connected to it"),
    };
    Found { role: Role::Scope, resource, by: by.to_owned(), identity, hint }
}

/// Who answers behind a name; none within the time.
fn identity(name: &str, wall: &Arc<dyn Clock>) -> Option<String> {
    let resource: Resource = name.parse().ok()?;
    let mut transport: Box<dyn Transport> = scpi::connect(&resource, IDENTITY_TIME, wall).ok()?;
    transport.begin(IDENTITY_TIME);
    transport.write(b"*IDN?\n").ok()?;
    let line = transport.read_line(LONGEST_IDENTITY).ok()?;
    let text: String = String::from_utf8_lossy(&line).chars().filter(|c| !c.is_control()).collect();
    // With remote control off this family answers so (Q26): somebody is there, but no scope that can be used.
    Some(text.trim().to_owned()).filter(|t| t.contains(','))
}

#[cfg(target_os = "linux")]
fn kernel_devices(discovery: &mut Discovery) {
    discovery.found.extend(scpi::usbtmc::list().into_iter().map(|device| {
        Found {
            role: Role::Scope,
            resource: Resource::Usb {
                board: 0,
                vendor: device.vendor,
                product: device.product,
                serial: device.serial,
                interface: 0,
            }
            .to_string(),
            by: device.path,
            identity: device.title,
            hint: "LAN is the sturdier way on the DS1000Z family; a plugged USB cable takes LAN away",
        }
    }));
}
#[cfg(not(target_os = "linux"))]
fn kernel_devices(_: &mut Discovery) {}

fn visa_resources(discovery: &mut Discovery) {
    match scpi::visa::resources() {
        Ok((library, names)) => discovery.found.extend(names.into_iter().map(|name| Found {
            role: if is_serial(&name) { Role::Board } else { Role::Scope },
            // The string goes to the same library again, whatever else could serve it.
            resource: format!("visa:{name}"),
            by: library.clone(),
            identity: String::new(),
            hint: if is_serial(&name) { "a board wants the port's own name" } else { "" },
        })),
        Err(e) => discovery.notes.push(format!("VISA could not be asked: {e}")),
    }
}

fn is_serial(name: &str) -> bool {
    name.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("ASRL"))
}

fn serial_ports(discovery: &mut Discovery) {
    // Without this folder the crate panics instead of saying so.
    #[cfg(target_os = "linux")]
    if rustix::fs::stat("/sys/class/tty").is_err() {
        discovery
            .notes
            .push("serial ports could not be listed: this system has no /sys/class/tty".to_owned());
        return;
    }
    match serialport::available_ports() {
        Ok(ports) => discovery.found.extend(ports.into_iter().filter_map(serial_port)),
        Err(e) => discovery.notes.push(format!("serial ports could not be listed: {e}")),
    }
}

/// A port that may be a board; ports of no known kind are left out on Linux, where every machine has many that lead
/// nowhere.
fn serial_port(port: SerialPortInfo) -> Option<Found> {
    let (identity, hint) = match &port.port_type {
        SerialPortType::UsbPort(usb) => (usb_name(usb), usb_hint(usb)),
        SerialPortType::BluetoothPort => return None,
        _ if cfg!(target_os = "linux") => return None,
        _ => (String::new(), ""),
    };
    Some(Found { role: Role::Board, resource: port.port_name, by: "serial port".to_owned(), identity, hint })
}

/// Maker, product and serial number as far as there are any, with the ids.
fn usb_name(usb: &UsbPortInfo) -> String {
    let words = [usb.manufacturer.as_deref(), usb.product.as_deref(), usb.serial_number.as_deref()];
    let mut name: String = words.into_iter().flatten().map(|w| format!("{} ", w.trim())).collect();
    name.push_str(&format!("({:04x}:{:04x})", usb.vid, usb.pid));
    name
}

/// Probes by the ids of their makers, or by the name that CMSIS-DAP wants in the product's.
fn usb_hint(usb: &UsbPortInfo) -> &'static str {
    const SEGGER: u16 = 0x1366;
    const ARM: u16 = 0x0D28;
    let product = usb.product.as_deref().unwrap_or_default().to_ascii_uppercase();
    match usb.vid {
        SEGGER => "a J-Link, as on Nordic's kits; where it has several ports, ask each with `mode list`",
        ARM => "a CMSIS-DAP probe",
        _ if product.contains("CMSIS-DAP") => "a CMSIS-DAP probe",
        0x0483 if product.contains("STLINK") || product.contains("ST-LINK") => "an ST-LINK probe",
        0x0403 | 0x10C4 | 0x1A86 | 0x067B => "a USB to serial converter",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_named_in_three_ways_and_nothing_else() {
        let cases = [
            ("eth0", Network::Interface("eth0".into())),
            ("enp3s0.100", Network::Interface("enp3s0.100".into())),
            ("192.0.2.10", Network::Own(Ipv4Addr::new(192, 0, 2, 10))),
            ("192.0.2.0/24", Network::Subnet { address: Ipv4Addr::new(192, 0, 2, 0), bits: 24 }),
        ];
        for (text, network) in cases {
            assert_eq!(text.parse::<Network>().unwrap(), network);
            assert_eq!(network.to_string(), text);
        }
        for bad in [
            "",
            "192.0.2",
            "192.0.2.0/33",
            "192.0.2.0/0",
            "eth0/24",
            "a b",
            "a-name-that-is-too-long",
            "../x",
        ] {
            let error = bad.parse::<Network>().expect_err(bad).to_string();
            assert!(error.contains("192.168.1.0/24"), "{error}");
        }
    }

    #[test]
    fn a_subnet_is_asked_at_its_last_address() {
        let (_, to) = socket_for(&"192.0.2.77/26".parse().unwrap()).unwrap();
        assert_eq!(to, Ipv4Addr::new(192, 0, 2, 127));
    }

    #[test]
    fn an_interface_that_is_not_there_is_an_error() {
        assert!(socket_for(&Network::Interface("nosuch0".into())).is_err());
    }

    fn usb(vid: u16, product: &str) -> SerialPortInfo {
        let info = UsbPortInfo {
            vid,
            pid: 0x1061,
            serial_number: Some("001050012345".into()),
            manufacturer: Some("ACME ".into()),
            product: Some(product.into()),
        };
        SerialPortInfo { port_name: "/dev/ttyACM0".into(), port_type: SerialPortType::UsbPort(info) }
    }

    #[test]
    fn probes_are_recognised_by_maker_or_name() {
        let jlink = serial_port(usb(0x1366, "J-Link")).unwrap();
        assert_eq!((jlink.role, jlink.resource.as_str()), (Role::Board, "/dev/ttyACM0"));
        assert_eq!(jlink.identity, "ACME J-Link 001050012345 (1366:1061)");
        assert!(jlink.hint.contains("J-Link"));
        let own = serial_port(usb(0x2E8A, "Debugprobe on Pico (CMSIS-DAP)")).unwrap();
        assert!(own.hint.contains("CMSIS-DAP"));
        assert_eq!(serial_port(usb(0x1234, "Gadget")).unwrap().hint, "");
    }

    /// Without a network named and without VISA asked for, nothing is sent and no library is loaded.
    #[test]
    fn the_machine_itself_is_looked_at_by_default() {
        let wall: Arc<dyn Clock> = Arc::new(crate::bench::clock::SystemClock::new());
        let discovery = devices(&Search::default(), &wall);
        assert!(
            discovery.found.iter().all(|f| !f.by.contains("broadcast") && !f.resource.starts_with("visa:"))
        );
        assert!(discovery.notes.iter().all(|n| !n.contains("VISA")), "{:?}", discovery.notes);
    }
}
