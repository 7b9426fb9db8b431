//! Prediction on the CPU: rows in fixed tiles through all layers.
//!
//! Every product has the shape of a full tile, whatever the caller's batch (the last tile is padded with zero rows), so that
//! a row's memberships are the same to the bit however rows are grouped. Tiles run in parallel, each on one core.

use super::Weights;
use crate::features::Pipeline;
use crate::linalg::{Cores, matmul_into};
use crate::objective::softmax_row;
use ndarray::{Array2, ArrayView2, Axis, s};
use rayon::prelude::*;

/// Rows a tile: its activations (512 wide) take half a megabyte and stay in the second-level cache.
pub const TILE_ROWS: usize = 256;

impl Weights {
    /// Memberships `(n, k)` of rows `(n, d)` after the feature steps.
    pub fn memberships(&self, features: &Pipeline, rows: ArrayView2<f32>) -> Array2<f32> {
        let mut memberships = Array2::zeros((rows.nrows(), self.n_outputs()));
        memberships.axis_chunks_iter_mut(Axis(0), TILE_ROWS).into_par_iter().enumerate().for_each(|(tile, mut out)| {
            let first = tile * TILE_ROWS;
            let count = out.nrows();
            let mut padded = Array2::zeros((TILE_ROWS, rows.ncols()));
            padded.slice_mut(s![..count, ..]).assign(&rows.slice(s![first..first + count, ..]));
            let logits = self.tile_logits(features.apply_on(padded, Cores::One));
            out.assign(&logits.slice(s![..count, ..]));
            out.rows_mut().into_iter().for_each(softmax_row);
        });
        memberships
    }

    fn tile_logits(&self, mut activations: Array2<f32>) -> Array2<f32> {
        for (l, layer) in self.layers.iter().enumerate() {
            let mut next = Array2::zeros((activations.nrows(), layer.weight.ncols()));
            matmul_into(next.view_mut(), activations.view(), layer.weight.view(), Cores::One);
            let last = l + 1 == self.layers.len();
            for mut row in next.rows_mut() {
                row.zip_mut_with(&layer.bias, |x, &b| *x = if last { *x + b } else { (*x + b).max(0.0) });
            }
            activations = next;
        }
        activations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use rand::RngExt;

    #[test]
    fn a_row_gets_the_same_bits_however_rows_are_grouped() {
        let mut rng = Seed(4).stream("rows");
        let weights = Weights::random(&[30, 33, 17, 5], &mut rng);
        let rows = Array2::from_shape_fn((1000, 30), |_| rng.random::<f32>() - 0.5);
        let whole = weights.memberships(&Pipeline::default(), rows.view());
        for batch in [1, 7, 255, 256, 300] {
            for (b, chunk) in rows.axis_chunks_iter(Axis(0), batch).enumerate() {
                let part = weights.memberships(&Pipeline::default(), chunk);
                assert_eq!(part, whole.slice(s![b * batch..b * batch + chunk.nrows(), ..]), "batch {batch}");
            }
        }
        assert!(whole.rows().into_iter().all(|row| (row.sum() - 1.0).abs() < 1e-5));
    }
}
