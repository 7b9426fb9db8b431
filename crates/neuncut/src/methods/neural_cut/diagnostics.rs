//! What a fit found out about the data and about itself, for a user to act on.

use super::tune::GammaSweep;
use super::{Candidate, Stability, Warning};
use crate::ensemble::{NaturalCommunities, number_or_nan};
use serde::{Deserialize, Serialize};

/// Findings of one fit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Diagnostics {
    /// What joined the rows, and what was done to it.
    pub affinity: String,
    /// What the network was trained on: `cut` or `mutual information`.
    pub objective: String,
    /// The representation in which rows enter the network.
    pub representation: String,
    /// The rows, graph and embedding it starts from, such as `unit rows, plain graph, k eigenvectors`.
    pub start: String,
    /// The largest adjusted Rand index between two of the best three partitions of the start: low where none agree.
    #[serde(deserialize_with = "number_or_nan")]
    pub agreement: f64,
    /// The adjusted Rand index between the start and the best partition by k-means on rows.
    pub k_means_agreement: Option<f64>,
    /// Every partition that was tried, the best first.
    pub candidates: Vec<Candidate>,
    /// Landmarks of the spectral start.
    pub landmarks: usize,
    /// Different rows among them.
    pub distinct_rows: usize,
    /// Pieces the landmarks' neighbour graph falls into.
    pub components: usize,
    /// Those large enough to be clusters.
    pub large_pieces: usize,
    /// Landmarks in pieces too small to be clusters.
    pub stray_rows: usize,
    /// How far the k-th eigenvalue stands from the next: `(1 - lambda_(k+1)) / (1 - lambda_k)`.
    #[serde(deserialize_with = "number_or_nan")]
    pub eigengap: f64,
    /// The eigenvalue after the k-th on the plain graph, `lambda_(k+1)`.
    #[serde(deserialize_with = "number_or_nan")]
    pub next_eigenvalue: f64,
    /// What the graph of the start falls into when nobody asks for a number of clusters; with many columns.
    pub natural_communities: Option<NaturalCommunities>,
    /// Eigenproblems of the start that met their bound on work before their precision.
    pub unconverged: usize,
    /// The column with the largest share of the variance, counted from 1, and that share.
    pub dominant_column: Option<(usize, f64)>,
    /// Share of training rows on which the warm-started network agrees with the start's labels.
    #[serde(deserialize_with = "number_or_nan")]
    pub warm_agreement: f64,
    /// Hard Ncut after the warm start, on the graph of nearest neighbours among rows outside the landmarks.
    #[serde(deserialize_with = "number_or_nan")]
    pub ncut_start: f64,
    /// The same after training on the cut.
    #[serde(deserialize_with = "number_or_nan")]
    pub ncut_end: f64,
    /// Whether the guard kept the warm-started network.
    pub guard_kept_start: bool,
    /// How often clusters that had lost all rows were given some again.
    pub revivals: usize,
    /// Clusters that got at least one training row.
    pub live_clusters: usize,
    /// Mean of the largest membership over the training rows.
    #[serde(deserialize_with = "number_or_nan")]
    pub mean_confidence: f64,
    /// The search for gamma, where it was asked for.
    pub gamma_sweep: Option<GammaSweep>,
    /// Agreement of fits with other seeds, where it was asked for.
    pub stability: Option<Stability>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_that_are_not_finite_come_back() {
        let candidate =
            Candidate { representation: "raw".into(), method: "plain graph".into(), score: f64::NEG_INFINITY };
        let findings = Diagnostics {
            eigengap: f64::INFINITY,
            next_eigenvalue: f64::NAN,
            ncut_end: 0.25,
            candidates: vec![candidate],
            ..Default::default()
        };
        let json = serde_json::to_string(&findings).unwrap();
        let read: Diagnostics = serde_json::from_str(&json).unwrap();
        assert!(read.eigengap.is_nan() && read.next_eigenvalue.is_nan() && read.candidates[0].score.is_nan());
        assert_eq!(read.ncut_end, 0.25);
    }
}
