//! How instruments, configurations and modes may be called. Only the shape is checked here; whether something answers
//! under a name is for the bench to find out.

/// Folder names end up on every file system: letters, digits and `-`, `_`, `+`, `.`, no leading dot, at most 64.
pub(super) fn check_folder(name: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_+.".contains(c);
    if name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
        return Err("must be 1 to 64 of letters, digits, `-`, `_`, `+` and `.`: it names a folder".to_owned());
    }
    if name.starts_with('.') || name.ends_with('.') {
        return Err("must not begin or end with a dot: it names a folder".to_owned());
    }
    Ok(())
}

/// A mode or load as the firmware's protocol can say it.
pub(super) fn check_mode(name: &str) -> Result<(), String> {
    if latency_protocol::is_name(name) {
        return Ok(());
    }
    let longest = latency_protocol::MAX_NAME;
    Err(format!("must be 1 to {longest} of lower-case letters, digits and `-`, as the firmware says it"))
}

/// `virtual`, a VISA name, a host, or `host:port`.
pub(super) fn check_scope(resource: &str) -> Result<(), String> {
    const WAY_OUT: &str =
        "write `virtual`, a host, host:port, or a VISA name such as TCPIP0::192.168.1.20::5555::SOCKET";
    if resource == "virtual" {
        return Ok(());
    }
    if resource.contains("::") && !resource.starts_with('[') {
        return check_visa(resource).map_err(|what| format!("{what}; {WAY_OUT}"));
    }
    check_host(resource, false).map_err(|what| format!("{what}; {WAY_OUT}"))
}

/// The interface must be one of VISA's, a raw socket needs its port.
fn check_visa(resource: &str) -> Result<(), String> {
    let parts: Vec<&str> = resource.split("::").collect();
    let interface = parts.first().map_or("", |p| p.trim_end_matches(|c: char| c.is_ascii_digit()));
    let known = ["TCPIP", "USB", "ASRL", "GPIB", "PXI", "VXI"];
    if !known.iter().any(|k| k.eq_ignore_ascii_case(interface)) {
        return Err(format!("`{interface}` is no interface of VISA ({})", known.join(", ")));
    }
    if parts.iter().any(|p| p.is_empty() || !p.chars().all(|c| c.is_ascii_graphic())) {
        return Err("a part of the VISA name is empty or holds blanks".to_owned());
    }
    match parts.as_slice() {
        [_, _, port, socket] if socket.eq_ignore_ascii_case("SOCKET") => check_port(port),
        [.., socket] if socket.eq_ignore_ascii_case("SOCKET") => {
            Err("a SOCKET needs host and port (TCPIP0::host::5555::SOCKET)".to_owned())
        }
        _ => Ok(()),
    }
}

/// `none`, `virtual`, `tcp://host:port`, or a serial port with optional `?baud=`.
pub(super) fn check_dut(link: &str) -> Result<(), String> {
    const WAY_OUT: &str = "write a serial port such as /dev/ttyACM0 or COM5 (?baud=115200), tcp://host:port, `virtual` or `none`";
    let outcome = match link.strip_prefix("tcp://") {
        _ if link == "none" || link == "virtual" => Ok(()),
        Some(host) => check_host(host, true),
        None => check_serial(link),
    };
    outcome.map_err(|what| format!("{what}; {WAY_OUT}"))
}

fn check_serial(link: &str) -> Result<(), String> {
    let (port, options) = link.split_once('?').map_or((link, None), |(port, options)| (port, Some(options)));
    let com =
        port.strip_prefix("COM").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    if !com && !port.starts_with('/') && !port.starts_with(r"\\.\") {
        return Err("is no serial port".to_owned());
    }
    match options.map(|o| o.strip_prefix("baud=").and_then(|b| b.parse::<u32>().ok())) {
        None | Some(Some(1..)) => Ok(()),
        _ => Err("the only option of a serial port is ?baud=NUMBER".to_owned()),
    }
}

/// A host name or address, with a port where it is needed or given. IPv6 stands in brackets.
fn check_host(text: &str, port_needed: bool) -> Result<(), String> {
    let (host, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, "")) => (host, None),
        Some((host, rest)) => (host, Some(rest.strip_prefix(':').unwrap_or("?"))),
        None => text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port))),
    };
    if host.is_empty() || !host.chars().all(|c| c.is_ascii_alphanumeric() || ".-_:%".contains(c)) {
        return Err("is no host name".to_owned());
    }
    match port {
        Some(port) => check_port(port),
        None if port_needed => Err("the port is missing".to_owned()),
        None => Ok(()),
    }
}

fn check_port(port: &str) -> Result<(), String> {
    match port.parse::<u16>() {
        Ok(1..) if port.bytes().all(|b| b.is_ascii_digit()) => Ok(()),
        _ => Err("the port must be a number from 1 to 65535".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_the_manual_pass() {
        for scope in [
            "virtual",
            "192.168.1.20",
            "rigol.lan:5555",
            "[fe80::1]:5555",
            "TCPIP0::192.168.1.20::5555::SOCKET",
            "TCPIP::rigol::INSTR",
            "TCPIP0::127.0.0.1,1024::inst0::INSTR",
            "USB0::0x1AB1::0x04CE::DS1ZA000000000::INSTR",
            "ASRL1::INSTR",
        ] {
            assert_eq!(check_scope(scope), Ok(()), "{scope}");
        }
        for dut in
            ["none", "virtual", "/dev/ttyACM0", "/dev/ttyACM0?baud=115200", "COM5", "tcp://127.0.0.1:4000"]
        {
            assert_eq!(check_dut(dut), Ok(()), "{dut}");
        }
    }

    #[test]
    fn wrong_forms_are_refused_with_the_right_ones() {
        for scope in
            ["", "my scope", "host:0", "host:70000", "host:+80", "TCPIP0::host::SOCKET", "FOO::1::INSTR"]
        {
            let message = check_scope(scope).unwrap_err();
            assert!(message.contains("TCPIP0::192.168.1.20::5555::SOCKET"), "{message}");
        }
        for dut in ["", "COM", "ttyACM0", "tcp://host", "/dev/ttyACM0?speed=9600", "/dev/ttyACM0?baud=0"] {
            let message = check_dut(dut).unwrap_err();
            assert!(message.contains("tcp://host:port"), "{message}");
        }
    }

    #[test]
    fn folder_names_cannot_leave_their_folder() {
        for name in ["", "..", ".hidden", "a/b", r"a\b", "a b", "dot."] {
            assert!(check_folder(name).is_err(), "{name}");
        }
        assert_eq!(check_folder("direct+i2c_2.0"), Ok(()));
    }
}
