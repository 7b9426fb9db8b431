//! `cargo xtask test`: every check, one after another, with its time and a summary.
//!
//! All but one build with `--release`, so that they share what was built: the numeric dependencies take minutes.

use crate::{browser, packages, python};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// One check.
struct Check {
    name: &'static str,
    /// The cargo subcommand and its arguments.
    arguments: &'static str,
    /// The rustup component it needs, which a machine may lack.
    component: Option<&'static str>,
    /// An environment variable that it needs.
    variable: Option<(&'static str, &'static str)>,
}

const CHECKS: [Check; 6] = [
    Check { name: "format", arguments: "fmt --all --check", component: Some("rustfmt"), variable: None },
    Check {
        name: "lints",
        arguments: "clippy --release --workspace --all-targets -- -D warnings",
        component: Some("clippy"),
        variable: None,
    },
    Check {
        name: "tests",
        // `--tests` are the libraries too, but not the Python module, which cannot be linked as a program.
        arguments: "test --release --workspace --bins --tests --examples --no-fail-fast",
        component: None,
        variable: None,
    },
    Check {
        name: "checked tests",
        // The crate with `unsafe` alone: its bounds are debug assertions, and it has few dependencies to build again.
        arguments: "test --profile checked --package neuncut-linalg --lib",
        component: None,
        variable: None,
    },
    Check { name: "doc tests", arguments: "test --release --workspace --doc", component: None, variable: None },
    Check {
        name: "docs",
        // Libraries alone: the binary has the same name and would overwrite its pages. `--workspace`, because `--package` would
        // choose other features of the dependencies and build them again.
        arguments: "doc --release --workspace --lib --no-deps",
        component: None,
        variable: Some(("RUSTDOCFLAGS", "-D warnings")),
    },
];

/// The test of the page, which needs a browser.
const PAGE: &str = "test --release --workspace --test page -- --ignored";

/// Exported models and encoders in tract. Not one of the checks above: tract takes minutes to build, and the tests of Python run exported
/// models in onnxruntime.
const ONNX: Check = Check {
    name: "onnx in tract",
    arguments: "test --release --workspace --features neuncut/onnx,neuncut-cli/onnx --test onnx --test encoders",
    component: None,
    variable: None,
};

/// Objects in stores, with a server on loopback. Not one of the checks above: the packages of the feature `cloud` ask others for features,
/// and all is built again.
const CLOUD: Check = Check {
    name: "object stores",
    arguments: "test --release --workspace --features neuncut-cli/cloud --test cloud",
    component: None,
    variable: None,
};

/// Training through WebGPU beside that on the CPU, and Burn's networks and gradients beside ours. Not one of the checks above: it
/// builds Burn, and needs a Vulkan driver, if only one in software.
const GPU: Check = Check {
    name: "gpu",
    arguments: "test --release --package neuncut --features wgpu --lib --test gpu -- --nocapture burn fifty_steps",
    component: None,
    variable: None,
};

/// How a check ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    Passed,
    Failed,
    Skipped,
}

/// Runs all checks, also after one has failed, and sums up.
pub(crate) fn run() -> ExitCode {
    let start = Instant::now();
    let mut results: Vec<_> = CHECKS.iter().map(|check| (check.name, run_check(check))).collect();
    results.push(("packages", packages()));
    results.push(("page", page()));
    results.push(("experiments", experiments()));
    results.extend(python::run());
    println!("\n{}", summary(&results, start.elapsed()));
    let failed = results.iter().any(|(_, outcome)| *outcome == Outcome::Failed);
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Runs exported models and encoders in tract.
pub(crate) fn onnx() -> ExitCode {
    alone(&ONNX)
}

/// Reads and writes objects in stores.
pub(crate) fn cloud() -> ExitCode {
    alone(&CLOUD)
}

/// Trains through WebGPU.
pub(crate) fn gpu() -> ExitCode {
    alone(&GPU)
}

fn alone(check: &Check) -> ExitCode {
    if run_check(check) == Outcome::Failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn run_check(check: &Check) -> Outcome {
    println!("\n== {}: cargo {}", check.name, check.arguments);
    if let Some(component) = check.component.filter(|_| !is_installed(check)) {
        println!("== {}: skipped, not installed; get it with `rustup component add {component}`", check.name);
        return Outcome::Skipped;
    }
    timed(check.name, &mut command(check))
}

/// Licences and versions of everything that is built.
fn packages() -> Outcome {
    let checked = packages::check();
    println!("\n== packages: {}", checked.as_ref().unwrap_or_else(|problem| problem));
    if checked.is_ok() { Outcome::Passed } else { Outcome::Failed }
}

/// The page of `neuncut report` in a browser.
fn page() -> Outcome {
    println!("\n== page: cargo {PAGE}");
    match browser::find_or_install() {
        Err(why) => {
            println!("== page: skipped, {why}");
            Outcome::Skipped
        }
        Ok(browser) => {
            let mut command = Command::new(cargo());
            command.args(PAGE.split(' ')).current_dir(root()).env(browser::VARIABLE, browser);
            timed("page", &mut command)
        }
    }
}

/// The small version of every experiment, with the binary that the tests were run with.
fn experiments() -> Outcome {
    println!("\n== experiments: neuncut experiment experiments/*.toml --quick");
    let (out, files) = (target().join("quick-runs"), toml_files(&root().join("experiments")));
    let _ = std::fs::remove_dir_all(&out); // what is recorded would not be run
    let mut command = Command::new(target().join("release/neuncut"));
    command.arg("experiment").args(files).args(["--quick", "--jobs", "2", "--quiet", "--out"]).arg(out);
    timed("experiments", &mut command)
}

fn toml_files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    files.sort();
    files
}

fn timed(name: &str, command: &mut Command) -> Outcome {
    let start = Instant::now();
    let passed = command.status().is_ok_and(|status| status.success());
    let outcome = if passed { Outcome::Passed } else { Outcome::Failed };
    println!("== {name}: {} in {}", word(outcome), seconds(start.elapsed()));
    outcome
}

fn command(check: &Check) -> Command {
    let mut command = Command::new(cargo());
    command.args(check.arguments.split(' ')).current_dir(root());
    command.envs(check.variable);
    command
}

/// Asks the subcommand for its version.
fn is_installed(check: &Check) -> bool {
    let subcommand = check.arguments.split(' ').next();
    let mut version = Command::new(cargo());
    version.args(subcommand).arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

/// The cargo that runs this program.
pub(crate) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The workspace: where this package lies, one up.
pub(crate) fn root() -> PathBuf {
    let package =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    package.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

fn summary(results: &[(&str, Outcome)], elapsed: Duration) -> String {
    let steps: Vec<String> = results.iter().map(|(name, outcome)| format!("{name} {}", word(*outcome))).collect();
    let count = |wanted| results.iter().filter(|(_, outcome)| *outcome == wanted).count();
    let verdict = match (count(Outcome::Failed), count(Outcome::Skipped)) {
        (0, 0) => "all passed".to_owned(),
        (0, skipped) => format!("passed, {skipped} skipped"),
        (failed, _) => format!("{failed} FAILED"),
    };
    format!("{verdict} in {}: {}", seconds(elapsed), steps.join(", "))
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "ok",
        Outcome::Failed => "FAILED",
        Outcome::Skipped => "skipped",
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_says_what_happened() {
        let time = Duration::from_millis(1500);
        let text = |outcomes: &[Outcome]| summary(&outcomes.iter().map(|o| ("lints", *o)).collect::<Vec<_>>(), time);
        assert_eq!(text(&[Outcome::Passed]), "all passed in 1.5 s: lints ok");
        assert_eq!(text(&[Outcome::Passed, Outcome::Skipped]), "passed, 1 skipped in 1.5 s: lints ok, lints skipped");
        assert_eq!(text(&[Outcome::Failed, Outcome::Skipped]), "1 FAILED in 1.5 s: lints FAILED, lints skipped");
    }

    #[test]
    fn the_root_is_the_workspace() {
        assert!(root().join("Cargo.lock").exists());
    }
}
