//! What an exchange costs in time.
//!
//! | exchange | time | basis |
//! |---|---|---|
//! | query | 3 to 7 ms | estimate for a socket; USB was measured at 1 ms |
//! | setting, command | 2 to 20 ms | pacing that careful clients found to be needed |
//! | waveform setting on the line of a query | 0.5 ms | `SOURce` and `DATA?` 162 times a second, over USB |
//! | data block | 20 ms (memory) or 3 ms (screen), and its bytes at the rate of the link | published read times |
//! | screenshot | 1 s | measured by two authors |
//! | setup restored, automatic set-up | 6 s, 3 s | measured; estimate |
//! | reset | 6 s | 5 to 8 s in public drivers |
//! | a UART character | 10 bits at 115 200 baud | arithmetic |

//!
//! The first three are for a mean query of 5 ms and scale with it.

use super::language::{statements, word};
use super::random::{Draw, scaled};
use crate::units::Picos;

/// The mean query that the table is written for.
const MEAN: Picos = Picos::from_ms(5);
/// A setting of the readout that shares its line with a query.
const WINDOW: Picos = Picos(500_000_000);

/// Time a message takes before it is carried out; `mean` is that of a query, `None` a message too long to be read.
pub(super) fn latency(seed: u64, exchange: u64, message: Option<&[u8]>, mean: Picos) -> Picos {
    let mut draw = Draw::new(&[seed, 0xC0, exchange]);
    let asks = message.is_some_and(|m| statements(m).any(|s| s.query));
    let mut time = if asks { draw.between(Picos::from_ms(3), Picos::from_ms(7)) } else { Picos::ZERO };
    for setting in statements(message.unwrap_or(b"-")).filter(|s| !s.query) {
        let quick = asks && of_the_readout(setting.header);
        time += if quick { WINDOW } else { draw.between(Picos::from_ms(2), Picos::from_ms(20)) };
    }
    scaled(time, mean.0 as f64 / MEAN.0 as f64)
}

fn of_the_readout(header: &str) -> bool {
    header.trim_start_matches(':').split(':').next().is_some_and(|node| word("WAVeform", node))
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
