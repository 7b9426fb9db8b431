//! Several graphs over the same nearest neighbours, and the mean log cut of a partition on them.

use crate::affinity::{Bandwidth, HeatKernel, LOCAL_NEIGHBOR};
use crate::graph::{Csr, Neighbors, ncut, nearest_neighbors};
use ndarray::{Array1, ArrayView2};
use rayon::prelude::*;

/// Added to every Ncut before its logarithm: cuts below it count as no cut.
pub(super) const CUT_FLOOR: f64 = 1e-4;
/// Graphs that judge partitions.
const JUDGES: usize = 4;
/// Keeps far neighbours joined in the heat kernel.
const HEAT_FLOOR: f32 = 1e-6;

/// What graphs are made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::neural_cut) struct GraphOptions {
    /// Neighbours a row.
    pub neighbors: usize,
    /// A given bandwidth makes the heat kernel the only graph.
    pub sigma: Option<f32>,
}

impl GraphOptions {
    /// The neighbours that graphs of these rows need.
    pub fn nearest(&self, rows: ArrayView2<f32>) -> Neighbors {
        nearest_neighbors(rows, self.neighbors.max(LOCAL_NEIGHBOR))
    }
}

/// Graphs of one representation, all over the same nearest neighbours.
pub(in crate::neural_cut) struct GraphSet {
    /// The judges, and last the locally scaled kernel, which proposes partitions but judges none: it makes a dense cluster look
    /// as large as a sparse one.
    graphs: Vec<(&'static str, Csr)>,
    /// Distance of each row to its seventh neighbour.
    scales: Array1<f32>,
}

impl GraphSet {
    /// Plain, mutual, heat, Cauchy and locally scaled graphs of the nearest neighbours; the heat kernel alone where its bandwidth is given.
    pub fn new(rows: ArrayView2<f32>, options: GraphOptions) -> Self {
        Self::over(&options.nearest(rows), options)
    }

    /// The same where the neighbours are known.
    pub fn over(neighbors: &Neighbors, options: GraphOptions) -> Self {
        let GraphOptions { neighbors: count, sigma } = options;
        let (n, last) = neighbors.squared_distances.dim();
        let scales = match last {
            0 => Array1::ones(n),
            _ => neighbors.squared_distances.column(LOCAL_NEIGHBOR.min(last) - 1).mapv(f32::sqrt),
        };
        let count = count.min(last);
        let heat = |width: f32| move |squared: f32| (-squared / (2.0 * width * width)).exp() + HEAT_FLOOR;
        let graphs = match sigma {
            Some(sigma) => vec![("heat", largest(neighbors, count, heat(sigma)))],
            None => {
                let width = median(&scales).max(f32::MIN_POSITIVE);
                let cauchy = |squared: f32| (1.0 + squared / (width * width)).powi(-2);
                vec![
                    ("plain", plain(neighbors, count)),
                    ("mutual", mutual(neighbors, count)),
                    ("heat", largest(neighbors, count, heat(width))),
                    ("cauchy", largest(neighbors, count, cauchy)),
                    (
                        "local",
                        HeatKernel { bandwidth: Bandwidth::Auto, neighbors: None }.over_neighbors(neighbors, count),
                    ),
                ]
            }
        };
        Self { graphs, scales }
    }

    /// A graph that is given, whose nodes are these rows. A row's scale is its mean distance to the rows it is joined with.
    pub fn given(graph: Csr, rows: ArrayView2<f32>) -> Self {
        let distance = |i: usize, j: usize| {
            rows.row(i).iter().zip(rows.row(j)).map(|(x, y)| (x - y) * (x - y)).sum::<f32>().sqrt()
        };
        let own = |i: usize| {
            let joined = graph.row(i).0;
            joined.iter().map(|&j| distance(i, j as usize)).sum::<f32>() / joined.len().max(1) as f32
        };
        let scales = (0..graph.len()).into_par_iter().map(own).collect::<Vec<f32>>().into();
        Self { graphs: vec![("given", graph)], scales }
    }

    pub fn named(&self) -> impl Iterator<Item = (&'static str, &Csr)> {
        self.graphs.iter().map(|(name, graph)| (*name, graph))
    }

    pub fn first(&self) -> &Csr {
        &self.graphs[0].1
    }

    pub fn scales(&self) -> &Array1<f32> {
        &self.scales
    }

    /// How many of the graphs, from the first on, judge.
    pub fn n_judges(&self) -> usize {
        self.graphs.len().min(JUDGES)
    }

    /// The mean over the judges of `ln(Ncut + floor)`: lower is better.
    pub fn log_cut(&self, labels: &[u32], k: usize) -> f64 {
        let judges = &self.graphs[..self.n_judges()];
        let logs = judges.iter().map(|(_, graph)| (ncut(graph, labels, k) + CUT_FLOOR).ln());
        logs.sum::<f64>() / judges.len() as f64
    }
}

fn median(values: &Array1<f32>) -> f32 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(1.0)
}

/// Every directed edge to one of the first `count` neighbours, with its squared distance.
fn edges(neighbors: &Neighbors, count: usize) -> impl Iterator<Item = (u32, u32, f32)> + '_ {
    let rows = 0..neighbors.indices.nrows();
    rows.flat_map(move |i| {
        (0..count).map(move |rank| (i as u32, neighbors.indices[[i, rank]], neighbors.squared_distances[[i, rank]]))
    })
}

/// One half for each direction in which two rows are neighbours.
fn plain(neighbors: &Neighbors, count: usize) -> Csr {
    Csr::symmetrized(neighbors.indices.nrows(), edges(neighbors, count).map(|(i, j, _)| (i, j, 1.0)))
}

/// One where two rows are neighbours of each other.
fn mutual(neighbors: &Neighbors, count: usize) -> Csr {
    plain(neighbors, count).map_weights(|_, _, w| if w > 0.75 { 1.0 } else { 0.0 }).without_zeros()
}

/// A kernel of the distance wherever one row is a neighbour of the other.
fn largest(neighbors: &Neighbors, count: usize, kernel: impl Fn(f32) -> f32) -> Csr {
    let distances = Csr::symmetrized_by(neighbors.indices.nrows(), edges(neighbors, count), f32::max);
    distances.map_weights(|_, _, squared| kernel(squared))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points on a line at 0, 1, 2.5 and 10: with one neighbour, 0-1 is mutual, the others are one-sided.
    #[test]
    fn kinds_by_hand() {
        let rows = ndarray::array![[0.0], [1.0], [2.5], [10.0]];
        let neighbors = nearest_neighbors(rows.view(), 1);
        assert_eq!(plain(&neighbors, 1).row(1), (&[0_u32, 2][..], &[1.0_f32, 0.5][..]));
        assert_eq!(mutual(&neighbors, 1).row(1), (&[0_u32][..], &[1.0_f32][..]));
        let kernel = largest(&neighbors, 1, |squared| 1.0 / squared);
        assert_eq!(kernel.row(2), (&[1_u32, 3][..], &[1.0 / 2.25, 1.0 / 56.25][..]));
    }
}
