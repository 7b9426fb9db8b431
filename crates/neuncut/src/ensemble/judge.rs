//! The judge of partitions: how much the cluster at one end of an edge says about the cluster at the other.
//!
//! Above few columns neighbourhoods overlap, every partition cuts many edges, and the mutual information itself is right: it is at most
//! the entropy of the clusters' sizes, so that giants, which cut little, do not win. With few columns clusters can be apart whatever
//! their sizes; there its share of that entropy is right, which is one wherever no edge is cut. Neither is what a candidate was made to
//! optimise, unlike the normalized cut.

use super::EnsembleOptions;
use super::neighbor_graphs::NeighborGraphs;
use crate::graph::{Csr, Joint};

/// Graphs on which partitions of their nodes are judged.
pub(crate) struct Judge {
    graphs: Vec<Csr>,
    /// Whether sizes of clusters do not matter.
    by_share: bool,
}

impl Judge {
    /// The judge of partitions of rows with so many columns into `k` clusters.
    pub fn over(neighbors: &NeighborGraphs, columns: usize, k: usize, options: &EnsembleOptions) -> Self {
        let counts = options.judges(neighbors.len(), columns, k);
        let graphs = counts.into_iter().map(|count| neighbors.graph(count)).collect();
        Self { graphs, by_share: options.is_few(columns) }
    }

    /// A graph that is given judges alone.
    pub fn given(graph: Csr, columns: usize, options: &EnsembleOptions) -> Self {
        Self { graphs: vec![graph], by_share: options.is_few(columns) }
    }

    /// One mark for each graph: higher is better.
    pub fn marks(&self, labels: &[u32], k: usize) -> Vec<f64> {
        let mark = |graph: &Csr| {
            let joint = Joint::of(graph, labels, k);
            if self.by_share { joint.information_share() } else { joint.information() }
        };
        self.graphs.iter().map(mark).collect()
    }

    /// The mean mark.
    pub fn mark(&self, labels: &[u32], k: usize) -> f64 {
        self.marks(labels, k).iter().sum::<f64>() / self.graphs.len() as f64
    }

    /// The normalized cut on the first graph.
    pub fn ncut(&self, labels: &[u32], k: usize) -> f64 {
        self.graphs.first().map_or(0.0, |graph| Joint::of(graph, labels, k).ncut())
    }

    /// The graphs themselves.
    pub(super) fn graphs(&self) -> &[Csr] {
        &self.graphs
    }

    /// How many graphs there are.
    pub fn len(&self) -> usize {
        self.graphs.len()
    }
}
