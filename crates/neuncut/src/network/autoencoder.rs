//! An encoder and its mirror image, as one Burn module.

use super::{BurnMlp, Weights, tensor_of};
use burn::module::Module;
use burn::optim::GradientsParams;
use burn::tensor::Device;
use ndarray::ArrayView2;

/// Two networks: rows to codes, and codes to rows. Codes and rows are linear outputs.
#[derive(Module, Debug)]
pub struct Autoencoder {
    encoder: BurnMlp,
    decoder: BurnMlp,
}

impl Autoencoder {
    /// A trainable pair with these weights.
    pub fn new(encoder: &Weights, decoder: &Weights, device: &Device) -> Self {
        Self { encoder: BurnMlp::new(encoder, device), decoder: BurnMlp::new(decoder, device) }
    }

    /// The mean squared difference between rows `(m, d)` and what is made of their codes, and its gradients.
    pub fn backward(&self, rows: ArrayView2<f32>, device: &Device) -> (f64, GradientsParams) {
        let rows = tensor_of(rows, device);
        let difference = self.decoder.forward(self.encoder.forward(rows.clone())) - rows;
        let loss = (difference.clone() * difference).mean();
        let value = f64::from(loss.clone().inner().into_scalar::<f32>());
        (value, GradientsParams::from_grads(loss.backward(), self))
    }

    /// The current weights of encoder and decoder.
    pub fn weights(&self) -> (Weights, Weights) {
        (self.encoder.weights(), self.decoder.weights())
    }
}
