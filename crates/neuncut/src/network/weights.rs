//! A multi-layer perceptron as plain arrays: how it is initialised, saved and used for prediction.

use crate::seed::Stream;
use crate::vector::squared_length;
use ndarray::{Array1, Array2, Axis};
use rand::RngExt;

/// One fully connected layer, `x W + b`.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// `(inputs, outputs)`.
    pub weight: Array2<f32>,
    /// `(outputs,)`.
    pub bias: Array1<f32>,
}

/// All layers, first to last; ReLU between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// The layers.
    pub layers: Vec<Layer>,
}

impl Weights {
    /// Random weights for layers of these sizes (input first, output last): He-uniform for hidden layers, Xavier-uniform for the
    /// output, zero biases.
    pub fn random(sizes: &[usize], rng: &mut Stream) -> Self {
        let n_layers = sizes.len() - 1;
        let layer = |(l, pair): (usize, &[usize])| {
            let (inputs, outputs) = (pair[0], pair[1]);
            let fan = if l + 1 < n_layers { inputs } else { inputs + outputs };
            let bound = (6.0 / fan as f32).sqrt();
            let weight = Array2::from_shape_fn((inputs, outputs), |_| (2.0 * rng.random::<f32>() - 1.0) * bound);
            Layer { weight, bias: Array1::zeros(outputs) }
        };
        Self { layers: sizes.windows(2).enumerate().map(layer).collect() }
    }

    /// Columns that it takes.
    pub fn n_inputs(&self) -> usize {
        self.layers.first().map_or(0, |layer| layer.weight.nrows())
    }

    /// Clusters that it tells apart.
    pub fn n_outputs(&self) -> usize {
        self.layers.last().map_or(0, |layer| layer.weight.ncols())
    }

    /// Sizes, input first, output last.
    pub fn sizes(&self) -> Vec<usize> {
        std::iter::once(self.n_inputs()).chain(self.layers.iter().map(|layer| layer.weight.ncols())).collect()
    }

    /// Number of trained numbers.
    pub fn n_parameters(&self) -> usize {
        self.layers.iter().map(|layer| layer.weight.len() + layer.bias.len()).sum()
    }

    /// Keeps these of its outputs, in this order.
    pub fn select_outputs(&mut self, outputs: &[usize]) {
        if let Some(last) = self.layers.last_mut() {
            last.weight = last.weight.select(Axis(1), outputs);
            last.bias = last.bias.select(Axis(0), outputs);
        }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.layers.iter().all(|layer| layer.weight.iter().chain(&layer.bias).all(|x| x.is_finite()))
    }

    /// The sum of the squares of all numbers.
    pub(super) fn squared_length(&self) -> f64 {
        let of = |values: Option<&[f32]>| values.map_or(0.0, |values| f64::from(squared_length(values)));
        let rows = |layer: &Layer| layer.weight.rows().into_iter().map(|row| of(row.to_slice())).sum::<f64>();
        self.layers.iter().map(|layer| rows(layer) + of(layer.bias.as_slice())).sum()
    }

    /// Multiplies all numbers.
    pub(super) fn scale(&mut self, factor: f32) {
        for layer in &mut self.layers {
            layer.weight *= factor;
            layer.bias *= factor;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn initial_weights_fill_their_bounds() {
        let weights = Weights::random(&[50, 40, 10], &mut Seed(0).stream("init"));
        assert_eq!(weights.sizes(), [50, 40, 10]);
        let largest = |l: usize| weights.layers[l].weight.iter().fold(0.0_f32, |a, b| a.max(b.abs()));
        let (he, xavier) = ((6.0_f32 / 50.0).sqrt(), (6.0_f32 / 50.0).sqrt()); // fan-in 50; fan-in + fan-out 40 + 10
        assert!(largest(0) <= he && largest(0) > 0.98 * he);
        assert!(largest(1) <= xavier && largest(1) > 0.95 * xavier);
        assert!(weights.layers.iter().all(|l| l.bias.iter().all(|&b| b == 0.0)));
    }
}
