//! How the rows of a batch are joined: by an affinity among them, or by a graph over all training rows.

use crate::Result;
use crate::affinity::{Affinity, graph_of_pairs, neighborhood_batch, pair_batch};
use crate::graph::{BatchGraph, Csr};
use crate::rows::gather;
use crate::seed::Stream;
use ndarray::ArrayView2;
use std::borrow::Cow;

/// Neighbours that a seed row brings along into its batch.
const NEIGHBORS_A_SEED: usize = 3;

/// What joins rows in the training on the cut.
pub(super) enum TrainingGraph<'a> {
    /// An affinity among the rows of each batch.
    Batch {
        /// The affinity.
        affinity: Box<dyn Affinity + 'a>,
        /// The rows it is measured on.
        rows: ArrayView2<'a, f32>,
        /// What each row weighs; all the same where there are none.
        weights: Option<&'a [f32]>,
    },
    /// A graph over all training rows, in batches of neighbourhoods.
    Graph(Cow<'a, Csr>),
    /// The same in batches of pairs of neighbours.
    Pairs(Cow<'a, Csr>),
}

impl TrainingGraph<'_> {
    /// The rows of a batch: an affinity takes them as they were drawn; a graph takes them as seeds and fills as large a batch with
    /// their neighbours, or takes half of them and a neighbour of each.
    pub fn batch(&self, drawn: &[usize], rng: &mut Stream) -> Vec<usize> {
        match self {
            Self::Batch { .. } => drawn.to_vec(),
            Self::Graph(graph) => neighborhood_batch(graph, drawn, drawn.len(), NEIGHBORS_A_SEED, rng),
            Self::Pairs(graph) => pair_batch(graph, &drawn[..drawn.len() / 2], rng),
        }
    }

    /// The graph among the rows of a batch.
    pub fn graph(&self, batch: &[usize]) -> Result<BatchGraph> {
        match self {
            Self::Batch { affinity, rows, weights } => {
                let rows = gather(*rows, batch);
                let graph = affinity.of_batch(rows.view())?;
                Ok(match weights {
                    Some(weights) => graph.weighed(&batch.iter().map(|&row| weights[row]).collect::<Vec<_>>()),
                    None => graph,
                })
            }
            Self::Graph(graph) => Ok(BatchGraph::Sparse(graph.induced(batch))),
            Self::Pairs(graph) => Ok(BatchGraph::Sparse(graph_of_pairs(graph, batch))),
        }
    }
}
