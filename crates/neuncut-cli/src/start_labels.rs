//! A clustering from a file, for `fit --init labels:FILE`.

use neuncut::data::read_labels;
use neuncut::{Error, Result};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The label that means none, as HDBSCAN writes it.
const NONE: &str = "-1";

/// Where training starts, as it was typed.
#[derive(Debug, Clone)]
pub enum Init {
    /// A word of the configuration.
    Word(String),
    /// The labels in this file.
    Labels(PathBuf),
}

impl FromStr for Init {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "spectral" | "overcluster" | "k-means" | "random" => Ok(Self::Word(text.into())),
            _ => match text.strip_prefix("labels:") {
                Some(path) if !path.is_empty() => Ok(Self::Labels(path.into())),
                _ => Err("possible values: spectral, overcluster, k-means, random, labels:FILE".into()),
            },
        }
    }
}

/// One label a row of the data, and the clusters they name.
pub struct StartLabels {
    path: PathBuf,
    labels: Vec<String>,
    /// The names of the clusters in order: numbers by size, then text.
    pub names: Vec<String>,
}

impl StartLabels {
    /// Reads the labels; `-1` is none.
    pub fn read(path: &Path) -> Result<Self> {
        let labels = read_labels(path, None)?;
        let distinct: BTreeSet<&String> = labels.iter().filter(|label| *label != NONE).collect();
        let mut names: Vec<String> = distinct.into_iter().cloned().collect();
        names
            .sort_by_key(|name| name.parse::<i128>().map_or((1, 0, name.clone()), |number| (0, number, String::new())));
        if names.is_empty() {
            let problem = "holds no label other than -1: give a file with the clusters of the rows";
            return Err(Error::data(path, problem));
        }
        Ok(Self { path: path.to_owned(), labels, names })
    }

    /// The clusters of the sampled rows, of a table of so many.
    pub fn of_rows(&self, indices: &[u64], total: u64) -> Result<Vec<Option<u32>>> {
        if self.labels.len() as u64 != total {
            let problem =
                format!("has {} labels for {total} rows of data: give one label a row, -1 for none", self.labels.len());
            return Err(Error::data(&self.path, problem));
        }
        let number = |label: &String| self.names.iter().position(|name| name == label).map(|c| c as u32);
        Ok(indices.iter().map(|&row| number(&self.labels[row as usize])).collect())
    }

    /// The number of clusters; refuses another one.
    pub fn clusters(&self, given: Option<usize>) -> Result<usize> {
        let found = self.names.len();
        match given {
            Some(k) if k != found => {
                Err(Error::config("k", k, format!("{found}, the clusters in {}, or not given", self.path.display())))
            }
            _ => Ok(found),
        }
    }
}
