//! The keys of a profile, one reader for each table. A reader notes what is wrong and goes on, so that one pass finds
//! everything; it gives `None` only where something it needs is wrong.

mod bench;
mod configuration;
mod limits;
mod signals;

pub(super) use bench::check_kind;
pub(super) use limits::MOST;

use super::model::{FlashCommand, Profile, StimulusSource};
use super::names;
use super::section::Section;
use super::suggest;

/// The whole text.
pub(super) fn profile(root: &Section<'_>) -> Option<Profile> {
    let name = name(root);
    let bench = bench::bench(root);
    let signals = signals::signals(root);
    let limits = limits::limits(root);
    let flash = flash(root);
    let source = signals.source;
    let configurations = configuration::configurations(root, &limits, source);
    let images: Vec<&str> = configurations.iter().flatten().filter_map(|c| c.image.as_deref()).collect();
    check_flash(root, &flash, &images);
    if let (Some(bench), Some(StimulusSource::Firmware)) = (&bench, source) {
        check_link(root, &bench.dut);
    }
    root.finish();
    let (stimulus, response) = (signals.stimulus?, signals.response?);
    Some(Profile {
        name: name?,
        bench: bench?,
        source: source?,
        stimulus,
        response,
        clock: limits.clock,
        floor: limits.floor,
        tick: limits.tick,
        seed: limits.seed,
        configurations: configurations.into_iter().collect::<Option<Vec<_>>>()?,
        flash,
    })
}

fn name(root: &Section<'_>) -> Option<String> {
    let name = root.required("name", "a name such as name = \"my-board\"", root.text("name"))?;
    if let Err(message) = names::check_folder(name) {
        root.fault("name", message);
    }
    Some(name.to_owned())
}

/// A firmware train needs a link to send START over.
fn check_link(root: &Section<'_>, dut: &str) {
    if dut == "none" {
        root.fault(
            "stimulus",
            "source = \"firmware\" needs a link to the board, but dut = \"none\"; name the link, or use a \
             free-running generator with source = \"external\"",
        );
    }
}

/// `[flash.IMAGE]` tables.
fn flash(root: &Section<'_>) -> Vec<FlashCommand> {
    let section = root.section("flash");
    let commands = section.named().into_iter().filter_map(|(image, table)| {
        let command = table.texts("command");
        table.finish();
        if command.first().is_none_or(|program| program.trim().is_empty()) {
            table.fault("command", "must name a program and its arguments, such as [\"west\", \"flash\"]");
            return None;
        }
        Some(FlashCommand { image: image.to_owned(), command })
    });
    commands.collect()
}

/// A command for an image that no configuration uses is a typing error.
fn check_flash(root: &Section<'_>, flash: &[FlashCommand], images: &[&str]) {
    let section = root.section("flash");
    for stray in flash.iter().filter(|f| !images.contains(&f.image.as_str())) {
        let used =
            if images.is_empty() { "no image".to_owned() } else { suggest::hint(&stray.image, images) };
        section.fault(&stray.image, format!("no configuration uses this image; {used}"));
    }
}
