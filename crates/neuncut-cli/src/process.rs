//! This program as a process of its own: time and memory are then those of one piece of work, and a failure costs no other.

use crate::{interrupt, program};
use neuncut::{Error, Result};
use serde_json::Value;
use std::path::Path;

/// How processes of this program are started.
#[derive(Debug, Clone, Copy, Default)]
pub struct Program {
    /// Threads of each; all cores unless given.
    pub threads: Option<usize>,
}

/// The JSON answer of a process, or its last words where it failed.
pub type Answer = std::result::Result<Value, String>;

impl Program {
    /// Runs this program with these words.
    pub fn run(&self, words: &[String]) -> Result<Answer> {
        let mut command = program::again()?;
        command.args(words).arg("--quiet");
        if let Some(threads) = self.threads {
            command.args(["--threads", &threads.to_string()]);
        }
        let output = command.output().map_err(Error::io("start", "this program"))?;
        interrupt::check()?;
        if output.status.success() {
            return Ok(Ok(serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)));
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or("it said nothing");
        Ok(Err(last.strip_prefix("neuncut: ").unwrap_or(last).to_string()))
    }
}

/// A path as a word of a command line.
pub fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Words of a command line.
pub fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(Into::into).to_vec()
}
