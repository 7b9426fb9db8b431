//! A clustering from a file, for `fit --init labels:FILE`.

use neuncut::data::read_labels;
use neuncut::job::StartLabels;
use neuncut::{Error, Result};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// The label that means none, as HDBSCAN writes it.
const NONE: &str = "-1";

/// Reads the clusters of all rows; `-1` is none. Clusters are in order: numbers by size, then text.
pub fn read(path: &Path) -> Result<StartLabels> {
    let labels = read_labels(path, None)?;
    let distinct: BTreeSet<&String> = labels.iter().filter(|label| *label != NONE).collect();
    let is_whole = distinct.iter().all(|label| label.parse::<i32>().is_ok());
    if let Some(negative) = distinct.iter().find(|label| is_whole && label.starts_with('-')) {
        let problem = format!("has the label {negative}: labels are numbers from 0 or names, and -1 is none");
        return Err(Error::data(path, problem));
    }
    let mut names: Vec<String> = distinct.into_iter().cloned().collect();
    names.sort_by_key(|name| name.parse::<i128>().map_or((1, 0, name.clone()), |number| (0, number, String::new())));
    if names.is_empty() {
        let problem = "holds no label other than -1: give a file with the clusters of the rows";
        return Err(Error::data(path, problem));
    }
    let numbers: HashMap<&String, u32> = names.iter().zip(0..).collect();
    let labels = labels.iter().map(|label| numbers.get(label).copied()).collect();
    Ok(StartLabels { path: path.to_owned(), labels, names })
}

/// The number of clusters in them, or the one that is given: more where few rows have a label, and no other.
pub fn clusters(start: &StartLabels, given: Option<usize>) -> Result<usize> {
    let found = start.names.len();
    match given {
        Some(k) if k > found && start.are_few() => Ok(k),
        Some(k) if k != found => {
            let more = if start.are_few() { " or more" } else { "" };
            let must = format!("{found}{more}, the clusters in {}, or not given", start.path.display());
            Err(Error::config("k", k, must))
        }
        _ => Ok(found),
    }
}
