//! The heat kernel, Eq. (kernel), dense or over the nearest neighbours.

use super::{Affinity, Bandwidth, LOCAL_NEIGHBOR};
use crate::Result;
use crate::graph::{
    BatchGraph, Csr, DIRECT_WIDTH, Neighbors, near_neighbors, nearest_neighbors, nearest_of, squared_distances,
};
use crate::linalg::symmetric_product;
use crate::rows::{centred, squared_lengths};
use crate::vector::{exp, wide};
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

/// Rows per task at least.
const TASK_ROWS: usize = 32;

/// `a_ij = exp(-d_ij^2 / ...)`, with the `neighbors` largest entries per row, symmetrised, or all of them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HeatKernel {
    /// How far affinity reaches.
    pub bandwidth: Bandwidth,
    /// Entries kept per row; `None` keeps all.
    pub neighbors: Option<usize>,
}

impl HeatKernel {
    /// The sparse kernel over neighbours that are known already; the first `count` of each row are kept.
    pub fn over_neighbors(&self, neighbors: &Neighbors, count: usize) -> Csr {
        let factors = self.bandwidth.row_factors(neighbors);
        let n = neighbors.indices.nrows();
        let count = count.min(neighbors.indices.ncols());
        let edges = (0..n).flat_map(|i| (0..count).map(move |rank| (i, rank))).map(|(i, rank)| {
            let j = neighbors.indices[[i, rank]];
            let exponent = neighbors.squared_distances[[i, rank]] * factors[i] * factors[j as usize];
            (i as u32, j, exp(-exponent))
        });
        Csr::symmetrized(n, edges)
    }

    fn dense(&self, rows: ArrayView2<f32>) -> Array2<f32> {
        let (m, rows) = (rows.nrows(), centred(rows, rows));
        let mut weights;
        if self.bandwidth == Bandwidth::Auto && rows.ncols() > DIRECT_WIDTH {
            weights = squared_distances(rows.view());
            let factors = self.bandwidth.row_factors(&nearest_of(&weights, rows.view(), LOCAL_NEIGHBOR)).to_vec();
            let rows = weights.par_chunks_mut(m.max(1)).enumerate().with_min_len(TASK_ROWS);
            rows.for_each(|(i, row)| fall_off(row, factors[i], &factors));
        } else {
            let count = if self.bandwidth == Bandwidth::Auto { LOCAL_NEIGHBOR } else { 0 };
            let factors = self.bandwidth.row_factors(&nearest_neighbors(rows.view(), count)).to_vec();
            let norms = squared_lengths(rows.view());
            weights = vec![0.0; m * m];
            symmetric_product(&mut weights, rows.view(), |i, column, entries| {
                heat(entries, norms[i], &norms[column..], factors[i], &factors[column..]);
                if (column..column + entries.len()).contains(&i) {
                    entries[i - column] = 0.0;
                }
            });
        }
        Array2::from_shape_vec((m, m), weights).unwrap_or_else(|_| unreachable!("there are m x m weights"))
    }
}

wide! {
    /// Squared distances become affinities.
    fn fall_off(squared: &mut [f32], factor: f32, factors: &[f32]) {
        for (w, other) in squared.iter_mut().zip(factors) {
            let distance = if *w > 0.0 { *w } else { 0.0 };
            *w = exp(-(distance * (factor * other)));
        }
    }
}

wide! {
    /// Products of one row with others become affinities.
    fn heat(products: &mut [f32], norm: f32, norms: &[f32], factor: f32, factors: &[f32]) {
        for ((w, other_norm), other) in products.iter_mut().zip(norms).zip(factors) {
            let squared = (norm + other_norm) - 2.0 * *w;
            let squared = if squared > 0.0 { squared } else { 0.0 };
            *w = exp(-(squared * (factor * other)));
        }
    }
}

impl Affinity for HeatKernel {
    fn neighbors(&self) -> Option<usize> {
        self.neighbors
    }

    fn among(&self, rows: ArrayView2<f32>, neighbors: Option<usize>) -> Result<BatchGraph> {
        Ok(match neighbors {
            None => BatchGraph::Dense(self.dense(rows)),
            Some(count) => {
                let known = if self.bandwidth == Bandwidth::Auto { count.max(LOCAL_NEIGHBOR) } else { count };
                BatchGraph::Sparse(self.over_neighbors(&near_neighbors(rows, known).0, count))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn dense_kernel_of_three_points_by_hand() {
        let rows = array![[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]];
        let kernel = HeatKernel { bandwidth: Bandwidth::Sigma(2.0), neighbors: None };
        let BatchGraph::Dense(weights) = kernel.of_batch(rows.view()).unwrap() else { panic!("dense was asked for") };
        let expected = |squared: f32| (-squared / 8.0).exp();
        assert!((weights[[0, 1]] - expected(25.0)).abs() < 1e-6);
        assert!((weights[[0, 2]] - expected(1.0)).abs() < 1e-6);
        assert_eq!(weights[[1, 1]], 0.0);
        assert_eq!(weights, weights.t());
    }

    #[test]
    fn keeping_all_neighbours_equals_the_dense_kernel() {
        let rows = Array2::from_shape_fn((40, 3), |(i, j)| ((i * 7 + j * 5) % 23) as f32 * 0.1);
        for bandwidth in [Bandwidth::Auto, Bandwidth::Sigma(0.7)] {
            let dense = HeatKernel { bandwidth, neighbors: None }.of_batch(rows.view()).unwrap();
            let sparse = HeatKernel { bandwidth, neighbors: Some(39) }.of_batch(rows.view()).unwrap();
            let eye = Array2::eye(40);
            let difference = dense.multiply(eye.view()) - sparse.multiply(eye.view());
            assert!(difference.iter().all(|d| d.abs() < 1e-5));
        }
    }

    #[test]
    fn s_neighbours_leave_at_least_s_and_at_most_two_s_n_entries() {
        let rows = Array2::from_shape_fn((60, 2), |(i, j)| ((i * (j + 3) * 37) % 61) as f32);
        let BatchGraph::Sparse(graph) =
            (HeatKernel { bandwidth: Bandwidth::Auto, neighbors: Some(4) }).of_batch(rows.view()).unwrap()
        else {
            panic!("sparse was asked for")
        };
        assert!((0..60).all(|i| graph.row(i).0.len() >= 4) && graph.n_stored() <= 2 * 4 * 60);
    }
}
