//! Prediction on the CPU: raw rows through the feature steps and all layers, in fixed tiles.

use crate::features::Pipeline;
use crate::linalg::Cores;
use crate::network::{PackedWeights, Weights};
use crate::tiles::{for_tiles, padded};
use crate::vector::softmax_row;
use ndarray::{Array2, ArrayView2, s};

/// Feature steps and a network whose layers are laid out once, for any number of batches.
pub struct Inference<'a> {
    features: &'a Pipeline,
    network: PackedWeights<'a>,
}

impl<'a> Inference<'a> {
    /// Lays out the layers.
    pub fn new(features: &'a Pipeline, weights: &'a Weights) -> Self {
        Self { features, network: weights.packed() }
    }

    /// Memberships `(n, k)` of rows `(n, d)`: the same bits for a row however rows are grouped. Rows must be finite, as those of a
    /// [`Table`](crate::data::Table) are; this is not checked again.
    ///
    /// # Panics
    /// If the rows do not have the columns that the network takes.
    pub fn memberships(&self, rows: ArrayView2<f32>) -> Array2<f32> {
        for_tiles(rows, self.network.n_outputs(), |tile, mut memberships| {
            if self.features.steps.is_empty() {
                self.network.outputs_into(memberships.view_mut(), tile, Cores::One);
            } else {
                let inputs = self.features.apply_on(padded(tile), Cores::One);
                let inputs = inputs.slice(s![..tile.nrows(), ..]);
                self.network.outputs_into(memberships.view_mut(), inputs, Cores::One);
            }
            memberships.rows_mut().into_iter().for_each(|mut row| softmax_row(row.as_slice_mut().unwrap_or(&mut [])));
        })
    }
}

impl Weights {
    /// Memberships `(n, k)` of rows `(n, d)` after the feature steps: the same bits for a row however rows are grouped.
    pub fn memberships(&self, features: &Pipeline, rows: ArrayView2<f32>) -> Array2<f32> {
        Inference::new(features, self).memberships(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use ndarray::{Axis, s};
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
