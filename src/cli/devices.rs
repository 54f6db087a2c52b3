//! `devices`: what is connected, each as the string for a profile. Nothing is sent to a network that was not named.

use super::args::DevicesArgs;
use super::exit::{Exit, Failure};
use super::output;
use crate::bench::Clock;
use crate::bench::clock::SystemClock;
use crate::bench::discover::{self, Found, Network, Role, Search};
use std::sync::Arc;

/// Runs the verb.
pub(super) fn run(args: &DevicesArgs) -> Result<Exit, Failure> {
    let networks = args.scan.iter().map(|text| text.parse::<Network>()).collect::<Result<Vec<_>, _>>()?;
    let wall: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let discovery = discover::devices(&Search { networks, visa: args.visa }, &wall);
    output::print(&discovery.found.iter().map(line).collect::<String>())?;
    for note in &discovery.notes {
        eprintln!("note: {note}");
    }
    if discovery.found.is_empty() {
        eprintln!("nothing was found; scopes on a network are looked for with --scan INTERFACE only");
    }
    Ok(Exit::Complete)
}

/// The line to paste into `[bench]`, with what is known of it as a comment.
fn line(found: &Found) -> String {
    let key = match found.role {
        Role::Scope => "scope",
        Role::Board => "dut",
    };
    let told = [found.identity.as_str(), found.by.as_str(), found.hint].into_iter().filter(|t| !t.is_empty());
    format!("{key} = \"{}\"   # {}\n", found.resource, told.collect::<Vec<_>>().join("; "))
}
