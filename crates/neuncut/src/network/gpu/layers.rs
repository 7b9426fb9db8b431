//! The layers as a Burn module.

use super::tensors::{data_of, matrix_of, values_of};
use crate::Result;
use crate::network::{Layer, Weights};
use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor, TensorData};
use ndarray::Array1;

/// Fully connected layers with ReLU between them; the softmax is left to the objective.
#[derive(Module, Debug)]
pub(crate) struct BurnLayers {
    layers: Vec<Linear>,
    /// A layer before the last that has no ReLU either; the number of layers where there is none.
    linear: usize,
}

impl BurnLayers {
    /// Layers with these weights, and ReLU between them but for one.
    pub fn new(weights: &Weights, linear: Option<usize>, device: &Device) -> Self {
        let plain = |layer: &Layer| {
            let weight = data_of(layer.weight.view());
            let bias = TensorData::new(layer.bias.to_vec(), [layer.bias.len()]);
            Linear { weight: Param::from_data(weight, device), bias: Some(Param::from_data(bias, device)) }
        };
        let linear = linear.unwrap_or(weights.layers.len());
        Self { layers: weights.layers.iter().map(plain).collect(), linear }
    }

    /// Logits `(m, k)` of rows `(m, d)`.
    pub fn forward(&self, rows: Tensor<2>) -> Tensor<2> {
        let last = self.layers.len() - 1;
        self.layers.iter().enumerate().fold(rows, |x, (l, layer)| {
            let x = layer.forward(x);
            if l < last && l != self.linear { relu(x) } else { x }
        })
    }

    /// The current weights as plain arrays.
    pub fn weights(&self) -> Result<Weights> {
        let plain = |linear: &Linear| {
            let bias = linear.bias.as_ref().expect("layers have biases");
            Ok(Layer { weight: matrix_of(linear.weight.val())?, bias: Array1::from_vec(values_of(bias.val())?) })
        };
        Ok(Weights { layers: self.layers.iter().map(plain).collect::<Result<_>>()? })
    }
}

#[cfg(test)]
impl BurnLayers {
    /// The gradients of all parameters, in the place of the parameters.
    pub(super) fn gradients(&self, found: &burn::optim::GradientsParams) -> Weights {
        let plain = |linear: &Linear| {
            let weight = found.get::<2>(linear.weight.id).expect("a gradient of each weight");
            let bias =
                found.get::<1>(linear.bias.as_ref().expect("layers have biases").id).expect("a gradient of each bias");
            Layer { weight: matrix_of(weight).unwrap(), bias: Array1::from_vec(values_of(bias).unwrap()) }
        };
        Weights { layers: self.layers.iter().map(plain).collect() }
    }
}
