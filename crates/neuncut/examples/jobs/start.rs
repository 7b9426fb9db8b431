//! The time that a program takes to say what it can do.

use crate::fastest;
use crate::options::Options;
use neuncut::{Error, Result};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

/// Milliseconds of `PROGRAM --help`, the fastest of twenty.
pub fn run(options: &Options) -> Result<Value> {
    let program = options.text("program").unwrap_or("neuncut");
    let help = || Command::new(program).arg("--help").stdout(Stdio::null()).status();
    if !help().is_ok_and(|status| status.success()) {
        return Err(Error::config("program", program, "one that can be run with --help"));
    }
    let seconds = fastest(20, || drop(help()));
    Ok(json!({ "job": "start", "start_ms": 1e3 * seconds }))
}
