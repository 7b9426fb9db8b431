//! Virtual environments of Python, made once for a file of requirements.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The Python of an environment with just these requirements, made afresh where there is none.
pub(crate) fn python_with(environment: &Path, requirements: &Path) -> Option<PathBuf> {
    let (python, noted) = (environment.join("bin/python"), environment.join("requirements-installed.txt"));
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    if read(&noted).is_some() && read(&noted) == read(requirements) {
        println!("as it was: {}", environment.display());
        return Some(python);
    }
    let made = succeeds(Command::new("python3").args(["-m", "venv", "--clear"]).arg(environment))
        && succeeds(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(requirements))
        && std::fs::copy(requirements, &noted).is_ok();
    made.then_some(python)
}

/// Whether a command ends well.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}
