//! The program `neuncut`: the command of this crate with its own allocator.

use std::process::ExitCode;

// Training allocates temporaries at every step: this allocator keeps their pages.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(neuncut_cli::main(std::env::args_os(), None))
}
