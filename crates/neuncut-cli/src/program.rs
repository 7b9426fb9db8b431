//! This program, to be started again for a run of its own.

use neuncut::{Error, Result};
use std::ffi::OsString;
use std::process::Command;
use std::sync::OnceLock;

/// The words that start it, where it is not the running executable: inside the Python package that is the interpreter.
static WORDS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Says how this program is started, once.
pub fn is_started_by(words: Vec<OsString>) {
    let _ = WORDS.set(words); // said before: a process has one way to be started
}

/// A command that starts this program; its arguments are left to the caller.
pub fn again() -> Result<Command> {
    match WORDS.get().and_then(|words| words.split_first()) {
        Some((program, rest)) => {
            let mut command = Command::new(program);
            command.args(rest);
            Ok(command)
        }
        None => Ok(Command::new(std::env::current_exe().map_err(Error::io("find", "this program"))?)),
    }
}
