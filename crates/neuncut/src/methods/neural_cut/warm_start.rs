//! The network learns given labels by cross-entropy before it is trained on the cut.

use crate::Result;
use crate::network::Mlp;
use crate::objective::{cross_entropy, softmax};
use crate::rows::gather;
use crate::spare;
use crate::train::Objective;
use ndarray::ArrayView2;

/// Cross-entropy of the memberships to fixed labels.
pub(in crate::methods) struct WarmStart<'a> {
    /// Network inputs, `(n, d)`.
    pub inputs: ArrayView2<'a, f32>,
    /// One label a row.
    pub labels: &'a [u32],
    /// Share of each target spread over all clusters.
    pub smoothing: f32,
}

impl Objective<Mlp> for WarmStart<'_> {
    fn terms(&self) -> &'static [&'static str] {
        &["cross-entropy"]
    }

    fn evaluate(&mut self, network: &mut Mlp, batch: &[usize]) -> Result<Vec<f64>> {
        let inputs = gather(self.inputs, batch);
        let labels: Vec<u32> = batch.iter().map(|&i| self.labels[i]).collect();
        let memberships = softmax(network.forward(inputs.view())?);
        let (loss, gradient) = cross_entropy(memberships.view(), &labels, self.smoothing);
        network.backward(inputs.view(), gradient);
        spare::give_matrix(inputs);
        Ok(vec![loss])
    }
}
