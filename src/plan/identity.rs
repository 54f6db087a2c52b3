//! Who the instruments are, as they say themselves.

use serde::{Deserialize, Serialize};

/// Who the scope is, from `*IDN?`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Such as `RIGOL TECHNOLOGIES`.
    pub manufacturer: String,
    /// Such as `DS1054Z`.
    pub model: String,
    /// Serial number.
    pub serial: String,
    /// Firmware version.
    pub firmware: String,
}

/// Who the board is and under which conditions it measures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Such as `nrf5340dk`.
    pub board: String,
    /// Such as `zephyr`.
    pub runtime: String,
    /// Firmware version.
    pub version: String,
    /// Build, a commit or a date.
    pub build: String,
    /// Modes the image really has.
    pub modes: Vec<String>,
    /// `CONF?`, in the order sent.
    pub conditions: Vec<(String, String)>,
}
