//! Neural normalized cut as a clusterer: what it is given, checked, and what a fit gives back.

use super::model::check_finite;
use super::stages::{BATCH_NEIGHBORS, Fit};
use super::{Config, Model, Prepared, Stability, Start, given_graph};
use crate::affinity::Precomputed;
use crate::clustering::{Clusterer, Clustering, Inductive};
use crate::data::ImageShape;
use crate::features::ArrayRows;
use crate::train::{Observer, Silent};
use crate::{Error, Result, Seed};
use ndarray::ArrayView2;

/// Neural normalized cut, ready to fit: its configuration has been checked.
#[derive(Debug, Clone)]
pub struct NeuralCut {
    config: Config,
    images: Option<ImageShape>,
    given: Option<Vec<Option<u32>>>,
    graph: Option<Precomputed>,
}

/// A fitted model with the labels of the rows it was fitted on.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// The model.
    pub model: Model,
    pub(super) labels: Vec<u32>,
}

impl Clustering for Fitted {
    fn labels(&self) -> &[u32] {
        &self.labels
    }
}

impl Inductive for Fitted {
    fn predict(&self, rows: ArrayView2<f32>) -> Result<Vec<u32>> {
        self.model.predict(rows)
    }
}

impl Clusterer for NeuralCut {
    type Fitted = Fitted;

    fn fit(&self, rows: ArrayView2<f32>) -> Result<Fitted> {
        self.fit_observed(rows, &mut Silent)
    }
}

impl NeuralCut {
    /// Checks the configuration.
    pub fn new(config: Config) -> Result<Self> {
        config.check()?;
        if !config.method.is_neural_cut() {
            return Err(Error::config("method", config.method, "neuncut or neurcut: `rivals::Rival` fits the others"));
        }
        Ok(Self { config, images: None, given: None, graph: None })
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The shape of rows, where they are known to be images.
    pub(super) fn images(&self) -> Option<ImageShape> {
        self.images
    }

    /// Says that rows are images of this shape, which feature steps such as `scattering` must know.
    pub fn with_images(mut self, shape: Option<ImageShape>) -> Self {
        self.images = shape;
        self
    }

    /// Gives a clustering of the rows to start from (`init` must be `Labels`), one label below `k` a row or none. The network
    /// learns it, and so a clustering that knows only its own rows gains a `predict`.
    pub fn with_start_labels(mut self, labels: Vec<Option<u32>>) -> Self {
        self.given = Some(labels);
        self
    }

    /// Takes the cut on this graph, whose nodes are the rows that are fitted. Without it, `graph:FILE` is read when rows are
    /// fitted.
    pub fn with_graph(mut self, graph: Option<Precomputed>) -> Self {
        self.graph = graph;
        self
    }

    /// Fits the rows `(n, d)`, all of them, telling `observer` how it goes. Feature steps are fitted first.
    pub fn fit_observed(&self, rows: ArrayView2<f32>, observer: &mut dyn Observer) -> Result<Fitted> {
        if self.config.features.is_empty() {
            return self.fit_features(rows, observer);
        }
        check_rows(rows, self.config.clusters)?;
        let chain = self.config.fit_chain(&mut ArrayRows::new(rows, self.images), observer)?;
        let mut fitted = self.fit_features(chain.pipeline.transform(rows).view(), observer)?;
        fitted.model.put_behind(&chain);
        Ok(fitted)
    }

    /// Fits rows that have gone through the feature steps already.
    pub(crate) fn fit_features(&self, rows: ArrayView2<f32>, observer: &mut dyn Observer) -> Result<Fitted> {
        check_rows(rows, self.config.clusters)?;
        let mut fitted = self.fit_once(&self.config, rows, observer)?;
        if self.config.stability > 1 {
            let mut fits = vec![fitted.labels.clone()];
            for more in 1..self.config.stability as u64 {
                observer.stage(&format!("fit {} of {} for stability", more + 1, self.config.stability));
                let config = Config { seed: self.config.seed.wrapping_add(more), ..self.config.clone() };
                fits.push(self.fit_once(&config, rows, observer)?.labels);
            }
            fitted.model.record.diagnostics.stability = Some(Stability::of(&fits)?);
        }
        Ok(fitted)
    }

    fn fit_once(&self, config: &Config, rows: ArrayView2<f32>, observer: &mut dyn Observer) -> Result<Fitted> {
        self.with_fit(config, rows, observer, |fit| fit.run())
    }

    /// Prepares a fit of the rows and hands it to `go`.
    pub(super) fn with_fit<T>(
        &self,
        config: &Config,
        rows: ArrayView2<f32>,
        observer: &mut dyn Observer,
        go: impl FnOnce(Fit) -> Result<T>,
    ) -> Result<T> {
        config.device.check()?;
        let given = match config.init {
            Start::Labels => Some(self.given_labels(rows.nrows())?),
            _ => None,
        };
        let graph = given_graph(config, self.graph.as_ref(), rows.nrows())?;
        let prepared = Prepared::new(config, rows, graph, BATCH_NEIGHBORS, observer)?;
        go(Fit { config, rows, given, prepared: &prepared, seed: Seed(config.seed), observer })
    }

    /// The labels to start from, checked.
    fn given_labels(&self, rows: usize) -> Result<&[Option<u32>]> {
        let Some(given) = &self.given else {
            return Err(Error::config("init", "labels", "given with the labels: --init labels:FILE"));
        };
        if given.len() != rows {
            let must = format!("a label (or -1) for each of the {rows} rows");
            return Err(Error::config("init", format!("{} labels", given.len()), must));
        }
        let k = self.config.clusters;
        let mut used = vec![false; k];
        for (row, label) in given.iter().enumerate() {
            match label {
                Some(label) if *label as usize >= k => {
                    let must = format!("below {k}, the number of clusters");
                    return Err(Error::config("init", format!("label {label} in row {}", row + 1), must));
                }
                Some(label) => used[*label as usize] = true,
                None => {}
            }
        }
        match used.iter().position(|used| !used) {
            Some(missing) => Err(Error::config(
                "init",
                format!("labels without any row of cluster {missing}"),
                "labels of every cluster among the rows that are fitted: raise --train-rows",
            )),
            None => Ok(given),
        }
    }
}

/// Refuses rows that are too few, not finite or all equal.
pub(crate) fn check_rows(rows: ArrayView2<f32>, clusters: usize) -> Result<()> {
    if rows.nrows() < clusters {
        return Err(Error::too_few_rows("the data".into(), rows.nrows() as u64, clusters));
    }
    check_finite(rows)?;
    let first = rows.row(0);
    if clusters > 1 && rows.rows().into_iter().all(|row| row == first) {
        return Err(Error::Degenerate(
            "all rows are equal: there is nothing to cluster; check that the right columns were chosen".into(),
        ));
    }
    Ok(())
}
