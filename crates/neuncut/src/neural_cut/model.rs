//! A fitted model: what `predict` needs, and a record of how it came about.

use super::{Config, Diagnostics};
use crate::affinity::LearnedAffinity;
use crate::features::Pipeline;
use crate::network::Weights;
use crate::train::History;
use crate::{Error, Result};
use ndarray::{Array2, ArrayView1, ArrayView2};
use serde::{Deserialize, Serialize};

/// How a model came about.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TrainingRecord {
    /// Version of this crate that trained it.
    pub version: String,
    /// Rows of the data it was trained on.
    pub rows: u64,
    /// Rows that were fitted.
    pub trained_rows: u64,
    /// Columns of the data.
    pub columns: usize,
    /// A hash of the data's values, in hexadecimal.
    pub fingerprint: String,
    /// The files, as they were named.
    pub files: Vec<String>,
    /// Share of the training rows in each cluster.
    pub cluster_shares: Vec<f64>,
    /// Learning curves of every training stage.
    pub history: Vec<History>,
    /// What was found out on the way.
    pub diagnostics: Diagnostics,
}

/// A trained network with its feature steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// How it was configured.
    pub config: Config,
    /// What happens to a row before the network.
    pub features: Pipeline,
    /// The network.
    pub weights: Weights,
    /// Columns a row must have.
    pub columns: usize,
    /// The affinity that was trained for the fit, where it was to be kept: prediction does not need it.
    pub affinity: Option<LearnedAffinity>,
    /// How it came about.
    pub record: TrainingRecord,
}

impl Model {
    /// Number of clusters.
    pub fn n_clusters(&self) -> usize {
        self.weights.n_outputs()
    }

    /// Memberships `(n, k)` of rows `(n, d)`: the same bits for a row however rows are grouped.
    pub fn memberships(&self, rows: ArrayView2<f32>) -> Result<Array2<f32>> {
        if rows.ncols() != self.columns {
            return Err(Error::Width {
                what: "the data".into(),
                given: rows.ncols(),
                expected: self.columns,
                remedy: "give the columns the model was fitted on".into(),
            });
        }
        check_finite(rows)?;
        Ok(self.weights.memberships(&self.features, rows))
    }

    /// The cluster of each row.
    pub fn predict(&self, rows: ArrayView2<f32>) -> Result<Vec<u32>> {
        Ok(argmax_rows(self.memberships(rows)?.view()))
    }
}

/// The column of the largest entry of each row, the first of equals.
pub fn argmax_rows(memberships: ArrayView2<f32>) -> Vec<u32> {
    memberships.rows().into_iter().map(argmax).collect()
}

fn argmax(row: ArrayView1<f32>) -> u32 {
    let mut best = (0, f32::NEG_INFINITY);
    for (cluster, &value) in row.iter().enumerate() {
        if value > best.1 {
            best = (cluster, value);
        }
    }
    best.0 as u32
}

/// Refuses NaN and infinity, naming the place.
pub(super) fn check_finite(rows: ArrayView2<f32>) -> Result<()> {
    match rows.indexed_iter().find(|(_, value)| !value.is_finite()) {
        None => Ok(()),
        Some(((row, column), value)) => Err(Error::NonFinite {
            what: "the data".into(),
            row: row as u64 + 1,
            column: (column + 1).to_string(),
            value: value.to_string(),
        }),
    }
}
