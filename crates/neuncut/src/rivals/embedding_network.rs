//! SpectralNet and SpecNet2: a network learns the spectral embedding on batches, k-means groups it.
//!
//! SpectralNet (Shaham et al., ICLR 2018) makes the outputs of a batch orthonormal by Cholesky. Its authors hold the factor of
//! one batch fixed during a step on another; here the gradient goes through the factor of the batch itself, which is the same
//! direction without its part inside the span. SpecNet2 (Chen, Li and Cheng, MSML 2022) needs no orthogonalisation. After
//! training, both have their outputs turned into eigenfunctions, in order, by the moments of many batches; the turn is part of
//! the last layer.

use super::{RivalFitted, grouped, representation};
use crate::affinity::Affinity;
use crate::features::{Pipeline, Step, mean_square};
use crate::network::{Mlp, Weights};
use crate::neural_cut::{AffinityKind, Config, Prepared};
use crate::objective::{EmbeddingLoss, Moments};
use crate::train::{Objective, Observer, Trainer};
use crate::{Error, Result, Seed};
use ndarray::{Array2, ArrayView2, Axis};
use rand::seq::SliceRandom;

/// Neighbours a row inside a batch unless told.
const BATCH_NEIGHBORS: usize = 3;
/// Steps and their initial learning rate unless told.
const STEPS: usize = 2000;
const RATE: f64 = 1e-3;
/// Batches whose moments turn the outputs into eigenfunctions.
const MOMENT_BATCHES: usize = 40;

/// Trains on the rows `(n, d)`, and groups their embedding.
pub(super) fn fit(
    config: &Config,
    loss: EmbeddingLoss,
    rows: ArrayView2<f32>,
    observer: &mut dyn Observer,
) -> Result<RivalFitted> {
    if let AffinityKind::Graph(_) = config.affinity {
        let must = format!(
            "another for {}, whose batches are drawn uniformly and would hold next to none of the graph's edges: take ncut, or \
             neuncut for a model",
            config.method
        );
        return Err(Error::config("affinity", &config.affinity, must));
    }
    let prepared = Prepared::new(config, rows, None, BATCH_NEIGHBORS, observer)?;
    let representation = representation(config, rows)?;
    let represented = representation.transform(rows);
    let mean = represented.mean_axis(Axis(0)).expect("there are rows");
    let mut inputs = &represented - &mean;
    let scale = 1.0 / mean_square(inputs.view()).max(1e-30).sqrt() as f32;
    inputs *= scale;

    config.device.check()?;
    let (affinity, measured) = prepared.affinity(represented.view())?;
    let mut training = EmbeddingTraining { rows: measured, inputs: inputs.view(), affinity: affinity.as_ref(), loss };
    let batch = config.batch.min(rows.nrows());
    let trainer = Trainer {
        stage: config.method.name(),
        batch,
        epochs: config.epochs.unwrap_or(STEPS.div_ceil(rows.nrows() / batch)),
        learning_rate: config.lr.unwrap_or(RATE),
        weight_decay: config.weight_decay,
    };
    let outputs = config.eigenvectors.unwrap_or(config.clusters);
    let sizes: Vec<usize> = [&[inputs.ncols()][..], &config.hidden, &[outputs]].concat();
    let seed = Seed(config.seed);
    let mut network = Mlp::new(&Weights::random(&sizes, &mut seed.stream("init")), config.device)?;
    let curve = trainer.run(&mut network, rows.nrows(), &mut training, &mut seed.stream("shuffle"), observer)?;
    let mut weights = network.weights()?;
    observer.stage("eigenfunctions");
    training.turn(&mut weights, batch, seed)?;
    let embedding = Pipeline { steps: vec![Step::Center(mean), Step::Scale(scale), Step::Encode(weights)] };
    observer.stage("k-means");
    let curves = prepared.curve.iter().cloned().chain([curve]).collect();
    let mut fitted = grouped::fit(config, representation, embedding, rows, grouped::EMBEDDING_RESTARTS, curves)?;
    if let Some(model) = &mut fitted.model {
        model.record.diagnostics.affinity = prepared.note();
        model.affinity = prepared.to_keep();
    }
    Ok(fitted)
}

/// A spectral embedding on the affinity inside each batch.
struct EmbeddingTraining<'a> {
    /// The rows on which affinity is measured, `(n, d)`.
    rows: ArrayView2<'a, f32>,
    /// The same rows as they enter the network.
    inputs: ArrayView2<'a, f32>,
    affinity: &'a dyn Affinity,
    loss: EmbeddingLoss,
}

impl EmbeddingTraining<'_> {
    /// Makes the outputs approximate eigenfunctions of mean square one, leading first, by a change of the last layer.
    fn turn(&self, weights: &mut Weights, batch: usize, seed: Seed) -> Result<()> {
        let mut order: Vec<usize> = (0..self.rows.nrows()).collect();
        order.shuffle(&mut seed.stream("moments"));
        let count = weights.n_outputs();
        let mut sum = Moments { gram: Array2::zeros((count, count)), coupled: Array2::zeros((count, count)) };
        for chosen in order.chunks_exact(batch).take(MOMENT_BATCHES) {
            let graph = self.affinity.of_batch(self.rows.select(Axis(0), chosen).view())?;
            let moments = Moments::of(&graph, weights.outputs(self.inputs.select(Axis(0), chosen).view()).view());
            sum.gram += &moments.gram;
            sum.coupled += &moments.coupled;
        }
        let batches = (self.rows.nrows() / batch).min(MOMENT_BATCHES) as f64;
        sum.gram /= batches;
        sum.coupled /= batches;
        let (rotation, _) = sum.eigenfunctions()?;
        if let Some(last) = weights.layers.last_mut() {
            last.weight = last.weight.mapv(f64::from).dot(&rotation).mapv(|w| w as f32);
            last.bias = last.bias.mapv(f64::from).dot(&rotation).mapv(|b| b as f32);
        }
        Ok(())
    }
}

impl Objective<Mlp> for EmbeddingTraining<'_> {
    fn terms(&self) -> &'static [&'static str] {
        &["loss"]
    }

    fn evaluate(&mut self, network: &mut Mlp, batch: &[usize]) -> Result<Vec<f64>> {
        let graph = self.affinity.of_batch(self.rows.select(Axis(0), batch).view())?;
        let inputs = self.inputs.select(Axis(0), batch);
        let outputs = network.forward(inputs.view())?;
        let value = self.loss.evaluate(&graph, outputs.view())?;
        network.backward(inputs.view(), value.gradient);
        Ok(vec![value.total])
    }
}
