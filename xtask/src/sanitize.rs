//! `cargo xtask sanitize`: the tests of the kernels and of the parallel code under AddressSanitizer and ThreadSanitizer.
//!
//! Both are switched on by flags that the stable compiler takes with `RUSTC_BOOTSTRAP=1` alone. ThreadSanitizer must see the standard
//! library as well, or it takes its locks for races: that is built anew where its source is installed (`rust-src`).

use crate::environment::succeeds;
use crate::fuzz::host;
use crate::options::{check, value};
use crate::test::{cargo, root, target};
use std::path::PathBuf;
use std::process::Command;

/// What is run: a package, and tests of it.
const TESTS: [(&str, &[&str]); 2] = [("neuncut-linalg", &["--lib"]), ("neuncut-data", &["--lib"])];

/// Runs one sanitizer, or both.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    check(options, &["--only"])?;
    let only: Option<String> = value(options, "--only")?;
    let triple = host().ok_or("rustc does not tell the machine it is on")?;
    let mut failed = Vec::new();
    for sanitizer in ["address", "thread"].into_iter().filter(|name| only.as_deref().is_none_or(|o| o == *name)) {
        if sanitizer == "thread" && !has_source() {
            println!(
                "== thread sanitizer: skipped, needs the standard library's source: `rustup component add rust-src`"
            );
            continue;
        }
        for (package, tests) in TESTS {
            println!("== {sanitizer} sanitizer: {package}");
            if !succeeds(&mut command(sanitizer, &triple, package, tests)) {
                failed.push(format!("{package} under the {sanitizer} sanitizer"));
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("found something: {}", failed.join(", "))) }
}

fn command(sanitizer: &str, triple: &str, package: &str, tests: &[&str]) -> Command {
    let mut command = Command::new(cargo());
    command.args(["test", "--release", "--target", triple, "--package", package]).args(tests);
    let flags = format!("-Zsanitizer={sanitizer}");
    if has_source() {
        command.arg("-Zbuild-std");
    }
    command.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", flags).env("CARGO_TARGET_DIR", target().join(sanitizer));
    command.current_dir(root());
    command
}

/// Whether the source of the standard library is installed.
fn has_source() -> bool {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output();
    let sysroot = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    PathBuf::from(sysroot).join("lib/rustlib/src/rust/library/std").exists()
}
