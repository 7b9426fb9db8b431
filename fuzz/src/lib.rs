//! The fuzzer: libFuzzer calls one target's body with mutated bytes. `cargo xtask fuzz` builds and runs it.
//!
//! Beside panics it finds memory that a small file takes (`allocation.rs`), memory that is never given back, and files left open.

pub mod allocation;
#[cfg(feature = "models")]
pub mod models;
#[cfg(feature = "tables")]
pub mod tables;
pub mod target;

use std::path::PathBuf;
use std::sync::OnceLock;
use target::Target;

#[global_allocator]
static ALLOCATOR: allocation::Counted = allocation::Counted;

/// The environment variables that name the target, and the folder for its files.
const TARGET: &str = "NEUNCUT_FUZZ_TARGET";
const FOLDER: &str = "NEUNCUT_FUZZ_FOLDER";

/// The target of this process, and the folder for its files.
fn stage(targets: &'static [Target]) -> &'static (&'static Target, PathBuf) {
    static STAGE: OnceLock<(&'static Target, PathBuf)> = OnceLock::new();
    STAGE.get_or_init(|| {
        let [name, folder] = [TARGET, FOLDER].map(|variable| std::env::var(variable).unwrap_or_default());
        let target =
            Target::named(targets, &name).unwrap_or_else(|| panic!("{TARGET} is {name:?}, which is no target"));
        (target, PathBuf::from(folder))
    })
}

/// Puts some bytes through the target that the environment names.
pub fn run(targets: &'static [Target], bytes: &[u8]) {
    let (target, folder) = stage(targets);
    allocation::watched(bytes.len(), || target.run(folder, bytes));
}
