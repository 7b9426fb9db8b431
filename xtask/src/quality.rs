//! `cargo xtask quality`: the default fit on a family of shapes and on real sets, beside k-means and scikit-learn.

use crate::test::{cargo, root, target};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Builds, sets the peer up, and runs the example `quality` with the arguments given.
pub(crate) fn run(arguments: &[&str]) -> ExitCode {
    let root = root();
    let mut build = Command::new(cargo());
    // `--workspace`, because `--package` would choose other features of the dependencies and build them again
    build.args(["build", "--release", "--workspace", "--examples"]).current_dir(&root);
    if !succeeds(&mut build) {
        return ExitCode::FAILURE;
    }
    let target = target();
    let mut quality = Command::new(target.join("release/examples/quality"));
    match peer(&target) {
        Some(python) => drop(quality.arg("--peer").arg(python).arg(root.join("xtask/peers/spectral.py"))),
        None => eprintln!("scikit-learn could not be installed: its column stays empty"),
    }
    match std::env::var_os("NEUNCUT_DATA") {
        Some(data) => drop(quality.arg("--real").arg(data)),
        None => eprintln!("real sets are skipped: set NEUNCUT_DATA to a directory with digits/x.npy and so on"),
    }
    if succeeds(quality.args(arguments)) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A Python that has scikit-learn, in a virtual environment of its own.
fn peer(target: &Path) -> Option<PathBuf> {
    let environment = target.join("quality-venv");
    let python = environment.join("bin/python");
    let has_sklearn = || succeeds(Command::new(&python).args(["-c", "import sklearn"]));
    if python.exists() && has_sklearn() {
        return Some(python);
    }
    let made = succeeds(Command::new("python3").args(["-m", "venv"]).arg(&environment));
    let installed =
        made && succeeds(Command::new(&python).args(["-m", "pip", "install", "--quiet", "scikit-learn==1.7.2"]));
    (installed && has_sklearn()).then_some(python)
}

fn succeeds(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}
