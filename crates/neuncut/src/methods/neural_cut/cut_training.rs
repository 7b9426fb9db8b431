//! Training on the cut loss: Algorithm 1.

use super::training_graph::TrainingGraph;
use crate::features::Pipeline;
use crate::graph::BatchGraph;
use crate::network::Mlp;
use crate::objective::{CutLoss, InformationLoss, KeptCutLoss, softmax, softmax_backward};
use crate::rows::gather;
use crate::seed::Stream;
use crate::train::Objective;
use crate::{Error, Result};
use ndarray::{Array2, ArrayView2};

/// Without this the loss is 0 / 0, and the learning rate gets the blame.
const NO_AFFINITY: &str = "no two rows of a batch are close enough to have an affinity: raise --sigma, leave it automatic, or give a graph more edges";

/// What memberships are trained for on a graph.
pub(super) enum GraphLoss {
    /// A low cut, Eq. (our_loss).
    Cut(CutLoss),
    /// Much information between the ends of an edge.
    Information(InformationLoss),
    /// A low log cut or min-max cut.
    Kept(KeptCutLoss),
}

impl GraphLoss {
    /// The terms of the loss, the first being the total, and its gradient with respect to the memberships.
    pub fn evaluate(&mut self, graph: &BatchGraph, memberships: ArrayView2<f32>) -> (Vec<f64>, Array2<f32>) {
        match self {
            Self::Cut(loss) => {
                let value = loss.evaluate(graph, memberships);
                (vec![value.total, value.lap, value.orth], value.gradient)
            }
            Self::Information(loss) => {
                let value = loss.evaluate(graph, memberships);
                (vec![value.total], value.gradient)
            }
            Self::Kept(loss) => {
                let value = loss.evaluate(graph, memberships);
                (vec![value.total], value.gradient)
            }
        }
    }
}

/// The relaxed cut of the memberships on the affinity inside each batch.
pub(super) struct CutTraining<'a, 'j> {
    /// How rows are joined.
    pub training_graph: &'a TrainingGraph<'j>,
    /// Where neighbourhoods are drawn from.
    pub neighborhoods: Stream,
    /// The rows as they enter the network, `(n, d)`.
    pub inputs: ArrayView2<'a, f32>,
    /// The loss.
    pub loss: GraphLoss,
}

impl Objective<Mlp> for CutTraining<'_, '_> {
    fn terms(&self) -> &'static [&'static str] {
        match self.loss {
            GraphLoss::Cut(_) => &["loss", "lap", "orth"],
            GraphLoss::Information(_) | GraphLoss::Kept(_) => &["loss"],
        }
    }

    fn evaluate(&mut self, network: &mut Mlp, batch: &[usize]) -> Result<Vec<f64>> {
        // on a thread of the pool, so that not every parallel loop of the step has to hand its work over to it
        rayon::scope(|_| self.step(network, batch))
    }

    fn labels(&self, network: &Mlp, rows: &[usize]) -> Result<Option<Vec<u32>>> {
        let inputs = gather(self.inputs, rows);
        Ok(Some(network.weights()?.labels(&Pipeline::default(), inputs.view())))
    }
}

impl CutTraining<'_, '_> {
    fn step(&mut self, network: &mut Mlp, drawn: &[usize]) -> Result<Vec<f64>> {
        let batch = self.training_graph.batch(drawn, &mut self.neighborhoods);
        let inputs = gather(self.inputs, &batch);
        // beside each other, so that no core waits where either has little to do
        let (graph, logits) = rayon::join(|| self.graph(&batch), || network.forward(inputs.view()));
        let (graph, memberships) = (graph?, softmax(logits?));
        let (terms, gradient) = self.loss.evaluate(&graph, memberships.view());
        network.backward(inputs.view(), softmax_backward(memberships.view(), gradient));
        Ok(terms)
    }

    fn graph(&self, batch: &[usize]) -> Result<BatchGraph> {
        let graph = self.training_graph.graph(batch)?;
        if graph.degrees().sum() > 0.0 { Ok(graph) } else { Err(Error::Degenerate(NO_AFFINITY.into())) }
    }
}
