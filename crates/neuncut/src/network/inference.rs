//! A network on the CPU, without Burn.

use super::Weights;
use crate::linalg::{Cores, matmul_into};
use ndarray::{Array2, ArrayView2};

impl Weights {
    /// The last layer's outputs `(n, k)` for rows `(n, d)`.
    pub fn outputs(&self, rows: ArrayView2<f32>) -> Array2<f32> {
        self.outputs_on(rows.to_owned(), Cores::All)
    }

    /// The last layer's outputs; `Cores::One` inside parallel loops.
    pub(crate) fn outputs_on(&self, mut activations: Array2<f32>, cores: Cores) -> Array2<f32> {
        for (l, layer) in self.layers.iter().enumerate() {
            let mut next = Array2::zeros((activations.nrows(), layer.weight.ncols()));
            matmul_into(next.view_mut(), activations.view(), layer.weight.view(), cores);
            let last = l + 1 == self.layers.len();
            for mut row in next.rows_mut() {
                row.zip_mut_with(&layer.bias, |x, &b| *x = if last { *x + b } else { (*x + b).max(0.0) });
            }
            activations = next;
        }
        activations
    }
}
