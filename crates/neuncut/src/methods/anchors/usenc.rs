//! U-SENC (Huang et al. 2020): the transfer cut of rows and the clusters of many U-SPEC runs, each with anchors and a number of clusters of its own.

use super::super::limits::at_least_one;
use super::super::method::Options;
use super::super::neighbor_vote::voted;
use super::super::{Config, Fitted, Method, Task};
use super::options::ANCHORS;
use super::selection::Anchors;
use super::transfer::{AnchorGraph, RowScale, Spectrum, eigenmap, products};
use super::{AnchorChoice, AnchorGraphOptions};
use crate::baselines::KMeans;
use crate::clustering::{Clusterer, Clustering};
use crate::features::{Pipeline, Step, unit_rows};
use crate::train::Observer;
use crate::{Result, Seed};
use ndarray::{Array2, ArrayView2, Axis};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Clusters of a member: drawn between these, and between one and three times those asked for where that is more; no more than half of
/// the anchors, and no fewer than are asked for.
const FEWEST: usize = 20;
const MOST: usize = 60;
/// Lloyd's iterations of a member before it is followed, and as many again.
const ITERATIONS: usize = 5;

/// The settings of U-SENC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct UsencOptions {
    /// The U-SPEC runs.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub graph: AnchorGraphOptions,
    /// U-SPEC runs whose clusters are put together
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub members: usize,
}

impl Default for UsencOptions {
    fn default() -> Self {
        Self { graph: AnchorGraphOptions::default(), members: 20 }
    }
}

impl Options for UsencOptions {
    fn check(&self, config: &Config) -> Result<()> {
        at_least_one("members", self.members)?;
        self.graph.check(config)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let Task { config, rows, .. } = task;
        let representation = task.representation()?;
        let represented = representation.transform(rows);
        let graph = self.clusters_of_members(represented.view(), config, observer)?;
        observer.stage("consensus");
        let places = consensus(&graph, config.clusters)?;
        let restarts = self.graph.anchors.restarts();
        let grouped = KMeans { restarts, seed: config.seed, ..KMeans::new(config.clusters) }.fit(places.view())?;
        Ok(voted(config.clone(), representation, represented, rows, grouped.labels()))
    }
}

/// Unit places of rows that are joined to their cluster of each member: the leading eigenvectors of the bipartite graph.
pub(super) fn consensus(graph: &AnchorGraph, count: usize) -> Result<Array2<f32>> {
    let (gram, volumes) = products(graph, RowScale::Root);
    let map = eigenmap(&gram, &volumes, Spectrum { count, constant: true, whitened: false })?;
    let mut places = Array2::zeros((graph.indices.nrows(), map.ncols()));
    for (mut place, clusters) in places.axis_iter_mut(Axis(0)).zip(graph.indices.rows()) {
        clusters.iter().for_each(|&cluster| place += &map.row(cluster as usize));
    }
    unit_rows(&mut places);
    Ok(places)
}

impl UsencOptions {
    /// Each row is joined to its cluster of each member.
    fn clusters_of_members(
        &self,
        rows: ArrayView2<f32>,
        config: &Config,
        observer: &mut dyn Observer,
    ) -> Result<AnchorGraph> {
        let options = &self.graph.anchors;
        let count = options.count(rows.nrows(), config.clusters, ANCHORS);
        let choice = options.anchor_choice.unwrap_or(AnchorChoice::KMeans);
        let mut rng = Seed(config.seed).stream("members");
        let (low, high) = (FEWEST.max(config.clusters), MOST.max(3 * config.clusters));
        let mut graph = AnchorGraph {
            indices: Array2::zeros((rows.nrows(), self.members)),
            weights: Array2::ones((rows.nrows(), self.members)),
            anchors: 0,
        };
        for member in 0..self.members {
            observer.go_on()?;
            observer.stage(&format!("member {} of {}", member + 1, self.members));
            let seed = rng.random::<u64>();
            let anchors = Anchors::of(rows, count, choice, Seed(seed), "anchors")?;
            let drawn: usize = rng.random_range(low..=high);
            let k = drawn.min(anchors.rows.nrows() / 2).max(config.clusters).min(anchors.rows.nrows());
            let map = self.graph.embedding(rows, anchors, &Method::Uspec(self.graph.clone()), k)?;
            let points = Pipeline { steps: vec![Step::Landmarks(map), Step::Unit] }.transform(rows);
            let kmeans = KMeans { restarts: 1, max_iterations: ITERATIONS, seed, ..KMeans::new(k) };
            let labels = kmeans.fit(points.view())?;
            for (place, &label) in graph.indices.column_mut(member).iter_mut().zip(labels.labels()) {
                *place = graph.anchors as u32 + label;
            }
            graph.anchors += k;
        }
        Ok(graph)
    }
}
