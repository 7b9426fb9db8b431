//! Pythons that have what peers need: those that the user names, or environments of their own.

use super::measure::Work;
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
            environment_with(&environment, &requirements)
        });
        Self { pythons: made.collect() }
    }

    /// A Python that can import this module.
    pub fn with(&self, module: &str) -> Option<&Path> {
        let found =
            self.pythons.iter().find(|python| succeeds(Command::new(python).args(["-c", &format!("import {module}")])));
        if found.is_none() && !self.pythons.is_empty() {
            eprintln!("no Python of {VARIABLE} has {module}: its column stays empty");
        }
        found.map(PathBuf::as_path)
    }
}

/// The Python of an environment with these requirements, made where there is none with just these.
fn environment_with(environment: &Path, requirements: &Path) -> Option<PathBuf> {
    let (python, noted) = (environment.join("bin/python"), environment.join("requirements-installed.txt"));
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    if read(&noted).is_some() && read(&noted) == read(requirements) {
        return Some(python);
    }
    let made = succeeds(Command::new("python3").args(["-m", "venv", "--clear"]).arg(environment))
        && succeeds(Command::new(&python).args(["-m", "pip", "install", "--quiet", "-r"]).arg(requirements))
        && std::fs::copy(requirements, &noted).is_ok();
    if !made {
        eprintln!("{} could not be installed: its columns stay empty", requirements.display());
    }
    made.then_some(python)
}

fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}
