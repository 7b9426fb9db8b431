//! DEPICT (Dizaji et al. 2017): an autoencoder and a softmax layer on its code learn even, sharp memberships together; noisy rows must
//! keep those of clean ones.

use super::depict_network::DepictNetwork;
use super::limits::zero_or_positive;
use super::start::{AutoencoderStart, PretrainedAutoencoder, cluster_means};
use super::{Auto, Config, Fitted, Model, NetworkOptions, Options, Task, recorded};
use crate::features::{Pipeline, Step};
use crate::network::{Layer, Weights};
use crate::objective::{SoftTargets, self_training_targets, soft_cross_entropy, softmax};
use crate::rows::gather;
use crate::seed::Stream;
use crate::train::{Objective, Observer, Trainer};
use crate::{Error, Result, Seed};
use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

/// Passes over the rows on the first clusters; then on the targets, and the initial learning rate, unless told.
const FIRST_EPOCHS: usize = 5;
const EPOCHS: usize = 50;
const RATE: f64 = 1e-4;

/// The settings of DEPICT.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct DepictOptions {
    /// Share of the numbers of a row, and of its first hidden layer, that noise sets to zero
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "F"))]
    pub dropout: f64,
    /// Weight of the reconstruction of hidden layers beside that of the row
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "F"))]
    pub layer_weight: f64,
    /// How the autoencoder is trained first, and where clusters come from.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub start: AutoencoderStart,
    /// How the network is trained.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub network: NetworkOptions,
}

impl Default for DepictOptions {
    fn default() -> Self {
        Self {
            dropout: 0.1,
            layer_weight: 0.1,
            start: AutoencoderStart::default(),
            network: NetworkOptions {
                batch: Auto::Given(100),
                hidden: vec![500, 500].into(),
                weight_decay: 0.0,
                ..NetworkOptions::default()
            },
        }
    }
}

impl Options for DepictOptions {
    fn check(&self, config: &Config) -> Result<()> {
        if !(0.0..1.0).contains(&self.dropout) {
            return Err(Error::config("dropout", self.dropout, "from 0 to less than 1"));
        }
        zero_or_positive("layer-weight", self.layer_weight)?;
        self.start.check(&self.network, config)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        fit(self, task, observer)
    }

    fn network(&self) -> Option<&NetworkOptions> {
        Some(&self.network)
    }
}

fn fit(options: &DepictOptions, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
    let Task { config, rows, .. } = task;
    let PretrainedAutoencoder { representation, inputs, encoder, decoder, labels, curve } =
        options.start.of(task, &options.network, config.clusters, observer)?;
    let head = first_head(&encoder.outputs(inputs.rows.view()), &labels, config.clusters);
    let mut network = DepictNetwork::new(&encoder, &head, &decoder, options.dropout, options.layer_weight);
    let seed = Seed(config.seed);
    let mut training = SelfTraining {
        inputs: inputs.rows.view(),
        targets: one_hot(&labels, config.clusters),
        sharpens: false,
        noise: seed.stream("dropout"),
    };
    let trainer = Trainer {
        stage: "depict first clusters",
        batch: options.network.rows_per_batch(),
        epochs: FIRST_EPOCHS,
        learning_rate: options.network.lr.unwrap_or(RATE),
        weight_decay: options.network.weight_decay,
    };
    let mut rng = seed.stream("shuffle");
    let first = trainer.run(&mut network, rows.nrows(), &mut training, &mut rng, observer)?;
    training.sharpens = true;
    training.set_targets(&network)?;
    let trainer = Trainer { stage: "depict", epochs: options.network.epochs.unwrap_or(EPOCHS), ..trainer };
    let then = trainer.run(&mut network, rows.nrows(), &mut training, &mut rng, observer)?;
    let (encoder, head) = network.weights()?;
    let mut steps = inputs.steps;
    steps.push(Step::Encode(encoder));
    let model =
        Model { representation, embedding: Pipeline { steps }, ..Model::new(config.clone(), rows.ncols(), head) };
    Ok(recorded(model, rows, vec![curve, first, then]))
}

/// The directions of the centres of the codes, as the authors have it.
fn first_head(codes: &Array2<f32>, labels: &[u32], k: usize) -> Weights {
    let (mut means, _) = cluster_means(codes, labels, k);
    for mut mean in means.rows_mut() {
        let length = mean.dot(&mean).sqrt();
        if length > 0.0 {
            mean /= length;
        }
    }
    let weight = means.t().mapv(|x| x as f32).as_standard_layout().into_owned();
    Weights { layers: vec![Layer { weight, bias: Array1::zeros(k) }] }
}

fn one_hot(labels: &[u32], k: usize) -> Array2<f32> {
    Array2::from_shape_fn((labels.len(), k), |(i, c)| if labels[i] as usize == c { 1.0 } else { 0.0 })
}

/// Reconstruction of rows from noisy ones, and memberships of noisy rows towards targets.
struct SelfTraining<'a> {
    inputs: ArrayView2<'a, f32>,
    /// Those of all rows, `(n, k)`.
    targets: Array2<f32>,
    /// Whether targets are set anew after each epoch, by the memberships of clean rows.
    sharpens: bool,
    noise: Stream,
}

impl SelfTraining<'_> {
    fn set_targets(&mut self, network: &DepictNetwork) -> Result<()> {
        let (encoder, head) = network.weights()?;
        let memberships = softmax(head.outputs(encoder.outputs(self.inputs).view()));
        self.targets = self_training_targets(memberships.view());
        Ok(())
    }
}

impl Objective<DepictNetwork> for SelfTraining<'_> {
    fn terms(&self) -> &'static [&'static str] {
        &["loss", "cross-entropy", "reconstruction"]
    }

    fn evaluate(&mut self, network: &mut DepictNetwork, batch: &[usize]) -> Result<Vec<f64>> {
        let inputs = gather(self.inputs, batch);
        let pass = network.forward(inputs.view(), &mut self.noise)?;
        let memberships = softmax(pass.logits.clone());
        let targets = self.targets.select(Axis(0), batch);
        let SoftTargets { loss: entropy, of_logits, .. } = soft_cross_entropy(memberships.view(), targets.view());
        let reconstruction = network.backward(pass, of_logits);
        Ok(vec![entropy + reconstruction, entropy, reconstruction])
    }

    fn goes_on(&mut self, network: &DepictNetwork) -> Result<bool> {
        if self.sharpens {
            self.set_targets(network)?;
        }
        Ok(true)
    }
}
