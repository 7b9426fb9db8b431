//! Linear heads on pairs of near rows, by any loss of pairs. All heads are one layer, whose outputs are those of one head after another.

use super::super::record::recorded;
use super::super::{Config, Fitted, Model, Task};
use super::options::{HeadDefaults, HeadOptions};
use super::pairs::NeighborPairs;
use super::rows::HeadRows;
use super::scores::{HeadScores, mean};
use crate::network::{Layer, Mlp, Weights};
use crate::objective::{PairLossValue, softmax, softmax_backward};
use crate::rows::gather;
use crate::seed::Stream;
use crate::train::{Objective, Observer};
use crate::{Result, Seed};
use ndarray::{Array2, ArrayView2, Axis, s};

/// A loss of pairs; it keeps averages of its own.
pub(super) type PairLoss = Box<dyn FnMut(ArrayView2<f32>) -> PairLossValue>;

/// Trains linear heads, each with a loss of its own, and makes a model of the best.
pub(super) fn fit(
    task: Task,
    options: &HeadOptions,
    automatic: &HeadDefaults,
    walk: usize,
    loss: impl Fn() -> PairLoss,
    observer: &mut dyn Observer,
) -> Result<Fitted> {
    let Task { config, rows, .. } = task;
    config.device.check()?;
    observer.stage("nearest neighbours");
    let head_rows = HeadRows::of(&task, options.neighbors(automatic), walk)?;
    observer.go_on()?;
    let count = if config.clusters == 1 { 1 } else { options.heads.unwrap_or(automatic.heads) };
    let seed = Seed(config.seed);
    let initial = initial_layer(head_rows.inputs.ncols(), config.clusters, count, &mut seed.stream("heads"));
    let (layer, history) = if config.clusters == 1 {
        (initial, Vec::new())
    } else {
        let mut training = LinearTraining {
            inputs: head_rows.inputs.view(),
            pairs: &head_rows.pairs,
            clusters: config.clusters,
            losses: (0..count).map(|_| loss()).collect(),
            scores: HeadScores::new(count),
            rng: seed.stream("pairs"),
        };
        let mut network = Mlp::new(&Weights { layers: vec![initial] }, config.device)?;
        let trainer = options.trainer(config.method.name(), rows.nrows(), automatic);
        let curve = trainer.run(&mut network, rows.nrows(), &mut training, &mut seed.stream("shuffle"), observer)?;
        (training.best_of(&network.weights()?.layers[0]), vec![curve])
    };
    let model = linear_model(config, rows.ncols(), head_rows, layer);
    Ok(recorded(model, rows, history))
}

/// A model of rows of so many columns whose head is one layer.
fn linear_model(config: &Config, columns: usize, rows: HeadRows, layer: Layer) -> Model {
    let HeadRows { representation, encoding, .. } = rows;
    Model { representation, encoding, ..Model::new(config.clone(), columns, Weights { layers: vec![layer] }) }
}

/// Random heads side by side.
fn initial_layer(columns: usize, clusters: usize, heads: usize, rng: &mut Stream) -> Layer {
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
    /// The best head of all that are side by side.
    fn best_of(&self, heads: &Layer) -> Layer {
        let places = self.places(self.scores.best());
        Layer {
            weight: heads.weight.slice(s![.., places.clone()]).to_owned(),
            bias: heads.bias.slice(s![places]).to_owned(),
        }
    }

    /// The outputs of a head among those of all.
    fn places(&self, head: usize) -> std::ops::Range<usize> {
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
