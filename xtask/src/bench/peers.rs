//! Pythons that have what peers need: those that the user names, or environments of their own.

use super::measure::Work;
use crate::environment::{python_with, succeeds};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Pythons to use, separated as in PATH, in place of environments that would be made.
pub(super) const VARIABLE: &str = "NEUNCUT_PEERS";
/// Environments: kymatio needs an older scipy than the others.
const ENVIRONMENTS: [(&str, &str); 2] =
    [("bench-peers", "requirements.txt"), ("bench-kymatio", "requirements-kymatio.txt")];

pub(super) struct Peers {
    pythons: Vec<PathBuf>,
}

impl Peers {
    pub fn none() -> Self {
        Self { pythons: Vec::new() }
    }

    /// The Pythons that the variable names, or fresh environments under the target directory.
    pub fn find(work: &Work) -> Self {
        if let Some(given) = std::env::var_os(VARIABLE) {
            return Self { pythons: std::env::split_paths(&given).collect() };
        }
        let made = ENVIRONMENTS.iter().filter_map(|(name, requirements)| {
            let environment = work.target.join(name);
            let requirements = work.root.join("benches/peers").join(requirements);
            let python = python_with(&environment, &requirements);
            if python.is_none() {
                eprintln!("{} could not be installed: its columns stay empty", requirements.display());
            }
            python
        });
        Self { pythons: made.collect() }
    }

    /// A Python that can import this module.
    pub fn with(&self, module: &str) -> Option<&Path> {
        let found = self
            .pythons
            .iter()
            .find(|python| succeeds_silently(Command::new(python).args(["-c", &format!("import {module}")])));
        if found.is_none() && !self.pythons.is_empty() {
            eprintln!("no Python of {VARIABLE} has {module}: its column stays empty");
        }
        found.map(PathBuf::as_path)
    }
}

/// Whether a command ends well, in silence.
fn succeeds_silently(command: &mut Command) -> bool {
    succeeds(command.stdout(Stdio::null()).stderr(Stdio::null()))
}
