//! Partitions of one graph: by its leading eigenvectors, or without them by merging small clusters.

use super::choice::HANDICAP;
use super::embedding::Embedding;
use super::pieces::Pieces;
use crate::Result;
use crate::baselines::KMeans;
use crate::clustering::{Clusterer, Clustering};
use crate::graph::{EigenOptions, Merged, merge_clusters, refine, top_eigenpairs};
use ndarray::ArrayView2;
use rayon::prelude::*;

/// Up to this many columns thin shapes ask for eigenvectors of high precision.
const PRECISE_COLUMNS: usize = 16;
/// k-means restarts on an embedding and on the rows: fewer as clusters grow in number.
const EMBEDDING_RESTARTS: usize = 20;
const ROW_RESTARTS: usize = 10;
/// An embedding is grouped several times where rows are few, so that seeds agree: more votes did better than more restarts.
const MOST_GROUPINGS: usize = 4;
const GROUPED_ROWS: usize = 10_000;
/// Small clusters a cluster asked for, and rows that one has at least on average.
const SMALL_A_CLUSTER: usize = 30;
const ROWS_A_SMALL: usize = 8;
/// Sets of small clusters, each merged on its own, so that one bad set is outvoted: as many as this many distances in a round
/// of k-means allow.
const MOST_SMALL_SETS: usize = 3;
const SMALL_DISTANCES: usize = 10_000_000;
/// Most and fewest Lloyd iterations for the small clusters, whose borders are improved on the graph anyway: as many as these
/// distances in all allow. And rounds of that improvement.
const SMALL_ITERATIONS: usize = 20;
const LEAST_SMALL_ITERATIONS: usize = 3;
const ALL_SMALL_DISTANCES: usize = 1_000_000_000;
const SMALL_SWEEPS: usize = 20;

/// A partition of the main rows of a graph.
pub(super) struct Proposal {
    pub method: String,
    pub labels: Vec<u32>,
    /// What is added to its score.
    pub handicap: f64,
}

/// What one graph offers.
pub(super) struct Proposed {
    pub partitions: Vec<Proposal>,
    /// What one more cluster would cost: `1 - lambda_(k+1)`, or the Ncut that merging it away saved.
    pub price_of_next: f64,
    /// That over the price of the k-th: large where `k` clusters stand out. Zero where there are no eigenvectors.
    pub eigengap: f64,
    /// Whether the eigenvectors are as precise as was asked.
    pub converged: bool,
}

/// Where the partitions of a representation's graphs come from.
pub(super) enum Proposer {
    /// k-means on leading eigenvectors of this precision.
    Eigenvectors { tolerance: f64, seed: u64 },
    /// Small clusters of the rows, so many, merged: several sets of them.
    Merging { small: Vec<Vec<u32>>, count: usize },
}

impl Proposer {
    pub fn eigenvectors(rows: ArrayView2<f32>, seed: u64) -> Self {
        Self::Eigenvectors { tolerance: if rows.ncols() <= PRECISE_COLUMNS { 1e-8 } else { 1e-5 }, seed }
    }

    pub fn merging(rows: ArrayView2<f32>, k: usize, seed: u64) -> Result<Self> {
        let count = (SMALL_A_CLUSTER * k).min(rows.nrows() / ROWS_A_SMALL).max(k);
        let distances = (rows.nrows() * count).max(1);
        let sets = (SMALL_DISTANCES / distances).clamp(1, MOST_SMALL_SETS) as u64;
        let max_iterations = (ALL_SMALL_DISTANCES / distances).clamp(LEAST_SMALL_ITERATIONS, SMALL_ITERATIONS);
        let small = (0..sets).map(|set| {
            let seed = seed.wrapping_mul(sets).wrapping_add(set);
            let means = KMeans { restarts: 1, max_iterations, seed, ..KMeans::new(count) };
            Ok(means.fit(rows)?.labels().to_vec())
        });
        Ok(Self::Merging { small: small.collect::<Result<_>>()?, count })
    }

    /// Partitions of one graph into `k` clusters.
    pub fn propose(&self, pieces: &Pieces, k: usize) -> Result<Proposed> {
        match self {
            Self::Eigenvectors { tolerance, seed } => by_eigenvectors(pieces, k, *tolerance, *seed),
            Self::Merging { small, count } => Ok(by_merging(pieces, small, *count, k)),
        }
    }
}

fn by_eigenvectors(pieces: &Pieces, k: usize, tolerance: f64, seed: u64) -> Result<Proposed> {
    let count = (2 * k + 1).min(pieces.graph.len());
    let pairs = top_eigenpairs(&pieces.graph, count, EigenOptions { tolerance, ..Default::default() })?;
    // an eigenvalue of 1 may come out a little larger
    let distance = |l: usize| (1.0 - pairs.values.get(l).copied().unwrap_or(0.0)).max(0.0);
    let mut partitions = Vec::new();
    for embedding in Embedding::ALL {
        let coordinates = embedding.of(&pairs, &pieces.graph, k);
        for grouping in 0..(GROUPED_ROWS / coordinates.nrows().max(1)).clamp(1, MOST_GROUPINGS) as u64 {
            let seed = seed.wrapping_mul(MOST_GROUPINGS as u64).wrapping_add(grouping);
            let means = KMeans { restarts: restarts(EMBEDDING_RESTARTS, k), seed, ..KMeans::new(k) };
            let labels = means.fit(coordinates.view())?.labels().to_vec();
            partitions.push(Proposal { method: embedding.to_string(), labels, handicap: embedding.handicap() });
        }
    }
    let eigengap = distance(k) / distance(k - 1).max(1e-9);
    Ok(Proposed { partitions, price_of_next: distance(k), eigengap, converged: pairs.converged })
}

fn by_merging(pieces: &Pieces, small: &[Vec<u32>], count: usize, k: usize) -> Proposed {
    let merged: Vec<Merged> = small
        .par_iter()
        .map(|small| {
            let labels: Vec<u32> = pieces.main().iter().map(|&i| small[i]).collect();
            let (improved, _) = refine(&pieces.graph, &labels, count, SMALL_SWEEPS);
            merge_clusters(&pieces.graph, &improved, k)
        })
        .collect();
    let price_of_next = merged.iter().map(|merged| merged.price_of_next).sum::<f64>() / merged.len() as f64;
    let proposal =
        |merged: Merged| Proposal { method: "merged small clusters".into(), labels: merged.labels, handicap: 0.0 };
    let partitions = merged.into_iter().map(proposal).collect();
    Proposed { partitions, price_of_next, eigengap: 0.0, converged: true }
}

/// k-means on the rows themselves.
pub(super) fn by_means(rows: ArrayView2<f32>, k: usize, seed: u64) -> Result<Proposal> {
    let means = KMeans { restarts: restarts(ROW_RESTARTS, k), seed, ..KMeans::new(k) };
    Ok(Proposal { method: "k-means".into(), labels: means.fit(rows)?.labels().to_vec(), handicap: HANDICAP })
}

fn restarts(usual: usize, k: usize) -> usize {
    usual.min(1000 / k).max(1)
}
