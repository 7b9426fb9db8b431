//! The network `g` of Eq. (forward), as a Burn module: for GPUs.

use super::{Layer, Weights, matrix_of, tensor_of};
use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::optim::GradientsParams;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor, TensorData};
use ndarray::{Array1, Array2, ArrayView2};

/// Fully connected layers with ReLU between them; the softmax is left to the objective.
#[derive(Module, Debug)]
pub struct BurnMlp {
    layers: Vec<Linear>,
    /// A layer before the last that has no ReLU either; the number of layers where there is none.
    linear: usize,
}

impl BurnMlp {
    /// A trainable network with these weights, and ReLU between its layers but for one.
    pub fn new(weights: &Weights, linear: Option<usize>, device: &Device) -> Self {
        let plain = |layer: &Layer| {
            let shape = [layer.weight.nrows(), layer.weight.ncols()];
            let weight = TensorData::new(layer.weight.iter().copied().collect::<Vec<f32>>(), shape);
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

    /// One forward and backward pass where the gradient of the loss is known in closed form, as a function of the outputs: Burn
    /// differentiates `sum(outputs * gradient)`, whose gradient is that of the loss.
    pub fn backward_outputs(
        &self,
        rows: ArrayView2<f32>,
        device: &Device,
        output_gradient: impl FnOnce(Array2<f32>) -> Array2<f32>,
    ) -> GradientsParams {
        let outputs = self.forward(tensor_of(rows, device));
        let gradient = tensor_of(output_gradient(matrix_of(outputs.clone().inner())).view(), device);
        GradientsParams::from_grads((outputs * gradient).sum().backward(), self)
    }

    /// The current weights as plain arrays.
    pub fn weights(&self) -> Weights {
        let plain = |linear: &Linear| {
            let [inputs, outputs] = linear.weight.dims();
            let weight = linear.weight.val().into_data().try_into_vec::<f32>().unwrap_or_default();
            let bias = linear.bias.as_ref().map(|b| b.val().into_data().try_into_vec::<f32>().unwrap_or_default());
            Layer {
                weight: Array2::from_shape_vec((inputs, outputs), weight).unwrap_or_default(),
                bias: Array1::from_vec(bias.unwrap_or_default()),
            }
        };
        Weights { layers: self.layers.iter().map(plain).collect() }
    }
}

#[cfg(test)]
impl BurnMlp {
    /// The gradients of all parameters, in the place of the parameters.
    pub(crate) fn gradients(&self, found: &GradientsParams) -> Weights {
        let plain = |linear: &Linear| {
            let weight = found.get::<2>(linear.weight.id).expect("a gradient of each weight");
            let bias =
                found.get::<1>(linear.bias.as_ref().expect("layers have biases").id).expect("a gradient of each bias");
            Layer { weight: matrix_of(weight), bias: Array1::from_vec(bias.into_data().try_into_vec().expect("f32")) }
        };
        Weights { layers: self.layers.iter().map(plain).collect() }
    }
}
