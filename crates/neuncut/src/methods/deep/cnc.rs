//! CNC (Nazi et al. 2019): a network learns memberships of low expected normalized cut on the affinity of a Siamese network.
//!
//! Where this departs from the authors, `docs/methods.md` says so.

use super::limits::{positive, zero_or_positive};
use super::{
    AffinityKind, AffinityOptions, Auto, Config, Fitted, Model, NetworkInputs, NetworkOptions, Options, Prepared, Task,
    recorded,
};
use crate::affinity::Affinity;
use crate::features::Pipeline;
use crate::network::{Mlp, Weights};
use crate::objective::{ExpectedCut, softmax, softmax_backward};
use crate::rows::gather;
use crate::seed::Stream;
use crate::train::{Objective, Observer, Trainer};
use crate::{Result, Seed};
use ndarray::{Array2, ArrayView2};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Neighbours per row inside a batch unless told.
const BATCH_NEIGHBORS: usize = 3;
/// Passes over the rows and the initial learning rate unless told.
const EPOCHS: usize = 60;
const RATE: f64 = 1e-3;
/// The temperature at the end.
const LAST_TEMPERATURE: f64 = 1.0;

/// The settings of CNC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct CncOptions {
    /// Weight of the differences between the sizes of clusters in a batch, which are squared
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "F"))]
    pub balance: f64,
    /// Temperature of the random assignments at first; it falls to one
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "F"))]
    pub assignment_temperature: f64,
    /// What joins rows.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub affinity: AffinityOptions,
    /// How the network is trained.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub network: NetworkOptions,
}

impl Default for CncOptions {
    fn default() -> Self {
        Self {
            balance: 0.01,
            assignment_temperature: 1.5,
            affinity: AffinityOptions::of(AffinityKind::Siamese),
            network: NetworkOptions { batch: Auto::Given(256), weight_decay: 0.0, ..NetworkOptions::default() },
        }
    }
}

impl Options for CncOptions {
    fn check(&self, config: &Config) -> Result<()> {
        zero_or_positive("balance", self.balance)?;
        positive("assignment-temperature", self.assignment_temperature)?;
        self.affinity.refuse_graph(&config.method)?;
        self.affinity.check()?;
        self.network.check(config.clusters)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        fit(self, task, observer)
    }

    fn affinity(&self) -> Option<&AffinityOptions> {
        Some(&self.affinity)
    }

    fn network(&self) -> Option<&NetworkOptions> {
        Some(&self.network)
    }
}

fn fit(options: &CncOptions, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
    let Task { config, rows, .. } = task;
    config.device.check()?;
    let prepared = Prepared::new(config, &options.affinity, rows, None, BATCH_NEIGHBORS, observer)?;
    let representation = task.representation()?;
    let represented = representation.transform(rows);
    let inputs = NetworkInputs::of(&represented);
    let (affinity, measured) = prepared.affinity(represented.view())?;
    let seed = Seed(config.seed);
    let trainer = Trainer {
        stage: "cnc",
        batch: options.network.rows_per_batch(),
        epochs: options.network.epochs.unwrap_or(EPOCHS),
        learning_rate: options.network.lr.unwrap_or(RATE),
        weight_decay: options.network.weight_decay,
    };
    let mut training = CutTraining {
        rows: measured,
        inputs: inputs.rows.view(),
        affinity: affinity.as_ref(),
        loss: ExpectedCut { balance: options.balance },
        temperature: options.assignment_temperature,
        cooling: (LAST_TEMPERATURE / options.assignment_temperature).min(1.0).powf(1.0 / trainer.epochs as f64),
        noise: seed.stream("gumbel"),
    };
    let sizes: Vec<usize> = [&[inputs.rows.ncols()][..], options.network.hidden.widths(), &[config.clusters]].concat();
    let mut network = Mlp::new(&Weights::random(&sizes, &mut seed.stream("init")), config.device)?;
    let curve = trainer.run(&mut network, rows.nrows(), &mut training, &mut seed.stream("shuffle"), observer)?;
    let encoding = Pipeline { steps: inputs.steps };
    let model = Model { representation, encoding, ..Model::new(config.clone(), rows.ncols(), network.weights()?) };
    let mut fitted = recorded(model, rows, prepared.curve.iter().cloned().chain([curve]).collect());
    if let Some(model) = &mut fitted.model {
        model.record.diagnostics.affinity = prepared.note();
    }
    Ok(fitted)
}

/// The expected cut of the memberships on the affinity inside each batch.
struct CutTraining<'a> {
    /// The rows on which affinity is measured, `(n, d)`.
    rows: ArrayView2<'a, f32>,
    /// The same rows as they enter the network.
    inputs: ArrayView2<'a, f32>,
    affinity: &'a dyn Affinity,
    loss: ExpectedCut,
    temperature: f64,
    /// What the temperature is multiplied by after each epoch.
    cooling: f64,
    noise: Stream,
}

impl CutTraining<'_> {
    /// Adds Gumbel noise to the logits and divides by the temperature: the softmax of that is a random, nearly hard assignment.
    fn perturb(&mut self, logits: &mut Array2<f32>) {
        for value in logits {
            let uniform = self.noise.random::<f64>().max(f64::MIN_POSITIVE);
            let gumbel = -(-uniform.ln()).max(f64::MIN_POSITIVE).ln();
            *value = ((f64::from(*value) + gumbel) / self.temperature) as f32;
        }
    }
}

impl Objective<Mlp> for CutTraining<'_> {
    fn terms(&self) -> &'static [&'static str] {
        &["loss", "cut", "imbalance"]
    }

    fn evaluate(&mut self, network: &mut Mlp, batch: &[usize]) -> Result<Vec<f64>> {
        let graph = self.affinity.of_batch(gather(self.rows, batch).view())?;
        let inputs = gather(self.inputs, batch);
        let mut logits = network.forward(inputs.view())?;
        self.perturb(&mut logits);
        let memberships = softmax(logits);
        let value = self.loss.evaluate(&graph, memberships.view());
        let gradient = softmax_backward(memberships.view(), value.gradient) / self.temperature as f32;
        network.backward(inputs.view(), gradient);
        Ok(vec![value.cut + value.imbalance, value.cut, value.imbalance])
    }

    fn labels(&self, network: &Mlp, rows: &[usize]) -> Result<Option<Vec<u32>>> {
        let inputs = gather(self.inputs, rows);
        Ok(Some(network.weights()?.labels(&Pipeline::default(), inputs.view())))
    }

    fn goes_on(&mut self, _: &Mlp) -> Result<bool> {
        self.temperature *= self.cooling;
        Ok(true)
    }
}
