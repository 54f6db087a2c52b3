//! TOML text becomes a checked [`Profile`]. PURE: takes text, touches no file.
//!
//! A profile describes one rig: the bench, what the probes see, and the matrix of configurations to measure. [`parse`]
//! reads one, [`builtin`] gives those that come with the program, [`Profile::with`] applies the options of a command line.
//!
//! It refuses unknown keys, bare numbers where a quantity belongs, and half-checked profiles: every fault of a text is
//! reported at once, each with its key path and line. What is no TOML at all is reported alone, since the rest of such
//! a text cannot be trusted to mean what it seems to.

mod error;
pub mod model;
mod names;
mod overrides;
mod schema;
mod section;
mod suggest;

pub use error::{Fault, ProfileError};
pub use model::{
    BenchKind, BenchSpec, Configuration, FlashCommand, Probes, Profile, Reference, Signal, Simulation,
    Spacing, StimulusSource, Strategy, StrategyChoice, Timing,
};
pub use overrides::Overrides;

use section::{Faults, Section};
use toml::de::DeTable;

/// Longer texts are no profiles.
const LONGEST: usize = 1 << 20;

/// The profiles that come with the program: name and text.
const BUILTIN: [(&str, &str); 3] = [
    ("virtual", include_str!("../../profiles/virtual.toml")),
    ("nrf5340dk", include_str!("../../profiles/nrf5340dk.toml")),
    ("external", include_str!("../../profiles/external.toml")),
];

/// Reads and checks a profile; `origin` is its file name, for messages.
///
/// # Errors
/// [`ProfileError::Text`] with every fault of the text, in its order.
pub fn parse(text: &str, origin: &str) -> Result<Profile, ProfileError> {
    let faults = Faults::new(text);
    let profile = read(text, &faults);
    let faults = faults.sorted();
    match profile {
        Some(profile) if faults.is_empty() => Ok(profile),
        _ => Err(ProfileError::Text { origin: origin.to_owned(), faults }),
    }
}

fn read(text: &str, faults: &Faults<'_>) -> Option<Profile> {
    if text.len() > LONGEST {
        faults.add(
            0,
            String::new(),
            format!("{} bytes are no profile; at most {LONGEST} are read", text.len()),
        );
        return None;
    }
    let (document, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let offset = error.span().map_or(text.len(), |span| span.start);
        faults.add(offset, String::new(), format!("is no TOML: {}", error.message().replace('\n', ", ")));
    }
    if errors.is_empty() { schema::profile(&Section::root(document.get_ref(), faults)) } else { None }
}

/// The text of a built-in profile, for the evidence.
#[must_use]
pub fn builtin_text(name: &str) -> Option<&'static str> {
    BUILTIN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Names of the built-in profiles.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}

/// A profile that comes with the program, by name.
///
/// # Errors
/// [`ProfileError::NoBuiltin`], naming those that exist.
pub fn builtin(name: &str) -> Result<Profile, ProfileError> {
    let text = builtin_text(name).ok_or_else(|| ProfileError::NoBuiltin {
        name: section::shortened(name),
        known: builtin_names().collect::<Vec<_>>().join(", "),
    })?;
    parse(text, name)
}

#[cfg(test)]
mod tests;
