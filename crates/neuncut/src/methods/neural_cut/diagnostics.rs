//! What a fit found out about the data and about itself, for a user to act on.

use super::tune::GammaSweep;
use super::{Candidate, Stability, Warning};
use crate::ensemble::{NaturalCommunities, number_or_nan};
use crate::links::LinkFindings;
use serde::{Deserialize, Serialize};

/// Findings of one fit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Diagnostics {
    /// What joined the rows, and what was done to it.
    pub affinity: String,
    /// What the network was trained on: `cut`, `log cut`, `min-max cut` or `mutual information`.
    pub objective: String,
    /// The representation in which rows enter the network.
    pub representation: String,
    /// Landmarks of the spectral start.
    pub landmarks: usize,
    /// What the start found, where one was looked for.
    #[serde(flatten)]
    pub start: Option<StartFindings>,
    /// The column with the largest share of the variance, counted from 1, and that share.
    pub dominant_column: Option<(usize, f64)>,
    /// Share of training rows on which the warm-started network agrees with the start's labels, where there was a start.
    pub warm_agreement: Option<f64>,
    /// Hard Ncut after the warm start, on the graph of nearest neighbours among rows outside the landmarks, where there was a start.
    pub ncut_start: Option<f64>,
    /// The same after training on the cut; none where the start cuts no edge, so that there was nothing to train for.
    pub ncut_end: Option<f64>,
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
    /// How many links hold, where some were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<LinkFindings>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

impl Diagnostics {
    /// The two cuts that the guard compared: after the warm start, and after training.
    pub fn cuts(&self) -> Option<(f64, f64)> {
        self.ncut_start.zip(self.ncut_end)
    }

    /// Hard Ncut of the network that was kept.
    pub fn kept_ncut(&self) -> Option<f64> {
        if self.guard_kept_start { self.ncut_start } else { self.ncut_end }
    }
}

/// What the start found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StartFindings {
    /// The rows, graph and embedding it starts from, such as `unit rows, plain graph, k eigenvectors`.
    #[serde(rename = "start")]
    pub leader: String,
    /// The largest adjusted Rand index between two of the best three partitions of the start: low where none agree.
    #[serde(deserialize_with = "number_or_nan")]
    pub agreement: f64,
    /// The adjusted Rand index between the start and the best partition by k-means on rows.
    #[serde(default)]
    pub k_means_agreement: Option<f64>,
    /// Every partition that was tried, the best first.
    pub candidates: Vec<Candidate>,
    /// Different rows among the landmarks.
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
    #[serde(default)]
    pub natural_communities: Option<NaturalCommunities>,
    /// Eigenproblems of the start that met their bound on work before their precision.
    pub unconverged: usize,
}

#[cfg(test)]
impl StartFindings {
    /// Three clusters that stand out among 100 rows.
    pub fn of_sound_fit() -> Self {
        Self {
            leader: "centred rows, 10 neighbours, Leiden".into(),
            agreement: 1.0,
            k_means_agreement: None,
            candidates: Vec::new(),
            distinct_rows: 100,
            components: 3,
            large_pieces: 3,
            stray_rows: 0,
            eigengap: 5.0,
            next_eigenvalue: 0.9,
            natural_communities: None,
            unconverged: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_that_are_not_finite_come_back() {
        let candidate =
            Candidate { representation: "raw".into(), method: "plain graph".into(), score: f64::NEG_INFINITY };
        let start = StartFindings {
            eigengap: f64::INFINITY,
            next_eigenvalue: f64::NAN,
            candidates: vec![candidate],
            ..StartFindings::of_sound_fit()
        };
        let findings = Diagnostics { ncut_end: Some(0.25), start: Some(start), ..Default::default() };
        let json = serde_json::to_string(&findings).unwrap();
        let read: Diagnostics = serde_json::from_str(&json).unwrap();
        assert_eq!(read.ncut_end, Some(0.25));
        let start = read.start.unwrap();
        assert!(start.eigengap.is_nan() && start.next_eigenvalue.is_nan() && start.candidates[0].score.is_nan());
        let none = serde_json::to_value(Diagnostics::default()).unwrap();
        assert!(none.get("eigengap").is_none(), "what was not looked for is not there");
        assert_eq!(serde_json::from_value::<Diagnostics>(none).unwrap().start, None);
    }
}
