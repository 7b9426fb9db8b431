//! A network on the CPU, without Burn: weights laid out once, rows through all layers while they are in the cache.

use super::Weights;
use super::cpu_mlp::add_bias;
use crate::linalg::{Cores, Packed};
use ndarray::{Array2, ArrayView2, ArrayViewMut2};
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
        let packed = layers.map(|layer| (Packed::new(layer.weight.view()), layer.bias.as_slice().unwrap_or(&[])));
        PackedWeights { layers: packed.collect() }
    }
}

impl PackedWeights<'_> {
    /// Writes the last layer's outputs. A row's bits depend on nothing but the row.
    pub fn outputs_into(&self, mut outputs: ArrayViewMut2<f32>, rows: ArrayView2<f32>, cores: Cores) {
        thread_local!(static KEPT: Cell<[Vec<f32>; 2]> = const { Cell::new([Vec::new(), Vec::new()]) });
        let [mut shown, mut next] = if cores == Cores::One { KEPT.take() } else { Default::default() };
        let m = rows.nrows();
        for (l, (packed, bias)) in self.layers.iter().enumerate() {
            let last = l + 1 == self.layers.len();
            let inputs = match l {
                0 => rows,
                _ => matrix(&shown, m, packed.depth()),
            };
            let finish = |_: usize, column: usize, entries: &mut [f32]| add_bias(entries, &bias[column..], !last);
            next.resize(next.len().max(m * packed.columns()), 0.0);
            let out = if last { outputs.view_mut() } else { matrix_mut(&mut next, m, packed.columns()) };
            match cores {
                Cores::One => packed.product_alone(out, inputs, finish),
                Cores::All => packed.product(out, inputs, finish),
            }
            std::mem::swap(&mut shown, &mut next);
        }
        if cores == Cores::One {
            KEPT.set([shown, next]); // a tile's; those of all rows would stay for ever
        }
    }
}

fn matrix(values: &[f32], rows: usize, columns: usize) -> ArrayView2<'_, f32> {
    ArrayView2::from_shape((rows, columns), &values[..rows * columns]).unwrap_or_else(|_| unreachable!("sizes fit"))
}

fn matrix_mut(values: &mut [f32], rows: usize, columns: usize) -> ArrayViewMut2<'_, f32> {
    let values = &mut values[..rows * columns];
    ArrayViewMut2::from_shape((rows, columns), values).unwrap_or_else(|_| unreachable!("sizes fit"))
}
