//! AutoSC (Fan et al. 2022): of several self-expressive affinities of anchors the one with the largest relative eigengap, chosen without labels.

use super::super::kmeans::grouped;
use super::super::limits::at_least_one;
use super::super::method::Options;
use super::super::regression::Regression;
use super::super::{Auto, Config, Fitted, Task};
use super::AnchorOptions;
use super::options::ANCHORS;
use super::transfer::heat_factor;
use crate::features::{Closeness, LandmarkMap, Pipeline, Step, squared_distances_to, unit_rows};
use crate::graph::eigen::symmetric_eigen;
use crate::graph::{Csr, EigenOptions, top_eigenpairs};
use crate::linalg::{Cores, matmul};
use crate::network::{Mlp, Weights};
use crate::train::{History, Observer, Trainer};
use crate::{Error, Result, Seed};
use ndarray::{Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};

/// What is searched: the ridge of the self-expression, and how many coefficients each anchor keeps.
const RIDGES: [f64; 3] = [0.01, 0.1, 1.0];
const KEPT: std::ops::RangeInclusive<usize> = 5..=15;
/// Keeps the relative eigengap of a graph in pieces finite, as the authors do.
const SMALLEST_MEAN: f64 = 1e-6;
/// Nearest anchors of a row unless told.
const NEAREST: usize = 5;
/// The authors' network: hidden units per column, rows per batch, passes over the anchors, learning rate and weight decay.
const HIDDEN_PER_COLUMN: usize = 20;
const BATCH: usize = 128;
const EPOCHS: usize = 200;
const RATE: f64 = 1e-3;
const WEIGHT_DECAY: f32 = 1e-5;
/// The widest hidden layer: rows of many columns would have millions of weights for a thousand anchors.
const WIDEST: usize = 4096;

/// How a row gets its place in the embedding of anchors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// By a network that was trained on the anchors, as the authors do
    #[default]
    Network,
    /// By the mean of its nearest anchors
    Anchors,
}

/// The settings of AutoSC.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct AutoscOptions {
    /// How many anchors there are and how they are chosen.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub anchors: AnchorOptions,
    /// Nearest anchors that a row is joined to; auto is 5, and 2 for reskm
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub nearest: Auto<usize>,
    /// How a row gets its place in the embedding of anchors
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    pub placement: Placement,
}

impl Options for AutoscOptions {
    fn check(&self, config: &Config) -> Result<()> {
        self.anchors.check(config.clusters)?;
        at_least_one("nearest", self.nearest.unwrap_or(1))
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let Task { config, rows, .. } = task;
        let representation = task.representation()?;
        let mut represented = representation.transform(rows);
        unit_rows(&mut represented);
        observer.stage("anchors");
        let mut anchors = self.anchors.of_rows(represented.view(), config, ANCHORS)?.rows;
        unit_rows(&mut anchors);
        observer.go_on()?;
        observer.stage("affinities");
        let choice = search(anchors.view(), config.clusters, observer)?;
        let (place, curves) = match self.placement {
            Placement::Network => {
                let (weights, curve) = learn_places(anchors.view(), choice.places.view(), config, observer)?;
                (Step::Encode(weights), vec![curve])
            }
            Placement::Anchors => {
                let nearest = self.nearest.unwrap_or(NEAREST).min(anchors.nrows());
                let closeness = Closeness::Adaptive;
                (Step::Landmarks(LandmarkMap { landmarks: anchors, closeness, nearest, map: choice.places }), vec![])
            }
        };
        observer.stage("k-means");
        let embedding = Pipeline { steps: vec![Step::Unit, place, Step::Unit] };
        let mut fitted = grouped(config, representation, embedding, rows, self.anchors.restarts(), curves)?;
        if let Some(model) = &mut fitted.model {
            model.record.diagnostics.affinity = format!(
                "self-expression in {} kernel, ridge {}, {} coefficients per anchor, relative eigengap {:.3}",
                if choice.gaussian { "a Gaussian" } else { "the linear" },
                choice.ridge,
                choice.kept,
                choice.gap
            );
        }
        Ok(fitted)
    }
}

/// The affinity of the largest relative eigengap.
pub(super) struct Choice {
    pub gaussian: bool,
    pub ridge: f64,
    pub kept: usize,
    /// `(mu_(k+1) - mean(mu_1..mu_k)) / mean(mu_1..mu_k)` of the Laplacian's eigenvalues.
    pub gap: f64,
    /// The anchors' rows of the first `k` eigenvectors, made unit.
    pub places: Array2<f32>,
}

/// A network with one hidden layer that gives unit anchors `(m, d)` their places `(m, k)`.
fn learn_places(
    anchors: ArrayView2<f32>,
    places: ArrayView2<f32>,
    config: &Config,
    observer: &mut dyn Observer,
) -> Result<(Weights, History)> {
    let (seed, columns) = (Seed(config.seed), anchors.ncols());
    let sizes = [columns, (HIDDEN_PER_COLUMN * columns).min(WIDEST), places.ncols()];
    let mut network = Mlp::new(&Weights::random(&sizes, &mut seed.stream("places")), config.device)?;
    let trainer = Trainer {
        stage: "autosc",
        batch: BATCH.min(anchors.nrows()),
        epochs: EPOCHS,
        learning_rate: RATE,
        weight_decay: WEIGHT_DECAY,
    };
    let mut objective = Regression { inputs: anchors, targets: |batch: &[usize]| Ok(places.select(Axis(0), batch)) };
    let rng = &mut seed.stream("places shuffle");
    let curve = trainer.run(&mut network, anchors.nrows(), &mut objective, rng, observer)?;
    Ok((network.weights()?, curve))
}

/// Goes through all affinities of unit rows `(m, d)`.
pub(super) fn search(anchors: ArrayView2<f32>, k: usize, observer: &mut dyn Observer) -> Result<Choice> {
    let m = anchors.nrows();
    if m <= k + 1 {
        // no eigenvalue is left to have a gap: each anchor is by itself
        let places = Array2::from_shape_fn((m, k), |(i, c)| if i % k == c { 1.0 } else { 0.0 });
        return Ok(Choice { gaussian: false, ridge: RIDGES[0], kept: 0, gap: 0.0, places });
    }
    let mut best: Option<Choice> = None;
    for gaussian in [false, true] {
        let (values, vectors) = symmetric_eigen(kernel(anchors, gaussian).view())?;
        for ridge in RIDGES {
            observer.go_on()?;
            // (K + ridge I)^-1 K
            let mut shrunk = vectors.clone();
            for (mut column, value) in shrunk.axis_iter_mut(Axis(1)).zip(&values) {
                let value = value.max(0.0);
                column *= value / (value + ridge);
            }
            let coefficients = matmul(shrunk.view(), vectors.t());
            // of very few anchors all coefficients
            for kept in KEPT.filter(|&kept| kept < m || kept == *KEPT.start()) {
                let graph = sparse(&coefficients, kept);
                let Ok(pairs) = top_eigenpairs(&graph, k + 1, EigenOptions::default()) else { continue };
                let laplacian: Vec<f64> = pairs.values.iter().map(|value| (1.0 - value).max(0.0)).collect();
                let mean = laplacian[..k].iter().sum::<f64>() / k as f64;
                let gap = (laplacian[k] - mean) / (mean + SMALLEST_MEAN);
                if best.as_ref().is_none_or(|best| gap > best.gap) {
                    let mut places = pairs.vectors.slice(s![.., ..k]).mapv(|x| x as f32);
                    unit_rows(&mut places);
                    best = Some(Choice { gaussian, ridge, kept, gap, places });
                }
            }
        }
    }
    best.ok_or_else(|| Error::Degenerate("no affinity of the anchors has eigenvectors: most rows are equal".into()))
}

/// Products of unit rows, or their heat kernel with the mean distance as bandwidth.
fn kernel(anchors: ArrayView2<f32>, gaussian: bool) -> Array2<f64> {
    let anchors64 = anchors.mapv(f64::from);
    if !gaussian {
        return matmul(anchors64.view(), anchors64.t());
    }
    let squared = squared_distances_to(anchors, anchors, Cores::All);
    let mean = squared.iter().map(|&d| f64::from(d).sqrt()).sum::<f64>() / squared.len().max(1) as f64;
    let factor = f64::from(heat_factor(mean.powi(2)));
    squared.mapv(|d| (-f64::from(d) * factor).exp())
}

/// The `kept` largest absolute coefficients of each column but its own, made to sum to one; then the mean with the transpose.
fn sparse(coefficients: &Array2<f64>, kept: usize) -> Csr {
    let m = coefficients.nrows();
    let mut edges = Vec::with_capacity(m * kept);
    for j in 0..m {
        let mut column: Vec<(usize, f64)> =
            (0..m).filter(|&i| i != j).map(|i| (i, coefficients[[i, j]].abs())).collect();
        let order = |a: &(usize, f64), b: &(usize, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if column.len() > kept {
            column.select_nth_unstable_by(kept - 1, order);
            column.truncate(kept);
        }
        let total: f64 = column.iter().map(|&(_, c)| c).sum();
        if total > 0.0 {
            edges.extend(column.into_iter().map(|(i, c)| (i as u32, j as u32, (c / total) as f32)));
        }
    }
    Csr::symmetrized(m, edges.into_iter())
}
