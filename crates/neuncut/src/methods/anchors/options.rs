//! LSC, RESKM and U-SPEC: a heat kernel to a few nearest anchors, the transfer cut, k-means.

use super::super::kmeans::{EMBEDDING_RESTARTS, KMeansOptions, grouped, grouped_by};
use super::super::limits::{at_least_clusters, at_least_one, positive_unless_auto};
use super::super::method::Options;
use super::super::{Auto, Config, Fitted, Method, Task};
use super::selection::{AnchorChoice, Anchors};
use super::transfer::{AnchorGraph, AutoBandwidth, RowScale, Spectrum, eigenmap, products};
use crate::features::{LandmarkMap, Pipeline, Step, unit_rows};
use crate::train::Observer;
use crate::{Error, Result, Seed};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// Anchors unless told, at least per cluster, and rows per anchor where there are few: anchors that few rows share join nothing.
pub(super) const ANCHORS: usize = 1000;
const ANCHORS_PER_CLUSTER: usize = 5;
const ROWS_PER_ANCHOR: usize = 10;
/// Nearest anchors unless told, and for RESKM.
const NEAREST: usize = 5;
const NEAREST_OF_RESKM: usize = 2;

/// How many anchors there are and how they are chosen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct AnchorOptions {
    /// Anchors; auto is 1000 (500 for nystrom and basis) or a tenth of the rows, whichever is less, and at least 5 per cluster
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub anchors: Auto<usize>,
    /// How anchors are chosen; auto is k-means, and random for nystrom and basis
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    pub anchor_choice: AnchorChoice,
    /// k-means of the embedding.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub k_means: KMeansOptions,
}

impl AnchorOptions {
    pub(in crate::methods) fn check(&self, clusters: usize) -> Result<()> {
        if let Auto::Given(anchors) = self.anchors {
            at_least_clusters("anchors", anchors, clusters)?;
        }
        self.k_means.check()
    }

    /// The anchors of the rows `(n, d)`, so many unless told.
    pub(in crate::methods) fn of_rows(
        &self,
        rows: ArrayView2<f32>,
        config: &Config,
        automatic: usize,
    ) -> Result<Anchors> {
        let count = self.count(rows.nrows(), config.clusters, automatic);
        let drawn = matches!(config.method, Method::Nystrom(_) | Method::Basis(_));
        let choice = self.anchor_choice.unwrap_or(if drawn { AnchorChoice::Random } else { AnchorChoice::KMeans });
        let anchors = Anchors::of(rows, count, choice, Seed(config.seed), "anchors")?;
        let (found, k) = (anchors.rows.nrows(), config.clusters);
        if found < k {
            let text = format!(
                "only {found} anchors differ, too few for {k} clusters: most rows are equal; ask for fewer clusters"
            );
            return Err(Error::Degenerate(text));
        }
        Ok(anchors)
    }

    /// The rows of a task as they are represented, and their anchors, so many unless told; eigenvectors are next.
    pub(super) fn of_task(&self, task: &Task, automatic: usize, observer: &mut dyn Observer) -> Result<AnchoredRows> {
        let representation = task.representation()?;
        let rows = representation.transform(task.rows);
        observer.stage("anchors");
        let anchors = self.of_rows(rows.view(), task.config, automatic)?;
        observer.go_on()?;
        observer.stage("eigenvectors");
        Ok(AnchoredRows { representation, rows, anchors })
    }

    /// How many anchors so many rows have.
    pub(super) fn count(&self, rows: usize, clusters: usize, automatic: usize) -> usize {
        let automatic = automatic.min(rows / ROWS_PER_ANCHOR).max(ANCHORS_PER_CLUSTER * clusters);
        self.anchors.unwrap_or(automatic).min(rows)
    }

    pub(in crate::methods) fn restarts(&self) -> usize {
        self.k_means.restarts.unwrap_or(EMBEDDING_RESTARTS)
    }
}

/// Rows as they are represented, and their anchors.
pub(super) struct AnchoredRows {
    pub representation: Pipeline,
    /// `(n, d)`
    pub rows: Array2<f32>,
    pub anchors: Anchors,
}

/// The settings of LSC, RESKM and U-SPEC.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct AnchorGraphOptions {
    /// How many anchors there are and how they are chosen.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub anchors: AnchorOptions,
    /// Nearest anchors that a row is joined to; auto is 5, and 2 for reskm
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub nearest: Auto<usize>,
    /// Bandwidth of the heat kernel to anchors; auto is the mean distance of rows to the anchors they are joined to, and for reskm and
    /// nystrom the root of the mean squared distance to all
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "auto|F"))]
    pub bandwidth: Auto<f32>,
}

/// Where the three differ.
struct Variant {
    nearest: usize,
    bandwidth: AutoBandwidth,
    scale: RowScale,
    constant: bool,
    whitened: bool,
}

impl Variant {
    fn of(method: &Method) -> Self {
        match method {
            // Chen and Cai: rows are distributions; left singular vectors after the constant one
            Method::Lsc(_) => Self {
                nearest: NEAREST,
                bandwidth: AutoBandwidth::Kept,
                scale: RowScale::Sum,
                constant: false,
                whitened: true,
            },
            Method::Reskm(_) => Self {
                nearest: NEAREST_OF_RESKM,
                bandwidth: AutoBandwidth::All,
                scale: RowScale::Root,
                constant: false,
                whitened: true,
            },
            _ => Self {
                nearest: NEAREST,
                bandwidth: AutoBandwidth::Kept,
                scale: RowScale::Root,
                constant: true,
                whitened: false,
            },
        }
    }
}

impl AnchorGraphOptions {
    /// The embedding of represented rows `(n, d)` by so many eigenvectors.
    pub(super) fn embedding(
        &self,
        rows: ArrayView2<f32>,
        anchors: Anchors,
        method: &Method,
        count: usize,
    ) -> Result<LandmarkMap> {
        let variant = Variant::of(method);
        let nearest = self.nearest.unwrap_or(variant.nearest).min(anchors.rows.nrows());
        let bandwidth = match self.bandwidth {
            Auto::Auto => None,
            Auto::Given(sigma) => Some(sigma),
        };
        let (graph, closeness) = AnchorGraph::heat(rows, &anchors, nearest, bandwidth, variant.bandwidth);
        let (gram, volumes) = products(&graph, variant.scale);
        let spectrum = Spectrum { count, constant: variant.constant, whitened: variant.whitened };
        let map = eigenmap(&gram, &volumes, spectrum)?;
        Ok(LandmarkMap { landmarks: anchors.rows, closeness, nearest, map })
    }
}

impl Options for AnchorGraphOptions {
    fn check(&self, config: &Config) -> Result<()> {
        self.anchors.check(config.clusters)?;
        at_least_one("nearest", self.nearest.unwrap_or(1))?;
        positive_unless_auto("bandwidth", self.bandwidth)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let Task { config, rows, .. } = task;
        let AnchoredRows { representation, rows: represented, anchors } =
            self.anchors.of_task(&task, ANCHORS, observer)?;
        let map = self.embedding(represented.view(), anchors, &config.method, config.clusters)?;
        observer.go_on()?;
        observer.stage("k-means");
        let mut points = map.map.clone(); // the anchors' own places
        let embedding = Pipeline { steps: vec![Step::Landmarks(map), Step::Unit] };
        let restarts = self.anchors.restarts();
        if matches!(config.method, Method::Reskm(_)) {
            unit_rows(&mut points);
            return grouped_by(config, representation, embedding, rows, points.view(), restarts, Vec::new());
        }
        grouped(config, representation, embedding, rows, restarts, Vec::new())
    }
}
