//! Jobs as processes, and the numbers in their JSON lines.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where things are, and files that jobs share.
pub(super) struct Work {
    pub root: PathBuf,
    pub target: PathBuf,
    directory: PathBuf,
}

/// The best of several runs.
pub(super) struct Figure {
    pub best: Option<f64>,
    pub quality: Option<f64>,
    more: bool,
}

impl Figure {
    pub fn new(more: bool) -> Self {
        Self { best: None, quality: None, more }
    }

    /// Runs a job and keeps its figure if it is the best.
    pub fn take(&mut self, line: Option<String>, figure: &str, quality: Option<&str>) {
        let Some(line) = line else { return };
        let value = number(&line, figure);
        let better = |value: &f64| self.best.is_none_or(|best| if self.more { *value > best } else { *value < best });
        self.best = value.filter(better).or(self.best);
        self.quality = quality.and_then(|name| number(&line, name)).or(self.quality);
    }
}

impl Work {
    pub fn new(root: PathBuf, target: PathBuf) -> Self {
        let directory = target.join("bench");
        if let Err(why) = std::fs::create_dir_all(&directory) {
            eprintln!("{}: {why}", directory.display());
        }
        Self { root, target, directory }
    }

    /// Runs a job of ours and gives its line.
    pub fn ours(&self, arguments: &[&str]) -> Option<String> {
        let (program, arguments) = match arguments {
            ["neuncut", rest @ ..] => (self.target.join("release/neuncut"), rest),
            all => (self.target.join("release/examples/jobs"), all),
        };
        let line = self.line(Command::new(program).args(self.files(arguments)))?;
        if arguments.first() == Some(&"knn") {
            std::fs::write(self.directory.join("ours.json"), &line).ok()?;
        }
        Some(line)
    }

    /// Runs a peer and gives its line.
    pub fn peer(&self, python: &Path, script: &str, arguments: &[&str]) -> Option<String> {
        let script = self.root.join("benches/peers").join(script);
        self.line(Command::new(python).arg(script).args(self.files(arguments)))
    }

    fn line(&self, command: &mut Command) -> Option<String> {
        let output = command.stderr(Stdio::inherit()).output().ok()?;
        if !output.status.success() {
            eprintln!("{command:?} failed");
            return None;
        }
        String::from_utf8_lossy(&output.stdout).lines().last().map(str::to_owned)
    }

    /// Words that stand for files become their paths; what is not there yet is made.
    fn files(&self, arguments: &[&str]) -> Vec<String> {
        let path = |name: &str| self.directory.join(name).display().to_string();
        let named = |&word: &&str| match word {
            "DATA" => self.made("rows.npy", &["jobs", "data", "--out"]),
            "EMBEDDINGS" => self.made("embeddings.npy", &["jobs", "embeddings", "--out"]),
            "PARQUET" => self.made("embeddings.parquet", &["jobs", "embeddings", "--out"]),
            "MODEL" => {
                let rows = self.made("embeddings.npy", &["jobs", "embeddings", "--out"]);
                let fit = ["neuncut", "fit", &rows, "-k", "10", "--representation", "raw", "--quiet", "-o"];
                self.made("embeddings.safetensors", &fit)
            }
            "BLOBS-MODEL" => {
                let data = self.blobs("20000");
                self.made("blobs.safetensors", &["neuncut", "fit", &data, "-k", "5", "--quiet", "-o"])
            }
            "PROGRAM" => self.target.join("release/neuncut").display().to_string(),
            "LABELS" => path("labels.npy"),
            "FITTED" => path("fitted.safetensors"),
            "OURS" => path("ours.json"),
            other => match other.strip_prefix("BLOBS-") {
                Some(rows) => self.blobs(rows),
                None => other.to_owned(),
            },
        };
        arguments.iter().map(named).collect()
    }

    /// Two-dimensional rows in five clusters.
    fn blobs(&self, rows: &str) -> String {
        self.made(&format!("blobs-{rows}.npy"), &["neuncut", "synth", "blobs", "--rows", rows, "--quiet", "-o"])
    }

    /// A file's path, after the command that makes it where it is missing; the command ends with the path.
    fn made(&self, name: &str, command: &[&str]) -> String {
        let path = self.directory.join(name);
        if !path.exists() {
            let program = match command[0] {
                "jobs" => self.target.join("release/examples/jobs"),
                other => self.target.join("release").join(other),
            };
            let status = Command::new(program).args(&command[1..]).arg(&path).stdout(Stdio::null()).status();
            if !status.is_ok_and(|status| status.success()) {
                eprintln!("{} could not be made", path.display());
            }
        }
        path.display().to_string()
    }
}

/// The number that follows a name in a JSON line.
pub(super) fn number(line: &str, name: &str) -> Option<f64> {
    let after = line.split_once(&format!("\"{name}\""))?.1.trim_start().strip_prefix(':')?.trim_start();
    let end = after.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+' | 'e' | 'E')).unwrap_or(after.len());
    after[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_name() {
        let line = r#"{"job":"step","step_ms": 12.5, "loss":-1e-3}"#;
        assert_eq!(number(line, "step_ms"), Some(12.5));
        assert_eq!(number(line, "loss"), Some(-0.001));
        assert_eq!(number(line, "job"), None);
        assert_eq!(number(line, "none"), None);
    }

    #[test]
    fn the_best_run_counts() {
        for (more, best) in [(false, 1.0), (true, 3.0)] {
            let mut figure = Figure::new(more);
            ["2", "1", "3"].iter().for_each(|x| figure.take(Some(format!("{{\"t\":{x}}}")), "t", None));
            figure.take(None, "t", None);
            assert_eq!(figure.best, Some(best));
        }
    }
}
