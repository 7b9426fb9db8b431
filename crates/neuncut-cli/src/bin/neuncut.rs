//! The program `neuncut`: the command of this crate with its own allocator.

#![forbid(unsafe_code)]

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: neuncut_cli::allocator::Bounded = neuncut_cli::allocator::Bounded;

fn main() -> ExitCode {
    ExitCode::from(neuncut_cli::main(std::env::args_os(), None))
}
