//! Which partition is taken, judged without labels.

use super::EnsembleOptions;
use super::judge::Judge;
use super::partitions::K_MEANS;
use crate::metrics::ari;
use crate::{Error, Result};
use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize};

/// How many of the best partitions are compared with one another.
const COMPARED: usize = 3;
/// What islands are ahead of all others by: more than all of the ranks and the slack of [`EnsembleOptions::near_best_rank`].
const ISLANDS_LEAD: f64 = 2.0;

/// A partition that was tried, for the record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The representation of the rows, such as `ridge=0.01`.
    pub representation: String,
    /// The graph and how it was partitioned.
    pub method: String,
    /// With few columns the mean rank on the judging graphs of all representations, between 0 and 1; otherwise minus the
    /// modularity on those of its own. Lower is better.
    #[serde(deserialize_with = "number_or_nan")]
    pub score: f64,
}

/// A number; JSON has no word for one that is not finite and writes `null`, which must not cost the model.
pub(crate) fn number_or_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

/// A partition of the landmarks.
#[derive(Debug, Clone)]
pub(super) struct Partition {
    pub method: String,
    pub labels: Vec<u32>,
    /// Clusters that are farther apart than any row is from the rest of its own, which no judge can better.
    pub are_islands: bool,
}

/// What one representation offers.
pub(super) struct Trial {
    pub representation: String,
    pub judge: Judge,
    pub partitions: Vec<Partition>,
    pub findings: GraphFindings,
}

/// What was seen of the graph of one representation.
#[derive(Debug, Clone, Default)]
pub(crate) struct GraphFindings {
    /// `1 - lambda_(k+1)` over `1 - lambda_k`: large where `k` clusters stand out; zero where there are no eigenvectors.
    pub eigengap: f64,
    /// `lambda_(k+1)`.
    pub next_eigenvalue: f64,
    /// Pieces the graph falls into.
    pub components: usize,
    /// Those large enough to be clusters.
    pub large_pieces: usize,
    /// Rows in the others.
    pub stray: usize,
    /// Eigenproblems whose bound on work was met before their precision.
    pub unconverged: usize,
    /// What the graph would fall into by itself, with many columns.
    pub natural: Option<NaturalCommunities>,
}

/// The communities of a graph when nobody asks for a number of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NaturalCommunities {
    /// How many there are.
    pub count: usize,
    /// Their modularity over that of the clusters that were found.
    pub gain: f64,
}

/// A partition with its score.
struct Scored<'a> {
    /// The place of its representation.
    trial: usize,
    partition: &'a Partition,
    score: f64,
}

/// What was chosen.
pub(super) struct Choice {
    pub labels: Vec<u32>,
    pub candidates: Vec<Candidate>,
    /// The largest adjusted Rand index between two of the best three.
    pub agreement: f64,
    /// That between the chosen partition and the best one by k-means on rows.
    pub k_means_agreement: Option<f64>,
    pub leader: String,
    /// The place of its representation.
    pub trial: usize,
    pub findings: GraphFindings,
}

/// Of the partitions about as good as the best, by mean rank with few columns and by mark otherwise, the one that agrees most with the others.
pub(super) fn choose(trials: &[Trial], k: usize, few: bool, options: &EnsembleOptions) -> Result<Choice> {
    let mut scored = if few { by_ranks(trials, k) } else { by_own_marks(trials, k) };
    scored.sort_by(|a, b| a.score.total_cmp(&b.score));
    let Some(best) = scored.first() else {
        return Err(Error::Degenerate("no partition could be found: the data has no structure at all".into()));
    };
    let slack = if few { options.near_best_rank } else { options.near_best * best.score.abs() };
    let near = scored.iter().take_while(|s| s.score <= best.score + slack).count();
    let chosen = &scored[most_agreeing(&scored[..near])?];
    let trial = &trials[chosen.trial];
    let unconverged = trials.iter().map(|trial| trial.findings.unconverged).sum();
    Ok(Choice {
        labels: chosen.partition.labels.clone(),
        agreement: agreement(&scored[..scored.len().min(COMPARED)])?,
        k_means_agreement: k_means_agreement(chosen, &scored)?,
        leader: format!("{} rows, {}", trial.representation, chosen.partition.method),
        trial: chosen.trial,
        findings: GraphFindings { unconverged, ..trial.findings.clone() },
        candidates: scored.iter().map(|s| record(s, trials)).collect(),
    })
}

/// The place of the partition with the largest sum of adjusted Rand indices to the others; the first of equals.
fn most_agreeing(scored: &[Scored]) -> Result<usize> {
    let mut sums = vec![0.0; scored.len()];
    for a in 0..scored.len() {
        for b in 0..a {
            let value = ari(&scored[a].partition.labels, &scored[b].partition.labels)?;
            sums[a] += value;
            sums[b] += value;
        }
    }
    Ok((0..sums.len()).rev().max_by(|&a, &b| sums[a].total_cmp(&sums[b])).unwrap_or(0))
}

fn record(scored: &Scored, trials: &[Trial]) -> Candidate {
    let (representation, method) = (trials[scored.trial].representation.clone(), scored.partition.method.clone());
    Candidate { representation, method, score: scored.score }
}

fn all(trials: &[Trial]) -> Vec<Scored<'_>> {
    let of = |trial| move |partition| Scored { trial, partition, score: 0.0 };
    trials.iter().enumerate().flat_map(|(at, trial)| trial.partitions.iter().map(of(at))).collect()
}

/// Each by its mark on the graphs of its own representation.
fn by_own_marks(trials: &[Trial], k: usize) -> Vec<Scored<'_>> {
    let mut scored = all(trials);
    scored.par_iter_mut().for_each(|s| s.score = -trials[s.trial].judge.mark(&s.partition.labels, k));
    scored
}

/// Each by its mean rank on the graphs of all representations, so that no single graph decides, however clear its answer is.
fn by_ranks(trials: &[Trial], k: usize) -> Vec<Scored<'_>> {
    let mut scored = all(trials);
    let count = scored.len().max(1) as f64;
    let judges: usize = trials.iter().map(|trial| trial.judge.len()).sum();
    for trial in trials {
        let marks: Vec<Vec<f64>> = scored.par_iter().map(|s| trial.judge.marks(&s.partition.labels, k)).collect();
        for judge in 0..trial.judge.len() {
            for (s, own) in scored.iter_mut().zip(&marks) {
                let better = marks.iter().filter(|other| other[judge] > own[judge]).count();
                s.score += (better + 1) as f64 / count / judges as f64;
            }
        }
    }
    // ranks are between 0 and 1: islands come before all
    scored.iter_mut().filter(|s| s.partition.are_islands).for_each(|s| s.score -= ISLANDS_LEAD);
    scored
}

/// The largest adjusted Rand index between two partitions; one where there are no two.
fn agreement(scored: &[Scored]) -> Result<f64> {
    let mut largest = if scored.len() < 2 { 1.0 } else { f64::NEG_INFINITY };
    for (at, one) in scored.iter().enumerate() {
        for other in &scored[..at] {
            largest = largest.max(ari(&one.partition.labels, &other.partition.labels)?);
        }
    }
    Ok(largest)
}

/// The adjusted Rand index between a partition and the best one by k-means.
fn k_means_agreement(chosen: &Scored, scored: &[Scored]) -> Result<Option<f64>> {
    let k_means = scored.iter().find(|scored| scored.partition.method == K_MEANS);
    k_means.map(|scored| ari(&chosen.partition.labels, &scored.partition.labels)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Csr;

    /// Three pairs in a row, weakly joined.
    fn judge() -> Judge {
        let edges = [(0, 1, 2.0), (2, 3, 2.0), (4, 5, 2.0), (1, 2, 0.2), (3, 4, 0.1)];
        Judge::given(Csr::symmetrized(6, edges.into_iter()), 2, &EnsembleOptions::default())
    }

    fn trial(partitions: &[[u32; 6]]) -> Trial {
        let partition =
            |labels: &[u32; 6]| Partition { method: "one".into(), labels: labels.to_vec(), are_islands: false };
        Trial {
            representation: "raw".into(),
            judge: judge(),
            partitions: partitions.iter().map(partition).collect(),
            findings: GraphFindings::default(),
        }
    }

    #[test]
    fn the_best_by_rank_is_chosen_and_the_best_three_are_compared() {
        let good = [0, 0, 1, 1, 2, 2];
        let renamed = [2, 2, 0, 0, 1, 1];
        let bad = [0, 1, 2, 0, 1, 2];
        let choice = choose(&[trial(&[bad, good, renamed])], 3, true, &EnsembleOptions::default()).unwrap();
        assert_eq!((choice.labels.as_slice(), choice.candidates.len()), (&good[..], 3));
        assert_eq!(choice.agreement, 1.0, "two of the three are the same");
        let apart = choose(&[trial(&[bad, good])], 3, true, &EnsembleOptions::default()).unwrap();
        assert!(apart.agreement < 0.5, "{}", apart.agreement);
        assert_eq!(apart.k_means_agreement, None);
        let mut by_k_means = trial(&[good, renamed]);
        by_k_means.partitions[1].method = K_MEANS.into();
        assert_eq!(choose(&[by_k_means], 3, true, &EnsembleOptions::default()).unwrap().k_means_agreement, Some(1.0));
    }

    #[test]
    fn with_many_columns_the_mark_on_its_own_graph_decides() {
        let near = [0, 0, 0, 1, 2, 2];
        let good = [0, 0, 1, 1, 2, 2];
        let choice = choose(&[trial(&[near]), trial(&[good])], 3, false, &EnsembleOptions::default()).unwrap();
        assert_eq!((choice.labels.as_slice(), choice.trial), (&good[..], 1));
    }

    #[test]
    fn of_those_about_as_good_the_most_usual_is_taken() {
        let good = [0, 0, 1, 1, 2, 2];
        let near = [0, 0, 0, 1, 2, 2];
        let options = EnsembleOptions { near_best: 0.9, ..Default::default() };
        let trials = [trial(&[good, near, near])];
        assert_eq!(choose(&trials, 3, false, &options).unwrap().labels, near);
        assert_eq!(choose(&trials, 3, false, &EnsembleOptions::default()).unwrap().labels, good);
    }

    #[test]
    fn islands_come_before_all() {
        let mut trial = trial(&[[0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 2, 2]]);
        trial.partitions[1].are_islands = true;
        assert_eq!(choose(&[trial], 3, true, &EnsembleOptions::default()).unwrap().labels, [0, 0, 0, 1, 2, 2]);
    }

    #[test]
    fn of_ranks_about_as_good_the_most_usual_is_taken() {
        let good = [0, 0, 1, 1, 2, 2];
        let near = [0, 0, 0, 1, 2, 2];
        let options = |near_best_rank| EnsembleOptions { near_best_rank, ..Default::default() };
        let trials = [trial(&[good, near, near])];
        assert_eq!(choose(&trials, 3, true, &options(0.5)).unwrap().labels, near);
        assert_eq!(choose(&trials, 3, true, &options(0.0)).unwrap().labels, good);
    }

    #[test]
    fn no_partition_is_an_error() {
        assert!(choose(&[trial(&[])], 3, true, &EnsembleOptions::default()).is_err());
    }
}
