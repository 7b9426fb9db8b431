//! What a fit found out about the data and about itself, for a user to act on.

use super::Candidate;
use serde::{Deserialize, Serialize};

/// Findings of one fit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Diagnostics {
    /// What joined the rows, and what was done to it.
    pub affinity: String,
    /// The representation that was kept.
    pub representation: String,
    /// The graph and embedding it starts from, such as `plain graph, k eigenvectors`.
    pub start: String,
    /// Partitions that had a vote in the start; `start` names the one that agrees most with the others.
    pub voters: usize,
    /// The best of each representation that was tried.
    pub candidates: Vec<Candidate>,
    /// Landmarks of the spectral start.
    pub landmarks: usize,
    /// Different rows among them.
    pub distinct_rows: usize,
    /// Pieces the landmarks' neighbour graph falls into.
    pub components: usize,
    /// Landmarks in pieces too small to be clusters.
    pub stray_rows: usize,
    /// How far the k-th eigenvalue stands from the next: `(1 - lambda_(k+1)) / (1 - lambda_k)`.
    pub eigengap: f64,
    /// Share of landmarks on which the warm-started network agrees with the spectral labels.
    pub warm_agreement: f64,
    /// Hard Ncut on rows outside the landmarks after the warm start, the geometric mean over the graphs.
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
