//! The real binary in a directory of its own.

#![allow(dead_code, reason = "each test file uses its part")]

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Output;
use tempfile::TempDir;

/// A network and a schedule for tests in which the quality of the clusters does not matter.
pub const FAST: &str = "--hidden 16 --epochs 2 --landmarks 200";
/// Small, but enough to tell the rings apart.
pub const GOOD: &str = "--hidden 64 --epochs 20";

/// What one run of the binary did.
pub struct Run {
    /// What was typed.
    pub line: String,
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Run {
    /// From a finished process.
    pub fn new(line: &str, output: Output) -> Self {
        Self {
            line: line.into(),
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("`{}` gave no JSON ({e}): {}", self.line, self.out))
    }
}

/// A directory in which the binary runs; file names in command lines are relative to it.
pub struct Dir(TempDir);

impl Dir {
    /// An empty directory.
    pub fn new() -> Self {
        Self(TempDir::new().expect("a temporary directory"))
    }

    /// A directory with 300 rows of two rings in `rings.npy` and their classes in `truth.npy`.
    pub fn with_rings() -> Self {
        let dir = Self::new();
        dir.ok("synth rings -n 300 -o rings.npy --truth truth.npy");
        dir
    }

    /// The rings, and a model of them in `model.safetensors`.
    pub fn with_model() -> Self {
        let dir = Self::with_rings();
        dir.ok(&format!("fit rings.npy -k 2 {FAST}"));
        dir
    }

    /// The path of a file.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).expect("a file can be written");
    }

    /// The bytes of a file.
    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// The text of a file.
    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("text")
    }

    /// Every file with its bytes.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries =
            fs::read_dir(self.0.path()).expect("the directory can be read").map(|entry| entry.expect("an entry"));
        // a link may lead to a device, which has no end
        let bytes = |entry: &fs::DirEntry| match entry.file_type().is_ok_and(|kind| kind.is_file()) {
            true => fs::read(entry.path()).unwrap_or_default(), // a temporary file may be gone already
            false => Vec::new(),
        };
        entries.map(|entry| (entry.file_name().to_string_lossy().into(), bytes(&entry))).collect()
    }

    /// The binary, to be run here by the test itself.
    pub fn command(&self, line: &str) -> std::process::Command {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("neuncut"));
        command.args(line.split_whitespace()).current_dir(self.0.path());
        command
    }

    /// Runs `neuncut LINE`, words being separated by blanks.
    pub fn run(&self, line: &str) -> Run {
        Run::new(line, self.command(line).output().expect("the binary starts"))
    }

    /// Runs a line that must succeed.
    pub fn ok(&self, line: &str) -> Run {
        let run = self.run(line);
        assert_eq!(run.code, 0, "`neuncut {line}` failed: {}", run.err);
        run
    }

    /// Runs a line that must fail with this exit code, say one sentence that holds all `words`, and change nothing here.
    #[track_caller]
    pub fn fails(&self, line: &str, code: i32, words: &[&str]) {
        let before = self.files();
        let run = self.run(line);
        assert_eq!(run.code, code, "exit code of `neuncut {line}`: {}", run.err);
        assert_eq!(run.err.lines().count(), 1, "`neuncut {line}` should say one sentence: {}", run.err);
        assert!(run.err.starts_with("neuncut: "), "`neuncut {line}`: {}", run.err);
        for word in words {
            assert!(run.err.contains(word), "`neuncut {line}` should say {word:?}: {}", run.err);
        }
        assert_eq!(run.out, "", "`neuncut {line}` should leave standard output alone");
        let after = self.files();
        let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&after), names(&before), "`neuncut {line}` should leave no file behind");
        assert!(after == before, "`neuncut {line}` should not touch existing files");
    }

    /// The accuracy of labels.
    pub fn accuracy(&self, labels: &str, truth: &str) -> f64 {
        self.ok(&format!("eval {labels} {truth} --json")).json()["accuracy"].as_f64().expect("a number")
    }

    /// The rows of an npy file of `f32`, `width` to a row.
    pub fn rows(&self, name: &str) -> Vec<Vec<f32>> {
        let bytes = self.read(name);
        let npy = npyz::NpyFile::new(&bytes[..]).expect("an npy file");
        let width = npy.shape()[1] as usize;
        npy.into_vec::<f32>().expect("f32 values").chunks(width).map(<[f32]>::to_vec).collect()
    }

    /// The labels in an npy file.
    pub fn labels(&self, name: &str) -> Vec<i32> {
        let bytes = self.read(name);
        npyz::NpyFile::new(&bytes[..]).expect("an npy file").into_vec::<i32>().expect("i32 labels")
    }
}

/// Lines of comma-separated numbers.
pub fn csv(rows: &[Vec<f32>]) -> String {
    let line = |row: &Vec<f32>| row.iter().map(f32::to_string).collect::<Vec<_>>().join(",") + "\n";
    rows.iter().map(line).collect()
}

/// A table as JSON lines, in which the vectors of the first and the last row are missing where asked for.
pub fn lines_of_vectors(with_gaps: bool) -> String {
    let line = |i: u32| {
        let vector = format!("[{}, {}.5]", i % 7, (i / 30) * 9);
        let vector = if with_gaps && (i == 0 || i == 59) { "null".into() } else { vector };
        format!("{{\"id\": {i}, \"text\": \"row {i}\", \"vector\": {vector}}}\n")
    };
    (0..60).map(line).collect()
}
