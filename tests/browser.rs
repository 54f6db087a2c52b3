//! The page in a real browser: it shows something at every width, nothing sticks out sideways, and dark is dark. Without
//! a Chromium on the machine each test says so and passes.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a failing step is a failing test

use latency_cli as lib;
use latency_cli::profile::BenchKind;
use latency_cli::report::{page, pictures};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

#[path = "../src/report/pictures/synthetic.rs"]
#[allow(dead_code, reason = "this test needs only some of the reports made there")]
mod synthetic;

/// Longest time for one page.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with a folder of its own, which goes with it.
struct Browser {
    program: PathBuf,
    folder: TempDir,
}

impl Browser {
    fn find() -> Option<Browser> {
        let path = std::env::var_os("PATH")?;
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let program =
            std::env::split_paths(&path).flat_map(|p| names.map(|n| p.join(n))).find(|p| p.is_file());
        if program.is_none() {
            println!("SKIPPED: chromium not found");
        }
        Some(Browser { program: program?, folder: TempDir::new().expect("a folder") })
    }

    fn save(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path
    }

    /// Opens `page` at `width` and gives what the browser printed.
    fn open(&self, page: &Path, (width, height): (u32, u32), more: &[&str]) -> String {
        let out = self.folder.path().join("stdout");
        let child = Command::new(&self.program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--hide-scrollbars",
            ])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .arg(format!("--user-data-dir={}", self.folder.path().join("profile").display()))
            .arg(format!("--window-size={width},{height}"))
            .args(more)
            .arg(format!("file://{}", page.display()))
            .stdout(std::fs::File::create(&out).expect("a file"))
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        wait(child);
        std::fs::read_to_string(&out).expect("what the browser printed")
    }

    /// A screenshot as width, height and pixels of red, green, blue.
    fn picture(&self, page: &Path, size: (u32, u32), more: &[&str]) -> (u32, u32, Vec<[u8; 3]>) {
        let path = self.folder.path().join("shot.png");
        let option = format!("--screenshot={}", path.display());
        self.open(page, size, &[&[option.as_str()], more].concat());
        pixels(&std::fs::read(&path).expect("a screenshot"))
    }
}

fn wait(mut child: Child) {
    let begun = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().expect("ended");
            child.wait().expect("ended");
            panic!("the browser did not finish within {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn pixels(png: &[u8]) -> (u32, u32, Vec<[u8; 3]>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().expect("a png");
    let (width, height, step) = (reader.info().width, reader.info().height, reader.info().bytes_per_pixel());
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut bytes).expect("pixels");
    (width, height, bytes.chunks_exact(step).map(|p| [p[0], p[1], p[2]]).collect())
}

/// The page of a run of 30 000 pairs with a long name in it.
fn report_page() -> String {
    let mut report = synthetic::large(BenchKind::Virtual);
    report.rows[1].name = "a-configuration-with-quite-a-long-name+and-two-loads+on-top".to_owned();
    let waves = [synthetic::waveform("direct", 1_300), synthetic::waveform("workqueue", 48_000)];
    page(&report, &pictures::all(&report, &waves).expect("drawn"))
}

/// The page with a script that tells the page around it how wide window and content are, and what sticks out. The page's
/// own policy forbids scripts, so it has to go for this.
fn measuring(text: &str) -> String {
    let policy = text.find("<meta http-equiv=\"Content-Security-Policy\"").expect("a policy");
    let end = policy + text[policy..].find("/>").expect("an end") + 2;
    let script = "<script>const d = document.documentElement, w = d.clientWidth;\
        const inside = e => e.closest('.scroll, svg, .skip');\
        const wide = e => !inside(e) && e.getBoundingClientRect().right > w + 1;\
        const out = [...document.body.querySelectorAll('*')].filter(wide).map(e => e.tagName + '.' + e.className);\
        parent.postMessage(`WIDTH ${innerWidth} ${d.scrollWidth} OUT ${out.length} ${out.slice(0, 5)}`, '*');\
        </script></body>";
    format!("{}{}", &text[..policy], &text[end..]).replace("</body>", script)
}

/// What [`measuring`] tells at `width`. The window of a headless browser cannot be narrower than 500, a frame can.
fn measured(browser: &Browser, text: &str, width: u32) -> String {
    browser.save("page.html", &measuring(text));
    let frame = format!(
        "<!DOCTYPE html><title>nothing</title><script>onmessage = e => document.title = e.data</script>\
         <iframe src=\"page.html\" width=\"{width}\" height=\"800\" style=\"border:0\"></iframe>"
    );
    let dom = browser.open(
        &browser.save("frame.html", &frame),
        (1400, 900),
        &["--dump-dom", "--virtual-time-budget=4000"],
    );
    dom.split("<title>").nth(1).and_then(|t| t.split("</title>").next()).expect("a title").to_owned()
}

#[test]
fn nothing_sticks_out_at_any_width() {
    let Some(browser) = Browser::find() else { return };
    let page = report_page();
    for width in [1280, 800, 390, 320] {
        let seen = measured(&browser, &page, width);
        assert!(seen.starts_with(&format!("WIDTH {width} {width} OUT 0")), "at {width}: {seen}");
    }
    // It would be noticed.
    let wide = page.replacen("<main>", "<main><p style=\"width:600px\">wide</p>", 1);
    let seen = measured(&browser, &wide, 390);
    assert!(seen.starts_with("WIDTH 390 ") && seen.contains(" OUT 1 P."), "{seen}");
}

#[test]
fn the_browser_reads_the_page_as_it_was_meant() {
    let Some(browser) = Browser::find() else { return };
    let dom = browser.open(&browser.save("page.html", &report_page()), (1280, 900), &["--dump-dom"]);
    // Whatever a parser had to mend would show as elements moved or lost.
    let source = report_page();
    for tag in [
        "<figure ",
        "<svg ",
        "<table",
        "<caption>",
        "<th ",
        "<td>",
        "<section ",
        "<rect ",
        "<polyline ",
        "<li>",
    ] {
        assert_eq!(dom.matches(tag).count(), source.matches(tag).count(), "{tag}");
    }
    assert!(dom.contains("VIRTUAL"));
}

/// Share of pixels of this colour.
fn share(pixels: &[[u8; 3]], colour: [u8; 3]) -> f64 {
    pixels.iter().filter(|p| **p == colour).count() as f64 / pixels.len() as f64
}

#[test]
fn wide_and_narrow_light_and_dark_there_is_something_to_see() {
    let Some(browser) = Browser::find() else { return };
    let path = browser.save("page.html", &report_page());
    let schemes = [("1", [0xFF, 0xFF, 0xFF]), ("0", [0x14, 0x17, 0x1A])];
    for size in [(1280, 2400), (390, 2400)] {
        for (scheme, ground) in schemes {
            let option = format!("--blink-settings=preferredColorScheme={scheme}");
            let (width, height, pixels) = browser.picture(&path, size, &[&option]);
            assert_eq!((width, height), size);
            let grounds = share(&pixels, ground);
            assert!(
                (0.4..0.95).contains(&grounds),
                "{size:?}, scheme {scheme}: {grounds} of the ground's colour"
            );
            // The bar of a simulated run stays at the top.
            let top = &pixels[..width as usize * 20];
            assert!(share(top, [0xFF, 0xB0, 0x00]) > 0.5, "{size:?}, scheme {scheme}: no bar");
        }
    }
}
