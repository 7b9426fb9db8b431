//! A clustering that a fit starts from.

use super::Features;
use crate::methods::are_few;
use crate::{Error, Result};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The labels of all rows to start from.
#[derive(Debug, Clone)]
pub struct StartLabels {
    /// Where they come from, for errors.
    pub path: PathBuf,
    /// One label below the number of clusters for each row, or none.
    pub labels: Vec<Option<u32>>,
    /// What the clusters were called.
    pub names: Vec<String>,
}

impl StartLabels {
    /// The labels of the rows that are fitted.
    pub(super) fn of_rows(&self, features: &Features) -> Result<Vec<Option<u32>>> {
        let among = |labels: &[Option<u32>]| labels.iter().flatten().copied().collect::<BTreeSet<u32>>();
        let total = features.total;
        if self.labels.len() as u64 != total {
            let problem = format!(
                "has {} labels for {total} rows of data: give one label per row, -1 for none",
                self.labels.len()
            );
            return Err(Error::data(&self.path, problem));
        }
        let labels = match &features.fitted {
            Some(indices) => indices.iter().map(|&row| self.labels[row as usize]).collect(),
            None => self.labels.clone(),
        };
        match among(&self.labels).difference(&among(&labels)).next() {
            Some(missing) => Err(Error::config(
                "init",
                format!("labels without any row of cluster {missing}"),
                "labels of every cluster among the rows that are fitted: raise --train-rows",
            )),
            None => Ok(labels),
        }
    }

    /// Whether so few rows have a label that the others are clustered as usual, and there may be more clusters than labels.
    pub fn are_few(&self) -> bool {
        are_few(&self.labels)
    }
}
