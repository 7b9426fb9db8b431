//! `cargo xtask quality`: the default fit on a family of shapes and on real sets, beside k-means and scikit-learn; or on a suite of sets
//! beside the scores of peers stored with it.

use crate::environment::{python_with, succeeds};
use crate::test::{cargo, root, target};
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
    // a suite brings the scores of its peers along
    let is_suite = ["--suite", "--judges"].iter().any(|option| arguments.contains(option));
    if !is_suite {
        match python_with(&target.join("quality-venv"), &root.join("xtask/peers/requirements.txt")) {
            Some(python) => drop(quality.arg("--peer").arg(python).arg(root.join("xtask/peers/spectral.py"))),
            None => eprintln!("scikit-learn could not be installed: its column stays empty"),
        }
    }
    match std::env::var_os("NEUNCUT_DATA") {
        Some(data) => drop(quality.arg("--real").arg(data)),
        None => eprintln!("real sets are skipped: set NEUNCUT_DATA to a directory with digits/x.npy and so on"),
    }
    if succeeds(quality.args(arguments)) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
