//! This program as a process of its own: time and memory are then those of one piece of work, and a failure costs no other.

use crate::{allocator, interrupt, program};
use neuncut::data::atomic;
use neuncut::{Error, Result};
use serde_json::Value;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// The environment variable by which a process is told that its standard input ends with the process that started it.
const CHILD: &str = "NEUNCUT_CHILD";
/// How often a process that waits for another looks whether it was interrupted itself.
const LOOK: Duration = Duration::from_millis(20);
/// What an orphan is given to come to its next step.
const GRACE: Duration = Duration::from_secs(2);

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
        if let Some(bytes) = allocator::limited() {
            command.args(["--max-memory", &bytes.to_string()]);
        }
        let output = output(command).map_err(Error::io("start", "this program"))?;
        interrupt::check()?;
        if output.status.success() {
            return Ok(Ok(serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)));
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or("it said nothing");
        Ok(Err(last.strip_prefix("neuncut: ").unwrap_or(last).to_string()))
    }
}

/// Waits for a process, which ends early when this one is interrupted or dies: its standard input is then closed, and it watches that.
fn output(mut command: Command) -> std::io::Result<Output> {
    command.env(CHILD, "1").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let mut lifeline = child.stdin.take();
    std::thread::scope(|scope| {
        let ended = scope.spawn(|| child.wait_with_output());
        while !ended.is_finished() {
            if interrupt::requested() {
                lifeline = None;
            }
            std::thread::sleep(LOOK);
        }
        drop(lifeline);
        ended.join().unwrap_or_else(|_| Err(std::io::Error::other("the thread that waits for it ended")))
    })
}

/// In a process that was started by [`Program::run`]: interrupts itself when the starter has died, and ends soon after.
pub fn die_with_parent() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    std::thread::spawn(|| {
        let _ = std::io::stdin().read(&mut [0]); // nothing is ever written: it returns when the other end is closed
        interrupt::request();
        std::thread::sleep(GRACE);
        atomic::abandon();
        std::process::exit(130);
    });
}

/// A path as a word of a command line.
pub fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Words of a command line.
pub fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(Into::into).to_vec()
}
