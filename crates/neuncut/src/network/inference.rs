//! A network on the CPU, without Burn: weights laid out once, rows through all layers while they are in the cache.

use super::Weights;
use super::cpu_mlp::add_bias;
use crate::linalg::{Cores, Packed, PackedRows};
use crate::tiles::TILE_ROWS;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis};
use rayon::prelude::*;
use std::cell::Cell;

/// The layers of a network as products use them.
pub(crate) struct PackedWeights<'a> {
    layers: Vec<(Packed, &'a [f32])>,
}

impl Weights {
    /// The last layer's outputs `(n, k)` for rows `(n, d)`.
    pub fn outputs(&self, rows: ArrayView2<f32>) -> Array2<f32> {
        self.outputs_on(rows, Cores::All)
    }

    /// The last layer's outputs; `Cores::One` inside parallel loops.
    pub(crate) fn outputs_on(&self, rows: ArrayView2<f32>, cores: Cores) -> Array2<f32> {
        let mut outputs = Array2::zeros((rows.nrows(), self.n_outputs()));
        self.packed().outputs_into(outputs.view_mut(), rows, cores);
        outputs
    }

    /// The layers, laid out for many rows.
    pub(crate) fn packed(&self) -> PackedWeights<'_> {
        let layers = self.layers.iter();
        let packed = layers
            .map(|layer| (Packed::new(layer.weight.view()), layer.bias.as_slice().expect("a bias lies in one piece")));
        PackedWeights { layers: packed.collect() }
    }
}

impl PackedWeights<'_> {
    /// Outputs of the last layer.
    pub fn n_outputs(&self) -> usize {
        self.layers.last().map_or(0, |(packed, _)| packed.columns())
    }

    /// Writes the last layer's outputs. A row's bits depend on nothing but the row.
    pub fn outputs_into(&self, mut outputs: ArrayViewMut2<f32>, rows: ArrayView2<f32>, cores: Cores) {
        match cores {
            Cores::One => self.outputs_of_tile(outputs, rows),
            Cores::All => {
                let tiles = outputs.axis_chunks_iter_mut(Axis(0), TILE_ROWS).into_par_iter();
                tiles
                    .zip(rows.axis_chunks_iter(Axis(0), TILE_ROWS))
                    .for_each(|(outputs, rows)| self.outputs_of_tile(outputs, rows));
            }
        }
    }

    /// The same for as many rows as stay in the cache, on the calling thread.
    fn outputs_of_tile(&self, outputs: ArrayViewMut2<f32>, rows: ArrayView2<f32>) {
        thread_local!(static KEPT: Cell<[PackedRows; 2]> = Cell::default());
        let Some(((last, last_bias), before)) = self.layers.split_last() else { return };
        let [mut shown, mut next] = KEPT.take();
        shown.pack(rows);
        for (packed, bias) in before {
            packed.chain(&shown, &mut next, |column, entries| add_bias(entries, &bias[column..], true));
            std::mem::swap(&mut shown, &mut next);
        }
        last.end_of_chain(&shown, outputs, |column, entries| add_bias(entries, &last_bias[column..], false));
        KEPT.set([shown, next]);
    }
}
