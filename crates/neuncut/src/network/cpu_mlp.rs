//! Forward and backward pass of a network on the CPU, in arrays that are kept from step to step.
//!
//! Legend: `m` rows, layer `l` takes `a` numbers and gives `b`; `X` its inputs `(m, a)`, `W` its weights `(a, b)`, `D` the gradient
//! of the loss with respect to its outputs before ReLU, `(m, b)`. Then `X' D` is the gradient of `W`, and `D W'` that of `X`.

use super::{Layer, Weights};
use crate::linalg::Packed;
use crate::rows::column_sums;
use ndarray::{Array1, Array2, ArrayView2};

/// A network and its working memory.
pub(super) struct CpuMlp {
    weights: Weights,
    /// A layer before the last that has no ReLU either.
    linear: Option<usize>,
    /// The weights as the forward pass uses them.
    packed: Vec<Packed>,
    /// `W'` or `D` as the backward pass uses them.
    factor: Packed,
    /// What each layer puts out.
    outputs: Vec<Array2<f32>>,
    /// The gradient under way and the one before it.
    deltas: [Array2<f32>; 2],
    /// Gradients of the step before, whose memory is used again.
    spare: Option<Weights>,
}

impl CpuMlp {
    /// A network with these weights, and ReLU between its layers but for one.
    pub fn new(weights: &Weights, linear: Option<usize>) -> Self {
        let count = weights.layers.len();
        Self {
            weights: Weights { layers: weights.layers.iter().map(row_by_row).collect() },
            linear,
            packed: (0..count).map(|_| Packed::default()).collect(),
            factor: Packed::default(),
            outputs: vec![Array2::default((0, 0)); count],
            deltas: [Array2::default((0, 0)), Array2::default((0, 0))],
            spare: None,
        }
    }

    /// The current weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The same, to be changed.
    pub fn weights_mut(&mut self) -> &mut Weights {
        &mut self.weights
    }

    /// Takes gradients that are no longer used.
    pub fn recycle(&mut self, gradients: Weights) {
        self.spare = Some(gradients);
    }

    /// The backward pass of the rows `(m, d)` that went forward last; the gradient of the loss is a function of the outputs.
    pub fn backward(
        &mut self,
        rows: ArrayView2<f32>,
        output_gradient: impl FnOnce(Array2<f32>) -> Array2<f32>,
    ) -> Weights {
        let last = self.weights.layers.len() - 1;
        let gradient = output_gradient(std::mem::take(&mut self.outputs[last]));
        let mut gradients = self.spare.take().unwrap_or_else(|| zeros_like(&self.weights));
        let [mut delta, mut next] = std::mem::take(&mut self.deltas);
        for l in (0..=last).rev() {
            let delta_view = if l == last { gradient.view() } else { delta.view() };
            let inputs = if l == 0 { rows } else { self.outputs[l - 1].view() };
            let layer = &mut gradients.layers[l];
            self.factor.pack(delta_view);
            self.factor.product(layer.weight.view_mut(), inputs.t(), |_, _, _| {});
            layer.bias = column_sums(delta_view);
            if l > 0 {
                self.factor.pack(self.weights.layers[l].weight.t());
                shape_to(&mut next, inputs.dim());
                let (shown, width) = (inputs.as_slice().unwrap_or(&[]), inputs.ncols());
                let is_cut = self.linear != Some(l - 1);
                self.factor.product(next.view_mut(), delta_view, |row, column, entries| {
                    if is_cut {
                        where_positive(entries, &shown[row * width + column..]);
                    }
                });
                std::mem::swap(&mut delta, &mut next);
            }
        }
        self.outputs[last] = gradient; // of the same size
        self.deltas = [delta, next];
        gradients
    }

    /// The forward pass of rows `(m, d)`.
    pub fn forward(&mut self, rows: ArrayView2<f32>) {
        let last = self.weights.layers.len() - 1;
        for (l, layer) in self.weights.layers.iter().enumerate() {
            let (before, from_here) = self.outputs.split_at_mut(l);
            let inputs = before.last().map_or(rows, |inputs| inputs.view());
            let out = &mut from_here[0];
            shape_to(out, (rows.nrows(), layer.weight.ncols()));
            let packed = &mut self.packed[l];
            packed.pack(layer.weight.view());
            let bias = layer.bias.as_slice().unwrap_or(&[]);
            let is_cut = l < last && self.linear != Some(l);
            packed.product(out.view_mut(), inputs, |_, column, entries| add_bias(entries, &bias[column..], is_cut));
        }
    }
}

/// Gives an array this shape; what it holds is then of no use.
fn shape_to(array: &mut Array2<f32>, shape: (usize, usize)) {
    if array.dim() != shape || !array.is_standard_layout() {
        *array = Array2::zeros(shape);
    }
}

/// A copy whose numbers lie row by row.
fn row_by_row(layer: &Layer) -> Layer {
    Layer { weight: layer.weight.as_standard_layout().into_owned(), bias: layer.bias.clone() }
}

fn zeros_like(weights: &Weights) -> Weights {
    let zeros =
        |layer: &Layer| Layer { weight: Array2::zeros(layer.weight.dim()), bias: Array1::zeros(layer.bias.len()) };
    Weights { layers: weights.layers.iter().map(zeros).collect() }
}

/// Adds the bias, and cuts off below zero where asked.
#[inline(always)]
pub(super) fn add_bias(entries: &mut [f32], bias: &[f32], relu: bool) {
    if relu {
        entries.iter_mut().zip(bias).for_each(|(x, b)| *x = if *x + b > 0.0 { *x + b } else { 0.0 });
    } else {
        entries.iter_mut().zip(bias).for_each(|(x, b)| *x += b);
    }
}

/// Sets entries to zero where ReLU did.
#[inline(always)]
fn where_positive(entries: &mut [f32], shown: &[f32]) {
    entries.iter_mut().zip(shown).for_each(|(x, &shown)| *x = if shown > 0.0 { *x } else { 0.0 });
}
