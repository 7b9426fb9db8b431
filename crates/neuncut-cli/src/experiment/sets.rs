//! The data sets of experiments: files in a directory that the user names, shapes, and deformed images without end.

use super::quick;
use crate::process::{Program, path_text};
use crate::text_file;
use neuncut::data::writers::{self, Columns};
use neuncut::data::{Table, TableSpec, read_labels, sample_rows};
use neuncut::metrics::encode;
use neuncut::{Error, Result, Seed};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file of data sets beside the experiments.
pub const SETS_FILE: &str = "data-sets.toml";

/// The file that says which data sets were looked for in vain, and why, beside the records.
const ABSENT_FILE: &str = "not-available.json";

/// Sets that were looked for in vain, with the reasons.
pub fn read_absent(directory: &Path) -> BTreeMap<String, String> {
    let known = text_file::read_json(&directory.join(ABSENT_FILE));
    known.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}

/// Notes what was found of the sets that were looked for; others stay as they were noted.
pub fn note_absent<'a>(directory: &Path, looked: impl Iterator<Item = (&'a String, Option<&'a String>)>) -> Result<()> {
    let mut absent = read_absent(directory);
    for (set, problem) in looked {
        match problem {
            Some(problem) => drop(absent.insert(set.clone(), problem.clone())),
            None => drop(absent.remove(set)),
        }
    }
    text_file::write(&directory.join(ABSENT_FILE), &format!("{:#}\n", serde_json::json!(absent)))
}

/// A data set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct SetSpec {
    /// What tables call it.
    pub title: String,
    /// Files in the data directory, read as one table.
    pub files: Vec<String>,
    /// Files of the true classes, one after another.
    pub truth: Vec<String>,
    /// Number of clusters.
    pub clusters: usize,
    /// The features in place of those that experiments ask for; `""` where the files hold features already.
    pub features: Option<String>,
    /// A shape to be made, in place of files.
    pub shape: Option<String>,
    /// Rows that are made of a shape, or of deformed images.
    pub rows: u64,
    /// Whether the rows are deformed versions of the files' images, never stored.
    pub deformed: bool,
    /// The paper's settings for it, its table 1.
    pub paper: toml::Table,
    /// What else must be known about it.
    pub note: String,
}

/// Reads the definitions beside an experiment.
pub fn read_sets(directory: &Path) -> Result<BTreeMap<String, SetSpec>> {
    let path = directory.join(SETS_FILE);
    let sets: BTreeMap<String, SetSpec> = text_file::read_toml(&path, "experiment", "data sets")?;
    match sets.keys().find(|name| !is_plain(name)) {
        None => Ok(sets),
        Some(name) => Err(Error::config(
            "experiment",
            path.display(),
            format!("a file of sets with plain names: {name:?} should be letters, digits, - and _"),
        )),
    }
}

/// Whether files can be named after a set without leaving their directory.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || "-_".contains(letter))
}

/// A data set that is at hand.
#[derive(Debug, Clone)]
pub struct SetData {
    pub name: String,
    pub spec: SetSpec,
    /// The files, as runs are told them.
    pub files: Vec<String>,
    /// The true classes in one file, and in memory.
    pub truth_file: PathBuf,
    pub truth: Vec<u32>,
    /// Rows in all, and a hash of what they are made from.
    pub rows: u64,
    pub fingerprint: String,
}

/// Where data sets come from.
pub struct Shelf<'a> {
    /// The data directory, where one was given.
    pub data: Option<&'a Path>,
    /// Where made files go.
    pub cache: &'a Path,
    pub program: Program,
    /// Whether sets are cut down to a few rows.
    pub quick: bool,
}

impl Shelf<'_> {
    /// A data set, or why it is not available.
    pub fn open(&self, name: &str, spec: &SetSpec) -> Result<std::result::Result<SetData, String>> {
        std::fs::create_dir_all(self.cache).map_err(Error::io("create", self.cache))?;
        match &spec.shape {
            Some(shape) => self.shape(name, spec, shape),
            None => self.files(name, spec),
        }
    }

    fn shape(&self, name: &str, spec: &SetSpec, shape: &str) -> Result<std::result::Result<SetData, String>> {
        let rows = if self.quick { quick::SHAPE_ROWS } else { spec.rows };
        let file = self.cache.join(format!("{name}-{rows}.npy"));
        let truth_file = self.cache.join(format!("{name}-{rows}-truth.npy"));
        if !file.exists() || !truth_file.exists() {
            let mut words = vec!["synth".into(), shape.into(), "-n".into(), rows.to_string()];
            words.extend(["-o".into(), path_text(&file), "--truth".into(), path_text(&truth_file)]);
            if let Err(problem) = self.program.run(&words)? {
                return Ok(Err(problem));
            }
        }
        let truth = encode(&read_labels(&truth_file, None)?);
        let fingerprint = format!("{shape}-{rows}");
        let files = vec![path_text(&file)];
        Ok(Ok(SetData { name: name.into(), spec: spec.clone(), files, truth_file, truth, rows, fingerprint }))
    }

    fn files(&self, name: &str, spec: &SetSpec) -> Result<std::result::Result<SetData, String>> {
        let Some(data) = self.data else {
            return Ok(Err("give the data directory with --data or NEUNCUT_DATA".into()));
        };
        let missing: Vec<&String> =
            spec.files.iter().chain(&spec.truth).filter(|file| !data.join(file).exists()).collect();
        if let Some(first) = missing.first() {
            return Ok(Err(format!("{first} is not in the data directory")));
        }
        let mut files: Vec<String> = spec.files.iter().map(|file| path_text(&data.join(file))).collect();
        let mut classes = Vec::new();
        for file in &spec.truth {
            classes.extend(read_labels(data.join(file), None)?);
        }
        let mut truth = encode(&classes);
        let mut table = Table::open(&TableSpec { paths: files.clone(), ..Default::default() })?;
        if self.quick {
            let (file, kept) = quick::subset(&mut table, &self.cache.join(format!("{name}-quick.idx")))?;
            truth = kept.iter().filter_map(|&row| truth.get(row).copied()).collect();
            files = vec![path_text(&file)];
            table = Table::open(&TableSpec { paths: files.clone(), ..Default::default() })?;
        }
        let sample =
            sample_rows(&mut table, 1, &mut Seed(0).stream("fingerprint"), &mut |_| crate::interrupt::check())?;
        if sample.total != truth.len() as u64 {
            let problem = format!("has {} rows for {} classes: give both of the same rows", sample.total, truth.len());
            return Err(Error::data(&files[0], problem));
        }
        let truth_file = self.cache.join(format!("{name}{}-truth.npy", if self.quick { "-quick" } else { "" }));
        let mut writer = writers::create(&path_text(&truth_file), Columns::Labels)?;
        writer.write(&truth.iter().map(|&label| label as i32).collect::<Vec<_>>(), None)?;
        writer.finish()?;
        let mut fingerprint = format!("{:016x}", sample.fingerprint);
        let mut rows = sample.total;
        if spec.deformed {
            rows = if self.quick { quick::STREAM_ROWS } else { spec.rows };
            fingerprint += &format!("-deformed-{rows}");
        }
        Ok(Ok(SetData { name: name.into(), spec: spec.clone(), files, truth_file, truth, rows, fingerprint }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_cannot_name_files_elsewhere() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let text = format!("[\"{name}\"]\ntitle = \"a\"\nclusters = 2\nfiles = [\"x.npy\"]\ntruth = [\"y.npy\"]\n");
            std::fs::write(directory.path().join(SETS_FILE), text).unwrap();
            read_sets(directory.path())
        };
        assert!(write("double-c").is_ok());
        for name in ["../a", "a/b", ".", ""] {
            assert!(write(name).unwrap_err().to_string().contains("plain names"), "{name}");
        }
    }
}
