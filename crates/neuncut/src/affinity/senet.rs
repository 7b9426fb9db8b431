//! The affinity of SENet: self-expressive coefficients that a pair of networks gives for any two rows.
//!
//! `c_ij` is the product of what the query network makes of row `i` and the key network of row `j`, with a learnt threshold taken
//! off its magnitude. The networks are trained so that each row is a combination of other rows, Eq. (senet).

use super::Affinity;
use super::products::{largest_coefficients, largest_graph};
use crate::features::{RidgeWhitening, unit_rows};
use crate::graph::BatchGraph;
use crate::linalg::matmul;
use crate::network::{Device, KeyQuery, KeyQueryGradient, KeyQueryWeights, Weights};
use crate::objective::{Expressed, SelfExpression, soft_threshold};
use crate::seed::Stream;
use crate::train::{History, Objective, Observer, Trainer};
use crate::{Error, Result, Seed};
use ndarray::{Array2, ArrayView2, Axis};
use rand::seq::index::sample;
use serde::{Deserialize, Serialize};

/// Length of whitened rows as they enter the networks: the loss falls faster than with unit rows, whose entries are small.
const INPUT_LENGTH: f32 = 4.0;

/// Two sets of sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum SenetSize {
    /// Trains in minutes on two cores. What it gives up: narrower networks, far fewer steps, in each step a random part of the
    /// rows as keys in place of all of them, and networks that see whitened rows, with which few steps go farther.
    #[default]
    Small,
    /// Its authors' sizes: days on two cores for 20,000 rows.
    Paper,
}

/// How a SENet is trained.
#[derive(Debug, Clone, PartialEq)]
pub struct SenetOptions {
    /// Widths of the layers of either network, the last being that of the codes.
    pub layers: Vec<usize>,
    /// Rows per batch.
    pub batch: usize,
    /// Steps, rounded up to whole passes over the rows.
    pub steps: usize,
    /// Keys a step, drawn at random; `None` takes every row.
    pub block: Option<usize>,
    /// The networks see ridge-whitened rows, with this ridge; `None` shows them unit rows. Rows are expressed as unit rows in
    /// either case.
    pub whitening: Option<f32>,
    /// Initial learning rate.
    pub learning_rate: f64,
    /// Weights of the loss.
    pub loss: SelfExpression,
    /// The longest gradient of a step, all parameters together.
    pub longest_gradient: f64,
    /// Entries of the affinity kept per row; `None` keeps all.
    pub neighbors: Option<usize>,
}

impl SenetOptions {
    /// The options of a preset. Weights of the loss, learning rate and clipping are the authors' in both.
    pub fn of(size: SenetSize) -> Self {
        let (layers, batch, steps, block, whitening) = match size {
            SenetSize::Small => (vec![512, 512, 256], 500, 2000, Some(2000), Some(1e-2)),
            SenetSize::Paper => (vec![1024; 4], 100, 100_000, None, None),
        };
        Self {
            layers,
            batch,
            steps,
            block,
            whitening,
            learning_rate: 1e-3,
            loss: SelfExpression { reconstruction: 200.0, sparsity: 0.9 },
            longest_gradient: 1e-3,
            neighbors: Some(10),
        }
    }
}

/// A trained SENet: `a_ij = (|c_ij| + |c_ji|) / 2` over the largest coefficients of each row.
#[derive(Debug, Clone, PartialEq)]
pub struct Senet {
    /// The networks and their threshold.
    pub networks: KeyQueryWeights,
    /// How rows are whitened before they enter the networks; otherwise they are made unit.
    pub whitening: Option<RidgeWhitening>,
    /// Entries kept per row; `None` keeps all.
    pub neighbors: Option<usize>,
}

impl Senet {
    /// Trains on rows `(n, d)`, each made unit, and gives the learning curve too.
    ///
    /// # Errors
    /// When training diverges, the device fails, or `observer` asks to stop.
    pub fn fit(
        rows: ArrayView2<f32>,
        options: &SenetOptions,
        seed: Seed,
        device: Device,
        observer: &mut dyn Observer,
    ) -> Result<(Self, History)> {
        let n = rows.nrows();
        if n < 2 {
            let remedy = "SENet writes rows as combinations of other rows".into();
            return Err(Error::TooFewRows { what: "the data".into(), rows: n as u64, needed: 2, remedy });
        }
        let whitening = options.whitening.map(|ridge| RidgeWhitening::fit(rows, ridge)).transpose()?;
        let inputs = network_inputs(whitening.as_ref(), rows);
        let mut rows = rows.to_owned();
        unit_rows(&mut rows);
        let sizes: Vec<usize> = [&[rows.ncols()][..], &options.layers].concat();
        let mut rng = seed.stream("senet");
        let (query, key) = (Weights::random(&sizes, &mut rng), Weights::random(&sizes, &mut rng));
        let mut network = KeyQuery::new(&KeyQueryWeights { query, key, threshold: 0.0 }, device)?;
        let batch = options.batch.min(n);
        let trainer = Trainer {
            stage: "senet",
            batch,
            epochs: options.steps.div_ceil(n / batch),
            learning_rate: options.learning_rate,
            weight_decay: 0.0,
        };
        let keys = seed.stream("senet keys");
        let mut objective = Expression { rows: rows.view(), inputs: inputs.view(), options, keys };
        let history = trainer.run(&mut network, n, &mut objective, &mut rng, observer)?;
        let networks = network.weights()?;
        Ok((Self { networks, whitening, neighbors: options.neighbors }, history))
    }
}

impl Senet {
    /// The `kept` coefficients of largest magnitude of each row `(n, d)` over the others, with their signs.
    pub fn coefficients(&self, rows: ArrayView2<f32>, kept: usize) -> Vec<Vec<(u32, f32)>> {
        let inputs = network_inputs(self.whitening.as_ref(), rows);
        let (queries, keys) = (self.networks.queries(inputs.view()), self.networks.keys(inputs.view()));
        let shrink = 1.0 / queries.ncols() as f32;
        let weight = |product: f32| shrink * soft_threshold(product, self.networks.threshold);
        largest_coefficients(queries.view(), keys.view(), kept, weight)
    }
}

impl Affinity for Senet {
    fn neighbors(&self) -> Option<usize> {
        self.neighbors
    }

    fn among(&self, rows: ArrayView2<f32>, neighbors: Option<usize>) -> Result<BatchGraph> {
        let inputs = network_inputs(self.whitening.as_ref(), rows);
        let (queries, keys) = (self.networks.queries(inputs.view()), self.networks.keys(inputs.view()));
        let shrink = 1.0 / queries.ncols() as f32;
        let magnitude = |product: f32| shrink * soft_threshold(product, self.networks.threshold).abs();
        Ok(match neighbors {
            None => {
                let mut weights = matmul(queries.view(), keys.t());
                weights.par_mapv_inplace(magnitude);
                weights.diag_mut().fill(0.0);
                BatchGraph::Dense(0.5 * (&weights + &weights.t()))
            }
            Some(count) => BatchGraph::Sparse(largest_graph(queries.view(), keys.view(), count, magnitude)),
        })
    }
}

/// Rows as they enter the networks.
fn network_inputs(whitening: Option<&RidgeWhitening>, rows: ArrayView2<f32>) -> Array2<f32> {
    let mut inputs = rows.to_owned();
    match whitening {
        None => unit_rows(&mut inputs),
        Some(whitening) => {
            whitening.apply(&mut inputs);
            inputs *= INPUT_LENGTH;
        }
    }
    inputs
}

/// The self-expression loss of a batch on a block of keys.
struct Expression<'a> {
    /// Unit rows.
    rows: ArrayView2<'a, f32>,
    /// The same rows as they enter the networks.
    inputs: ArrayView2<'a, f32>,
    options: &'a SenetOptions,
    /// Where blocks of keys are drawn from.
    keys: Stream,
}

impl Expression<'_> {
    /// The keys of a step, ascending.
    fn draw_keys(&mut self) -> Vec<usize> {
        let n = self.rows.nrows();
        match self.options.block.filter(|&block| block < n) {
            None => (0..n).collect(),
            Some(block) => {
                let mut drawn = sample(&mut self.keys, n, block).into_vec();
                drawn.sort_unstable();
                drawn
            }
        }
    }
}

impl Objective<KeyQuery> for Expression<'_> {
    fn terms(&self) -> &'static [&'static str] {
        &["loss", "reconstruction", "penalty"]
    }

    fn evaluate(&mut self, network: &mut KeyQuery, batch: &[usize]) -> Result<Vec<f64>> {
        let drawn = self.draw_keys();
        let own: Vec<Option<usize>> = batch.iter().map(|row| drawn.binary_search(row).ok()).collect();
        let (rows, keys) = (self.rows.select(Axis(0), batch), self.rows.select(Axis(0), &drawn));
        let (queries, shown) = (self.inputs.select(Axis(0), batch), self.inputs.select(Axis(0), &drawn));
        let codes = network.forward(queries.view(), shown.view())?;
        let value = self.options.loss.evaluate(&Expressed {
            rows: rows.view(),
            keys: keys.view(),
            own: &own,
            query_codes: codes.queries.view(),
            key_codes: codes.keys.view(),
            threshold: codes.threshold,
        });
        let gradient = KeyQueryGradient { queries: value.queries, keys: value.keys, threshold: value.threshold };
        network.backward(queries.view(), shown.view(), &codes, gradient);
        network.clip(self.options.longest_gradient)?;
        Ok(vec![value.total, value.reconstruction, value.penalty])
    }
}

#[cfg(test)]
mod tests;
