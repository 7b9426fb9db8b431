//! From raw rows to a model: the one way through, for the command, Python and studies alike.
//!
//! Feature steps are fitted on all rows, a sample of the rows is drawn, the method is fitted on what the steps make of it, and the
//! steps become part of the model, which therefore takes raw rows. A method that labels no other rows is fitted on all of them.
//!
//! ```
//! use ndarray::Array2;
//! use neuncut::job::Job;
//! use neuncut::methods::{Config, KMeansOptions, Method};
//!
//! let rows = Array2::from_shape_fn((60, 3), |(i, j)| if i < 30 { 0.0 } else { 5.0_f32 } + (i * 7 % (j + 5)) as f32 * 0.1);
//! let method = Method::KMeans(KMeansOptions::default());
//! let config = Config { features: "standardize,pca=2".parse()?, ..Config::of(method, 2) };
//! let outcome = Job::new(config)?.fit(rows.view())?;
//! let model = outcome.model.ok_or("k-means leaves a model")?;
//! assert_eq!(model.predict(rows.view())?, outcome.labels);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod change;
mod dominance;
mod earlier;
mod features;
mod source;
mod start_labels;

pub use source::{Drawn, JobSource, check_vanished};
pub use start_labels::StartLabels;

use crate::affinity::Precomputed;
use crate::clustering::{Clustering, Inductive};
use crate::data::{EdgeList, LinkList};
use crate::ensemble::{ClusterCount, ClusterRange, CountFindings};
use crate::features::ArrayRows;
use crate::interrupt::stoppable;
use crate::links::{LinkFindings, Links};
use crate::methods::neural_cut::Warning;
use crate::methods::neural_cut::tune::{GammaSweep, tune};
use crate::methods::{AffinityKind, Auto, Config, Fitted, Method, Model, SpectralFindings, Task, check_rows};
use crate::train::{Observer, Silent};
use crate::{Error, Result, TableError};
use features::Features;
use ndarray::ArrayView2;

/// A fit of rows that are yet to be read.
#[derive(Debug)]
pub struct Job {
    config: Config,
    /// A clustering of all rows to start from, with `init = "labels"`.
    pub start: Option<StartLabels>,
    /// A graph over all rows, whose cut is taken.
    pub graph: Option<EdgeList>,
    /// A model that was fitted before, whose clusters are the start and keep their numbers and names where they still hold.
    pub earlier: Option<Earlier>,
    /// Pairs of rows that belong together or apart, which are fitted in any case.
    pub links: Option<LinkList>,
    /// What each row weighs.
    pub weights: Option<RowWeights>,
}

/// What each row of a source weighs.
#[derive(Debug, Clone)]
pub struct RowWeights {
    /// What messages call them: their column.
    pub name: String,
    /// One for each row, zero or positive and finite.
    pub values: Vec<f64>,
}

/// A model that was fitted before.
#[derive(Debug, Clone)]
pub struct Earlier {
    /// The model.
    pub model: Model,
    /// Whether there are to be as many clusters as still have rows and as are new, whatever the configuration says.
    pub follow: bool,
}

/// What a job leaves.
#[derive(Debug)]
pub struct Outcome {
    /// The model, where the method labels rows it was not fitted on.
    pub model: Option<Model>,
    /// The clusters of the rows that were fitted.
    pub labels: Vec<u32>,
    /// Which rows these are, counted from 0; all where there are none.
    pub fitted: Option<Vec<u64>>,
    /// What a spectral method saw of its graph.
    pub graph: Option<SpectralFindings>,
    /// How the number of clusters was chosen, where it was not given.
    pub cluster_count: Option<CountFindings>,
    /// How many links hold, where some were given.
    pub links: Option<LinkFindings>,
    /// What there is to say about rows of which the method leaves neither a model nor findings, which have warnings of their own.
    pub warnings: Vec<Warning>,
}

impl Job {
    /// Checks the configuration.
    ///
    /// # Errors
    /// When a setting cannot be used.
    pub fn new(config: Config) -> Result<Self> {
        config.check()?;
        Ok(Self { config, start: None, graph: None, earlier: None, links: None, weights: None })
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Fits the method on rows `(n, d)`, all of them.
    ///
    /// # Errors
    /// When the rows cannot be fitted.
    pub fn fit(mut self, rows: ArrayView2<f32>) -> Result<Outcome> {
        self.config.train_rows = Auto::Given(rows.nrows());
        self.run(&mut ArrayRows::new(rows, None), &mut Silent)
    }

    /// Fits the method on the rows of a source.
    ///
    /// # Errors
    /// When the rows cannot be read or fitted, or `observer` asks to stop.
    pub fn run(self, source: &mut dyn JobSource, observer: &mut dyn Observer) -> Result<Outcome> {
        stoppable(observer.interrupt(), || self.fit_source(source, observer))
    }

    fn fit_source(mut self, source: &mut dyn JobSource, observer: &mut dyn Observer) -> Result<Outcome> {
        let (name, column_names) = (source.name(), source.column_names());
        self.check_given()?;
        let chain = self.fit_chain(source, observer)?;
        let mut features = self.features(source, chain.as_ref(), observer)?;
        let cluster_count = self.choose_clusters(&features, observer);
        let cluster_count = cluster_count.map_err(|error| in_table(error, &name, features.fitted.as_deref()))?;
        let start = match (&self.earlier, &mut features.earlier) {
            (Some(earlier), Some(labels)) => {
                if earlier.follow {
                    labels.follow(&earlier.model, features.rows.view(), &mut self.config, observer)?;
                }
                labels.start(&mut self.config)
            }
            _ => self.start.as_ref().map(|start| start.of_rows(&features)).transpose()?,
        };
        let graph = self.precomputed(features.rows.nrows())?;
        let links = self.links_among(&features)?;
        let task = self.task(&features, start.as_deref(), graph.as_ref(), links.as_ref());
        let fitted = task.fit(observer).map_err(|error| in_table(error, &name, features.fitted.as_deref()))?;
        let Fitted { mut model, graph, mut labels } = fitted;
        let links = links.map(|links| links.findings(&labels));
        if let Some(model) = &mut model {
            if let (Some(earlier), Some(then)) = (&self.earlier, &features.earlier) {
                model.succeed(&earlier.model, then.held(), &mut labels, features.weights.as_deref())?;
                model.record.succession.iter_mut().for_each(|succession| succession.unlike = then.unlike());
            }
            model.describe_clusters(features.rows.view(), &labels, features.fitted.as_deref());
            model.find_reach(features.rows.view(), &labels);
            if let Some(chain) = &chain {
                model.put_behind(chain);
            }
            if !model.gives_numbers() {
                let problem = "the numbers are so large that the weights of a model are not finite: remove marks of missing values, \
                               scale the columns down, or use --features standardize";
                return Err(Error::Degenerate(problem.into()));
            }
            model.column_names = column_names.clone();
            model.record.rows = features.total;
            model.record.fingerprint = features.fingerprint.map_or(String::new(), |hash| format!("{hash:016x}"));
            model.record.cluster_count.clone_from(&cluster_count);
            model.record.diagnostics.links.clone_from(&links);
            if let Some(start) = self.start {
                model.record.cluster_names = start.names;
                model.record.label_new_clusters(model.config.clusters);
            }
        }
        let mut outcome = Outcome { model, labels, fitted: None, graph, cluster_count, links, warnings: Vec::new() };
        if chain.is_none() {
            dominance::warn(&mut outcome, features.rows.view(), &column_names);
        }
        Ok(Outcome { fitted: features.fitted, ..outcome })
    }

    /// Searches for gamma without labels, on the rows that [`Job::run`] would fit. Gives their number too.
    ///
    /// # Errors
    /// When the method is not the paper's own, or as [`Job::run`].
    pub fn tune(
        self,
        source: &mut dyn JobSource,
        gammas: &[f32],
        observer: &mut dyn Observer,
    ) -> Result<(GammaSweep, usize)> {
        if let Some(range) = self.config.range {
            return Err(Error::config("k", range, "a number where gamma is looked for: `neuncut choose` finds one"));
        }
        stoppable(observer.interrupt(), || self.sweep(source, gammas, observer))
    }

    fn sweep(
        mut self,
        source: &mut dyn JobSource,
        gammas: &[f32],
        observer: &mut dyn Observer,
    ) -> Result<(GammaSweep, usize)> {
        let name = source.name();
        let chain = self.fit_chain(source, observer)?;
        let features = self.features(source, chain.as_ref(), observer)?;
        let graph = self.precomputed(features.rows.nrows())?;
        let sweep = tune(self.task(&features, None, graph.as_ref(), None), gammas, observer);
        let sweep = sweep.map_err(|error| in_table(error, &name, features.fitted.as_deref()))?;
        Ok((sweep, features.rows.nrows()))
    }

    /// Refuses what the method cannot use.
    fn check_given(&self) -> Result<()> {
        let refuse = |name: &'static str, takes: fn(&Method) -> bool| {
            let (method, takers) = (&self.config.method, Method::names_of(takes).join(", "));
            match takes(method) {
                true => Ok(()),
                false => {
                    let must = format!("left out: it is a setting of {takers}, not of {method}");
                    Err(Error::config(name, "given", must))
                }
            }
        };
        self.links.iter().try_for_each(|_| refuse("links", Method::takes_links))?;
        self.weights.iter().try_for_each(|_| refuse("weights", Method::takes_weights))
    }

    /// The number of clusters where it is to be chosen, which the configuration has from then on.
    fn choose_clusters(&mut self, features: &Features, observer: &mut dyn Observer) -> Result<Option<CountFindings>> {
        let Some(range) = self.config.range else { return Ok(None) };
        let found = self.count(range, features.rows.view(), observer)?;
        self.config.clusters = found.chosen();
        self.config.range = None;
        self.config.check()?;
        Ok(Some(found))
    }

    fn count(&self, range: ClusterRange, rows: ArrayView2<f32>, observer: &mut dyn Observer) -> Result<CountFindings> {
        if let Some(AffinityKind::Graph(_)) = self.config.method.affinity().map(|options| &options.affinity) {
            let must = "a number with --affinity graph: it is chosen from the rows' own neighbours";
            return Err(Error::config("k", range, must));
        }
        check_rows(rows, range.least)?;
        let Config { representation, seed, .. } = self.config;
        ClusterCount { range, representation, seed }.find(rows, observer)
    }

    /// Evidence for every number of clusters in the range of the configuration, or of all that the rows allow. Gives their number too.
    ///
    /// # Errors
    /// As [`Job::run`].
    pub fn choose(self, source: &mut dyn JobSource, observer: &mut dyn Observer) -> Result<(CountFindings, usize)> {
        stoppable(observer.interrupt(), || self.evidence(source, observer))
    }

    fn evidence(self, source: &mut dyn JobSource, observer: &mut dyn Observer) -> Result<(CountFindings, usize)> {
        let name = source.name();
        let chain = self.fit_chain(source, observer)?;
        let features = self.features(source, chain.as_ref(), observer)?;
        let range = self.config.range.unwrap_or(ClusterRange::AUTO);
        let found = self.count(range, features.rows.view(), observer);
        Ok((found.map_err(|error| in_table(error, &name, features.fitted.as_deref()))?, features.rows.nrows()))
    }

    fn precomputed(&mut self, rows: usize) -> Result<Option<Precomputed>> {
        self.graph.take().map(|edges| Precomputed::of_edges(edges, rows)).transpose()
    }

    fn links_among(&self, features: &Features) -> Result<Option<Links>> {
        self.links
            .as_ref()
            .map(|list| Links::of(list, features.fitted.as_deref(), features.total, features.weights.clone()))
            .transpose()
    }

    /// What the method is asked for.
    fn task<'a>(
        &'a self,
        features: &'a Features,
        start: Option<&'a [Option<u32>]>,
        graph: Option<&'a Precomputed>,
        links: Option<&'a Links>,
    ) -> Task<'a> {
        let weights = features.weights.as_deref();
        Task { config: &self.config, rows: features.rows.view(), start, graph, links, weights }
    }
}

impl Clustering for Outcome {
    fn labels(&self) -> &[u32] {
        &self.labels
    }
}

impl Inductive for Outcome {
    fn predict(&self, rows: ArrayView2<f32>) -> Result<Vec<u32>> {
        match &self.model {
            Some(model) => model.predict(rows),
            None => Err(Error::config("method", "one that leaves labels alone", "one that labels new rows")),
        }
    }
}

/// An error about the rows that were drawn, as one about their source.
fn in_table(mut error: Error, name: &str, drawn: Option<&[u64]>) -> Error {
    match (&mut error, drawn) {
        (Error::TooFewRows { what, .. }, _) => *what = name.into(),
        (Error::Table(TableError::NonFinite { row, .. }), Some(indices)) => {
            *row = indices.get(*row as usize - 1).map_or(*row, |index| index + 1);
        }
        _ => {}
    }
    error
}

#[cfg(test)]
mod tests;
