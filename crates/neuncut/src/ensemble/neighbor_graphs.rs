//! Graphs over the nearest neighbours of rows.

use crate::affinity::LOCAL_NEIGHBOR;
use crate::graph::{Csr, Neighbors};
use ndarray::Array1;

/// Keeps far neighbours joined in the heat kernel.
const HEAT_FLOOR: f32 = 1e-6;

/// Where graphs of one representation come from: each node's nearest neighbours, and what it weighs: how many equal rows it
/// stands for, or the sum of their weights.
pub(crate) struct NeighborGraphs<'a> {
    neighbors: &'a Neighbors,
    counts: &'a [f32],
    sigma: Option<f32>,
}

impl<'a> NeighborGraphs<'a> {
    /// `counts` is empty where each node is one row and all weigh the same. A given bandwidth weighs edges by the heat kernel.
    pub fn new(neighbors: &'a Neighbors, counts: &'a [f32], sigma: Option<f32>) -> Self {
        Self { neighbors, counts, sigma }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.neighbors.indices.nrows()
    }

    /// The graph of this many neighbours: one half for each direction in which two rows are neighbours, or the heat kernel of their
    /// distance; times what both ends weigh on average.
    pub fn graph(&self, neighbors: usize) -> Csr {
        let n = self.neighbors.indices.nrows();
        let count = neighbors.min(self.neighbors.indices.ncols());
        let edges = (0..n).flat_map(|i| {
            (0..count).map(move |rank| {
                (i as u32, self.neighbors.indices[[i, rank]], self.neighbors.squared_distances[[i, rank]])
            })
        });
        let graph = match self.sigma {
            None => Csr::symmetrized(n, edges.map(|(i, j, _)| (i, j, 1.0))),
            Some(sigma) => Csr::symmetrized_by(n, edges, f32::max)
                .map_weights(|_, _, squared| (-squared / (2.0 * sigma * sigma)).exp() + HEAT_FLOOR),
        };
        match self.counts {
            [] => graph,
            counts => graph.weighed(counts),
        }
    }

    /// The distance of each node to its seventh neighbour.
    pub fn scales(&self) -> Array1<f32> {
        match self.neighbors.squared_distances.ncols() {
            0 => Array1::ones(self.neighbors.indices.nrows()),
            last => self.neighbors.squared_distances.column(LOCAL_NEIGHBOR.min(last) - 1).mapv(f32::sqrt),
        }
    }

    /// The squared distance of each node to one of its neighbours, the last where there are fewer.
    pub fn squared_reach(&self, neighbor: usize) -> Array1<f32> {
        match self.neighbors.squared_distances.ncols() {
            0 => Array1::zeros(self.neighbors.indices.nrows()),
            last => self.neighbors.squared_distances.column(neighbor.clamp(1, last) - 1).to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::nearest_neighbors;

    /// Points on a line at 0, 1, 2.5 and 10: with one neighbour, 0-1 is mutual, the others are one-sided.
    #[test]
    fn weights_by_hand() {
        let rows = ndarray::array![[0.0], [1.0], [2.5], [10.0]];
        let neighbors = nearest_neighbors(rows.view(), 2);
        let plain = NeighborGraphs::new(&neighbors, &[], None);
        assert_eq!(plain.graph(1).row(1), (&[0_u32, 2][..], &[1.0_f32, 0.5][..]));
        assert_eq!(plain.scales().to_vec(), [2.5, 1.5, 2.5, 9.0], "fewer than seven neighbours: the last");
        assert_eq!(plain.squared_reach(1).to_vec(), [1.0, 1.0, 2.25, 56.25]);
        let repeated = NeighborGraphs::new(&neighbors, &[1.0, 3.0, 1.0, 1.0], None);
        assert_eq!(repeated.graph(1).row(1).1, [2.0, 1.0]);
        let heat = NeighborGraphs::new(&neighbors, &[], Some(1.0));
        assert_eq!(heat.graph(1).row(0).1, [(-0.5_f32).exp() + HEAT_FLOOR]);
    }
}
