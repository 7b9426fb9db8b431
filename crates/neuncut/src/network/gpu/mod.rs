//! The network `g` of Eq. (forward) in Burn: for GPUs.

mod adam;
mod clipping;
mod layers;
mod tensors;

pub(crate) use layers::BurnLayers;
pub(crate) use tensors::{matrix_of, tensor_of};

use super::Weights;
use super::mlp::Backend;
use crate::Result;
use adam::Adam;
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor};
use ndarray::{Array2, ArrayView2};

/// A network in training on a device of Burn's.
pub(super) struct BurnMlp {
    /// `None` only while the optimiser has them.
    layers: Option<BurnLayers>,
    device: Device,
    adam: Adam,
    /// What the last forward pass put out, with what Burn needs to differentiate it.
    outputs: Option<Tensor<2>>,
    gradients: GradientsParams,
}

impl BurnMlp {
    /// A network with these weights, and ReLU between its layers but for one.
    pub fn new(weights: &Weights, linear: Option<usize>, device: Device) -> Self {
        let device = device.autodiff();
        let layers = Some(BurnLayers::new(weights, linear, &device));
        Self { layers, device, adam: Adam::new(0.0), outputs: None, gradients: GradientsParams::new() }
    }

    fn layers(&self) -> &BurnLayers {
        self.layers.as_ref().expect("a step puts the layers back")
    }
}

impl Backend for BurnMlp {
    fn forward(&mut self, rows: ArrayView2<f32>) -> Result<Array2<f32>> {
        let outputs = self.layers().forward(tensor_of(rows, &self.device));
        self.outputs = Some(outputs.clone());
        matrix_of(outputs.inner())
    }

    /// Burn differentiates `sum(outputs * gradient)`, whose gradient is that of the loss.
    fn backward(&mut self, _rows: ArrayView2<f32>, gradient: Array2<f32>) {
        let outputs = self.outputs.take().expect("a forward pass comes before each backward pass");
        let product = outputs * tensor_of(gradient.view(), &self.device);
        self.gradients = GradientsParams::from_grads(product.sum().backward(), self.layers());
    }

    fn squared_gradient(&self) -> Result<f64> {
        clipping::squared_length(self.layers(), &self.gradients)
    }

    fn scale_gradient(&mut self, factor: f64) {
        let layers = self.layers.as_ref().expect("a step puts the layers back");
        clipping::scale(layers, &mut self.gradients, factor);
    }

    fn begin(&mut self, weight_decay: f32) {
        self.adam = Adam::new(weight_decay);
    }

    fn step(&mut self, learning_rate: f64) {
        let gradients = std::mem::take(&mut self.gradients);
        let layers = self.layers.take().expect("a step puts the layers back");
        self.layers = Some(self.adam.step(learning_rate, layers, gradients));
    }

    fn weights(&self) -> Result<Weights> {
        self.layers().weights()
    }

    #[cfg(test)]
    fn gradients(&self) -> Weights {
        self.layers().gradients(&self.gradients)
    }
}
