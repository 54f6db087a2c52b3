//! `analyze`: the report of a run, or of a capture that another program made, from its evidence alone.

use super::args::{AnalyzeArgs, ImportArgs};
use super::exit::{Exit, Failure};
use super::output;
use crate::capture::Reader;
use crate::foreign::{self, Choice, Selection};
use crate::report::{self, Report};
use crate::session;
use crate::units::Picos;
use anyhow::{Context, anyhow};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Runs the verb.
pub(super) fn run(args: &AnalyzeArgs) -> Result<Exit, Failure> {
    let mut report = if args.run.is_file() {
        imported(&args.run, &args.import)?
    } else {
        session::analyze(&Reader::open(&args.run)?)?
    };
    output::print_detailed(&mut report, args.format, args.detail)?;
    Ok(if report.passes() { Exit::Complete } else { Exit::Incomplete })
}

/// A file of another program: the channels must be named, or are listed.
fn imported(path: &Path, args: &ImportArgs) -> Result<Report, Failure> {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let open =
        || File::open(path).map(BufReader::new).with_context(|| format!("cannot read {}", path.display()));
    let (Some(stimulus), Some(response)) = (&args.stimulus, &args.response) else {
        let channels = foreign::channels(open().map_err(Failure::usage)?, &name).map_err(Failure::usage)?;
        let list = channels.join(", ");
        return Err(Failure::usage(anyhow!(
            "{name}: name its channels with --stimulus and --response; it has {list}"
        )));
    };
    let choice = |channel: &String, threshold| Choice { threshold, ..Choice::of(channel) };
    let selection = Selection {
        stimulus: choice(stimulus, args.threshold),
        response: choice(response, args.threshold),
        interval: args.interval,
    };
    let capture =
        foreign::open(open().map_err(Failure::usage)?, &name, &selection).map_err(Failure::usage)?;
    let pairing = capture.pairs(args.edge, args.edge, args.window, Picos::ZERO);
    Ok(report::imported(&name, &capture, pairing))
}
