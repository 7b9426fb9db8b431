//! The README and the manual: links lead somewhere ([`pages`]), and figures are those of the records ([`figures`]).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod figures;
mod methods;
mod pages;
mod sentences;

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The newest folder of records in a folder that has this file: names of folders begin with their date.
fn newest(folder: &str, file: &str) -> String {
    let mut found: Vec<String> = fs::read_dir(root().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().join(file).exists())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    found.sort();
    format!("{folder}/{}", found.last().unwrap_or_else(|| panic!("no folder of {folder} has {file}")))
}
