//! What a run leaves: one JSON line.

use super::file::Kind;
use super::machine::Machine;
use neuncut::{Error, Result, TableError};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What a run reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Score {
    pub accuracy: f64,
    pub nmi: f64,
    pub ari: f64,
    /// From the start of the process that fits to its end; features were made before.
    pub fit_seconds: f64,
    /// The same for the process that labels all rows, where there is one.
    pub predict_seconds: Option<f64>,
    /// The larger of both processes, in bytes.
    pub peak_memory: Option<u64>,
}

impl Score {
    /// Fitting and labelling.
    pub fn seconds(&self) -> f64 {
        self.fit_seconds + self.predict_seconds.unwrap_or(0.0)
    }
}

/// Which run: its row, data set and seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunId {
    pub group: String,
    pub row: String,
    pub set: String,
    pub seed: u64,
}

impl std::fmt::Display for RunId {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let group = if self.group.is_empty() { String::new() } else { format!("{}/", self.group) };
        write!(f, "{group}{}/{}/{}", self.row, self.set, self.seed)
    }
}

/// One line of a record file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    #[serde(flatten)]
    pub id: RunId,
    /// The name of the method.
    pub method: String,
    pub kind: Kind,
    /// Whether it is the small version, which says nothing about scores.
    #[serde(default)]
    pub quick: bool,
    /// All settings.
    pub config: Value,
    /// Rows of the data, and a hash of them.
    pub rows: u64,
    pub fingerprint: String,
    pub score: Option<Score>,
    /// What else was found: a search for gamma, curves.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub found: Value,
    /// Why there is no score.
    pub error: Option<String>,
    /// Version and commit of the program.
    pub version: String,
    pub commit: Option<String>,
    pub machine: Machine,
    /// Threads of the run, and runs side by side.
    pub threads: usize,
    pub jobs: usize,
    /// The run of another table that this one is the same as, and that was not done twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_from: Option<String>,
    /// When it ended, in seconds since 1970.
    pub finished: u64,
}

impl Record {
    /// The run in one line.
    pub fn line(&self) -> String {
        match (&self.score, &self.error) {
            (Some(s), _) => {
                format!("{}: ACC {:.4}  NMI {:.4}  ARI {:.4}  {:.1} s", self.id, s.accuracy, s.nmi, s.ari, s.seconds())
            }
            (None, Some(error)) => format!("{}: failed: {error}", self.id),
            (None, None) => format!("{}: done", self.id),
        }
    }
}

/// The records of one experiment, a file of lines.
#[derive(Debug, Clone)]
pub struct RecordFile {
    path: PathBuf,
}

impl RecordFile {
    /// A file that may not be there yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// All records, in order. A last line that was cut short by an interruption is passed over.
    pub fn read(&self) -> Result<Vec<Record>> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Error::io("read", &self.path)(error)),
        };
        let complete = text.rfind('\n').map_or("", |end| &text[..end]);
        let parse = |(at, line): (usize, &str)| {
            serde_json::from_str(line).map_err(|e| {
                let problem =
                    format!("line {} is not a record ({e}): remove the line, and its run is repeated", at + 1);
                Error::data(&self.path, problem)
            })
        };
        complete.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(parse).collect()
    }

    /// The records of the other experiments in the same directory, each with the name of its experiment. Files that hold
    /// something else are passed over.
    pub fn read_others(&self) -> Result<Vec<(String, Record)>> {
        let directory = self.path.parent().unwrap_or(Path::new("."));
        let entries = std::fs::read_dir(directory).map_err(Error::io("read", directory))?;
        let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<std::io::Result<Vec<_>>>();
        let mut files = paths.map_err(Error::io("read", directory))?;
        files.retain(|path| path.extension().is_some_and(|end| end == "jsonl") && *path != self.path);
        files.sort();
        let mut records = Vec::new();
        for file in files {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let read = match Self::new(file).read() {
                Err(Error::Table(TableError::Data { .. })) => Vec::new(), // not records
                read => read?,
            };
            records.extend(read.into_iter().map(|record| (name.clone(), record)));
        }
        Ok(records)
    }

    /// Adds a line, in place of one that was cut short. Several processes may do so at once.
    pub fn append(&self, record: &Record) -> Result<()> {
        let problem = |e: serde_json::Error| Error::Degenerate(e.to_string());
        let mut line = serde_json::to_string(record).map_err(problem)?;
        line.push('\n');
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(&self.path)
            .map_err(Error::io("open", &self.path))?;
        // until the file is closed: between reading and cutting it, no other process may add its line
        file.lock().map_err(Error::io("lock", &self.path))?;
        let before = std::fs::read(&self.path).map_err(Error::io("read", &self.path))?;
        let complete = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        file.set_len(complete as u64).map_err(Error::io("write", &self.path))?;
        file.write_all(line.as_bytes()).map_err(Error::io("write", &self.path))
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A record of a made-up run.
    pub fn record(row: &str, seed: u64, accuracy: Option<f64>) -> Record {
        let score = accuracy.map(|accuracy| Score {
            accuracy,
            nmi: 0.5,
            ari: 0.25,
            fit_seconds: 2.0,
            predict_seconds: None,
            peak_memory: Some(3_000_000),
        });
        Record {
            id: RunId { group: String::new(), row: row.into(), set: "a".into(), seed },
            method: "ncut".into(),
            kind: Kind::Fit,
            quick: false,
            config: Value::Null,
            rows: 10,
            fingerprint: String::new(),
            error: score.is_none().then(|| "no edges".into()),
            score,
            found: Value::Null,
            version: "0".into(),
            commit: None,
            machine: Machine::default(),
            threads: 1,
            jobs: 1,
            taken_from: None,
            finished: 0,
        }
    }

    #[test]
    fn lines_of_many_writers_are_all_there() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.jsonl");
        std::thread::scope(|scope| {
            for seed in 0..8 {
                let file = RecordFile::new(&path); // opened anew for each line, as other processes do
                scope.spawn(move || (0..40).for_each(|_| file.append(&record("x", seed, Some(0.5))).unwrap()));
            }
        });
        assert_eq!(RecordFile::new(&path).read().unwrap().len(), 8 * 40);
    }

    #[test]
    fn lines_come_back_and_a_torn_one_is_passed_over() {
        let directory = tempfile::tempdir().unwrap();
        let file = RecordFile::new(directory.path().join("a.jsonl"));
        assert!(file.read().unwrap().is_empty());
        let (first, second) = (record("x", 0, Some(0.75)), record("x", 1, None));
        file.append(&first).unwrap();
        std::fs::write(&file.path, std::fs::read_to_string(&file.path).unwrap() + "{\"row\": \"x").unwrap();
        assert_eq!(file.read().unwrap(), std::slice::from_ref(&first));
        file.append(&second).unwrap();
        assert_eq!(file.read().unwrap(), [first, second]);
        std::fs::write(&file.path, "{}\n").unwrap();
        assert!(file.read().unwrap_err().to_string().contains("line 1"));
    }
}
