//! The Python package: its wheel built and installed into a virtual environment of its own, then all tests of it.

use crate::environment::{python_with, succeeds};
use crate::test::{Outcome, root, target};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The least version of Python.
const VERSION: (u32, u32) = (3, 11);
/// Everything the tests need, pinned.
pub(crate) const REQUIREMENTS: &str = "crates/neuncut-py/requirements-test.txt";

/// Runs the steps in order; after one that failed, those that need it are left out.
pub(crate) fn run() -> Vec<(&'static str, Outcome)> {
    let (root, place) = (root(), target().join("python"));
    if !has_python() {
        println!("\n== python: skipped, needs `python3` {}.{} or newer with the module venv", VERSION.0, VERSION.1);
        return vec![("python", Outcome::Skipped)];
    }
    let mut results = Vec::new();
    for (name, step) in [
        ("python environment", environment as fn(&Path, &Path) -> bool),
        ("wheel", wheel),
        ("python types", types),
        ("python tests", tests),
    ] {
        println!("\n== {name}");
        let start = Instant::now();
        let passed = step(&root, &place);
        println!("== {name}: {} in {:.1} s", if passed { "ok" } else { "FAILED" }, start.elapsed().as_secs_f64());
        results.push((name, if passed { Outcome::Passed } else { Outcome::Failed }));
        if !passed && matches!(name, "python environment" | "wheel") {
            break;
        }
    }
    results
}

fn has_python() -> bool {
    let (major, minor) = VERSION;
    let program = format!("import sys, venv; sys.exit(sys.version_info < ({major}, {minor}))");
    let mut python = Command::new("python3");
    succeeds(python.args(["-c", &program]).stderr(Stdio::null()))
}

/// The environment of the tests.
fn environment(root: &Path, place: &Path) -> bool {
    python_with(&place.join("environment"), &root.join(REQUIREMENTS)).is_some()
}

/// Builds the wheel and puts it in place of the one before.
fn wheel(root: &Path, place: &Path) -> bool {
    let wheels = place.join("wheels");
    let _ = std::fs::remove_dir_all(&wheels); // one of another version would be installed too
    let mut maturin = python(place);
    maturin.args(["-m", "maturin", "build", "--release", "--locked", "--quiet", "--out"]).arg(&wheels);
    if !succeeds(maturin.current_dir(root.join("crates/neuncut-py"))) {
        return false;
    }
    let files = std::fs::read_dir(&wheels).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut install = python(place);
    install.args(["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall"]).args(files);
    succeeds(&mut install)
}

/// Checks the annotations and the stubs.
fn types(root: &Path, place: &Path) -> bool {
    let mut mypy = python(place);
    mypy.args(["-m", "mypy", "--cache-dir"]).arg(place.join("mypy"));
    succeeds(mypy.arg("python/neuncut").current_dir(root.join("crates/neuncut-py")))
}

/// Runs the tests, the examples in docstrings and those in `docs/`.
fn tests(root: &Path, place: &Path) -> bool {
    let mut pytest = python(place);
    pytest.args(["-m", "pytest", "--quiet", "--durations=5"]).current_dir(root.join("crates/neuncut-py"));
    pytest.arg("-o").arg(format!("cache_dir={}", place.join("pytest").display()));
    succeeds(&mut pytest)
}

/// The Python of the environment.
fn python(place: &Path) -> Command {
    let environment = place.join("environment");
    let mut command = Command::new(environment.join("bin/python"));
    command.env("VIRTUAL_ENV", &environment).env("CARGO_TARGET_DIR", target());
    command
}
