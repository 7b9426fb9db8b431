//! The affinity among the rows of one batch: dense, or sparse where only a few neighbours are kept.

use super::Csr;
use crate::linalg::Packed;
use crate::vector::sum;
use ndarray::{Array1, Array2, ArrayView2, Axis};
use rayon::prelude::*;

/// Rows per task at least.
const TASK_ROWS: usize = 64;

/// A symmetric non-negative `m x m` affinity with a zero diagonal.
#[derive(Debug, Clone, PartialEq)]
pub enum BatchGraph {
    /// Every pair.
    Dense(Array2<f32>),
    /// A few neighbours per row.
    Sparse(Csr),
}

impl BatchGraph {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Dense(weights) => weights.nrows(),
            Self::Sparse(graph) => graph.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The same graph with every edge as often as its ends weigh on average.
    pub fn weighed(self, nodes: &[f32]) -> Self {
        match self {
            Self::Dense(mut weights) => {
                weights.indexed_iter_mut().for_each(|((i, j), w)| *w *= 0.5 * (nodes[i] + nodes[j]));
                Self::Dense(weights)
            }
            Self::Sparse(graph) => Self::Sparse(graph.weighed(nodes)),
        }
    }

    /// Row sums.
    pub fn degrees(&self) -> Array1<f32> {
        match self {
            Self::Dense(weights) => {
                let rows = weights.axis_iter(Axis(0)).into_par_iter().with_min_len(TASK_ROWS);
                rows.map(|row| row.as_slice().map_or_else(|| row.sum(), sum)).collect::<Vec<_>>().into()
            }
            Self::Sparse(graph) => graph.degrees(),
        }
    }

    /// The affinity times a dense matrix.
    pub fn multiply(&self, dense: ArrayView2<f32>) -> Array2<f32> {
        match self {
            Self::Dense(weights) => {
                let mut product = Array2::zeros(dense.dim());
                // the matrix is its own transpose, whose columns are packed faster than rows
                Packed::new(dense).product(product.view_mut(), weights.t(), |_, _, _| {});
                product
            }
            Self::Sparse(graph) => graph.multiply(dense),
        }
    }

    /// The same affinity in compressed rows, without its zeros.
    pub fn into_sparse(self) -> Csr {
        match self {
            Self::Sparse(graph) => graph,
            Self::Dense(weights) => {
                let edges = weights.indexed_iter().map(|((i, j), &weight)| (i as u32, j as u32, weight));
                Csr::symmetrized(weights.nrows(), edges)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn edges_are_as_heavy_as_their_ends() {
        let dense = array![[0.0, 0.5, 0.0], [0.5, 0.0, 2.0], [0.0, 2.0, 0.0]];
        let weighed = BatchGraph::Dense(dense.clone()).weighed(&[1.0, 3.0, 0.0]);
        assert_eq!(weighed.multiply(Array2::eye(3).view()), array![[0.0, 1.0, 0.0], [1.0, 0.0, 3.0], [0.0, 3.0, 0.0]]);
        let sparse = BatchGraph::Sparse(BatchGraph::Dense(dense).into_sparse()).weighed(&[1.0, 3.0, 0.0]);
        assert_eq!(sparse.multiply(Array2::eye(3).view()), weighed.multiply(Array2::eye(3).view()));
    }

    #[test]
    fn a_dense_affinity_keeps_its_weights_in_compressed_rows() {
        let dense = array![[0.0, 0.5, 0.0], [0.5, 0.0, 2.0], [0.0, 2.0, 0.0]];
        let sparse = BatchGraph::Dense(dense.clone()).into_sparse();
        assert_eq!(sparse.multiply(Array2::eye(3).view()), dense);
        assert_eq!(sparse.n_stored(), 4);
    }
}
