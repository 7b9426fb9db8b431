//! What was found about numbers of clusters.

use crate::ensemble::number_or_nan;
use serde::{Deserialize, Serialize};

/// The evidence for every number of a range, and what it comes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CountFindings {
    /// The numbers that are recommended, the best first.
    pub recommended: Vec<usize>,
    /// Why, in a sentence.
    pub reason: String,
    /// The representation of the rows on which the evidence was found.
    pub representation: String,
    /// Different rows that were looked at.
    pub rows: usize,
    /// One for each number of the range, ascending.
    pub evidence: Vec<CountEvidence>,
}

/// The evidence for one number of clusters.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CountEvidence {
    /// The number.
    pub clusters: usize,
    /// What the recommendation goes by: higher is better.
    #[serde(deserialize_with = "number_or_nan")]
    pub score: f64,
    /// Entropy of the clusters' volumes: how much a cluster says about a row, in nats.
    pub entropy: f64,
    /// Nats per step of a random walk told by the clusters: [the map equation](crate::graph::Joint::coding_length). Models of earlier
    /// versions do not have it.
    #[serde(default = "unknown", deserialize_with = "number_or_nan")]
    pub coding_length: f64,
    /// Modularity of the partition.
    pub modularity: f64,
    /// Mean adjusted Rand index between partitions of half of the rows and that of all.
    pub stability: f64,
    /// `ln` of how much closer the clusters are that were merged last than those that would be merged next.
    #[serde(deserialize_with = "number_or_nan")]
    pub gap: f64,
    /// `1 - lambda_(k+1)` over `1 - lambda_k`, of the random walk between small communities.
    #[serde(deserialize_with = "number_or_nan")]
    pub eigengap: f64,
    /// Mean silhouette of some rows.
    pub silhouette: f64,
    /// Rows of the smallest cluster.
    pub smallest: usize,
}

fn unknown() -> f64 {
    f64::NAN
}

impl CountFindings {
    /// The number that is recommended most.
    pub fn chosen(&self) -> usize {
        self.recommended.first().copied().unwrap_or(2)
    }
}
