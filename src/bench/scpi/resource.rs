//! VISA resource names (VPP-4.3, section 4.3.1), strictly, the short forms `host` and `host:port`, and `visa:NAME` for
//! a name that goes to the machine's VISA library whatever else could serve it.
//!
//! The whole name is read without regard to case; host, serial number and path are kept as given. What is printed is
//! the canonical form with every optional field written out. It refuses names it does not understand instead of guessing
//! a host out of them: a misspelt name must not become a long wait for an address that does not exist.

use crate::bench::BenchError;
use std::fmt;
use std::str::FromStr;

/// The port of raw SCPI on this family.
const SCPI_PORT: u16 = 5555;

/// What a name leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resource {
    /// The built-in simulated scope.
    Virtual,
    /// A raw TCP socket.
    Socket {
        /// Interface number.
        board: u32,
        /// Name or address; IPv6 in brackets.
        host: String,
        /// TCP port.
        port: u16,
    },
    /// VXI-11 (`inst0`, `gpib0,7`) or HiSLIP (`hislip0`, with its port).
    Lan {
        /// Interface number.
        board: u32,
        /// Name or address; IPv6 in brackets.
        host: String,
        /// Port of the VXI-11 core channel, where the host's port mapper is not to be asked (`host,port`).
        port: Option<u16>,
        /// Device on the host.
        device: String,
    },
    /// USB test and measurement class.
    Usb {
        /// Interface number.
        board: u32,
        /// Vendor.
        vendor: u16,
        /// Product.
        product: u16,
        /// Serial number.
        serial: String,
        /// USB interface.
        interface: u8,
    },
    /// A serial port: a number, a name or a path.
    Serial {
        /// As given.
        port: String,
    },
    /// A device file of the kernel's USBTMC driver.
    Device {
        /// Such as `/dev/usbtmc0`.
        path: String,
    },
    /// Whatever the VISA library of the machine makes of a name: one that only it knows (GPIB, an alias), or any with
    /// `visa:` before it.
    Visa {
        /// The name, without `visa:`.
        name: String,
    },
}

/// Interfaces that only a VISA library serves.
const VISA_ONLY: [&str; 5] = ["GPIB", "VXI", "GPIB-VXI", "PXI", "VICP"];

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Resource::Virtual => f.write_str("virtual"),
            Resource::Socket { board, host, port } => write!(f, "TCPIP{board}::{host}::{port}::SOCKET"),
            Resource::Lan { board, host, port: None, device } => {
                write!(f, "TCPIP{board}::{host}::{device}::INSTR")
            }
            Resource::Lan { board, host, port: Some(port), device } => {
                write!(f, "TCPIP{board}::{host},{port}::{device}::INSTR")
            }
            Resource::Usb { board, vendor, product, serial, interface } => {
                write!(f, "USB{board}::0x{vendor:04X}::0x{product:04X}::{serial}::{interface}::INSTR")
            }
            Resource::Serial { port } => write!(f, "ASRL{port}::INSTR"),
            Resource::Device { path } => f.write_str(path),
            Resource::Visa { name } if visa_only(name) => f.write_str(name),
            Resource::Visa { name } => write!(f, "visa:{name}"),
        }
    }
}

impl FromStr for Resource {
    type Err = BenchError;

    fn from_str(text: &str) -> Result<Resource, BenchError> {
        let name = text.trim();
        parse(name).map_err(|why| BenchError::Resource {
            name: name.to_owned(),
            what: "scope resource",
            why: format!(
                "{why}; use a host, host:port, TCPIP0::host::{SCPI_PORT}::SOCKET, another VISA name, `visa:` and a name that \
                 the machine's VISA library knows, or `virtual`"
            ),
        })
    }
}

type Why = &'static str;

impl Resource {
    /// HiSLIP, which has its port behind the device's name and no native transport here.
    #[must_use]
    pub fn is_hislip(&self) -> bool {
        matches!(self, Resource::Lan { device, .. } if after(device, "hislip").is_some())
    }
}

fn parse(name: &str) -> Result<Resource, Why> {
    if let Some(name) = after(name, "visa:") {
        return visa(name.trim());
    }
    if let Some(number) = name.strip_prefix("/dev/usbtmc") {
        let sound = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        return Some(Resource::Device { path: name.to_owned() })
            .filter(|_| sound)
            .ok_or("a device file is /dev/usbtmc and a number");
    }
    if visa_only(name) {
        return visa(name);
    }
    parse_plain(name)
}

/// The names of VISA that native transports know, and the short forms.
fn parse_plain(name: &str) -> Result<Resource, Why> {
    let fields = split(name).ok_or("the brackets do not match")?;
    let (first, rest) = fields.split_first().ok_or("it is empty")?;
    if let Some(port) = after(first, "ASRL").filter(|p| !p.is_empty() || !rest.is_empty()) {
        return serial(port, rest);
    }
    if rest.is_empty() {
        return short(first);
    }
    match (after(first, "TCPIP"), after(first, "USB")) {
        (Some(board), _) => lan(number_of(board)?, rest),
        (_, Some(board)) => usb(number_of(board)?, rest),
        _ => Err("it starts with none of TCPIP, USB, ASRL"),
    }
}

/// Starts with an interface that only VISA serves, its number, and `::`.
fn visa_only(name: &str) -> bool {
    let Some((interface, _)) = name.split_once("::") else { return false };
    let bare = interface.trim_end_matches(|c: char| c.is_ascii_digit());
    VISA_ONLY.iter().any(|i| i.eq_ignore_ascii_case(bare))
}

/// A name for the VISA library, canonical where it can be read: not every library takes short forms.
fn visa(name: &str) -> Result<Resource, Why> {
    let canonical = match parse_plain(name) {
        Ok(Resource::Virtual | Resource::Device { .. } | Resource::Visa { .. }) => None,
        Ok(Resource::Socket { .. }) if !name.contains("::") => None,
        Ok(resource) => Some(resource.to_string()),
        Err(_) => None,
    };
    let name = canonical.unwrap_or_else(|| name.to_owned());
    let sound = !name.is_empty() && name.len() < 256 && name.bytes().all(|b| b.is_ascii_graphic());
    if sound { Ok(Resource::Visa { name }) } else { Err("a VISA name has 1 to 255 characters and no blanks") }
}

/// `virtual`, `host` or `host:port`.
fn short(name: &str) -> Result<Resource, Why> {
    if name.eq_ignore_ascii_case("virtual") {
        return Ok(Resource::Virtual);
    }
    let bracket = name.rfind(']').unwrap_or(0);
    let (host, port) = match name.rfind(':').filter(|colon| *colon >= bracket) {
        Some(colon) => {
            (name.get(..colon).unwrap_or_default(), port(name.get(colon + 1..).unwrap_or_default())?)
        }
        None => (name, SCPI_PORT),
    };
    Ok(Resource::Socket { board: 0, host: host_of(host)?, port })
}

/// Fields after `TCPIP<board>`.
fn lan(board: u32, fields: &[&str]) -> Result<Resource, Why> {
    let is = |field: &str, word: &str| field.eq_ignore_ascii_case(word);
    match fields {
        [host, number, class] if is(class, "SOCKET") => {
            Ok(Resource::Socket { board, host: host_of(host)?, port: port(number)? })
        }
        [_, class] if is(class, "SOCKET") => Err("SOCKET needs a port: TCPIP::host::port::SOCKET"),
        [host] => instrument(board, host, "inst0"),
        [host, class] if is(class, "INSTR") => instrument(board, host, "inst0"),
        [host, device] => instrument(board, host, device),
        [host, device, class] if is(class, "INSTR") => instrument(board, host, device),
        _ => Err("a TCPIP name ends in INSTR or SOCKET"),
    }
}

fn instrument(board: u32, host: &str, device: &str) -> Result<Resource, Why> {
    let sound = !device.is_empty() && device.bytes().all(|b| b.is_ascii_alphanumeric() || b == b',');
    if !sound {
        return Err("the device is no name such as inst0");
    }
    // `host,port` names the port of the VXI-11 core channel.
    let (host, number) = match host.split_once(',') {
        Some((host, number)) => (host, Some(port(number)?)),
        None => (host, None),
    };
    Ok(Resource::Lan { board, host: host_of(host)?, port: number, device: device.to_owned() })
}

/// Fields after `USB<board>`.
fn usb(board: u32, fields: &[&str]) -> Result<Resource, Why> {
    let fields = match fields {
        [front @ .., class] if class.eq_ignore_ascii_case("INSTR") => front,
        all => all,
    };
    let (vendor, product, serial, interface) = match fields {
        [v, p, s] => (v, p, s, "0"),
        [v, p, s, i] => (v, p, s, *i),
        _ => return Err("a USB name is USB::vendor::product::serial[::interface]::INSTR"),
    };
    if serial.is_empty() || !serial.bytes().all(|b| b.is_ascii_graphic() && b != b':') {
        return Err("the serial number is empty, or has blanks or colons");
    }
    Ok(Resource::Usb {
        board,
        vendor: number(vendor).ok_or("the vendor id is not a number up to 0xFFFF")?,
        product: number(product).ok_or("the product id is not a number up to 0xFFFF")?,
        serial: (*serial).to_owned(),
        interface: number(interface)
            .and_then(|i| u8::try_from(i).ok())
            .ok_or("the interface is not a number up to 255")?,
    })
}

fn serial(port: &str, rest: &[&str]) -> Result<Resource, Why> {
    let ended = match rest {
        [] => true,
        [class] => class.eq_ignore_ascii_case("INSTR"),
        _ => false,
    };
    let sound = !port.is_empty() && port.bytes().all(|b| b.is_ascii_graphic() && b != b':');
    if ended && sound {
        Ok(Resource::Serial { port: port.to_owned() })
    } else {
        Err("a serial name is ASRL<port>::INSTR")
    }
}

/// Splits at `::`, but not inside the brackets of an IPv6 address.
fn split(name: &str) -> Option<Vec<&str>> {
    let mut fields = Vec::new();
    let (mut start, mut inside, mut at) = (0, false, 0);
    let bytes = name.as_bytes();
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'[' if !inside => inside = true,
            b']' if inside => inside = false,
            b'[' | b']' => return None,
            b':' if !inside && bytes.get(at + 1) == Some(&b':') => {
                fields.push(name.get(start..at)?);
                at += 1;
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    fields.push(name.get(start..)?);
    (!inside).then_some(fields)
}

/// What follows `prefix`, compared without case.
fn after<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    if head.eq_ignore_ascii_case(prefix) { text.get(prefix.len()..) } else { None }
}

/// A decimal or `0x` number without sign or blanks.
fn number(text: &str) -> Option<u16> {
    match after(text, "0x") {
        Some(hex) if hex.bytes().all(|b| b.is_ascii_hexdigit()) => u16::from_str_radix(hex, 16).ok(),
        Some(_) => None,
        None if text.bytes().all(|b| b.is_ascii_digit()) => text.parse().ok(),
        None => None,
    }
}

fn number_of(board: &str) -> Result<u32, Why> {
    match board {
        "" => Ok(0),
        _ if board.bytes().all(|b| b.is_ascii_digit()) => {
            board.parse().map_err(|_| "the board number is too big")
        }
        _ => Err("the board number is not a number"),
    }
}

fn port(text: &str) -> Result<u16, Why> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|p| plain && *p != 0).ok_or("the port is not 1 to 65535")
}

/// A host name or IPv4 address, or an IPv6 address in brackets.
fn host_of(text: &str) -> Result<String, Why> {
    let name = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b));
    let six =
        |t: &str| t.contains(':') && t.bytes().all(|b| b.is_ascii_alphanumeric() || b":.%".contains(&b));
    let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']'));
    if inner.map_or_else(|| name(text), six) {
        Ok(text.to_owned())
    } else {
        Err("the host is no name or address")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Canonical forms after NI-VISA "VISA Resource Syntax and Examples" and VPP-4.3.
    #[test]
    fn names_have_their_canonical_form() {
        let cases = [
            ("virtual", "virtual"),
            ("192.0.2.7", "TCPIP0::192.0.2.7::5555::SOCKET"),
            ("scope.lab:5556", "TCPIP0::scope.lab::5556::SOCKET"),
            ("[fe80::1]:5555", "TCPIP0::[fe80::1]::5555::SOCKET"),
            ("[fe80::1%eth0]", "TCPIP0::[fe80::1%eth0]::5555::SOCKET"),
            ("tcpip0::scope.lab::5555::socket", "TCPIP0::scope.lab::5555::SOCKET"),
            ("TCPIP::[fe80::1]::5555::SOCKET", "TCPIP0::[fe80::1]::5555::SOCKET"),
            ("TCPIP::192.0.2.7::INSTR", "TCPIP0::192.0.2.7::inst0::INSTR"),
            ("TCPIP::scope", "TCPIP0::scope::inst0::INSTR"),
            ("TCPIP0::host,1024::inst0::INSTR", "TCPIP0::host,1024::inst0::INSTR"),
            ("TCPIP0::[fe80::1]::hislip0,4880::INSTR", "TCPIP0::[fe80::1]::hislip0,4880::INSTR"),
            ("TCPIP::gw::gpib0,7::INSTR", "TCPIP0::gw::gpib0,7::INSTR"),
            ("USB::0x1ab1::0x04CE::DS1ZA1::INSTR", "USB0::0x1AB1::0x04CE::DS1ZA1::0::INSTR"),
            ("usb0::6833::1230::DS1ZA1", "USB0::0x1AB1::0x04CE::DS1ZA1::0::INSTR"),
            ("asrl/dev/ttyUSB0::instr", "ASRL/dev/ttyUSB0::INSTR"),
            (" ASRLCOM3 ", "ASRLCOM3::INSTR"),
            ("/dev/usbtmc0", "/dev/usbtmc0"),
            ("GPIB0::7::INSTR", "GPIB0::7::INSTR"),
            ("visa:gpib::7", "gpib::7"),
            ("VISA:scope1", "visa:scope1"),
            ("visa: tcpip::192.0.2.7::INSTR", "visa:TCPIP0::192.0.2.7::inst0::INSTR"),
        ];
        for (given, canonical) in cases {
            let resource: Resource = given.parse().unwrap();
            assert_eq!(resource.to_string(), canonical, "{given}");
            assert_eq!(canonical.parse::<Resource>().unwrap(), resource);
        }
    }

    #[test]
    fn what_is_no_name_is_refused_with_the_right_form() {
        let cases = [
            "",
            "::",
            ":",
            "host:",
            "host:0",
            "host:65536",
            "a b",
            "/dev/ttyUSB0",
            "fe80::1",
            "[fe80::1",
            "TCPIP::h::0::SOCKET",
            "TCPIP::h::65536::SOCKET",
            "TCPIP::h::+5::SOCKET",
            "TCPIP::h::SOCKET",
            "TCPIPx::h::INSTR",
            "TCPIP::::INSTR",
            "TCPIP::h::inst0::WAT",
            "USB::1::2::INSTR",
            "USB::0xZZ::2::S::INSTR",
            "/dev/usbtmc",
            "/dev/usbtmc0x",
            "visa:",
            "visa:a b",
            "FIREWIRE0::7::INSTR",
            "ASRL::INSTR",
            "ASRL1::RAW",
            "ASRL:",
            "USB::1::2::S:::INSTR",
            "\u{e9}",
        ];
        for bad in cases {
            let error = bad.parse::<Resource>().expect_err(bad).to_string();
            assert!(error.contains("TCPIP0::host::5555::SOCKET"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_and_what_is_read_is_stable(
            text in prop_oneof![
                ".{0,40}",
                "(visa:)?(TCPIP|usb|ASRL|GPIB|virtual|/dev/usbtmc|h)?[0-9x]{0,2}(::?[\\[\\]a-zA-Z0-9.,:+]{0,8}){0,6}",
            ]
        ) {
            if let Ok(resource) = text.parse::<Resource>() {
                prop_assert_eq!(resource.to_string().parse::<Resource>().unwrap(), resource);
            }
        }
    }
}
