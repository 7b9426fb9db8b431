//! Which partition to start from, judged without labels.

use super::StartLabels;
use super::graph_set::CUT_FLOOR;
use crate::metrics::{ari, confusion};
use crate::{Error, Result};
use ndarray::Array2;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What partitions from k eigenvectors and from k-means on the rows must be better by: they win only where they clearly are.
pub(super) const HANDICAP: f64 = 1.0;
/// Partitions whose score is within this of the best have a vote, or within this share of the best score where that is more: where
/// clusters hardly stand out, cuts say less.
const NEARLY_BEST: f64 = 0.2;
const NEARLY_BEST_SHARE: f64 = 0.09;
/// Partitions within this share of the best score have a say in which of them is the best.
const ELIGIBLE_SHARE: f64 = 0.2;
/// Partitions give the same answer if their adjusted Rand index to the vote of all is within this of the largest.
const SAME_ANSWER: f64 = 0.1;
/// Rounds of voting: the result of one is what the partitions are matched to in the next.
const ROUNDS: usize = 3;

/// A partition that was tried, for the record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The representation of the rows, such as `ridge=0.01`.
    pub representation: String,
    /// The graph and embedding.
    pub method: String,
    /// Mean log Ncut on all graphs of the representation, with handicap, relative to what the spectrum allows: lower is better.
    #[serde(deserialize_with = "crate::neural_cut::diagnostics::number_or_nan")]
    pub score: f64,
}

/// A partition with its score: mean log cut on the judging graphs, with handicap.
pub(super) struct Partition {
    pub method: String,
    pub labels: Vec<u32>,
    pub score: f64,
}

/// What one representation offers.
#[derive(Default)]
pub(super) struct Tried {
    pub representation: String,
    pub partitions: Vec<Partition>,
    /// What one more cluster would cost on each graph: `1 - lambda_(k+1)`, or the last merge.
    pub next_prices: Vec<f64>,
    pub eigengap: f64,
    pub next_eigenvalue: f64,
    pub components: usize,
    pub large_pieces: usize,
    pub stray: usize,
    pub unconverged: usize,
}

impl Tried {
    /// The mean log price of one more cluster: how good a cut could be expected. Makes scores of representations comparable.
    fn expected(&self) -> f64 {
        let logs = self.next_prices.iter().map(|price| (price.clamp(0.0, 1.0) + CUT_FLOOR).ln());
        logs.sum::<f64>() / self.next_prices.len().max(1) as f64
    }
}

/// A partition that has a vote.
struct Voter<'a> {
    tried: &'a Tried,
    partition: &'a Partition,
    /// Its score relative to what the spectrum allows.
    score: f64,
}

/// The vote of all partitions nearly as good as the best: clusters are matched, and every row goes where most put it. The best is
/// the one of lowest score among those that give the answer of most, because the lowest cut of all may stand alone with its own.
pub(super) fn choose(tried: Vec<Tried>, k: usize) -> Result<StartLabels> {
    let candidates = record(&tried);
    let mut voters: Vec<Voter> = tried
        .iter()
        .flat_map(|t| t.partitions.iter().map(|p| Voter { tried: t, partition: p, score: p.score - t.expected() }))
        .collect();
    let best = lowest(&voters);
    keep_near(&mut voters, ELIGIBLE_SHARE, best);
    let (eligible, answer) = (voters.len(), consensus(&voters, k)?);
    let best = best_of_the_answer(&voters, &answer)?;
    keep_near(&mut voters, NEARLY_BEST_SHARE, best);
    let Some(leader) = most_agreeing(&voters)? else {
        return Err(Error::Degenerate("no partition could be found: the data has no structure at all".into()));
    };
    let leader = &voters[leader];
    let labels = if voters.len() == eligible { answer } else { consensus(&voters, k)? };
    Ok(StartLabels {
        distinct: labels.len(),
        labels,
        candidates,
        voters: voters.len(),
        chosen: format!("{} rows, {}", leader.tried.representation, leader.partition.method),
        components: leader.tried.components,
        large_pieces: leader.tried.large_pieces,
        stray: leader.tried.stray,
        unconverged: tried.iter().map(|t| t.unconverged).sum(),
        eigengap: leader.tried.eigengap,
        next_eigenvalue: leader.tried.next_eigenvalue,
    })
}

/// Keeps the voters whose score is at most a share of the best above it.
fn keep_near(voters: &mut Vec<Voter>, share: f64, best: f64) {
    voters.retain(|v| v.score <= best + NEARLY_BEST.max(share * best));
}

fn lowest<'a>(voters: impl IntoIterator<Item = &'a Voter<'a>>) -> f64 {
    voters.into_iter().map(|v| v.score).fold(f64::INFINITY, f64::min)
}

/// The lowest score of a voter that gives the answer.
fn best_of_the_answer(voters: &[Voter], answer: &[u32]) -> Result<f64> {
    let agreement: Vec<f64> = voters.iter().map(|v| ari(answer, &v.partition.labels)).collect::<Result<_>>()?;
    let most = agreement.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Ok(lowest(voters.iter().zip(&agreement).filter(|(_, a)| **a >= most - SAME_ANSWER).map(|(voter, _)| voter)))
}

/// The voter with the largest sum of adjusted Rand indices to the others; of one or two, the better.
fn most_agreeing(voters: &[Voter]) -> Result<Option<usize>> {
    let mut agreement = vec![0.0; voters.len()];
    if voters.len() < 3 {
        agreement = voters.iter().map(|v| -v.score).collect();
    } else {
        for a in 0..voters.len() {
            for b in 0..a {
                let value = ari(&voters[a].partition.labels, &voters[b].partition.labels)?;
                agreement[a] += value;
                agreement[b] += value;
            }
        }
    }
    let best = agreement.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Ok(agreement.iter().position(|&a| a >= best))
}

/// The vote that agrees most with the voters, of those that begin with each of them: a single one may get stuck between two answers.
/// Of one or two voters, what the better says.
fn consensus(voters: &[Voter], k: usize) -> Result<Vec<u32>> {
    if voters.len() < 3 {
        let better = voters.iter().min_by(|a, b| a.score.total_cmp(&b.score));
        return Ok(better.map(|voter| voter.partition.labels.clone()).unwrap_or_default());
    }
    let votes: Vec<(f64, Vec<u32>)> = voters
        .par_iter()
        .map(|leader| {
            let labels = vote(voters, &leader.partition.labels, k)?;
            let agreement: Result<f64> = voters.iter().map(|voter| ari(&labels, &voter.partition.labels)).sum();
            Ok((agreement?, labels))
        })
        .collect::<Result<_>>()?;
    let best = votes.into_iter().reduce(|a, b| if b.0 > a.0 { b } else { a });
    Ok(best.map(|(_, labels)| labels).unwrap_or_default())
}

/// Plurality of the voters' labels, matched to `leader`; ties go to the smaller cluster number.
fn vote(voters: &[Voter], leader: &[u32], k: usize) -> Result<Vec<u32>> {
    let mut current = leader.to_vec();
    for _ in 0..ROUNDS {
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

/// The best partition of each representation.
fn record(tried: &[Tried]) -> Vec<Candidate> {
    tried
        .iter()
        .filter_map(|t| {
            let best = t.partitions.iter().min_by(|a, b| a.score.total_cmp(&b.score))?;
            Some(Candidate {
                representation: t.representation.clone(),
                method: best.method.clone(),
                score: best.score - t.expected(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(scores: &[f64]) -> Tried {
        let partition = |&score: &f64| Partition { method: "one".into(), labels: vec![0, 1, 0, 1], score };
        // one more cluster would cost all there is, so that scores stay as they are
        let next_prices = vec![1.0 - CUT_FLOOR];
        Tried { partitions: scores.iter().map(partition).collect(), next_prices, ..Default::default() }
    }

    #[test]
    fn more_may_vote_where_clusters_hardly_stand_out() {
        let voters = |scores: &[f64]| choose(vec![tried(scores)], 2).unwrap().voters;
        assert_eq!(voters(&[1.0, 1.19, 1.21]), 2, "within 0.2");
        assert_eq!(voters(&[4.0, 4.19, 4.35, 4.37]), 3, "within 0.09 of 4");
        assert_eq!(voters(&[-4.0, -3.81, -3.79]), 2, "within 0.2 of a negative score");
    }

    #[test]
    fn a_lowest_cut_that_stands_alone_is_not_the_best() {
        let halves: Vec<u32> = (0..40).map(|i| u32::from(i >= 20)).collect();
        let parity: Vec<u32> = (0..40).map(|i| i % 2).collect();
        let partition = |labels: &Vec<u32>, score| Partition { method: "one".into(), labels: labels.clone(), score };
        let with_scores = |scores: [f64; 5]| {
            let mut all = tried(&[]);
            all.partitions = scores.iter().map(|&score| partition(&halves, score)).collect();
            all.partitions[0].labels.clone_from(&parity);
            choose(vec![all], 2).unwrap()
        };
        // within 0.27 of 3.0 there are two, which would follow the first; within 0.29 of 3.2, the best of the others, there are four
        let found = with_scores([3.0, 3.2, 3.28, 3.45, 3.55]);
        assert_eq!((found.voters, found.labels), (4, halves.clone()));
        // too far behind to have a say
        let found = with_scores([3.0, 3.7, 3.7, 3.7, 3.7]);
        assert_eq!((found.voters, found.labels), (1, parity.clone()));
    }
}
