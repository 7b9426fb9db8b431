//! The examples run, and print what their first lines promise.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// In this order: the second reads what the first has saved.
const EXAMPLES: [&str; 4] = ["fit_and_save", "predict_saved", "own_graph", "own_objective"];

/// A compiled example, which cargo puts beside the folder of the tests.
fn program(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let place = tests.parent().and_then(Path::parent).unwrap().join("examples").join(name);
    place.with_extension(std::env::consts::EXE_EXTENSION)
}

#[test]
fn examples_print_what_they_promise() {
    let folder = tempfile::tempdir().unwrap();
    for name in EXAMPLES {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.rs"));
        let text = fs::read_to_string(source).unwrap();
        let promised = text.split("//! Prints first: `").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
        let run = Command::new(program(name)).current_dir(&folder).output();
        let run = run.unwrap_or_else(|e| panic!("{name}: {e}; `cargo build --release --examples` makes it"));
        assert!(run.status.success(), "{name}: {}", String::from_utf8_lossy(&run.stderr));
        let printed = String::from_utf8(run.stdout).unwrap();
        assert_eq!(printed.lines().next(), Some(promised), "{name}");
    }
}
