//! Linear heads on pairs of near rows, by any loss of pairs. All heads are one layer, whose outputs are those of one head after another.

use super::super::method::Options;
use super::super::neural_cut::{StartOptions, WarmStart};
use super::super::record::recorded;
use super::super::{Fitted, Task};
use super::options::{HeadDefaults, HeadOptions};
use super::pairs::NeighborPairs;
use super::rows::HeadRows;
use super::scores::{HeadScores, mean};
use crate::network::{Layer, Mlp, Weights};
use crate::objective::{PairLossValue, softmax, softmax_backward};
use crate::rows::gather;
use crate::seed::Stream;
use crate::train::{History, Objective, Observer, Trainer};
use crate::{Result, Seed};
use ndarray::{Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A loss of pairs; it keeps averages of its own.
pub(super) type PairLoss = Box<dyn FnMut(ArrayView2<f32>) -> PairLossValue>;

/// Steps in which a head learns the ensemble's labels, and their initial learning rate.
const START_STEPS: usize = 300;
const START_RATE: f64 = 3e-3;
/// Share of each of those labels that is spread over all clusters.
const START_SMOOTHING: f32 = 0.1;

/// Where linear heads begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum HeadStart {
    /// At random weights
    #[default]
    Random,
    /// At the labels of the ensemble, which one head learns first
    Ensemble,
}

/// How linear heads are fitted.
pub(super) struct LinearFit<'a> {
    pub options: &'a HeadOptions,
    pub automatic: HeadDefaults,
    /// Most steps on the graph of neighbours from a row to its partner.
    pub walk: usize,
    pub start: HeadStart,
}

impl LinearFit<'_> {
    /// Trains heads, each with a loss of its own, and makes a model of the best.
    pub fn run(&self, task: Task, loss: impl Fn() -> PairLoss, observer: &mut dyn Observer) -> Result<Fitted> {
        let Task { config, rows, .. } = task;
        config.device.check()?;
        observer.stage("nearest neighbours");
        let head_rows = HeadRows::of(&task, self.options.neighbors(&self.automatic), self.walk)?;
        observer.go_on()?;
        let seed = Seed(config.seed);
        let count = if config.clusters == 1 || self.start == HeadStart::Ensemble {
            1
        } else {
            self.options.heads.unwrap_or(self.automatic.heads)
        };
        let heads = side_by_side(head_rows.inputs.ncols(), config.clusters, count, &mut seed.stream("heads"));
        let mut network = Mlp::new(&Weights { layers: vec![heads] }, config.device)?;
        let mut history = Vec::new();
        let mut best = 0;
        let mut training = LinearTraining {
            inputs: head_rows.inputs.view(),
            pairs: &head_rows.pairs,
            clusters: config.clusters,
            losses: (0..count).map(|_| loss()).collect(),
            scores: HeadScores::new(count),
            rng: seed.stream("pairs"),
        };
        if config.clusters > 1 {
            if self.start == HeadStart::Ensemble {
                history.push(self.learn_ensemble(task, &mut network, head_rows.inputs.view(), observer)?);
            }
            let trainer = self.options.trainer(config.method.name(), rows.nrows(), &self.automatic);
            let rng = &mut seed.stream("shuffle");
            history.push(trainer.run(&mut network, rows.nrows(), &mut training, rng, observer)?);
            best = training.scores.best();
        }
        let layer = one_of(&network.weights()?.layers[0], training.places(best));
        Ok(recorded(head_rows.model(&task, layer), rows, history))
    }

    /// Teaches the network the labels of the ensemble.
    fn learn_ensemble(
        &self,
        task: Task,
        network: &mut Mlp,
        inputs: ArrayView2<f32>,
        observer: &mut dyn Observer,
    ) -> Result<History> {
        let labels = StartOptions::default().fit(task, observer)?.labels;
        let mut objective = WarmStart { inputs, labels: &labels, smoothing: START_SMOOTHING };
        let per_epoch = inputs.nrows() / self.options.rows_per_batch().min(inputs.nrows());
        let trainer = Trainer {
            stage: "start",
            batch: self.options.rows_per_batch(),
            epochs: START_STEPS.div_ceil(per_epoch),
            learning_rate: START_RATE,
            weight_decay: 0.0,
        };
        let rng = &mut Seed(task.config.seed).stream("start");
        trainer.run(network, inputs.nrows(), &mut objective, rng, observer)
    }
}

/// The head whose outputs are at these places among those of all.
fn one_of(heads: &Layer, places: Range<usize>) -> Layer {
    let weight = heads.weight.slice(s![.., places.clone()]).to_owned();
    Layer { weight, bias: heads.bias.slice(s![places]).to_owned() }
}

/// Random heads side by side.
fn side_by_side(columns: usize, clusters: usize, heads: usize, rng: &mut Stream) -> Layer {
    let drawn: Vec<Layer> = (0..heads).flat_map(|_| Weights::random(&[columns, clusters], rng).layers).collect();
    let weights: Vec<_> = drawn.iter().map(|layer| layer.weight.view()).collect();
    let weight = ndarray::concatenate(Axis(1), &weights).expect("heads have the same inputs");
    Layer { bias: ndarray::Array1::zeros(weight.ncols()), weight }
}

/// Heads side by side, each with its loss.
struct LinearTraining<'a> {
    /// `(n, d)`.
    inputs: ArrayView2<'a, f32>,
    pairs: &'a NeighborPairs,
    clusters: usize,
    losses: Vec<PairLoss>,
    scores: HeadScores,
    rng: Stream,
}

impl LinearTraining<'_> {
    /// The outputs of a head among those of all.
    fn places(&self, head: usize) -> Range<usize> {
        head * self.clusters..(head + 1) * self.clusters
    }
}

impl Objective<Mlp> for LinearTraining<'_> {
    fn terms(&self) -> &'static [&'static str] {
        &["loss", "score"]
    }

    fn evaluate(&mut self, network: &mut Mlp, batch: &[usize]) -> Result<Vec<f64>> {
        let inputs = gather(self.inputs, &self.pairs.with_partners(batch, &mut self.rng));
        let mut logits: Array2<f32> = network.forward(inputs.view())?;
        let (mut totals, mut scores) = (Vec::new(), Vec::new());
        for head in 0..self.losses.len() {
            let mut own = logits.slice_mut(s![.., self.places(head)]);
            let memberships = softmax(own.to_owned());
            let value = self.losses[head](memberships.view());
            own.assign(&softmax_backward(memberships.view(), value.gradient));
            totals.push(value.total);
            scores.push(value.score);
        }
        network.backward(inputs.view(), logits);
        self.scores.add(&scores);
        Ok(vec![mean(&totals), mean(&scores)])
    }

    fn goes_on(&mut self, _: &Mlp) -> Result<bool> {
        self.scores.end_epoch();
        Ok(true)
    }
}
