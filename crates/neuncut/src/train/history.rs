//! Learning curves.

use serde::{Deserialize, Serialize};

/// The averages of one epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpochRecord {
    /// Epoch, counted from 1.
    pub epoch: usize,
    /// Its learning rate.
    pub learning_rate: f64,
    /// The mean of each loss term over the epoch's steps, in the order of [`History::terms`].
    pub values: Vec<f64>,
}

/// Learning curves of one training run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct History {
    /// What was trained, such as `warm start` or `neural cut`.
    pub stage: String,
    /// Names of the loss terms.
    pub terms: Vec<String>,
    /// One record an epoch.
    pub epochs: Vec<EpochRecord>,
}
