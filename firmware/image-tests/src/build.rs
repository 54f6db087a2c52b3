//! Builds images with the very commands that the README names.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What keeps an image from being built or run.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A tool of the machine is missing: a reason to skip.
    #[error("{0}")]
    Missing(String),
    /// Cargo could not be run.
    #[error("cannot run cargo: {0}")]
    Cargo(#[from] io::Error),
    /// The build failed.
    #[error("cargo {alias} failed:\n{output}")]
    Failed {
        /// Which command.
        alias: String,
        /// What it said.
        output: String,
    },
}

/// Where an image runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The nRF5340 application core.
    Nrf5340,
    /// QEMU's Cortex-M3 board.
    Lm3s6965,
}

impl Target {
    const fn triple(self) -> &'static str {
        match self {
            Target::Nrf5340 => "thumbv8m.main-none-eabihf",
            Target::Lm3s6965 => "thumbv7m-none-eabi",
        }
    }

    const fn alias(self, with_c: bool) -> &'static str {
        match (self, with_c) {
            (Target::Nrf5340, true) => "nrf",
            (Target::Nrf5340, false) => "nrf-rust",
            (Target::Lm3s6965, true) => "lm3s",
            (Target::Lm3s6965, false) => "lm3s-rust",
        }
    }
}

/// The workspace's folder.
#[must_use]
pub fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn runs(program: &str, argument: &str) -> bool {
    Command::new(program).arg(argument).output().is_ok_and(|o| o.status.success())
}

/// Whether a program can be started here.
///
/// # Errors
/// [`BuildError::Missing`] with the way to get it.
pub fn needs(program: &str, package: &str) -> Result<(), BuildError> {
    if runs(program, "--version") {
        return Ok(());
    }
    Err(BuildError::Missing(format!("{program} not found (Debian package {package})")))
}

fn target_installed(triple: &str) -> bool {
    let output = Command::new("rustc").args(["--print", "target-libdir", "--target", triple]).output();
    output.is_ok_and(|o| Path::new(String::from_utf8_lossy(&o.stdout).trim()).is_dir())
}

/// The target folder this test was built into: `TARGET/debug/deps/NAME`, wherever the user has put it.
fn target_folder() -> Result<PathBuf, BuildError> {
    let program = std::env::current_exe()?;
    Ok(program.ancestors().nth(3).map_or_else(|| workspace().join("target"), Path::to_path_buf))
}

/// Builds the images of a target and gives the file of `name`. Those that are Rust alone need no C compiler.
///
/// # Errors
/// [`BuildError::Missing`] when compiler target or C compiler are not there; otherwise what cargo said.
pub fn image(target: Target, name: &str) -> Result<PathBuf, BuildError> {
    let triple = target.triple();
    if !target_installed(triple) {
        return Err(BuildError::Missing(format!(
            "target {triple} not installed (rustup target add {triple})"
        )));
    }
    let with_c = name.starts_with("freertos");
    if with_c {
        needs("arm-none-eabi-gcc", "gcc-arm-none-eabi")?;
    }
    let (alias, folder) = (target.alias(with_c), target_folder()?);
    let mut command = Command::new(env!("CARGO"));
    let output = command.arg(alias).arg("--target-dir").arg(&folder).current_dir(workspace()).output()?;
    if !output.status.success() {
        let output = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(BuildError::Failed { alias: alias.to_owned(), output });
    }
    Ok(folder.join(triple).join("release").join(name))
}
