//! Where and with what a run was done.

use serde::{Deserialize, Serialize};
use std::path::Path;
use std::process::Command;

/// A machine, as far as it matters to time and memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub processor: String,
    /// Threads that run at once.
    pub cores: usize,
    /// Memory in bytes.
    pub memory: u64,
    /// Operating system and architecture.
    pub system: String,
}

impl Machine {
    /// This machine.
    pub fn here() -> Self {
        let field = |file: &str, name: &str| -> Option<String> {
            let text = std::fs::read_to_string(file).ok()?;
            let line = text.lines().find(|line| line.starts_with(name))?;
            Some(line.split_once(':')?.1.trim().to_string())
        };
        let memory = field("/proc/meminfo", "MemTotal").and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
        Self {
            processor: field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown processor".into()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory: 1024 * memory.unwrap_or(0),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }

    /// The machine in a few words.
    pub fn line(&self) -> String {
        let gigabytes = self.memory as f64 / 1e9;
        format!("{}, {} cores, {gigabytes:.0} GB, {}", self.processor, self.cores, self.system)
    }
}

/// The commit of the directory's repository, with a mark where files differ from it; none where there is none.
pub fn commit(directory: &Path) -> Option<String> {
    let git = |arguments: &[&str]| -> Option<String> {
        let output = Command::new("git").arg("-C").arg(directory).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|changes| !changes.is_empty());
    Some(if changed { format!("{commit} with changes") } else { commit })
}
