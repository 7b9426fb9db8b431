//! Forward and backward pass of a network on the CPU, in arrays that are kept from step to step.
//!
//! Legend: `m` rows, layer `l` takes `a` numbers and gives `b`; `X` its inputs `(m, a)`, `W` its weights `(a, b)`, `D` the gradient
//! of the loss with respect to its outputs before ReLU, `(m, b)`. Then `X' D` is the gradient of `W`, and `D W'` that of `X`.

use super::cpu_adam::CpuAdam;
use super::mlp::Backend;
use super::{Layer, Weights};
use crate::Result;
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
    gradients: Weights,
    adam: CpuAdam,
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
            gradients: zeros_like(weights),
            adam: CpuAdam::new(weights, 0.0),
        }
    }

    /// After a backward pass: the gradient with respect to the rows that it was given, whose shape this is.
    pub fn input_gradient(&mut self, shape: (usize, usize)) -> Array2<f32> {
        let Some(first) = self.weights.layers.first() else { return Array2::zeros(shape) };
        // the gradient of the only layer came from outside
        let delta = if self.outputs.len() == 1 { &self.outputs[0] } else { &self.deltas[0] };
        let mut gradient = Array2::zeros(shape);
        self.factor.pack(first.weight.t());
        self.factor.product(gradient.view_mut(), delta.view(), |_, _, _| {});
        gradient
    }
}

impl Backend for CpuMlp {
    fn forward(&mut self, rows: ArrayView2<f32>) -> Result<Array2<f32>> {
        let last = self.weights.layers.len() - 1;
        for (l, layer) in self.weights.layers.iter().enumerate() {
            let (before, from_here) = self.outputs.split_at_mut(l);
            let inputs = before.last().map_or(rows, |inputs| inputs.view());
            let out = &mut from_here[0];
            shape_to(out, (rows.nrows(), layer.weight.ncols()));
            let packed = &mut self.packed[l];
            packed.pack(layer.weight.view());
            let bias = layer.bias.as_slice().expect("biases lie side by side");
            let is_cut = l < last && self.linear != Some(l);
            packed.product(out.view_mut(), inputs, |_, column, entries| add_bias(entries, &bias[column..], is_cut));
        }
        Ok(std::mem::take(&mut self.outputs[last]))
    }

    fn backward(&mut self, rows: ArrayView2<f32>, gradient: Array2<f32>) {
        let last = self.weights.layers.len() - 1;
        let [mut delta, mut next] = std::mem::take(&mut self.deltas);
        for l in (0..=last).rev() {
            let delta_view = if l == last { gradient.view() } else { delta.view() };
            let inputs = if l == 0 { rows } else { self.outputs[l - 1].view() };
            let layer = &mut self.gradients.layers[l];
            self.factor.pack(delta_view);
            self.factor.product(layer.weight.view_mut(), inputs.t(), |_, _, _| {});
            layer.bias = column_sums(delta_view);
            if l > 0 {
                self.factor.pack(self.weights.layers[l].weight.t());
                shape_to(&mut next, inputs.dim());
                let (shown, width) = (inputs.as_slice().expect("outputs of layers lie row by row"), inputs.ncols());
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
    }

    fn squared_gradient(&self) -> Result<f64> {
        Ok(self.gradients.squared_length())
    }

    fn scale_gradient(&mut self, factor: f64) {
        self.gradients.scale(factor as f32);
    }

    fn begin(&mut self, weight_decay: f32) {
        self.adam = CpuAdam::new(&self.weights, weight_decay);
    }

    fn step(&mut self, learning_rate: f64) {
        // once for all parameters on a thread of the pool
        rayon::scope(|_| self.adam.step(learning_rate, &mut self.weights, &self.gradients));
    }

    fn weights(&self) -> Result<Weights> {
        Ok(self.weights.clone())
    }

    #[cfg(test)]
    fn gradients(&self) -> Weights {
        self.gradients.clone()
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
