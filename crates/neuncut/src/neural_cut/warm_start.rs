//! The network learns given labels by cross-entropy before it is trained on the cut.

use crate::network::{Mlp, matrix_of, tensor_of};
use crate::objective::{cross_entropy, softmax};
use crate::train::{Objective, StepOutcome};
use crate::Result;
use burn::optim::GradientsParams;
use burn::tensor::Device;
use ndarray::{Array2, ArrayView2, Axis};

/// Cross-entropy of the memberships to fixed labels.
pub(super) struct WarmStart<'a> {
    /// Network inputs, `(n, d)`.
    pub inputs: ArrayView2<'a, f32>,
    /// One label a row.
    pub labels: &'a [u32],
    /// Share of each target spread over all clusters.
    pub smoothing: f32,
    /// Where the network is.
    pub device: Device,
}

impl Objective<Mlp> for WarmStart<'_> {
    fn terms(&self) -> &'static [&'static str] {
        &["cross-entropy"]
    }

    fn evaluate(&mut self, network: &Mlp, batch: &[usize]) -> Result<StepOutcome> {
        let inputs = self.inputs.select(Axis(0), batch);
        let labels: Vec<u32> = batch.iter().map(|&i| self.labels[i]).collect();
        let mut loss = 0.0;
        let gradients = backward(network, inputs, &self.device, |memberships| {
            let (value, gradient) = cross_entropy(memberships.view(), &labels, self.smoothing);
            loss = value;
            gradient
        });
        Ok(StepOutcome { terms: vec![loss], gradients })
    }
}

/// One forward and backward pass where the gradient with respect to the logits is known in closed form, as a function of the
/// memberships: Burn differentiates `sum(logits * gradient)`, whose gradient is that of the loss.
pub(super) fn backward(
    network: &Mlp,
    inputs: Array2<f32>,
    device: &Device,
    logit_gradient: impl FnOnce(&Array2<f32>) -> Array2<f32>,
) -> GradientsParams {
    let logits = network.forward(tensor_of(inputs.view(), device));
    let memberships = softmax(matrix_of(logits.clone().inner()));
    let gradient = tensor_of(logit_gradient(&memberships).view(), device);
    let gradients = (logits * gradient).sum().backward();
    GradientsParams::from_grads(gradients, network)
}
