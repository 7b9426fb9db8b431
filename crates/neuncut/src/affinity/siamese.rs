//! The affinity of a Siamese network: the heat kernel on codes that draw neighbours together, Eq. (siamese_distance).
//!
//! As in SpectralNet, each row is paired with its three nearest neighbours and three random other rows, and the network is trained
//! on the contrastive loss of these pairs.

use super::{Affinity, Bandwidth, HeatKernel};
use crate::features::mean_square;
use crate::graph::{BatchGraph, near_neighbors};
use crate::network::{Device, Mlp, Weights};
use crate::objective::{Pair, contrastive};
use crate::seed::Stream;
use crate::train::{EarlyStop, History, Objective, Observer, Trainer};
use crate::{Error, Result, Seed};
use ndarray::{Array2, ArrayView2, Axis};
use rand::RngExt;
use rand::seq::SliceRandom;

/// How a Siamese network is trained.
#[derive(Debug, Clone, PartialEq)]
pub struct SiameseOptions {
    /// Widths of the layers, the last being that of the codes; SpectralNet's unless changed.
    pub layers: Vec<usize>,
    /// Neighbours per row that are drawn together, and other rows that are pushed away.
    pub pairs: usize,
    /// Rows per batch, each with all of its pairs.
    pub batch: usize,
    /// Most passes over the rows.
    pub epochs: usize,
    /// Share of the rows whose pairs are held out to tell when to stop.
    pub held_out: f64,
    /// Passes without a lower held-out loss after which training stops.
    pub patience: usize,
    /// Initial learning rate.
    pub learning_rate: f64,
    /// Entries of the affinity kept per row; `None` keeps all.
    pub neighbors: Option<usize>,
}

impl Default for SiameseOptions {
    fn default() -> Self {
        Self {
            layers: vec![1024, 1024, 512, 10],
            pairs: 3,
            batch: 128,
            epochs: 15,
            held_out: 0.1,
            patience: 4,
            learning_rate: 1e-3,
            neighbors: Some(10),
        }
    }
}

/// A trained Siamese network with the heat kernel on its codes, whose bandwidth is local.
#[derive(Debug, Clone, PartialEq)]
pub struct Siamese {
    /// Rows to codes.
    pub encoder: Weights,
    /// Entries kept per row; `None` keeps all.
    pub neighbors: Option<usize>,
}

impl Siamese {
    /// Trains on rows `(n, d)`, and gives the learning curve too.
    ///
    /// # Errors
    /// When training diverges, the device fails, or `observer` asks to stop.
    pub fn fit(
        rows: ArrayView2<f32>,
        options: &SiameseOptions,
        seed: Seed,
        device: Device,
        observer: &mut dyn Observer,
    ) -> Result<(Self, History)> {
        let n = rows.nrows();
        if n < 2 {
            let remedy = "a Siamese network learns from pairs of rows".into();
            return Err(Error::TooFewRows { what: "the data".into(), rows: n as u64, needed: 2, remedy });
        }
        let mut rng = seed.stream("siamese");
        observer.stage("nearest neighbours");
        let partners = partners(rows, options, &mut rng);
        let mean = rows.mean_axis(Axis(0)).expect("there are rows");
        let mut inputs = &rows - &mean;
        let scale = 1.0 / mean_square(inputs.view()).max(1e-30).sqrt() as f32;
        inputs *= scale;

        let sizes: Vec<usize> = [&[rows.ncols()][..], &options.layers].concat();
        let weights = Weights::random(&sizes, &mut rng);
        let mut order: Vec<usize> = (0..n).collect();
        order.shuffle(&mut rng);
        let held_out = order.split_off(n - ((n as f64 * options.held_out) as usize).clamp(1, n - 1));
        let mut network = Mlp::new(&weights, device)?;
        let mut objective = Contrast {
            inputs: inputs.view(),
            partners: &partners,
            trained: &order,
            held_out: &held_out,
            stop: EarlyStop::new(weights, options.patience),
        };
        let trainer = Trainer {
            stage: "siamese",
            batch: options.batch,
            epochs: options.epochs,
            learning_rate: options.learning_rate,
            weight_decay: 0.0,
        };
        let history = trainer.run(&mut network, order.len(), &mut objective, &mut rng, observer)?;
        let EarlyStop { best: mut encoder, loss, .. } = objective.stop;
        if !encoder.is_finite() || !loss.is_finite() {
            let step = history.epochs.len() * (order.len() / options.batch.min(order.len()));
            return Err(Error::Diverged { step, what: "Siamese network" });
        }
        take_in(&mut encoder, mean.view(), scale);
        Ok((Self { encoder, neighbors: options.neighbors }, history))
    }
}

impl Affinity for Siamese {
    fn neighbors(&self) -> Option<usize> {
        self.neighbors
    }

    fn among(&self, rows: ArrayView2<f32>, neighbors: Option<usize>) -> Result<BatchGraph> {
        let codes = self.encoder.outputs(rows);
        HeatKernel { bandwidth: Bandwidth::Auto, neighbors }.among(codes.view(), neighbors)
    }
}

/// Lets the first layer take rows as they are: `(x - mean) scale W + b = x (scale W) + (b - scale mean W)`.
fn take_in(encoder: &mut Weights, mean: ndarray::ArrayView1<f32>, scale: f32) {
    if let Some(layer) = encoder.layers.first_mut() {
        layer.weight *= scale;
        layer.bias -= &mean.dot(&layer.weight);
    }
}

/// The rows that each row is paired with: its neighbours, and others that are not.
struct Partners {
    near: Vec<u32>,
    other: Vec<u32>,
}

fn partners(rows: ArrayView2<f32>, options: &SiameseOptions, rng: &mut Stream) -> Vec<Partners> {
    let (found, _) = near_neighbors(rows, options.pairs);
    let near = found.indices.rows().into_iter().map(|near| near.to_vec()).enumerate();
    near.map(|(i, near)| Partners { other: others(i, &near, rows.nrows(), options.pairs, rng), near }).collect()
}

/// Random rows that are neither the row itself nor its neighbours.
fn others(row: usize, near: &[u32], n: usize, count: usize, rng: &mut Stream) -> Vec<u32> {
    let count = count.min(n - 1 - near.len());
    let mut drawn: Vec<u32> = Vec::with_capacity(count);
    while drawn.len() < count {
        let other = rng.random_range(0..n as u32);
        if other as usize != row && !near.contains(&other) && !drawn.contains(&other) {
            drawn.push(other);
        }
    }
    drawn
}

/// The contrastive loss, and the encoder that was best on the rows held out.
struct Contrast<'a> {
    inputs: ArrayView2<'a, f32>,
    partners: &'a [Partners],
    trained: &'a [usize],
    held_out: &'a [usize],
    stop: EarlyStop<Weights>,
}

impl Contrast<'_> {
    /// The inputs of these rows followed by those of all their partners, and the pairs among them.
    fn pairs(&self, rows: &[usize]) -> (Array2<f32>, Vec<Pair>) {
        let (mut all, mut pairs) = (rows.to_vec(), Vec::new());
        for (first, &row) in rows.iter().enumerate() {
            let Partners { near, other } = &self.partners[row];
            for (partners, joined) in [(near, true), (other, false)] {
                for &partner in partners {
                    pairs.push(Pair { first, second: all.len(), joined });
                    all.push(partner as usize);
                }
            }
        }
        (self.inputs.select(Axis(0), &all), pairs)
    }
}

impl Objective<Mlp> for Contrast<'_> {
    fn terms(&self) -> &'static [&'static str] {
        &["contrast"]
    }

    fn evaluate(&mut self, network: &mut Mlp, batch: &[usize]) -> Result<Vec<f64>> {
        let rows: Vec<usize> = batch.iter().map(|&place| self.trained[place]).collect();
        let (inputs, pairs) = self.pairs(&rows);
        let codes = network.forward(inputs.view())?;
        let (loss, gradient) = contrastive(codes.view(), &pairs);
        network.backward(inputs.view(), gradient);
        Ok(vec![loss])
    }

    fn goes_on(&mut self, network: &Mlp) -> Result<bool> {
        let encoder = network.weights()?;
        let (inputs, pairs) = self.pairs(self.held_out);
        let (loss, _) = contrastive(encoder.outputs(inputs.view()).view(), &pairs);
        Ok(self.stop.goes_on(loss, encoder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Silent;

    /// Two arcs that interlock.
    fn arcs(n: usize) -> Array2<f32> {
        Array2::from_shape_fn((n, 2), |(i, j)| {
            let angle = (i / 2) as f32 / (n / 2) as f32 * std::f32::consts::PI;
            let point = if i % 2 == 0 { (angle.cos(), angle.sin()) } else { (1.0 - angle.cos(), 0.5 - angle.sin()) };
            100.0 + 5.0 * if j == 0 { point.0 } else { point.1 }
        })
    }

    fn options() -> SiameseOptions {
        SiameseOptions { layers: vec![64, 32, 4], batch: 32, epochs: 30, ..Default::default() }
    }

    #[test]
    fn weight_stays_within_the_arcs_and_codes_spread() {
        let rows = arcs(400);
        let (siamese, history) = Siamese::fit(rows.view(), &options(), Seed(1), Device::Cpu, &mut Silent).unwrap();
        assert_eq!(siamese.encoder.sizes(), [2, 64, 32, 4]);
        let (first, last) = (history.epochs[0].values[0], history.epochs[history.epochs.len() - 1].values[0]);
        assert!(last < 0.7 * first, "{first} to {last}");
        let graph = siamese.graph(rows.view(), 5).unwrap();
        let (mut within, mut all) = (0.0, 0.0);
        for i in 0..400 {
            for (j, w) in graph.neighbors(i) {
                all += w;
                within += if i % 2 == j % 2 { w } else { 0.0 };
            }
        }
        assert!(within > 0.95 * all, "{within} of {all}");
        let again = Siamese::fit(rows.view(), &options(), Seed(1), Device::Cpu, &mut Silent).unwrap().0;
        assert_eq!(again, siamese);
    }

    #[test]
    fn partners_are_neighbours_and_others() {
        let rows = Array2::from_shape_fn((90, 1), |(i, _)| i as f32);
        let found = partners(rows.view(), &options(), &mut Seed(2).stream("partners"));
        for (i, Partners { near, other }) in found.iter().enumerate() {
            assert_eq!((near.len(), other.len()), (3, 3));
            assert!(near.iter().all(|&j| (j as usize).abs_diff(i) <= 3), "row {i}: {near:?}");
            assert!(other.iter().all(|j| !near.contains(j) && *j as usize != i));
        }
        let few = partners(rows.slice(ndarray::s![..3, ..]), &options(), &mut Seed(2).stream("partners"));
        assert!(few.iter().all(|p| p.near.len() == 2 && p.other.is_empty()));
    }

    #[test]
    fn one_row_has_no_pair() {
        let error = Siamese::fit(Array2::zeros((1, 2)).view(), &options(), Seed(1), Device::Cpu, &mut Silent);
        assert!(error.unwrap_err().to_string().contains("pairs of rows"));
    }
}
