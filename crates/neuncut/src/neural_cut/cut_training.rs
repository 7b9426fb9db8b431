//! Training on the cut loss: Algorithm 1.

use crate::affinity::Affinity;
use crate::network::Mlp;
use crate::objective::{CutLoss, softmax_backward};
use crate::train::{Objective, StepOutcome};
use crate::{Error, Result};
use burn::tensor::Device;
use ndarray::{ArrayView2, Axis};

/// Without this the loss is 0 / 0, and the learning rate gets the blame.
const NO_AFFINITY: &str =
    "no two rows of a batch are close enough to have an affinity: raise --sigma, or leave it automatic";

/// The relaxed cut of the memberships on the affinity inside each batch.
pub(super) struct CutTraining<'a> {
    /// The representation of the training rows, on which affinity is measured, `(n, d)`.
    pub rows: ArrayView2<'a, f32>,
    /// The same rows as they enter the network.
    pub inputs: ArrayView2<'a, f32>,
    /// The affinity inside a batch.
    pub affinity: &'a dyn Affinity,
    /// The loss.
    pub loss: CutLoss,
    /// Where the network is.
    pub device: Device,
}

impl Objective<Mlp> for CutTraining<'_> {
    fn terms(&self) -> &'static [&'static str] {
        &["loss", "lap", "orth"]
    }

    fn evaluate(&mut self, network: &Mlp, batch: &[usize]) -> Result<StepOutcome> {
        let graph = self.affinity.of_batch(self.rows.select(Axis(0), batch).view())?;
        if graph.degrees().sum() <= 0.0 {
            return Err(Error::Degenerate(NO_AFFINITY.into()));
        }
        let inputs = self.inputs.select(Axis(0), batch);
        let mut terms = Vec::new();
        let gradients = network.backward(inputs.view(), &self.device, |memberships| {
            let value = self.loss.evaluate(&graph, memberships.view());
            terms = vec![value.total, value.lap, value.orth];
            softmax_backward(memberships.view(), value.gradient)
        });
        Ok(StepOutcome { terms, gradients })
    }
}
