//! SpectralNet and SpecNet2: a network learns the spectral embedding on batches, k-means groups it.
//!
//! SpectralNet (Shaham et al., ICLR 2018) makes the outputs of a batch orthonormal by Cholesky. Its authors hold the factor of
//! one batch fixed during a step on another; here the gradient goes through the factor of the batch itself, which is the same
//! direction without its part inside the span. SpecNet2 (Chen, Li and Cheng, MSML 2022) needs no orthogonalisation. After
//! training, both have their outputs turned into eigenfunctions, in order, by the moments of many batches; the turn is part of
//! the last layer.

use super::kmeans::{EMBEDDING_RESTARTS, KMeansOptions, grouped};
use super::limits::at_least_clusters;
use super::method::Options;
use super::network_inputs::NetworkInputs;
use super::{AffinityOptions, Auto, Config, Fitted, Method, NetworkOptions, Prepared, Task};
use crate::affinity::Affinity;
use crate::features::{Pipeline, Step};
use crate::network::{Mlp, Weights};
use crate::objective::{EmbeddingLoss, Moments};
use crate::train::{Objective, Observer, Trainer};
use crate::{Result, Seed};
use ndarray::{Array2, ArrayView2, Axis};
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// Neighbours per row inside a batch unless told.
const BATCH_NEIGHBORS: usize = 3;
/// Steps and their initial learning rate unless told.
const STEPS: usize = 2000;
const RATE: f64 = 1e-3;
/// Batches whose moments turn the outputs into eigenfunctions.
const MOMENT_BATCHES: usize = 40;

/// The settings of SpectralNet and SpecNet2.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct EmbeddingOptions {
    /// Outputs of the network, one per eigenvector; auto is as many as clusters
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub eigenvectors: Auto<usize>,
    /// What joins rows.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub affinity: AffinityOptions,
    /// Save the trained Siamese network or SENet in the model too; prediction does not need it
    #[cfg_attr(feature = "clap", arg(long, action = clap::ArgAction::Set, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL"))]
    pub keep_affinity: bool,
    /// k-means of the embedding.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub k_means: KMeansOptions,
    /// How the network is trained.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub network: NetworkOptions,
}

impl Options for EmbeddingOptions {
    fn check(&self, config: &Config) -> Result<()> {
        self.affinity.refuse_graph(&config.method)?;
        if let Auto::Given(count) = self.eigenvectors {
            at_least_clusters("eigenvectors", count, config.clusters)?;
        }
        self.affinity.check()?;
        self.k_means.check()?;
        self.network.check(config.clusters)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let loss = match task.config.method {
            Method::SpecNet2(_) => EmbeddingLoss::OrthogonalizationFree,
            _ => EmbeddingLoss::Orthogonalized,
        };
        fit(self, loss, task, observer)
    }

    fn affinity(&self) -> Option<&AffinityOptions> {
        Some(&self.affinity)
    }

    fn network(&self) -> Option<&NetworkOptions> {
        Some(&self.network)
    }
}

/// Trains on the rows, and groups their embedding.
fn fit(options: &EmbeddingOptions, loss: EmbeddingLoss, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
    let Task { config, rows, .. } = task;
    let network_options = &options.network;
    let prepared = Prepared::new(config, &options.affinity, rows, None, BATCH_NEIGHBORS, observer)?;
    let representation = task.representation()?;
    let represented = representation.transform(rows);
    let NetworkInputs { rows: inputs, mut steps } = NetworkInputs::of(&represented);

    config.device.check()?;
    let (affinity, measured) = prepared.affinity(represented.view())?;
    let mut training = EmbeddingTraining { rows: measured, inputs: inputs.view(), affinity: affinity.as_ref(), loss };
    let batch = network_options.rows_per_batch().min(rows.nrows());
    let trainer = Trainer {
        stage: config.method.name(),
        batch,
        epochs: network_options.epochs.unwrap_or(STEPS.div_ceil(rows.nrows() / batch)),
        learning_rate: network_options.lr.unwrap_or(RATE),
        weight_decay: network_options.weight_decay,
    };
    let outputs = options.eigenvectors.unwrap_or(config.clusters);
    let sizes: Vec<usize> = [&[inputs.ncols()][..], network_options.hidden.widths(), &[outputs]].concat();
    let seed = Seed(config.seed);
    let mut network = Mlp::new(&Weights::random(&sizes, &mut seed.stream("init")), config.device)?;
    let curve = trainer.run(&mut network, rows.nrows(), &mut training, &mut seed.stream("shuffle"), observer)?;
    let mut weights = network.weights()?;
    observer.stage("eigenfunctions");
    training.turn(&mut weights, batch, seed)?;
    steps.push(Step::Encode(weights));
    let embedding = Pipeline { steps };
    observer.stage("k-means");
    let curves = prepared.curve.iter().cloned().chain([curve]).collect();
    let restarts = options.k_means.restarts.unwrap_or(EMBEDDING_RESTARTS);
    let mut fitted = grouped(config, representation, embedding, rows, restarts, curves)?;
    if let Some(model) = &mut fitted.model {
        model.record.diagnostics.affinity = prepared.note();
        model.affinity = prepared.learned.clone().filter(|_| options.keep_affinity);
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
