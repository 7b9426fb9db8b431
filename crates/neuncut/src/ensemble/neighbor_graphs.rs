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
    /// distance. Where nodes weigh differently, neighbours are counted by weight.
    pub fn graph(&self, neighbors: usize) -> Csr {
        let near = (0..self.len()).map(|i| self.near(i).collect()).collect();
        NearLists { near, weights: self.counts.to_vec() }.graph(neighbors, self.sigma)
    }

    /// The graph among some of the nodes, each joined to the nearest of its neighbours that are there.
    pub fn graph_within(&self, chosen: &[usize], neighbors: usize) -> Csr {
        const OUTSIDE: u32 = u32::MAX;
        let mut place = vec![OUTSIDE; self.len()];
        chosen.iter().enumerate().for_each(|(p, &i)| place[i] = p as u32);
        let there = |&i: &usize| {
            let inside = self.near(i).map(|(j, squared)| (place[j as usize], squared));
            inside.filter(|&(p, _)| p != OUTSIDE).collect()
        };
        let near = chosen.iter().map(there).collect();
        let weights = chosen.iter().filter_map(|&i| self.counts.get(i).copied()).collect();
        NearLists { near, weights }.graph(neighbors, self.sigma)
    }

    /// The neighbours of a node with their squared distances, nearest first.
    fn near(&self, node: usize) -> impl Iterator<Item = (u32, f32)> + '_ {
        let (indices, distances) = (self.neighbors.indices.row(node), self.neighbors.squared_distances.row(node));
        indices.into_iter().copied().zip(distances.into_iter().copied())
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

/// The near nodes of each, and what nodes weigh: nothing where all weigh the same.
struct NearLists {
    near: Vec<Vec<(u32, f32)>>,
    weights: Vec<f32>,
}

impl NearLists {
    fn graph(&self, neighbors: usize, sigma: Option<f32>) -> Csr {
        let is_even = self.weights.windows(2).all(|pair| pair[0] == pair[1]);
        if is_even { self.by_number(neighbors, sigma) } else { self.by_weight(neighbors, sigma) }
    }

    fn by_number(&self, neighbors: usize, sigma: Option<f32>) -> Csr {
        let of_node = |(i, near): (usize, &'_ Vec<(u32, f32)>)| {
            near.iter().take(neighbors).map(move |&(j, squared)| (i as u32, j, squared)).collect::<Vec<_>>()
        };
        let (n, edges) = (self.near.len(), self.near.iter().enumerate().flat_map(of_node));
        match sigma {
            None => Csr::symmetrized(n, edges.map(|(i, j, _)| (i, j, 1.0))),
            Some(sigma) => Csr::symmetrized_by(n, edges, f32::max).map_weights(|_, _, squared| heat(squared, sigma)),
        }
    }

    /// The graph that the rows behind the nodes would have if each were joined to those equally far in equal parts. A row reaches so
    /// many times the mean weight of a node: first the equal rows, as far as they weigh more than the mean, which makes a loop, and
    /// then the nearest nodes.
    fn by_weight(&self, neighbors: usize, sigma: Option<f32>) -> Csr {
        let total: f64 = self.weights.iter().copied().map(f64::from).sum();
        let mean = (total / self.near.len() as f64).max(f64::MIN_POSITIVE);
        let relative = |node: usize| f64::from(self.weights[node]) / mean;
        let (mut edges, mut loops) = (Vec::new(), Vec::with_capacity(self.near.len()));
        for (i, near) in self.near.iter().enumerate() {
            let own = relative(i);
            let equal_rows = (own - 1.0).clamp(0.0, neighbors as f64);
            loops.push((own * equal_rows) as f32);
            let mut left = neighbors as f64 - equal_rows;
            for tied in near.chunk_by(|a, b| a.1 == b.1) {
                let there: f64 = tied.iter().map(|&(j, _)| relative(j as usize)).sum();
                if left <= 0.0 || there <= 0.0 {
                    continue;
                }
                let share = left.min(there) / there;
                edges.extend(tied.iter().map(|&(j, squared)| {
                    let kernel = sigma.map_or(1.0, |sigma| f64::from(heat(squared, sigma)));
                    (i as u32, j, (own * share * relative(j as usize) * kernel) as f32)
                }));
                left -= there;
            }
        }
        let (n, edges) = (self.near.len(), edges.into_iter());
        let graph = match sigma {
            None => Csr::symmetrized(n, edges),
            Some(_) => Csr::symmetrized_by(n, edges, f32::max),
        };
        graph.with_loops(&loops)
    }
}

/// The heat kernel of a squared distance.
fn heat(squared: f32, sigma: f32) -> f32 {
    (-squared / (2.0 * sigma * sigma)).exp() + HEAT_FLOOR
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
        // nodes weigh 1.5 on average: the second reaches its own rows alone, the first a half of its weight of the second
        let by_weight = repeated.graph(1);
        assert_eq!(by_weight.loops(), [0.0, 2.0, 0.0, 0.0]);
        assert_eq!(by_weight.row(0), (&[1_u32][..], &[1.0_f32 / 3.0][..]));
        let even = NeighborGraphs::new(&neighbors, &[2.0; 4], None);
        assert_eq!(even.graph(1), plain.graph(1));
        let heat = NeighborGraphs::new(&neighbors, &[], Some(1.0));
        assert_eq!(heat.graph(1).row(0).1, [(-0.5_f32).exp() + HEAT_FLOOR]);
    }

    /// Two groups of equal rows, and a row between them that is nearer to none: it belongs to both by what they weigh.
    #[test]
    fn nodes_equally_far_are_reached_by_weight() {
        let rows = ndarray::array![[0.0], [1.0], [2.0]];
        let neighbors = nearest_neighbors(rows.view(), 2);
        let graph = NeighborGraphs::new(&neighbors, &[6.0, 1.0, 2.0], None).graph(1);
        // the mean is 3; of the middle row 6 / 8 go to the left and 2 / 8 to the right; each of these weighs a third there
        let (left, right) = (0.5 * (6.0 / 8.0) / 3.0, 0.5 * (2.0 / 8.0) / 3.0);
        let from_right = 0.5 * (2.0 / 3.0) * (1.0 / 3.0);
        assert_eq!(graph.row(1).0, [0, 2]);
        assert!((graph.row(1).1[0] - left).abs() < 1e-6, "{:?}", graph.row(1));
        assert!((graph.row(1).1[1] - (right + from_right)).abs() < 1e-6, "{:?}", graph.row(1));
    }

    #[test]
    fn a_graph_within_is_that_of_the_nodes_alone() {
        let rows = ndarray::array![[0.0], [1.0], [2.5], [10.0]];
        let neighbors = nearest_neighbors(rows.view(), 3);
        let chosen = [0, 2, 3];
        let alone = nearest_neighbors(rows.select(ndarray::Axis(0), &chosen).view(), 2);
        let within = NeighborGraphs::new(&neighbors, &[], None).graph_within(&chosen, 1);
        assert_eq!(within, NeighborGraphs::new(&alone, &[], None).graph(1));
        let weights = [1.0, 5.0, 2.0, 3.0];
        let within = NeighborGraphs::new(&neighbors, &weights, None).graph_within(&chosen, 1);
        assert_eq!(within, NeighborGraphs::new(&alone, &[1.0, 2.0, 3.0], None).graph(1));
    }
}
