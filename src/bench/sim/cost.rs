//! What an exchange costs in time.
//!
//! | exchange | time | basis |
//! |---|---|---|
//! | query | 3 to 7 ms | estimate for a socket; USB was measured at 1 ms |
//! | setting, command | 2 to 20 ms | pacing that careful clients found to be needed |
//! | data block | 20 ms (memory) or 3 ms (screen), and its bytes at the rate of the link | published read times |
//! | screenshot | 1 s | measured by two authors |
//! | setup restored, automatic set-up | 6 s, 3 s | measured; estimate |
//! | reset | 6 s | 5 to 8 s in public drivers |
//! | a UART character | 10 bits at 115 200 baud | arithmetic |

use super::random::Draw;
use crate::units::Picos;

/// Time a message takes before it is carried out.
pub(super) fn latency(seed: u64, exchange: u64, query: bool) -> Picos {
    let mut draw = Draw::new(&[seed, 0xC0, exchange]);
    let (low, high) = if query { (3, 7) } else { (2, 20) };
    draw.between(Picos::from_ms(low), Picos::from_ms(high))
}

/// Time that `bytes` take on a link of so many bytes a second.
pub(super) fn transfer(bytes: usize, bytes_per_second: f64) -> Picos {
    if bytes_per_second > 0.0 { Picos((bytes as f64 / bytes_per_second * 1e12) as i64) } else { Picos::ZERO }
}

/// Preparing a block of memory data.
pub(super) const MEMORY_BLOCK: Picos = Picos::from_ms(20);
/// Preparing a block of screen data.
pub(super) const SCREEN_BLOCK: Picos = Picos::from_ms(3);
/// Preparing a screenshot.
pub(super) const SCREENSHOT: Picos = Picos::from_s(1);
/// Taking over a setup block.
pub(super) const RESTORE: Picos = Picos::from_s(6);
/// `*RST`.
pub(super) const RESET: Picos = Picos::from_s(6);
/// `:AUToscale`.
pub(super) const AUTOSCALE: Picos = Picos::from_s(3);

/// Time that characters take on the board's serial line.
pub(super) fn uart(characters: usize) -> Picos {
    Picos((characters as i64).saturating_mul(10 * 1_000_000_000_000 / 115_200))
}
