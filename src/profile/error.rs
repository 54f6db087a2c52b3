//! What is wrong with a profile, all of it at once.

use std::fmt;

/// One thing that is wrong, where, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Key path (`configuration[2].spacing.min`) or option (`--mode`).
    pub path: String,
    /// Line in the text, from 1; none for an option of the command line.
    pub line: Option<usize>,
    /// What is wrong and the way out.
    pub message: String,
}

impl Fault {
    /// A fault of a command-line option.
    pub(super) fn option(name: &str, message: impl Into<String>) -> Fault {
        Fault { path: name.to_owned(), line: None, message: message.into() }
    }
}

impl fmt::Display for Fault {
    /// `line 12: stimulus.channel: ...`; a fault of the whole text has no path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

/// A text that is no valid profile, or options that don't fit it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// The text has faults.
    #[error("{}", listed(origin, faults))]
    Text {
        /// File name, for messages.
        origin: String,
        /// All of them, by line; never empty.
        faults: Vec<Fault>,
    },
    /// Options of the command line don't fit the profile.
    #[error("{}", listed(&format!("options for profile `{profile}`"), faults))]
    Options {
        /// Name of the profile.
        profile: String,
        /// All of them; never empty.
        faults: Vec<Fault>,
    },
    /// There is no built-in profile of that name.
    #[error(
        "there is no built-in profile `{name}`; built in are {known}; a file is named with its path, such as profiles/{name}.toml"
    )]
    NoBuiltin {
        /// The name asked for.
        name: String,
        /// The names that exist.
        known: String,
    },
}

impl ProfileError {
    /// Everything that is wrong.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        match self {
            ProfileError::Text { faults, .. } | ProfileError::Options { faults, .. } => faults,
            ProfileError::NoBuiltin { .. } => &[],
        }
    }
}

/// A heading and a line for each fault.
fn listed(origin: &str, faults: &[Fault]) -> String {
    let count = match faults.len() {
        1 => "1 fault".to_owned(),
        n => format!("{n} faults"),
    };
    let lines: String = faults.iter().map(|fault| format!("\n  {fault}")).collect();
    format!("{origin}: {count}{lines}")
}
