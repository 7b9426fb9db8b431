//! Which partition is taken, judged without labels.

use super::EnsembleOptions;
use super::judge::Judge;
use crate::metrics::{ari, confusion};
use crate::{Error, Result};
use ndarray::Array2;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A partition that was tried, for the record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The representation of the rows, such as `ridge=0.01`.
    pub representation: String,
    /// The graph and how it was partitioned.
    pub method: String,
    /// With few columns the mean rank on the judging graphs of all representations, between 0 and 1; otherwise minus the mutual
    /// information on those of its own. Lower is better.
    #[serde(deserialize_with = "crate::neural_cut::number_or_nan")]
    pub score: f64,
}

/// A partition of the landmarks.
#[derive(Debug, Clone)]
pub(super) struct Partition {
    pub method: String,
    pub labels: Vec<u32>,
    /// What is added to its mean rank.
    pub handicap: f64,
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
}

/// A partition with its score.
struct Scored<'a> {
    trial: &'a Trial,
    partition: &'a Partition,
    score: f64,
}

/// What was chosen.
pub(super) struct Choice {
    pub labels: Vec<u32>,
    pub candidates: Vec<Candidate>,
    pub voters: usize,
    /// The largest adjusted Rand index between two of those that voted; one where only one did.
    pub agreement: f64,
    pub leader: String,
    pub findings: GraphFindings,
}

/// The vote of the best partitions: clusters are matched to those of the partition that agrees most with the others, and every row goes
/// where most put it.
pub(super) fn choose(trials: &[Trial], k: usize, few: bool, options: &EnsembleOptions) -> Result<Choice> {
    let mut scored = if few { by_ranks(trials, k) } else { by_own_marks(trials, k) };
    scored.sort_by(|a, b| a.score.total_cmp(&b.score));
    let candidates = scored.iter().map(record).collect();
    scored.truncate(options.voters);
    let (sums, agreement) = agreements(&scored)?;
    let Some(leader) = leader(&scored, &sums) else {
        return Err(Error::Degenerate("no partition could be found: the data has no structure at all".into()));
    };
    let mut labels = leader.partition.labels.clone();
    if scored.len() > 2 {
        let voted = vote(&scored, &labels, k, options.voting_rounds)?;
        if is_full(&voted, k) {
            labels = voted;
        }
    }
    let unconverged = trials.iter().map(|trial| trial.findings.unconverged).sum();
    Ok(Choice {
        labels,
        candidates,
        voters: scored.len(),
        agreement,
        leader: format!("{} rows, {}", leader.trial.representation, leader.partition.method),
        findings: GraphFindings { unconverged, ..leader.trial.findings.clone() },
    })
}

fn record(scored: &Scored) -> Candidate {
    let (representation, method) = (scored.trial.representation.clone(), scored.partition.method.clone());
    Candidate { representation, method, score: scored.score }
}

fn all(trials: &[Trial]) -> Vec<Scored<'_>> {
    let of = |trial| move |partition| Scored { trial, partition, score: 0.0 };
    trials.iter().flat_map(|trial| trial.partitions.iter().map(of(trial))).collect()
}

/// Each by its mark on the graphs of its own representation.
fn by_own_marks(trials: &[Trial], k: usize) -> Vec<Scored<'_>> {
    let mut scored = all(trials);
    scored.par_iter_mut().for_each(|s| s.score = -s.trial.judge.mark(&s.partition.labels, k));
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
    scored.iter_mut().for_each(|s| s.score += s.partition.handicap);
    scored
}

/// The sum of each one's adjusted Rand indices to the others, and the largest of all; one where there are no two.
fn agreements(scored: &[Scored]) -> Result<(Vec<f64>, f64)> {
    let mut sums = vec![0.0; scored.len()];
    let mut largest = if scored.len() < 2 { 1.0 } else { f64::NEG_INFINITY };
    for a in 0..scored.len() {
        for b in 0..a {
            let value = ari(&scored[a].partition.labels, &scored[b].partition.labels)?;
            sums[a] += value;
            sums[b] += value;
            largest = largest.max(value);
        }
    }
    Ok((sums, largest))
}

/// The one that agrees most with the others; of one or two, the better.
fn leader<'a, 'b>(scored: &'b [Scored<'a>], agreements: &[f64]) -> Option<&'b Scored<'a>> {
    if scored.len() < 3 {
        return scored.first();
    }
    let most = agreements.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    agreements.iter().position(|&a| a >= most).map(|at| &scored[at])
}

/// Plurality of the labels, matched to `leader`; ties go to the smaller cluster number.
fn vote(voters: &[Scored], leader: &[u32], k: usize, rounds: usize) -> Result<Vec<u32>> {
    let mut current = leader.to_vec();
    for _ in 0..rounds {
        let mut votes = Array2::<u16>::zeros((current.len(), k));
        for voter in voters {
            let matched = match_clusters(&voter.partition.labels, &current, k)?;
            for (i, &label) in voter.partition.labels.iter().enumerate() {
                if let Some(cluster) = matched[label as usize] {
                    votes[[i, cluster]] += 1;
                }
            }
        }
        let next: Vec<u32> =
            votes.rows().into_iter().map(|row| (0..k).rev().max_by_key(|&c| row[c]).unwrap_or(0) as u32).collect();
        if next == current {
            break;
        }
        current = next;
    }
    Ok(current)
}

/// For each cluster of `labels`, the cluster of `reference` that the Hungarian method gives it.
fn match_clusters(labels: &[u32], reference: &[u32], k: usize) -> Result<Vec<Option<usize>>> {
    let table = confusion(labels, reference)?;
    let mut matched = vec![None; k];
    for (class, cluster) in table.classes.iter().zip(&table.clusters) {
        if let Some(cluster) = cluster {
            matched[*cluster as usize] = Some(*class as usize);
        }
    }
    Ok(matched)
}

/// Whether every cluster has a row.
fn is_full(labels: &[u32], k: usize) -> bool {
    let mut seen = vec![false; k];
    labels.iter().for_each(|&label| seen[label as usize] = true);
    seen.iter().all(|&seen| seen)
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
        let partition = |labels: &[u32; 6]| Partition { method: "one".into(), labels: labels.to_vec(), handicap: 0.0 };
        Trial {
            representation: "raw".into(),
            judge: judge(),
            partitions: partitions.iter().map(partition).collect(),
            findings: GraphFindings::default(),
        }
    }

    #[test]
    fn the_best_three_vote_and_the_rest_do_not() {
        let good = [0, 0, 1, 1, 2, 2];
        let renamed = [2, 2, 0, 0, 1, 1];
        let near = [0, 0, 0, 1, 2, 2];
        let bad = [0, 1, 2, 0, 1, 2];
        let choice = choose(&[trial(&[bad, good, near, renamed])], 3, true, &EnsembleOptions::default()).unwrap();
        assert_eq!((choice.voters, choice.candidates.len()), (3, 4));
        let same = |a: usize, b: usize| choice.labels[a] == choice.labels[b];
        assert!(same(0, 1) && same(2, 3) && same(4, 5) && !same(0, 2) && !same(2, 4));
        assert_eq!(choice.agreement, 1.0, "two of the three are the same");
    }

    #[test]
    fn a_handicap_moves_a_partition_down() {
        let mut trial = trial(&[[0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 2, 2]]);
        trial.partitions[0].handicap = 1.0;
        let options = EnsembleOptions { voters: 1, ..Default::default() };
        assert_eq!(choose(&[trial], 3, true, &options).unwrap().labels, [0, 0, 0, 1, 2, 2]);
    }

    #[test]
    fn no_partition_is_an_error_and_a_vote_never_loses_a_cluster() {
        assert!(choose(&[trial(&[])], 3, true, &EnsembleOptions::default()).is_err());
        assert!(is_full(&[0, 1, 2], 3) && !is_full(&[0, 2, 2], 3));
    }
}
