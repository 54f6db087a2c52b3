//! What the name of a DUT link leads to.

use crate::bench::BenchError;
use std::fmt;
use std::str::FromStr;

/// Speed of a port whose name gives none.
const BAUD: u32 = 115_200;

/// A DUT link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DutAddress {
    /// There is none; the mode is only a label.
    None,
    /// The built-in simulated board.
    Virtual,
    /// A byte stream behind a TCP port (ser2net, labgrid, emulators).
    Tcp {
        /// Name or address; IPv6 in brackets.
        host: String,
        /// Port.
        port: u16,
    },
    /// A serial port.
    Serial {
        /// `/dev/ttyACM0`, `COM5`.
        path: String,
        /// Bits a second.
        baud: u32,
    },
}

impl fmt::Display for DutAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DutAddress::None => f.write_str("none"),
            DutAddress::Virtual => f.write_str("virtual"),
            DutAddress::Tcp { host, port } => write!(f, "tcp://{host}:{port}"),
            DutAddress::Serial { path, baud } => write!(f, "{path}?baud={baud}"),
        }
    }
}

impl FromStr for DutAddress {
    type Err = BenchError;

    fn from_str(text: &str) -> Result<DutAddress, BenchError> {
        let name = text.trim();
        parse(name).map_err(|why| BenchError::Resource {
            name: name.to_owned(),
            what: "DUT link",
            why: format!(
                "{why}; use a port such as /dev/ttyACM0 or COM5 (with ?baud={BAUD}), tcp://host:port, `virtual` or `none`"
            ),
        })
    }
}

fn parse(name: &str) -> Result<DutAddress, &'static str> {
    if name.eq_ignore_ascii_case("none") {
        return Ok(DutAddress::None);
    }
    if name.eq_ignore_ascii_case("virtual") {
        return Ok(DutAddress::Virtual);
    }
    match name.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("tcp") => tcp(rest),
        Some(_) => Err("the only scheme is tcp://"),
        None => serial(name),
    }
}

fn tcp(rest: &str) -> Result<DutAddress, &'static str> {
    let (host, port) = rest.rsplit_once(':').ok_or("a tcp:// link needs a port")?;
    let bracketed = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
    let inner = bracketed.unwrap_or(host);
    let sound = !inner.is_empty()
        && inner.bytes().all(|b| {
            b.is_ascii_alphanumeric() || b"-._".contains(&b) || (bracketed.is_some() && b":%".contains(&b))
        });
    if !sound {
        return Err("the host is no name or address");
    }
    let digits = port.bytes().all(|b| b.is_ascii_digit());
    let port = port.parse().ok().filter(|p| digits && *p != 0).ok_or("the port is not 1 to 65535")?;
    Ok(DutAddress::Tcp { host: host.to_owned(), port })
}

fn serial(name: &str) -> Result<DutAddress, &'static str> {
    let (path, options) = name.split_once('?').unwrap_or((name, ""));
    if path.is_empty() || path.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err("there is no port in it");
    }
    let looks_like_a_port =
        path.contains('/') || path.to_ascii_uppercase().contains("COM") || path.contains("tty");
    if !looks_like_a_port {
        return Err("it does not look like a port");
    }
    let baud = match options {
        "" => BAUD,
        _ => {
            let number = options.strip_prefix("baud=").ok_or("the only option is ?baud=N")?;
            number
                .parse()
                .ok()
                .filter(|b| (300..=12_000_000).contains(b))
                .ok_or("the baud rate is not 300 to 12000000")?
        }
    };
    Ok(DutAddress::Serial { path: path.to_owned(), baud })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn links_are_read_with_their_defaults() {
        let cases = [
            ("none", "none"),
            ("Virtual", "virtual"),
            ("/dev/ttyACM0", "/dev/ttyACM0?baud=115200"),
            ("COM5?baud=1000000", "COM5?baud=1000000"),
            ("tcp://lab:4001", "tcp://lab:4001"),
            ("tcp://[::1]:4001", "tcp://[::1]:4001"),
        ];
        for (given, canonical) in cases {
            assert_eq!(given.parse::<DutAddress>().unwrap().to_string(), canonical);
        }
    }

    #[test]
    fn what_is_no_link_is_refused_with_the_right_form() {
        for bad in [
            "",
            "tcp://",
            "tcp://h",
            "tcp://h:0",
            "tcp://:5",
            "udp://h:1",
            "COM5?speed=1",
            "COM5?baud=x",
            "board",
            "COM1 2",
        ] {
            let error = bad.parse::<DutAddress>().expect_err(bad).to_string();
            assert!(error.contains("tcp://host:port"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_and_what_is_read_is_stable(
            text in prop_oneof![".{0,30}", "(tcp://|/dev/)?[a-zA-Z0-9\\[\\]:.]{0,10}(\\?baud=)?[0-9]{0,8}"]
        ) {
            if let Ok(address) = text.parse::<DutAddress>() {
                prop_assert_eq!(address.to_string().parse::<DutAddress>().unwrap(), address);
            }
        }
    }
}
