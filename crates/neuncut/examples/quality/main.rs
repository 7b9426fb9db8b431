//! How good the default fit is, for people and for comparing two versions: `cargo xtask quality` sets this up.
//!
//! Without `--suite`: a family of shapes and real sets, beside k-means and scikit-learn's SpectralClustering, with floors
//! ([`family`]). With `--judges DIR`: which judge picks the best partitions ([`judges`]). With `--suite DIR`: every set in a directory, beside the scores of peers that are stored there ([`suite`]);
//! with `--choose` beside it how often the number of clusters is found ([`choose`]), with `--partial` what labels of some rows do ([`partial`]).
//! Labels score finished results only.

#![allow(clippy::print_stdout, reason = "a command for people prints")]

mod choose;
mod family;
mod judges;
mod partial;
mod real;
mod suite;

use neuncut::Result;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<ExitCode> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |option: &str| words.iter().any(|word| word == option);
    match (has("--suite"), has("--judges")) {
        _ if has("--choose") => choose::run(&words),
        _ if has("--partial") => partial::run(&words),
        (true, _) => suite::run(&words),
        (_, true) => judges::run(&words),
        _ => family::run(&words),
    }
}
