//! The examples run, and print what their first lines promise.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// In this order: the second reads what the first has saved.
const EXAMPLES: [&str; 4] = ["fit_and_save", "predict_saved", "own_graph", "own_objective"];

/// Builds the examples as programs, which `cargo test` alone does not, and gives their folder.
fn built() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let folder = tests.parent().and_then(Path::parent).unwrap();
    let profile = match folder.file_name().and_then(|name| name.to_str()).unwrap() {
        "debug" => "dev",
        other => other,
    };
    let mut build = Command::new(env!("CARGO"));
    // of the whole workspace, as the tests are, so that nothing else is built again
    build.args(["build", "--offline", "--quiet", "--workspace", "--profile", profile, "--target-dir"]);
    build.arg(folder.parent().unwrap()).args(EXAMPLES.iter().flat_map(|name| ["--example", name]));
    assert!(build.current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap().success());
    folder.join("examples")
}

#[test]
fn examples_print_what_they_promise() {
    let (programs, folder) = (built(), tempfile::tempdir().unwrap());
    for name in EXAMPLES {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.rs"));
        let text = fs::read_to_string(source).unwrap();
        let promised = text.split("//! Prints first: `").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
        let program = programs.join(name).with_extension(std::env::consts::EXE_EXTENSION);
        let run = Command::new(&program).current_dir(&folder).output().unwrap_or_else(|e| panic!("{program:?}: {e}"));
        assert!(run.status.success(), "{name}: {}", String::from_utf8_lossy(&run.stderr));
        let printed = String::from_utf8(run.stdout).unwrap();
        assert_eq!(printed.lines().next(), Some(promised), "{name}");
    }
}
