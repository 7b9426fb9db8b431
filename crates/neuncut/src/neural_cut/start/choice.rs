//! Which partition to start from, judged without labels.

use super::graph_set::CUT_FLOOR;
use super::{GraphSet, Representation, StartLabels};
use crate::metrics::ari;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What partitions from k eigenvectors and from k-means on the rows must be better by: they win only where they clearly are.
pub(super) const HANDICAP: f64 = 1.0;
/// Partitions whose score is within this of the best are asked which of them agrees most with the others.
const NEARLY_BEST: f64 = 0.2;

/// A partition that was tried, for the record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The representation of the rows, such as `ridge=0.01`.
    pub representation: String,
    /// The graph and embedding.
    pub method: String,
    /// Mean log Ncut on all graphs of the representation, with handicap, relative to what the spectrum allows: lower is better.
    pub score: f64,
}

/// A partition with its score.
pub(super) struct Partition {
    method: String,
    labels: Vec<u32>,
    score: f64,
}

impl Partition {
    pub fn new(method: String, labels: Vec<u32>, handicap: f64, graphs: &GraphSet, k: usize) -> Self {
        let score = graphs.log_cut(&labels, k) + handicap;
        Self { method, labels, score }
    }
}

/// What one representation offers.
pub(super) struct Tried {
    pub representation: Representation,
    pub partitions: Vec<Partition>,
    /// `1 - lambda_(k+1)` on each graph.
    pub next_values: Vec<f64>,
    pub eigengap: f64,
    pub components: usize,
    pub stray: usize,
}

impl Tried {
    fn best_score(&self) -> f64 {
        self.partitions.iter().map(|p| p.score).fold(f64::INFINITY, f64::min)
    }

    /// The mean log of `1 - lambda_(k+1)`: how good a cut could be expected. Makes scores of representations comparable.
    fn expected(&self) -> f64 {
        let logs = self.next_values.iter().map(|value| (value.max(0.0) + CUT_FLOOR).ln());
        logs.sum::<f64>() / self.next_values.len().max(1) as f64
    }
}

/// Of the representations on the sphere (unit, whitened) the one with the lowest cut goes on; of those that go on, all partitions
/// nearly as good as the best vote, and the one that agrees most with the others wins.
pub(super) fn choose(tried: Vec<Tried>) -> Result<StartLabels> {
    let candidates = record(&tried);
    let on_sphere = |t: &&Tried| t.representation.is_on_sphere();
    let best_sphere = tried.iter().filter(on_sphere).map(Tried::best_score).fold(f64::INFINITY, f64::min);
    let finalists: Vec<&Tried> = tried.iter().filter(|t| !on_sphere(t) || t.best_score() <= best_sphere).collect();
    let entries: Vec<(&Tried, &Partition, f64)> = finalists
        .iter()
        .flat_map(|t| t.partitions.iter().map(|p| (*t, p, p.score - t.expected())))
        .collect();
    let best = entries.iter().map(|e| e.2).fold(f64::INFINITY, f64::min);
    let near: Vec<&(&Tried, &Partition, f64)> = entries.iter().filter(|e| e.2 <= best + NEARLY_BEST).collect();
    let winner = match near.len() {
        0 => return Err(Error::Degenerate("no partition could be found: the data has no structure at all".into())),
        1 | 2 => near.iter().min_by(|a, b| a.2.total_cmp(&b.2)),
        _ => most_agreeing(&near)?,
    };
    let Some((tried, partition, _)) = winner else {
        return Err(Error::Degenerate("no partition could be found".into()));
    };
    Ok(StartLabels {
        representation: tried.representation,
        labels: partition.labels.clone(),
        candidates,
        chosen: partition.method.clone(),
        components: tried.components,
        stray: tried.stray,
        eigengap: tried.eigengap,
        distinct: partition.labels.len(),
    })
}

/// The partition with the largest sum of adjusted Rand indices to the others, the first of equals.
fn most_agreeing<'a, 'b>(near: &'b [&'a (&'a Tried, &'a Partition, f64)]) -> Result<Option<&'b &'a (&'a Tried, &'a Partition, f64)>> {
    let mut agreement = vec![0.0; near.len()];
    for a in 0..near.len() {
        for b in 0..a {
            let value = ari(&near[a].1.labels, &near[b].1.labels)?;
            agreement[a] += value;
            agreement[b] += value;
        }
    }
    let best = agreement.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Ok(near.iter().zip(agreement).find(|(_, a)| *a >= best).map(|(entry, _)| entry))
}

/// The best partition of each representation.
fn record(tried: &[Tried]) -> Vec<Candidate> {
    tried
        .iter()
        .filter_map(|t| {
            let best = t.partitions.iter().min_by(|a, b| a.score.total_cmp(&b.score))?;
            Some(Candidate {
                representation: t.representation.to_string(),
                method: best.method.clone(),
                score: best.score - t.expected(),
            })
        })
        .collect()
}
