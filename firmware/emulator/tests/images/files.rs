//! Builds the images, so that what is tested is what the sources say.

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Package and binary.
const IMAGES: [(&str, &str); 4] =
    [("bare", "bare"), ("rtic-image", "rtic"), ("embassy", "embassy"), ("freertos", "freertos")];
const TARGET: &str = "thumbv8m.main-none-eabihf";

/// An image that could be built.
#[derive(Debug, Clone)]
pub struct Image {
    pub name: &'static str,
    pub elf: Vec<u8>,
}

/// All images that can be built here; the others are named on stderr.
pub fn images() -> &'static [Image] {
    static BUILT: OnceLock<Vec<Image>> = OnceLock::new();
    BUILT.get_or_init(|| IMAGES.iter().filter_map(|(package, name)| built(package, name)).collect())
}

/// One image by name.
pub fn image(name: &str) -> Option<&'static Image> {
    images().iter().find(|i| i.name == name)
}

fn built(package: &str, name: &'static str) -> Option<Image> {
    match build(package, name) {
        Ok(elf) => Some(Image { name, elf }),
        Err(why) => {
            assert!(
                env::var("LATENCY_IMAGES").as_deref() != Ok("required"),
                "image {name} cannot be built: {why}"
            );
            skipped(name, &why);
            None
        }
    }
}

/// Straight to stderr: the test harness hides what passes through its own macros.
fn skipped(name: &str, why: &str) {
    let text = format!(
        "SKIPPED: image {name} not built ({why}); run `rustup target add {TARGET}` (freertos: also install \
         gcc-arm-none-eabi), then `cargo nrf` in firmware/\n"
    );
    io::stderr().write_all(text.as_bytes()).expect("stderr is open");
}

fn build(package: &str, name: &str) -> Result<Vec<u8>, String> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the emulator lies in no folder")?;
    let out = target_folder()?;
    let result = Command::new(env::var_os("CARGO").ok_or("no cargo at hand")?)
        .current_dir(workspace)
        .args([
            "build",
            "--release",
            "--locked",
            "--target",
            TARGET,
            "-p",
            package,
            "--bin",
            name,
            "--target-dir",
        ])
        .arg(&out)
        .output()
        .map_err(|e| e.to_string())?;
    if !result.status.success() {
        return Err(last_error(&String::from_utf8_lossy(&result.stderr)));
    }
    let elf = out.join(TARGET).join("release").join(name);
    std::fs::read(&elf).map_err(|e| format!("{}: {e}", elf.display()))
}

/// The folder this very test was built into.
fn target_folder() -> Result<PathBuf, String> {
    let own = env::current_exe().map_err(|e| e.to_string())?;
    own.ancestors()
        .nth(3)
        .map(Path::to_path_buf)
        .ok_or_else(|| "the test lies in no target folder".to_owned())
}

fn last_error(stderr: &str) -> String {
    let error = stderr.lines().find(|l| l.starts_with("error")).or(stderr.lines().last());
    error.unwrap_or("no message").to_owned()
}
