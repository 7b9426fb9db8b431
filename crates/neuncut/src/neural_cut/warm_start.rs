//! The network learns given labels by cross-entropy before it is trained on the cut.

use crate::Result;
use crate::network::{Mlp, MlpGradients};
use crate::objective::cross_entropy;
use crate::rows::gather;
use crate::spare;
use crate::train::{Objective, StepOutcome};
use burn::tensor::Device;
use ndarray::ArrayView2;

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

    fn evaluate(&mut self, network: &mut Mlp, batch: &[usize]) -> Result<StepOutcome<MlpGradients>> {
        let inputs = gather(self.inputs, batch);
        let labels: Vec<u32> = batch.iter().map(|&i| self.labels[i]).collect();
        let mut loss = 0.0;
        let gradients = network.backward(inputs.view(), &self.device, |memberships| {
            let (value, gradient) = cross_entropy(memberships.view(), &labels, self.smoothing);
            loss = value;
            gradient
        });
        spare::give_matrix(inputs);
        Ok(StepOutcome { terms: vec![loss], gradients })
    }
}
