//! What a fit found out about the data and about itself, for a user to act on.

use serde::{Deserialize, Serialize};

/// A representation that was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Its name, such as `ridge=0.01`.
    pub representation: String,
    /// The Ncut of its partition on its own landmark graph: the lowest is kept.
    pub ncut: f64,
}

/// Findings of one fit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Diagnostics {
    /// The representation that was kept.
    pub representation: String,
    /// All that were tried.
    pub candidates: Vec<Candidate>,
    /// Landmarks of the spectral start.
    pub landmarks: usize,
    /// Pieces the landmark graph falls into.
    pub components: usize,
    /// Landmarks without a neighbour of positive affinity.
    pub isolated: usize,
    /// How far the k-th eigenvalue stands from the next: `(1 - lambda_(k+1)) / (1 - lambda_k)`.
    pub eigengap: f64,
    /// Share of landmarks on which the warm-started network agrees with the spectral labels.
    pub warm_agreement: f64,
    /// Hard Ncut on rows outside the landmarks after the warm start.
    pub ncut_start: f64,
    /// The same after training on the cut.
    pub ncut_end: f64,
    /// Whether the guard kept the warm-started network.
    pub guard_kept_start: bool,
    /// Clusters that got at least one training row.
    pub live_clusters: usize,
    /// Mean of the largest membership over the training rows.
    pub mean_confidence: f64,
    /// Sentences for the user.
    pub warnings: Vec<String>,
}
