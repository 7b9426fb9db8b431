//! Closed-form self-expression, the ridge member of the paper's third affinity.
//!
//! Each row is written as a combination of all training rows with a ridge penalty in place of Eq. (senet)'s elastic net. The
//! coefficients are then inner products of whitened rows, `c_ij = u_i' (C + lam tr(C) I)^-1 u_j` up to a constant, where `u` are
//! unit rows and `C` their second moment: one `d x d` eigendecomposition for any number of rows.

use super::Affinity;
use super::products::{largest_coefficients, largest_graph};
use crate::Result;
use crate::features::RidgeWhitening;
use crate::graph::BatchGraph;
use crate::linalg::symmetric_product;
use ndarray::{Array2, ArrayView2};

/// `a_ij = (|c_ij| + |c_ji|) / 2` of ridge self-expression, with the `neighbors` largest entries per row, or all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct SelfExpressive {
    whitening: RidgeWhitening,
    neighbors: Option<usize>,
}

impl SelfExpressive {
    /// Learns the dictionary's whitening from the training rows; `ridge` is the penalty as a share of the total variance.
    ///
    /// # Errors
    /// As [`RidgeWhitening::fit`].
    pub fn fit(rows: ArrayView2<f32>, ridge: f32, neighbors: Option<usize>) -> Result<Self> {
        Ok(Self { whitening: RidgeWhitening::fit(rows, ridge)?, neighbors })
    }

    /// The `kept` coefficients of largest magnitude of each row `(n, d)` over the others, up to a constant, with their signs.
    pub fn coefficients(&self, rows: ArrayView2<f32>, kept: usize) -> Vec<Vec<(u32, f32)>> {
        let mut whitened = rows.to_owned();
        self.whitening.apply(&mut whitened);
        largest_coefficients(whitened.view(), whitened.view(), kept, |product| product)
    }
}

impl Affinity for SelfExpressive {
    fn neighbors(&self) -> Option<usize> {
        self.neighbors
    }

    fn among(&self, rows: ArrayView2<f32>, neighbors: Option<usize>) -> Result<BatchGraph> {
        let mut whitened = rows.to_owned();
        self.whitening.apply(&mut whitened);
        let whitened = whitened.view();
        Ok(match neighbors {
            None => {
                let m = whitened.nrows();
                let mut weights = Vec::new();
                symmetric_product(&mut weights, whitened, |_, _, entries| {
                    entries.iter_mut().for_each(|w| *w = w.abs());
                });
                weights.iter_mut().step_by(m + 1).for_each(|w| *w = 0.0);
                let weights = Array2::from_shape_vec((m, m), weights);
                BatchGraph::Dense(weights.unwrap_or_else(|_| unreachable!("there are m x m weights")))
            }
            Some(count) => BatchGraph::Sparse(largest_graph(whitened, whitened, count, |product| product)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::linalg::matmul;
    use rand::RngExt;

    #[test]
    fn rows_of_one_subspace_express_each_other_only() {
        // two orthogonal planes in six dimensions, twenty rows each
        let mut rng = Seed(5).stream("planes");
        let rows =
            Array2::from_shape_fn((40, 6), |(i, j)| if (j < 3) == (i < 20) { rng.random::<f32>() - 0.5 } else { 0.0 });
        let affinity = SelfExpressive::fit(rows.view(), 1e-3, Some(5)).unwrap();
        let BatchGraph::Sparse(graph) = affinity.of_batch(rows.view()).unwrap() else { panic!("sparse was asked for") };
        for i in 0..40 {
            assert!(graph.neighbors(i).all(|(j, w)| w < 1e-5 || (i < 20) == (j < 20)));
        }
    }

    #[test]
    fn is_ridge_regression_on_all_rows() {
        // coefficients of min |u_j - U c|^2 + r |c|^2 are U' (U U' + r)^-1 u_j: compare directions by brute force in 2-D
        let rows = ndarray::array![[1.0_f32, 0.0], [0.8, 0.6], [0.0, 1.0], [-0.6, 0.8]];
        let ridge = 0.1;
        let affinity = SelfExpressive::fit(rows.view(), ridge, None).unwrap();
        let BatchGraph::Dense(weights) = affinity.of_batch(rows.view()).unwrap() else { panic!("dense was asked for") };
        let moment = matmul(rows.t(), rows.view()) / 4.0;
        let r = ridge * (moment[[0, 0]] + moment[[1, 1]]);
        let (a, b, d) = (moment[[0, 0]] + r, moment[[0, 1]], moment[[1, 1]] + r);
        let inverse = ndarray::array![[d, -b], [-b, a]] / (a * d - b * b);
        let c = |i: usize, j: usize| rows.row(i).dot(&inverse.dot(&rows.row(j)));
        let normalized = |i: usize, j: usize| c(i, j).abs() / (c(i, i) * c(j, j)).sqrt();
        for (i, j) in [(0, 1), (0, 2), (1, 3)] {
            assert!((weights[[i, j]] - normalized(i, j)).abs() < 1e-4, "{i} {j}");
        }
    }
}
