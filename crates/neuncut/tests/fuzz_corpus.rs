//! Replays the corpus of the fuzzer: every file of `tests/attack` of the command, and every file in `fuzz/corpus` that once broke
//! something.

#![allow(missing_docs, reason = "the bodies are shared with the fuzzer, which is a program")]

#[path = "../../../fuzz/src/models.rs"]
mod models;
#[path = "../../../fuzz/src/tables.rs"]
mod tables;
#[path = "../../../fuzz/src/target.rs"]
mod target;

use std::path::{Path, PathBuf};
use target::Target;

/// Every target of both programs.
fn targets() -> impl Iterator<Item = &'static Target> {
    tables::TARGETS.iter().chain(&models::TARGETS)
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below a folder, sorted.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => files.extend(files_below(&path)),
            path => files.push(path),
        }
    }
    files.sort();
    files
}

fn replay(target: &Target, files: &[PathBuf]) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for path in files {
        eprintln!("{}: {}", target.name, path.display()); // shown where a body panics
        target.run(directory.path(), &std::fs::read(path).expect("a file of the corpus"));
    }
}

#[test]
fn files_of_the_attack_keep_every_promise() {
    let files = files_below(&workspace().join("crates/neuncut-cli/tests/attack"));
    assert!(files.len() > 200, "the corpus is part of the project");
    for target in targets() {
        let takes = |path: &&PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let name = name.strip_suffix(".gz").unwrap_or(&name);
            target.endings.iter().any(|ending| name.ends_with(&format!(".{ending}")))
        };
        let theirs: Vec<PathBuf> = files.iter().filter(takes).cloned().collect();
        let kept = files_below(&workspace().join("fuzz/corpus").join(target.name));
        assert!(theirs.len() + kept.len() > 0, "no file for the target {}", target.name);
        replay(target, &theirs);
    }
}

#[test]
fn what_the_fuzzer_found_stays_mended() {
    for target in targets() {
        replay(target, &files_below(&workspace().join("fuzz/corpus").join(target.name)));
    }
}

#[test]
fn a_target_is_found_by_its_name() {
    let found = |name: &str| Target::named(&tables::TARGETS, name).or(Target::named(&models::TARGETS, name));
    assert!(targets().all(|target| found(target.name).is_some_and(|found| found.name == target.name)));
    assert!(found("no such target").is_none());
}
