//! The fuzzer: libFuzzer calls one target's body with mutated bytes. `cargo xtask fuzz` builds and runs it.
//!
//! Beside panics it finds memory that a small file takes (`allocation.rs`), memory that is never given back, and files left open.

#![no_main]

mod allocation;
mod bodies;

use bodies::Target;
use std::sync::OnceLock;
use tempfile::TempDir;

#[global_allocator]
static ALLOCATOR: allocation::Counted = allocation::Counted;

/// The environment variable that names the target.
const VARIABLE: &str = "NEUNCUT_FUZZ_TARGET";

/// The target of this process, and a directory for its files: in memory, where there is one.
fn stage() -> &'static (&'static Target, TempDir) {
    static STAGE: OnceLock<(&'static Target, TempDir)> = OnceLock::new();
    STAGE.get_or_init(|| {
        let name = std::env::var(VARIABLE).unwrap_or_default();
        let target = Target::named(&name).unwrap_or_else(|| panic!("{VARIABLE} is {name:?}, which is no target"));
        let in_memory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        (target, in_memory.expect("a temporary directory can be made"))
    })
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (target, directory) = stage();
    allocation::watched(bytes.len(), || target.run(directory.path(), bytes));
});
