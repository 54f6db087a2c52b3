//! Which hosts offer VXI-11: one GETPORT to a broadcast address, answered by every host whose port mapper knows it.

use super::link::{CORE, GETPORT, PORT_MAPPER, getport};
use super::rpc::{answer, request};
use crate::bench::Clock;
use crate::units::Picos;
use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::Duration;

/// Hosts that are listed; a network that has more is not a laboratory's.
const MOST: usize = 256;
/// Answers that are looked at, whatever they are.
const MOST_ANSWERS: usize = 4_096;
/// The number of the call, by which answers are known.
const CALL: u32 = CORE.0;

/// Asks over `socket` and collects answers for `wait`.
///
/// # Errors
/// Those of the system when the question cannot be sent.
pub(in crate::bench) fn hosts(
    socket: &UdpSocket,
    to: SocketAddr,
    wait: Picos,
    wall: &dyn Clock,
) -> io::Result<Vec<IpAddr>> {
    let deadline = wall.now() + wait;
    socket.set_broadcast(true)?;
    socket.send_to(&request(CALL, PORT_MAPPER, GETPORT, &getport().finish()), to)?;
    let mut found = Vec::new();
    let mut room = [0; 512];
    for _ in 0..MOST_ANSWERS {
        let left = deadline - wall.now();
        if left.0 <= 0 || found.len() >= MOST {
            break;
        }
        socket.set_read_timeout(Some(left.to_duration().max(Duration::from_millis(1))))?;
        let Ok((n, from)) = socket.recv_from(&mut room) else { continue };
        let port = answer(CALL, room.get(..n).unwrap_or_default()).and_then(|mut reply| reply.word());
        if port.is_ok_and(|p| p != 0) && !found.contains(&from.ip()) {
            found.push(from.ip());
        }
    }
    Ok(found)
}
