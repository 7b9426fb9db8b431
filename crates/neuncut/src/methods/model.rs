//! A fitted model: what `predict` needs, and a record of how it came about.

use super::neural_cut::Diagnostics;
use super::{Config, Inference, Level, Reach, Succession};
use crate::affinity::LearnedAffinity;
use crate::data::{ColumnNames, ImageShape};
use crate::ensemble::CountFindings;
use crate::features::{FittedChain, Pipeline, Route, Step};
use crate::network::Weights;
use crate::train::History;
use crate::{Error, Result, TableError};
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Rows per task at least.
const TASK_ROWS: usize = 256;

/// How a model came about.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TrainingRecord {
    /// Version of this crate that trained it.
    pub version: String,
    /// Rows of the data it was trained on.
    pub rows: u64,
    /// Rows that were fitted.
    pub trained_rows: u64,
    /// Columns of the data.
    pub columns: usize,
    /// A hash of the data's values, in hexadecimal.
    pub fingerprint: String,
    /// The files, as they were named.
    pub files: Vec<String>,
    /// What each cluster was called in the labels it started from, where such were given.
    pub cluster_names: Vec<String>,
    /// What each cluster is called by the words of its texts, or by a person; these stand beside its number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cluster_titles: Vec<String>,
    /// Whether a person gave these names, who will want to see them beside labels.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub titles_by_person: bool,
    /// The words of each cluster that set it apart, where its rows have texts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cluster_words: Vec<Vec<String>>,
    /// The medoid of each cluster among the rows that clusters are compared by: the number of a row of the data, from 0; none where
    /// it has no rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub medoids: Vec<Option<u64>>,
    /// The most typical rows of each cluster, the first the most: those nearest to the mean of its confident half.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub typical_rows: Vec<Vec<u64>>,
    /// Which two clusters are merged next, the closest first, until one is left; the union goes by the smaller number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub merges: Vec<(u32, u32)>,
    /// How the number of clusters was chosen, where it was not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster_count: Option<CountFindings>,
    /// What became of the clusters of the model that it was fitted after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub succession: Option<Succession>,
    /// Share of the training rows in each cluster; none in a model that was put together without a fit.
    pub cluster_shares: Vec<f64>,
    /// Learning curves of every training stage.
    pub history: Vec<History>,
    /// What was found out on the way.
    pub diagnostics: Diagnostics,
}

/// Everything between a row and its cluster. A row goes through `chain`, `representation`, `embedding`, `encoding` and `head`.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// How it was configured.
    pub config: Config,
    /// Columns a row must have.
    pub columns: usize,
    /// What those columns are called: rows to be labelled are taken by these names, in any order.
    pub column_names: ColumnNames,
    /// The feature steps that were asked for.
    pub chain: Pipeline,
    /// How rows are represented where distances are taken.
    pub representation: Pipeline,
    /// The spectral embedding of SpectralNet, SpecNet2 and methods by anchors, the codes of an autoencoder; nothing in other models.
    pub embedding: Pipeline,
    /// How rows enter the head.
    pub encoding: Pipeline,
    /// The network, whose outputs become memberships; one layer where clusters have centres.
    pub head: Weights,
    /// Which cluster each output of the network is part of, where they are not one and the same: clusters that were merged by hand have
    /// several, and the numbers of clusters that are gone have none.
    pub grouping: Option<Level>,
    /// How far its clusters reach; models of earlier versions do not know.
    pub reach: Option<Reach>,
    /// The affinity that was trained for the fit, where it was to be kept: prediction does not need it.
    pub affinity: Option<LearnedAffinity>,
    /// How it came about.
    pub record: TrainingRecord,
}

impl TrainingRecord {
    /// The share of the training rows in a cluster of the model; zero where there was no fit.
    pub fn share(&self, cluster: usize) -> f64 {
        if self.cluster_shares.is_empty() { 0.0 } else { self.cluster_shares[cluster] }
    }

    /// Whether its clusters have names that were given as labels: labels that are whole numbers are no names.
    pub fn has_given_names(&self) -> bool {
        !self.cluster_names.is_empty() && self.given_numbers().is_none()
    }

    /// The numbers that clusters had in the labels that were given, where all are whole numbers.
    pub fn given_numbers(&self) -> Option<Vec<i32>> {
        let numbers: Option<Vec<i32>> = self.cluster_names.iter().map(|name| name.parse().ok()).collect();
        numbers.filter(|numbers| !numbers.is_empty())
    }

    /// What a new cluster is called beside the labels that were given: the next whole number where these are whole numbers.
    pub(super) fn new_label(&self, cluster: u32) -> String {
        match self.given_numbers().and_then(|numbers| numbers.into_iter().max()) {
            Some(last) => last.saturating_add(1).to_string(),
            None => cluster.to_string(),
        }
    }

    /// Calls clusters behind those with given labels something else than these, where there are any.
    pub(crate) fn label_new_clusters(&mut self, count: usize) {
        if self.cluster_names.is_empty() {
            return;
        }
        for cluster in self.cluster_names.len()..count {
            let label = self.new_label(cluster as u32);
            self.cluster_names.push(label);
        }
    }

    /// Whether it can be that of a model with so many clusters.
    pub(crate) fn fits(&self, clusters: usize) -> bool {
        let is_there = |&(a, b): &(u32, u32)| (a as usize) < clusters && (b as usize) < clusters;
        (self.cluster_shares.is_empty() || self.cluster_shares.len() == clusters) && self.merges.iter().all(is_there)
    }
}

impl Model {
    /// A model of rows of so many columns, with nothing but its head.
    pub fn new(config: Config, columns: usize, head: Weights) -> Self {
        Self {
            config,
            columns,
            column_names: ColumnNames::Unnamed,
            chain: Pipeline::default(),
            representation: Pipeline::default(),
            embedding: Pipeline::default(),
            encoding: Pipeline::default(),
            head,
            grouping: None,
            reach: None,
            affinity: None,
            record: TrainingRecord::default(),
        }
    }

    /// Number of clusters.
    pub fn n_clusters(&self) -> usize {
        self.grouping.as_ref().map_or(self.head.n_outputs(), |grouping| grouping.count)
    }

    /// What its clusters are called: by the labels that were given, where these are names, or by titles; none where they have numbers alone.
    pub fn names(&self) -> &[String] {
        let TrainingRecord { cluster_titles, cluster_names, .. } = &self.record;
        if self.record.has_given_names() || cluster_titles.is_empty() { cluster_names } else { cluster_titles }
    }

    /// Every step before the head, in order.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        [&self.chain, &self.representation, &self.embedding, &self.encoding].into_iter().flat_map(|part| &part.steps)
    }

    /// The shape of its rows, where the first of its feature steps takes them as images.
    pub fn image_shape(&self) -> Option<ImageShape> {
        let shape = match self.chain.steps.first()? {
            Step::Scattering(scattering) => scattering.shape(),
            Step::Resize(resize) => resize.from,
            _ => return None,
        };
        (shape.len() == self.columns).then_some(shape)
    }

    /// The steps after which distances are taken.
    pub fn to_representation(&self) -> Route<'_> {
        self.chain.steps.iter().chain(&self.representation.steps).collect()
    }

    /// The same and the embedding, where there is one: all but how rows enter the head.
    pub fn to_features(&self) -> Route<'_> {
        let parts = [&self.chain, &self.representation, &self.embedding];
        parts.into_iter().flat_map(|part| &part.steps).collect()
    }

    /// Puts feature steps that were fitted before in front: the model then takes raw rows.
    pub(crate) fn put_behind(&mut self, chain: &FittedChain) {
        self.chain = chain.pipeline.clone();
        self.columns = chain.columns;
        self.record.columns = chain.columns;
        self.record.history.splice(..0, chain.history.iter().cloned());
    }

    /// The steps from a row to its spectral embedding, or why there are none.
    fn to_embedding(&self) -> Result<Route<'_>> {
        if self.embedding.steps.is_empty() {
            return Err(Error::config(
                "embedding",
                format!("asked of a model of {}", self.config.method),
                "asked of a model that `fit --method spectralnet`, `specnet2`, `lsc`, `nystrom`, `reskm`, `uspec`, `bipartite`, `autosc`, `edesc`, `depict` or `vade` made",
            ));
        }
        Ok(self.to_features())
    }

    /// Columns of the spectral embedding, or why there is none.
    ///
    /// # Errors
    /// When the model has no embedding.
    pub fn embedding_columns(&self) -> Result<usize> {
        Ok(self.to_embedding()?.n_features(self.columns))
    }

    /// The spectral embedding `(n, count)` of rows `(n, d)`: approximate eigenfunctions of the graph's random walk, leading
    /// first, each of mean square one; those by anchors are made unit per row. The same bits for a row however rows are grouped.
    ///
    /// # Errors
    /// When the model has no embedding, or the rows are not those it takes.
    pub fn embedding(&self, rows: ArrayView2<f32>) -> Result<Array2<f32>> {
        let steps = self.to_embedding()?;
        self.check(rows)?;
        steps.transform(rows)
    }

    /// Memberships `(n, k)` of rows `(n, d)`: the same bits for a row however rows are grouped.
    ///
    /// # Errors
    /// As [`Model::check`].
    pub fn memberships(&self, rows: ArrayView2<f32>) -> Result<Array2<f32>> {
        self.check(rows)?;
        self.inference().memberships(rows)
    }

    /// The model laid out for many batches of rows.
    pub fn inference(&self) -> Inference<'_> {
        Inference::new(self.steps().collect(), &self.head).grouped(self.grouping.as_ref())
    }

    /// Refuses rows that have other columns than the model was fitted on, or that are not finite.
    ///
    /// # Errors
    /// When the rows have another number of columns, or a value is not finite.
    pub fn check(&self, rows: ArrayView2<f32>) -> Result<()> {
        if rows.ncols() != self.columns {
            return Err(Error::Table(TableError::Width {
                what: "the data".into(),
                given: rows.ncols(),
                expected: self.columns,
                remedy: "give the columns the model was fitted on".into(),
            }));
        }
        check_finite(rows)
    }

    /// Whether its weights and the memberships that it gives are finite: finite weights may still be so large that what they give is
    /// not. What an encoder gives is looked at whenever it is used.
    pub(crate) fn gives_numbers(&self) -> bool {
        let inference = self.inference();
        let probe = Array2::from_shape_fn((2, inference.encoded_columns(self.columns)), |(row, _)| row as f32);
        self.head.is_finite() && inference.memberships_of_encoded(probe.view()).iter().all(|share| share.is_finite())
    }

    /// The cluster of each row.
    ///
    /// # Errors
    /// As [`Model::check`].
    pub fn predict(&self, rows: ArrayView2<f32>) -> Result<Vec<u32>> {
        self.check(rows)?;
        self.inference().labels(rows)
    }
}

/// The column of the largest entry of each row, the first of equals.
pub fn argmax_rows(memberships: ArrayView2<f32>) -> Vec<u32> {
    memberships.rows().into_iter().map(argmax).collect()
}

fn argmax(row: ArrayView1<f32>) -> u32 {
    let mut best = (0, f32::NEG_INFINITY);
    for (cluster, &value) in row.iter().enumerate() {
        if value > best.1 {
            best = (cluster, value);
        }
    }
    best.0 as u32
}

/// Refuses NaN and infinity, naming the place.
pub(super) fn check_finite(rows: ArrayView2<f32>) -> Result<()> {
    // without branches, so that rows are checked in wide vectors
    let finite = |row: ArrayView1<f32>| row.iter().fold(true, |all, value| all & value.is_finite());
    let tasks = rows.axis_iter(Axis(0)).into_par_iter().with_min_len(TASK_ROWS);
    let Some(row) = tasks.position_first(|row| !finite(row)) else { return Ok(()) };
    match rows.row(row).iter().enumerate().find(|(_, value)| !value.is_finite()) {
        None => Ok(()),
        Some((column, value)) => Err(Error::Table(TableError::NonFinite {
            what: "the data".into(),
            row: row as u64 + 1,
            column: (column + 1).to_string(),
            value: value.to_string(),
        })),
    }
}
