//! The record of a run: a line of JSON that says what was run, and one for each fit.

use super::options::Options;
use neuncut::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use twox_hash::XxHash3_64;

/// What was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    version: String,
    /// A hash of the program, so that a changed one does not go on with the record of another.
    program: String,
    settings: String,
}

/// One fit with its scores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub set: String,
    pub seed: u64,
    pub clusters: usize,
    pub accuracy: f64,
    pub nmi: f64,
    pub seconds: f64,
    pub start: String,
    pub representation: String,
    pub guard_kept_start: bool,
    pub warnings: Vec<String>,
}

/// A record, open for further lines.
pub struct Record {
    pub runs: Vec<Run>,
    header: Option<Header>,
    file: Option<File>,
}

impl Record {
    /// The record of these options: what is there already where it was made by the same program with the same settings, otherwise a new
    /// one.
    pub fn open(options: &Options) -> Result<Self> {
        let program =
            std::env::current_exe().and_then(std::fs::read).map_err(Error::io("read", Path::new("this program")))?;
        let header = Header {
            version: env!("CARGO_PKG_VERSION").into(),
            program: format!("{:016x}", XxHash3_64::oneshot(&program)),
            settings: options.settings.clone(),
        };
        let path = &options.record;
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
        }
        let there = if path.exists() { Some(Self::read(path)?) } else { None };
        match there {
            Some(there) if there.header.as_ref() == Some(&header) => {
                println!("going on with {}, which has {} fits", path.display(), there.runs.len());
                let file = OpenOptions::new().append(true).open(path).map_err(Error::io("open", path))?;
                Ok(Self { file: Some(file), ..there })
            }
            _ => {
                let mut file = File::create(path).map_err(Error::io("create", path))?;
                writeln!(file, "{}", json(&header)?).map_err(Error::io("write", path))?;
                Ok(Self { runs: Vec::new(), header: Some(header), file: Some(file) })
            }
        }
    }

    /// Reads a record; a last line that was cut off is left out.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(Error::io("read", path))?;
        let header = text.lines().next().and_then(|line| serde_json::from_str(line).ok());
        let runs = text.lines().skip(1).filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok(Self { runs, header, file: None })
    }

    pub fn has(&self, set: &str, seed: u64) -> bool {
        self.runs.iter().any(|run| run.set == set && run.seed == seed)
    }

    /// Adds a fit and writes it at once.
    pub fn add(&mut self, run: Run) -> Result<()> {
        if let Some(file) = &mut self.file {
            writeln!(file, "{}", json(&run)?).map_err(Error::io("write", Path::new("the record")))?;
        }
        self.runs.push(run);
        Ok(())
    }
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|e| Error::Degenerate(format!("the record cannot be written: {e}")))
}
