//! Where the program is tortured: its inputs, the lines that are run, and what an undisturbed run of each leaves.

use crate::environment::succeeds;
use crate::test::{cargo, root, target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A small network on few rows: what matters here is how it ends.
const FAST: &str = "--hidden 16 --epochs 2 --landmarks 200 --train-rows 2000";

/// How several outputs of one line belong together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outputs {
    /// All or nothing, put in their places in this order.
    Together(&'static [&'static str]),
    /// Each by itself, in this folder; a next run does what is missing.
    Resumed(&'static str),
    /// A file of records, one line per run, with these fields that no time enters; a next run does what is missing.
    Records(&'static str),
}

/// A line that is run.
pub(super) struct Case {
    pub(super) name: &'static str,
    line: String,
    pub(super) outputs: Outputs,
}

/// The program and its inputs.
pub(super) struct Stage {
    program: PathBuf,
    pub(super) place: PathBuf,
}

impl Stage {
    /// Builds the program and makes its inputs.
    pub(super) fn set() -> Result<Self, String> {
        let mut build = Command::new(cargo());
        // with the examples, because without those the dependencies have other features than in tests, and are built again
        build.args(["build", "--release", "--workspace", "--bins", "--examples"]).current_dir(root());
        if !succeeds(&mut build) {
            return Err("the program was not built".into());
        }
        let stage = Self { program: target().join("release/neuncut"), place: target().join("torture") };
        let _ = fs::remove_dir_all(&stage.place); // of a run before
        let input = stage.fresh("input")?;
        fs::create_dir_all(input.join("shards")).map_err(|e| e.to_string())?;
        stage.ok(&input, "synth rings -n 30000 -o rows.npy --truth truth.npy")?;
        for shard in 0..6 {
            stage.ok(&input, &format!("synth rings -n 20000 --seed {shard} -o shards/{shard}.npy"))?;
        }
        stage.ok(&input, &format!("fit rows.npy -k 2 {FAST} -o model.safetensors"))?;
        Ok(stage)
    }

    /// Every line. Outputs are named in the order in which they are put in their places.
    pub(super) fn cases(&self) -> Vec<Case> {
        let input = self.place.join("input").display().to_string();
        let case = |name, line: String, outputs| Case { name, line, outputs };
        vec![
            case(
                "fit",
                format!(
                    "fit {input}/rows.npy -k 2 {FAST} -o model.safetensors --labels-out labels.csv --history curves.csv \
                     --report page.html"
                ),
                Outputs::Together(&["labels.csv", "curves.csv", "page.html", "model.safetensors"]),
            ),
            case(
                "predict",
                format!("predict {input}/model.safetensors {input}/rows.npy --proba -o labels.parquet"),
                Outputs::Together(&["labels.parquet"]),
            ),
            case(
                "shards",
                format!("predict {input}/model.safetensors {input}/shards/*.npy -o out/"),
                Outputs::Resumed("out"),
            ),
            case(
                "features",
                format!("features standardize,pca=2 {input}/rows.npy -o features.npy --save steps.safetensors"),
                Outputs::Together(&["features.npy", "steps.safetensors"]),
            ),
            case(
                "compare",
                format!(
                    "compare {input}/rows.npy -k 2 --truth {input}/truth.npy --methods kmeans,neuncut --seeds 2 {FAST} --out runs"
                ),
                Outputs::Records("runs/runs.jsonl"),
            ),
        ]
    }

    /// An empty folder.
    pub(super) fn fresh(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.place.join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
        Ok(folder)
    }

    /// The program with the words of a line, in a folder.
    pub(super) fn command(&self, folder: &Path, line: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.args(line.split_whitespace()).arg("--quiet").current_dir(folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a line that must end well.
    pub(super) fn ok(&self, folder: &Path, line: &str) -> Result<(), String> {
        let output = self.command(folder, line).output().map_err(|e| e.to_string())?;
        match output.status.success() {
            true => Ok(()),
            false => Err(format!("`{line}` ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr))),
        }
    }
}

impl Case {
    /// The command of this case in a folder.
    pub(super) fn command(&self, stage: &Stage, folder: &Path) -> Command {
        stage.command(folder, &self.line)
    }

    /// Runs it undisturbed.
    pub(super) fn complete(&self, stage: &Stage, folder: &Path) -> Result<(), String> {
        stage.ok(folder, &self.line)
    }

    /// What it left in a folder, by name: bytes of files, or of records those fields that no time enters.
    pub(super) fn left(&self, folder: &Path) -> Vec<(String, Vec<u8>)> {
        let read = |path: &Path| fs::read(path).unwrap_or_default();
        match self.outputs {
            Outputs::Together(names) => {
                let there = names.iter().filter(|name| folder.join(name).exists());
                there.map(|name| ((*name).to_owned(), read(&folder.join(name)))).collect()
            }
            Outputs::Resumed(out) => {
                let files = files_below(&folder.join(out)).into_iter().filter(|path| !is_beside(path));
                files.map(|path| (path.file_name().unwrap_or_default().to_string_lossy().into(), read(&path))).collect()
            }
            Outputs::Records(file) => {
                let text = String::from_utf8_lossy(&read(&folder.join(file))).into_owned();
                let whole = text.rfind('\n').map_or("", |end| &text[..end]);
                let mut runs: Vec<_> = whole.lines().map(|line| (scores(line), Vec::new())).collect();
                runs.sort();
                runs
            }
        }
    }
}

/// What no time enters in a record: which run it is, and its scores.
fn scores(record: &str) -> String {
    let field = |name: &str| record.split_once(&format!("\"{name}\":")).map_or("", |(_, rest)| first_value(rest));
    ["row", "seed", "accuracy", "nmi", "ari"].map(|name| format!("{name} {}", field(name))).join(", ")
}

fn first_value(text: &str) -> &str {
    text.split([',', '}']).next().unwrap_or_default()
}

/// Temporary files, and the manifest of shards, which names times.
fn is_beside(path: &Path) -> bool {
    is_temporary(path) || path.components().any(|part| part.as_os_str() == "manifest")
}

/// Whether a file or folder is one that the program names before it is complete.
pub(super) fn is_temporary(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().to_string_lossy().starts_with(".neuncut-"))
}

/// All files below a folder, sorted.
pub(super) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => files.extend(files_below(&path)),
            path => files.push(path),
        }
    }
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_record_the_scores_are_compared() {
        let line = r#"{"group":"","row":"kmeans","set":"a","seed":1,"score":{"accuracy":0.5,"nmi":0.25,"ari":0.125,"fit_seconds":3.0}}"#;
        assert_eq!(scores(line), "row \"kmeans\", seed 1, accuracy 0.5, nmi 0.25, ari 0.125");
    }

    #[test]
    fn temporary_names_are_known() {
        assert!(is_temporary(Path::new("a/.neuncut-x.tmp/b")) && !is_temporary(Path::new("a/neuncut.csv")));
    }
}
