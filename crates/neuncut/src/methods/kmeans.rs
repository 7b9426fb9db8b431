//! k-means, on rows or on an embedding, as the last layer of a model.
//!
//! The nearest centre is the largest output of a linear layer, `2 x.c - |c|^2`. Divided by twice the variance inside clusters,
//! the softmax of these outputs is the membership in equal round Gaussians at the centres.

use super::limits::at_least_one;
use super::method::Options;
use super::record::recorded_by;
use super::{Auto, Config, Fitted, Model, Task};
use crate::Result;
use crate::baselines::KMeans;
use crate::features::{Pipeline, Route, Step};
use crate::network::{Layer, Weights};
use crate::train::{History, Observer};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

/// Restarts of k-means on rows and on embeddings.
const ROW_RESTARTS: usize = 10;
pub(super) const EMBEDDING_RESTARTS: usize = 20;

/// The settings of k-means.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct KMeansOptions {
    /// Restarts of k-means; auto is 10 on rows, 20 on embeddings
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub restarts: Auto<usize>,
}

impl KMeansOptions {
    pub(super) fn check(&self) -> Result<()> {
        at_least_one("restarts", self.restarts.unwrap_or(1))
    }
}

impl Options for KMeansOptions {
    fn check(&self, _: &Config) -> Result<()> {
        Self::check(self)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        observer.stage("k-means");
        let representation = task.representation()?;
        let restarts = self.restarts.unwrap_or(ROW_RESTARTS);
        let points = representation.transform(task.rows);
        weighed(task, representation, Pipeline::default(), points.view(), restarts, Vec::new())
    }

    fn takes_weights(&self) -> bool {
        true
    }
}

/// Groups what `representation` and then `embedding` make of the rows `(n, d)`, and makes a model of all.
pub(super) fn grouped(
    config: &Config,
    representation: Pipeline,
    embedding: Pipeline,
    rows: ArrayView2<f32>,
    restarts: usize,
    history: Vec<History>,
) -> Result<Fitted> {
    let points = representation.steps.iter().chain(&embedding.steps).collect::<Route>().in_tiles(rows);
    grouped_by(config, representation, embedding, rows, points.view(), restarts, history)
}

/// The same with the centres of other points `(m, outputs)` than the rows' own.
pub(super) fn grouped_by(
    config: &Config,
    representation: Pipeline,
    embedding: Pipeline,
    rows: ArrayView2<f32>,
    points: ArrayView2<f32>,
    restarts: usize,
    history: Vec<History>,
) -> Result<Fitted> {
    let task = Task { config, rows, start: None, graph: None, links: None, weights: None };
    weighed(task, representation, embedding, points, restarts, history)
}

/// The same with the weights of a task, which are those of the points.
fn weighed(
    task: Task,
    representation: Pipeline,
    embedding: Pipeline,
    points: ArrayView2<f32>,
    restarts: usize,
    history: Vec<History>,
) -> Result<Fitted> {
    let Task { config, rows, weights: row_weights, .. } = task;
    let grouped =
        KMeans { restarts, seed: config.seed, ..KMeans::new(config.clusters) }.fit_weighed(points, row_weights)?;
    let variance = (grouped.inertia / points.len().max(1) as f64).max(1e-20);
    let softness = (0.5 / variance) as f32;
    let head = grouped.head();
    let layer = Layer { weight: &head.weight * softness, bias: &head.bias * softness };
    let weights = Weights { layers: vec![layer] };
    let encoding = Pipeline { steps: vec![Step::Center(grouped.mean.clone())] };
    let model = Model { representation, embedding, encoding, ..Model::new(config.clone(), rows.ncols(), weights) };
    Ok(recorded_by(model, rows, row_weights, history))
}
