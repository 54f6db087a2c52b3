//! Rules about the sources themselves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if entry.is_dir() {
            sources(&entry, found);
        } else {
            let text = fs::read_to_string(&entry).unwrap();
            found.push((entry, text));
        }
    }
}

/// The interpreter is version 0.0.x of one author: exchanging it must stay a matter of one folder.
#[test]
fn only_the_folder_cpu_knows_the_interpreter() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    sources(&root, &mut found);
    let users: Vec<_> =
        found.iter().filter(|(_, text)| text.contains("rsemu::")).map(|(path, _)| path).collect();
    assert!(
        users.iter().any(|path| path.starts_with(root.join("cpu"))),
        "the rule looks at nothing: {users:?}"
    );
    let strangers: Vec<_> = users.iter().filter(|path| !path.starts_with(root.join("cpu"))).collect();
    assert!(strangers.is_empty(), "rsemu is used outside src/cpu: {strangers:?}");
}

/// A host may run the board on a thread of its own.
#[test]
fn a_board_can_be_sent_to_a_thread() {
    fn sendable<T: Send>() {}
    sendable::<latency_emulator::Emulator>();
}
