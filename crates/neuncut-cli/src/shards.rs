//! Many files labelled one by one into a directory: one output per input, put in its place when complete. Started again, only what is
//! missing or out of date is done; several processes can share the work, each taking every N-th file.

use crate::objects::{self, Stat};
use neuncut::data::file_hash;
use neuncut::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The folder of the records, below that of the outputs.
const RECORDS: &str = "manifest";

/// A part of the files: every `of`-th, beginning with number `index`, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    index: usize,
    of: usize,
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text} is not I/N such as 3/8, with I from 1 to N");
        let (index, of) = text.split_once('/').ok_or_else(wrong)?;
        match (index.parse(), of.parse()) {
            (Ok(index), Ok(of)) if (1..=of).contains(&index) => Ok(Self { index, of }),
            _ => Err(wrong()),
        }
    }
}

impl Part {
    /// The files of this part.
    pub fn of<T>(self, files: Vec<T>) -> Vec<T> {
        files.into_iter().skip(self.index - 1).step_by(self.of).collect()
    }
}

/// One input and its output.
pub struct Shard {
    pub input: PathBuf,
    pub output: PathBuf,
    record: PathBuf,
}

/// What an output was made of: that it is up to date is seen from this, and from its being there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardRecord {
    /// A hash of the model file.
    pub model: String,
    /// The input as it was named, its size, and when it was changed, in nanoseconds since 1970.
    pub input: String,
    pub bytes: u64,
    pub modified: u64,
    /// What was asked for beside labels, by the names of flags.
    pub options: Value,
    /// Rows labelled, and the size of the output.
    pub rows: u64,
    pub output_bytes: u64,
}

impl Shard {
    /// An output for each input, in the same folders below `directory` as the inputs have below the one they share, and in their own
    /// format unless one is given.
    pub fn plan(inputs: Vec<PathBuf>, directory: &Path, format: Option<&str>) -> Result<Vec<Self>> {
        let shared = shared_folder(&inputs.iter().map(|input| objects::public(input)).collect::<Vec<_>>());
        let shard = |input: PathBuf| {
            let known_as = objects::public(&input);
            let below = known_as.strip_prefix(&shared).unwrap_or(&known_as).to_owned();
            let name = output_name(&below, format);
            let record = directory.join(RECORDS).join(format!("{}.json", name.display()));
            Self { output: directory.join(&name), record, input }
        };
        let shards: Vec<Self> = inputs.into_iter().map(shard).collect();
        let mut outputs: Vec<(&Path, &Path)> = shards.iter().map(|s| (s.output.as_path(), s.input.as_path())).collect();
        outputs.sort_unstable();
        match outputs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(Error::data(
                objects::public(pair[0].1),
                format!(
                    "its labels would go into the file of those of {}: label them apart",
                    objects::public(pair[1].1).display()
                ),
            )),
            None => Ok(shards),
        }
    }

    /// The record of an output that is up to date.
    pub fn done(&self, wanted: &ShardRecord) -> Option<ShardRecord> {
        let found: ShardRecord = serde_json::from_value(objects::read_json(&self.record)?).ok()?;
        let same = ShardRecord { rows: found.rows, output_bytes: found.output_bytes, ..wanted.clone() } == found;
        let there = objects::stat(&self.output).is_ok_and(|output| output.bytes == found.output_bytes);
        (same && there).then_some(found)
    }

    /// What the record of this shard will say, but for rows and the size of its output.
    pub fn record(&self, model: &str, options: &Value) -> Result<ShardRecord> {
        let Stat { bytes, modified } = objects::stat(&self.input)?;
        Ok(ShardRecord {
            model: model.to_owned(),
            input: objects::public(&self.input).display().to_string(), // a signature changes, and the object does not
            bytes,
            modified,
            options: options.clone(),
            rows: 0,
            output_bytes: 0,
        })
    }

    /// Makes the folders of the output and of its record; stores have none.
    pub fn make_folders(&self) -> Result<()> {
        let files = [&self.output, &self.record].into_iter().filter(|file| !objects::is_address(file));
        for folder in files.filter_map(|file| file.parent()) {
            std::fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
        }
        Ok(())
    }

    /// Says that the output is complete.
    pub fn write_record(&self, record: ShardRecord, rows: u64) -> Result<()> {
        let output_bytes = objects::stat(&self.output)?.bytes;
        let record = serde_json::json!(ShardRecord { rows, output_bytes, ..record });
        objects::write_text(&self.record, &format!("{record:#}\n"))
    }
}

/// A hash of the model file, for records.
pub fn model_hash(path: &Path) -> Result<String> {
    Ok(format!("{:016x}", file_hash(path)?))
}

/// The folder that all files lie below.
fn shared_folder(files: &[PathBuf]) -> PathBuf {
    let mut folders = files.iter().map(|file| file.parent().unwrap_or(Path::new("")));
    let mut shared = folders.next().unwrap_or(Path::new("")).to_owned();
    for folder in folders {
        while !folder.starts_with(&shared) && shared.pop() {}
    }
    shared
}

/// Tables stay in their format, others become npy, unless a format is given.
fn output_name(input: &Path, format: Option<&str>) -> PathBuf {
    let name = input.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".gz").unwrap_or(&name);
    let (base, ending) = stem.rsplit_once('.').unwrap_or((stem, ""));
    if let Some(format) = format {
        return input.with_file_name(format!("{}.{format}", if base.is_empty() { stem } else { base }));
    }
    let ending = match ending.to_ascii_lowercase().as_str() {
        kept @ ("parquet" | "pq" | "arrow" | "feather" | "csv" | "tsv" | "jsonl" | "ndjson" | "json") => {
            kept.to_owned()
        }
        "arrows" | "ipc" => "arrow".to_owned(),
        "txt" | "tab" => "csv".to_owned(),
        _ => return input.with_file_name(format!("{stem}.npy").replace(".npy.npy", ".npy")),
    };
    input.with_file_name(format!("{base}.{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_disjoint_and_whole() {
        let part = |text: &str| text.parse::<Part>().map(|part| part.of((0..7).collect()));
        assert_eq!(part("1/3"), Ok(vec![0, 3, 6]));
        assert_eq!(part("3/3"), Ok(vec![2, 5]));
        assert_eq!(part("8/8"), Ok(vec![]));
        assert!(part("0/3").is_err() && part("4/3").is_err() && part("1").is_err());
    }

    #[test]
    fn outputs_lie_as_inputs_do() {
        let inputs = ["in/x=1/a.parquet", "in/x=2/a.parquet", "in/b.csv.gz", "in/c.npy", "in/train-ubyte"];
        let shards = Shard::plan(inputs.map(PathBuf::from).to_vec(), Path::new("out"), None).unwrap();
        let outputs: Vec<_> = shards.iter().map(|shard| shard.output.to_string_lossy().into_owned()).collect();
        let expected = ["out/x=1/a.parquet", "out/x=2/a.parquet", "out/b.csv", "out/c.npy", "out/train-ubyte.npy"];
        assert_eq!(outputs, expected);
        assert_eq!(output_name(Path::new("x=1/a.parquet"), Some("csv")), Path::new("x=1/a.csv"));
        let same = ["in/a.csv", "in/a.csv.gz"].map(PathBuf::from).to_vec();
        assert!(Shard::plan(same, Path::new("out"), None).err().unwrap().to_string().contains("label them apart"));
    }
}
