//! Training on the cut loss: Algorithm 1.

use super::joining::Joining;
use crate::features::Pipeline;
use crate::network::{Mlp, MlpGradients};
use crate::objective::{CutLoss, softmax_backward};
use crate::rows::gather;
use crate::seed::Stream;
use crate::spare;
use crate::train::{Objective, StepOutcome};
use crate::{Error, Result};
use burn::tensor::Device;
use ndarray::ArrayView2;

/// Without this the loss is 0 / 0, and the learning rate gets the blame.
const NO_AFFINITY: &str = "no two rows of a batch are close enough to have an affinity: raise --sigma, leave it automatic, or give a graph more edges";

/// The relaxed cut of the memberships on the affinity inside each batch.
pub(super) struct CutTraining<'a, 'j> {
    /// How rows are joined.
    pub joining: &'a Joining<'j>,
    /// Where neighbourhoods are drawn from.
    pub neighborhoods: Stream,
    /// The rows as they enter the network, `(n, d)`.
    pub inputs: ArrayView2<'a, f32>,
    /// The loss.
    pub loss: CutLoss,
    /// Where the network is.
    pub device: Device,
}

impl Objective<Mlp> for CutTraining<'_, '_> {
    fn terms(&self) -> &'static [&'static str] {
        &["loss", "lap", "orth"]
    }

    fn evaluate(&mut self, network: &mut Mlp, batch: &[usize]) -> Result<StepOutcome<MlpGradients>> {
        // on a thread of the pool, so that not every parallel loop of the step has to hand its work over to it
        rayon::scope(|_| self.step(network, batch))
    }

    fn labels(&self, network: &Mlp, rows: &[usize]) -> Option<Vec<u32>> {
        let inputs = gather(self.inputs, rows);
        Some(network.weights().labels(&Pipeline::default(), inputs.view()))
    }
}

impl CutTraining<'_, '_> {
    fn step(&mut self, network: &mut Mlp, drawn: &[usize]) -> Result<StepOutcome<MlpGradients>> {
        let batch = self.joining.batch(drawn, &mut self.neighborhoods);
        let inputs = gather(self.inputs, &batch);
        let mut terms = Vec::new();
        let graph = || {
            let graph = self.joining.graph(&batch)?;
            if graph.degrees().sum() > 0.0 { Ok(graph) } else { Err(Error::Degenerate(NO_AFFINITY.into())) }
        };
        let gradients = network.backward_beside(inputs.view(), &self.device, graph, |graph, memberships| {
            let value = self.loss.evaluate(&graph, memberships.view());
            graph.recycle();
            terms = vec![value.total, value.lap, value.orth];
            softmax_backward(memberships.view(), value.gradient)
        })?;
        spare::give_matrix(inputs);
        Ok(StepOutcome { terms, gradients })
    }
}
