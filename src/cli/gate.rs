//! `gate --baseline RUN RUN`: 0 passes, 1 has become slower or is over a limit, 2 cannot be judged.

use super::args::{GateArgs, TextFormat};
use super::compare::{read, style};
use super::exit::{Exit, Failure};
use super::output;
use crate::report::{self, GateOptions};
use crate::stats::Limit;
use anyhow::{Context, anyhow};

/// Runs the verb.
pub(super) fn run(args: &GateArgs) -> Result<Exit, Failure> {
    let options = options(args)?;
    let baseline = args.baseline.as_deref().map(read).transpose()?;
    let outcome =
        report::gate_runs(baseline.as_ref(), &read(&args.run)?, &options).map_err(Failure::usage)?;
    if let Some(file) = &args.junit {
        std::fs::write(file, report::junit(&outcome))
            .with_context(|| format!("cannot write {}", file.display()))
            .map_err(Failure::usage)?;
    }
    output::print(&match args.format {
        TextFormat::Json => report::gate_json(&outcome),
        other => report::gate_text(&outcome, style(other)),
    })?;
    Ok(if outcome.passes() { Exit::Complete } else { Exit::Incomplete })
}

fn options(args: &GateArgs) -> Result<GateOptions, Failure> {
    if !(args.alpha > 0.0 && args.alpha <= 0.5) {
        return Err(Failure::usage(anyhow!(
            "alpha {} is no probability of a false alarm: use 0.001 to 0.5",
            args.alpha
        )));
    }
    let limits = args.limit.iter().map(|text| limit(text)).collect::<Result<_, _>>()?;
    Ok(GateOptions { alpha: args.alpha, relevance: args.relevance, limits, accept: args.accept.clone() })
}

/// `worst <= 3 us` for every configuration, `direct: worst <= 3 us` for one.
fn limit(text: &str) -> Result<(Option<String>, Limit), Failure> {
    let (name, rule) = match text.split_once(':') {
        Some((name, rule)) => (Some(name.trim().to_owned()), rule),
        None => (None, text),
    };
    Ok((name, rule.trim().parse().map_err(Failure::usage)?))
}
