//! Learning curves as CSV or JSON, by the file's ending.

use neuncut::data::{AtomicFile, Complete};
use neuncut::train::History;
use neuncut::{Error, Result};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// A file for learning curves, which appears when it is put in its place.
pub struct HistoryFile {
    file: AtomicFile,
    csv: bool,
}

impl HistoryFile {
    /// Opens the file; the ending must say its format.
    pub fn create(path: &str) -> Result<Self> {
        let csv = match Path::new(path).extension().and_then(|ending| ending.to_str()) {
            Some("csv") => true,
            Some("json") => false,
            _ => return Err(Error::config("history", path, "a file that ends in .json or .csv")),
        };
        Ok(Self { file: AtomicFile::create(path)?, csv })
    }

    /// Writes the curves.
    pub fn write(&mut self, history: &[History]) -> Result<()> {
        let text = if self.csv { csv(history) } else { format!("{:#}\n", serde_json::json!(history)) };
        self.file
            .write_all(text.as_bytes())
            .and_then(|()| self.file.flush())
            .map_err(Error::io("write", self.file.path()))
    }

    /// Completes the file, which is not in its place yet.
    pub fn complete(self) -> Result<Complete> {
        Ok(self.file.complete()?)
    }
}

/// One line an epoch and term.
fn csv(history: &[History]) -> String {
    let mut text = String::from("stage,epoch,learning_rate,term,value\n");
    for stage in history {
        for epoch in &stage.epochs {
            for (term, value) in stage.terms.iter().zip(&epoch.values) {
                let _ = writeln!(text, "{},{},{},{term},{value}", stage.stage, epoch.epoch, epoch.learning_rate);
            }
        }
    }
    text
}
