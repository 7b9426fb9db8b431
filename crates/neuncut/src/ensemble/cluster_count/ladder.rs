//! Partitions into every number of clusters, each the one above it with two clusters merged.

use crate::graph::eigen::symmetric_eigen;
use crate::graph::{Csr, Joint, Merge, groups, leiden, merge_tree};
use crate::{Result, Seed};
use ndarray::ArrayView2;

/// Small communities for each of the most clusters, and rows that one has at least on average.
const SMALL_PER_CLUSTER: usize = 2;
const ROWS_PER_SMALL: usize = 3;
/// The least closeness, where its logarithm is taken: clusters that no edge joins have none.
const LEAST_CLOSENESS: f64 = 1e-12;

/// Nested partitions of the nodes of a graph.
pub(super) struct Ladder {
    /// The small community of each node.
    small: Vec<u32>,
    count: usize,
    merges: Vec<Merge>,
    joint: Joint,
}

impl Ladder {
    /// Those of a connected graph over `rows`.
    pub fn of(graph: &Csr, rows: ArrayView2<f32>, most: usize, seed: u64) -> Self {
        let wanted = (SMALL_PER_CLUSTER * most).min(graph.len() / ROWS_PER_SMALL).max(most).min(graph.len());
        let small = leiden(graph, wanted, &mut Seed(seed).stream("small communities"));
        let count = small.iter().max().map_or(1, |&last| last as usize + 1);
        let merges = merge_tree(graph, rows, &small, count);
        let joint = Joint::of(graph, &small, count);
        Self { small, count, merges, joint }
    }

    /// The partition into `k`, or as many as there are.
    pub fn labels(&self, k: usize) -> Vec<u32> {
        let group = groups(self.merges.iter().map(|merge| merge.clusters), self.count, k);
        self.small.iter().map(|&label| group[label as usize]).collect()
    }

    /// The logarithm of how close two clusters are, by the merge that leads from `k` clusters to one fewer.
    fn closeness(&self, k: usize) -> Option<f64> {
        let merge = self.merges.get(self.count.checked_sub(k)?)?;
        Some(merge.closeness.max(LEAST_CLOSENESS).ln())
    }

    /// How much closer, in logarithms, the two clusters were whose merge led to `k` than those that would be merged next.
    pub fn gap(&self, k: usize) -> f64 {
        match (self.closeness(k + 1), self.closeness(k)) {
            (Some(last), Some(next)) => last - next,
            _ => 0.0,
        }
    }

    /// Eigenvalues of the random walk between small communities, largest first.
    pub fn spectrum(&self) -> Result<Vec<f64>> {
        Ok(symmetric_eigen(self.joint.normalized().view())?.0)
    }
}
