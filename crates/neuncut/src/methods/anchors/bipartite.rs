//! Spectral clustering on a hierarchical bipartite graph (Yang et al. 2020): rows are joined to anchors, those to fewer anchors, and so on, each
//! time by shares that need no bandwidth.

use super::super::kmeans::grouped;
use super::super::limits::at_least_one;
use super::super::method::Options;
use super::super::{Auto, Config, Fitted, Task};
use super::AnchorOptions;
use super::options::AnchoredRows;
use super::selection::{AnchorChoice, Anchors};
use super::transfer::{AnchorGraph, RowScale, Spectrum, eigenmap, products};
use crate::features::{Closeness, LandmarkMap, Pipeline, Step};
use crate::train::Observer;
use crate::{Result, Seed};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// Anchors of the first layer unless told, and nearest ones.
const ANCHORS: usize = 1000;
const NEAREST: usize = 5;

/// The settings of the hierarchical bipartite graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct BipartiteOptions {
    /// How many anchors the first layer has and how they are chosen.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub anchors: AnchorOptions,
    /// Nearest anchors that a row is joined to; auto is 5, and 2 for reskm
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub nearest: Auto<usize>,
    /// Layers of anchors, each with half as many as the one before
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub layers: usize,
}

impl Default for BipartiteOptions {
    fn default() -> Self {
        Self { anchors: AnchorOptions::default(), nearest: Auto::Auto, layers: 2 }
    }
}

impl Options for BipartiteOptions {
    fn check(&self, config: &Config) -> Result<()> {
        self.anchors.check(config.clusters)?;
        at_least_one("nearest", self.nearest.unwrap_or(1))?;
        at_least_one("layers", self.layers)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let Task { config, rows, .. } = task;
        let AnchoredRows { representation, rows: represented, anchors } =
            self.anchors.of_task(&task, ANCHORS, observer)?;
        let layers = layers(&anchors, self.layers, config.clusters, Seed(config.seed))?;
        let map = embedding(represented.view(), &layers, self.nearest.unwrap_or(NEAREST), config.clusters)?;
        observer.stage("k-means");
        let embedding = Pipeline { steps: vec![Step::Landmarks(map), Step::Unit] };
        grouped(config, representation, embedding, rows, self.anchors.restarts(), Vec::new())
    }
}

/// The anchors, and anchors of those, while there are at least twice as many as clusters.
fn layers(first: &Anchors, count: usize, clusters: usize, seed: Seed) -> Result<Vec<Array2<f32>>> {
    let mut layers = vec![first.rows.clone()];
    while layers.len() < count {
        let last = &layers[layers.len() - 1];
        if last.nrows() / 2 < 2 * clusters {
            break;
        }
        let next = Anchors::of(last.view(), last.nrows() / 2, AnchorChoice::KMeans, seed, "anchors of anchors")?.rows;
        layers.push(next);
    }
    Ok(layers)
}

/// The left singular vectors of the rows' shares in the last layer, as a map of the first.
pub(super) fn embedding(
    rows: ArrayView2<f32>,
    layers: &[Array2<f32>],
    nearest: usize,
    count: usize,
) -> Result<LandmarkMap> {
    let shares = |rows: ArrayView2<f32>, anchors: &Array2<f32>| {
        AnchorGraph::adaptive(rows, anchors.view(), nearest.min(anchors.nrows()))
    };
    let (mut gram, mut volumes) = products(&shares(rows, &layers[0]), RowScale::Sum);
    let mut passed = Array2::<f64>::eye(layers[0].nrows());
    for pair in layers.windows(2) {
        let between = dense(&shares(pair[0].view(), &pair[1]));
        (gram, volumes) = (between.t().dot(&gram).dot(&between), volumes.dot(&between));
        passed = passed.dot(&between);
    }
    let map = eigenmap(&gram, &volumes, Spectrum { count, constant: true, whitened: true })?;
    let map = passed.dot(&map.mapv(f64::from)).mapv(|x| x as f32);
    let nearest = nearest.min(layers[0].nrows());
    Ok(LandmarkMap { landmarks: layers[0].clone(), closeness: Closeness::Adaptive, nearest, map })
}

fn dense(graph: &AnchorGraph) -> Array2<f64> {
    let mut dense = Array2::zeros((graph.indices.nrows(), graph.anchors));
    for ((i, place), &j) in graph.indices.indexed_iter() {
        dense[[i, j as usize]] += f64::from(graph.weights[[i, place]]);
    }
    dense
}
