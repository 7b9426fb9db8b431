//! How good the default fit is, for people and for comparing two versions: `cargo xtask quality` sets this up.
//!
//! Without `--suite`: a family of shapes and real sets, beside k-means and scikit-learn's SpectralClustering, with floors
//! ([`family`]). With `--suite DIR`: every set in a directory, beside the scores of peers that are stored there ([`suite`]).
//! Labels score finished results only.

#![allow(clippy::print_stdout, reason = "a command for people prints")]

mod family;
mod real;
mod suite;

use neuncut::Result;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<ExitCode> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().any(|word| word == "--suite") {
        true => suite::run(&words),
        false => family::run(&words),
    }
}
