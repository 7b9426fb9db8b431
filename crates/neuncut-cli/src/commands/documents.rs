//! Shell completions and manual pages, made from the argument definitions.

use crate::args::Cli;
use crate::speech;
use clap::CommandFactory;
use neuncut::{Error, Result};
use std::path::Path;

/// Prints a completion script.
pub fn completions(shell: clap_complete::Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "neuncut", &mut script);
    speech::answer(String::from_utf8_lossy(&script))
}

/// Prints the manual page, or writes one for each command into a directory.
pub fn man(directory: Option<&Path>) -> Result<()> {
    match directory {
        Some(directory) => {
            std::fs::create_dir_all(directory).map_err(Error::io("create", directory))?;
            clap_mangen::generate_to(Cli::command(), directory).map_err(Error::io("write to", directory))
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page).map_err(Error::io("write", "standard output"))?;
            speech::answer(String::from_utf8_lossy(&page))
        }
    }
}
