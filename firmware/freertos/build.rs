//! Compiles the FreeRTOS kernel, whose source comes inside the crate `freertos-next`, with the C compiler for the target.
//!
//! Twice for the nRF5340: the image for the chip, and one for an emulator that knows no Security Extension. They differ in
//! one constant of the port, the EXC_RETURN value a task starts with.

use std::{
    env,
    error::Error,
    path::{Path, PathBuf},
    process::Command,
};

type Outcome = Result<(), Box<dyn Error>>;

const MISSING: &str = "arm-none-eabi-gcc was not found: the FreeRTOS kernel is C. Install it (Debian: gcc-arm-none-eabi) \
                       or leave this image out (`cargo nrf-rust` builds the images that are Rust alone)";

fn main() -> Outcome {
    println!("cargo:rerun-if-changed=c");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=FIRMWARE_BUILD");
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    println!("cargo:rustc-link-arg-bins=--nmagic");
    // Checked for the host, as an editor does: nothing to compile.
    if env::var("CARGO_CFG_TARGET_OS")? != "none" {
        return Ok(());
    }
    if Command::new("arm-none-eabi-gcc").arg("--version").output().is_err() {
        return Err(MISSING.into());
    }
    let kernel = PathBuf::from(env::var("DEP_FREERTOS_KERNEL")?);
    kernel_for("freertos", &kernel, true)?;
    kernel_for("freertos-emulator", &kernel, false)
}

/// Compiles the kernel into an archive of its own and links it to one binary.
fn kernel_for(binary: &str, kernel: &Path, secure_only: bool) -> Outcome {
    let (port, sources): (_, &[&str]) = if env::var_os("CARGO_FEATURE_LM3S6965").is_some() {
        (kernel.join("portable/GCC/ARM_CM3"), &["port.c"])
    } else {
        (kernel.join("portable/GCC/ARM_CM33_NTZ/non_secure"), &["port.c", "portasm.c"])
    };
    let archive = format!("kernel-{binary}");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut build = cc::Build::new();
    build.cargo_metadata(false).out_dir(out.join(binary)).compiler("arm-none-eabi-gcc");
    build.include("c/include").include("c").include(kernel.join("include")).include(&port);
    build.files(["tasks.c", "list.c", "queue.c", "timers.c"].map(|f| kernel.join(f)));
    build.files(sources.iter().map(|f| port.join(f))).file("c/shim.c");
    build.define("SECURE_ONLY", if secure_only { "1" } else { "0" });
    build.flag("-ffreestanding").flag("-ffunction-sections").opt_level(2).warnings(false);
    build.try_compile(&archive)?;
    let path = out.join(binary).join(format!("lib{archive}.a"));
    println!("cargo:rustc-link-arg-bin={binary}={}", path.display());
    Ok(())
}
