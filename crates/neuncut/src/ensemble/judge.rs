//! The judge of partitions, by what the cluster at one end of an edge says about the cluster at the other.
//!
//! Above few columns neighbourhoods overlap, every partition cuts many edges, and the modularity is right: the weight that is kept, less
//! what clusters of these sizes would keep by chance, so that a giant, which cuts little, does not win. With few columns clusters can be
//! apart whatever their sizes, and modularity would halve a large one; there the share of the entropy that the ends of an edge tell about
//! each other is right, which is one wherever no edge is cut.

use super::EnsembleOptions;
use super::choice::NaturalCommunities;
use super::neighbor_graphs::NeighborGraphs;
use crate::Seed;
use crate::graph::{Csr, Joint, natural_communities};

/// What a partition is marked by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Criterion {
    Modularity,
    InformationShare,
}

impl Criterion {
    /// That for rows with so many columns.
    fn of(columns: usize, options: &EnsembleOptions) -> Self {
        if options.is_few(columns) { Self::InformationShare } else { Self::Modularity }
    }

    fn mark(self, joint: &Joint) -> f64 {
        match self {
            Self::Modularity => joint.modularity(),
            Self::InformationShare => joint.information_share(),
        }
    }
}

/// Graphs on which partitions of their nodes are judged.
pub(crate) struct Judge {
    graphs: Vec<Csr>,
    criterion: Criterion,
}

impl Judge {
    /// The judge of partitions of rows with so many columns into `k` clusters.
    pub fn over(neighbors: &NeighborGraphs, columns: usize, k: usize, options: &EnsembleOptions) -> Self {
        let counts = options.judges(neighbors.len(), columns, k);
        let graphs = counts.into_iter().map(|count| neighbors.graph(count)).collect();
        Self { graphs, criterion: Criterion::of(columns, options) }
    }

    /// A graph that is given judges alone.
    pub fn given(graph: Csr, columns: usize, options: &EnsembleOptions) -> Self {
        Self { graphs: vec![graph], criterion: Criterion::of(columns, options) }
    }

    /// One mark for each graph: higher is better.
    pub fn marks(&self, labels: &[u32], k: usize) -> Vec<f64> {
        self.graphs.iter().map(|graph| self.criterion.mark(&Joint::of(graph, labels, k))).collect()
    }

    /// The mean mark of a network that was trained from the chosen partition. Where that partition has the highest modularity of many,
    /// training can only lower it; the information that the ends of an edge have about each other, which candidates were not chosen by,
    /// tells whether it helped.
    pub fn mark_of_training(&self, labels: &[u32], k: usize) -> f64 {
        let mark = match self.criterion {
            Criterion::Modularity => Joint::information,
            Criterion::InformationShare => Joint::information_share,
        };
        self.graphs.iter().map(|graph| mark(&Joint::of(graph, labels, k))).sum::<f64>() / self.graphs.len() as f64
    }

    /// The mean mark.
    pub fn mark(&self, labels: &[u32], k: usize) -> f64 {
        self.marks(labels, k).iter().sum::<f64>() / self.graphs.len() as f64
    }

    /// Whether no graph has an edge between two clusters.
    pub fn cuts_nothing(&self, labels: &[u32]) -> bool {
        let is_inside = |graph: &Csr, i: usize| graph.neighbors(i).all(|(j, _)| labels[j] == labels[i]);
        self.graphs.iter().all(|graph| (0..labels.len()).all(|i| is_inside(graph, i)))
    }

    /// The first graph.
    pub fn graph(&self) -> Option<&Csr> {
        self.graphs.first()
    }

    /// The normalized cut on the first graph.
    pub fn ncut(&self, labels: &[u32], k: usize) -> f64 {
        self.graph().map_or(0.0, |graph| Joint::of(graph, labels, k).ncut())
    }

    /// The communities of the first graph beside a partition into `k` clusters, where partitions are marked by modularity.
    pub fn natural_communities(&self, labels: &[u32], k: usize, seed: u64) -> Option<NaturalCommunities> {
        let graph = self.graph().filter(|_| self.criterion == Criterion::Modularity)?;
        let natural = natural_communities(graph, &mut Seed(seed).stream("natural communities"));
        let count = natural.iter().max().map_or(0, |&last| last as usize + 1);
        let (own, asked) = (Joint::of(graph, &natural, count).modularity(), Joint::of(graph, labels, k).modularity());
        (asked > 0.0).then(|| NaturalCommunities { count, gain: own / asked })
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
