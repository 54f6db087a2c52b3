//! The images, freshly built, so that what is tested is what the sources say.

use latency_image_tests::build::{self, BuildError, Target};
use latency_image_tests::skipped;
use std::env;
use std::sync::OnceLock;

const IMAGES: [&str; 4] = ["bare", "rtic", "embassy", "freertos"];

/// An image that could be built.
#[derive(Debug, Clone)]
pub struct Image {
    pub name: &'static str,
    pub elf: Vec<u8>,
}

/// All images whose tools are here; the others are named on stderr.
pub fn images() -> &'static [Image] {
    static BUILT: OnceLock<Vec<Image>> = OnceLock::new();
    BUILT.get_or_init(|| IMAGES.into_iter().filter_map(built).collect())
}

/// One image by name.
pub fn image(name: &str) -> Option<&'static Image> {
    images().iter().find(|i| i.name == name)
}

fn built(name: &'static str) -> Option<Image> {
    match build::image(Target::Nrf5340, name) {
        Ok(path) => Some(Image { name, elf: std::fs::read(path).expect("what was built can be read") }),
        Err(BuildError::Missing(what)) if env::var("LATENCY_IMAGES").as_deref() != Ok("required") => {
            skipped(&format!("image {name} not built and not run in the emulator: {what}"));
            None
        }
        Err(why) => panic!("image {name}: {why}"),
    }
}
