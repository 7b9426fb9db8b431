//! `cargo xtask docs`: the pages of the manual that are made from the program.

use crate::test::{cargo, root};
use std::process::Command;

/// The page of all commands and options.
const COMMANDS: &str = "docs/reference/commands.md";

/// Writes them anew.
pub(crate) fn run() -> Result<(), String> {
    let mut neuncut = Command::new(cargo());
    neuncut.args(["run", "--release", "--quiet", "--package", "neuncut-cli", "--", "man", "--markdown"]);
    let output = neuncut.current_dir(root()).output().map_err(|e| format!("cargo does not run: {e}"))?;
    if !output.status.success() {
        return Err(format!("the program gave no page: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let file = root().join(COMMANDS);
    std::fs::write(&file, output.stdout).map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    println!("{}", file.display());
    Ok(())
}
