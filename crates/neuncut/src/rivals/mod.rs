//! The methods that the paper compares itself with, on the same configuration, rows, features and affinities.
//!
//! [`Rival::new`] takes a [`Config`] whose `method` is not the paper's own. k-means, SpectralNet and SpecNet2 leave a
//! [`Model`], in which k-means is one linear layer behind the embedding; the spectral methods leave labels alone.

mod embedding_network;
mod grouped;
mod spectral;

use crate::affinity::Precomputed;
use crate::clustering::{Clusterer, Clustering};
use crate::ensemble::Ensemble;
use crate::features::Pipeline;
use crate::method::Method;
use crate::neural_cut::{Config, Model, Representation, check_rows};
use crate::objective::EmbeddingLoss;
use crate::train::{Observer, Silent};
use crate::{Error, Result};
use ndarray::ArrayView2;
use serde::Serialize;

/// A rival, ready to fit: its configuration has been checked.
#[derive(Debug, Clone)]
pub struct Rival {
    config: Config,
    graph: Option<Precomputed>,
}

/// What a rival found.
#[derive(Debug, Clone)]
pub struct RivalFitted {
    /// The model, where the method labels rows it has not seen.
    pub model: Option<Model>,
    /// What a spectral method saw of its graph.
    pub graph: Option<GraphFindings>,
    labels: Vec<u32>,
}

/// What a spectral method saw of its graph.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraphFindings {
    /// Weights stored, each edge twice.
    pub weights: usize,
    /// Pieces of the rows that have an affinity.
    pub components: usize,
    /// Rows without any.
    pub isolated: usize,
    /// Eigenvalues of the Laplacian, ascending.
    pub eigenvalues: Vec<f64>,
    /// The largest residual of an eigenpair.
    pub residual: f64,
    /// The normalized or ratio cut of the labels.
    pub cut: f64,
    /// Sentences for the user.
    pub warnings: Vec<String>,
}

impl Clustering for RivalFitted {
    fn labels(&self) -> &[u32] {
        &self.labels
    }
}

impl Clusterer for Rival {
    type Fitted = RivalFitted;

    fn fit(&self, rows: ArrayView2<f32>) -> Result<RivalFitted> {
        self.fit_observed(rows, &mut Silent)
    }
}

impl Rival {
    /// Checks the configuration.
    pub fn new(config: Config) -> Result<Self> {
        config.check()?;
        if config.method.is_neural_cut() {
            return Err(Error::config("method", config.method, "a rival: `NeuralCut` fits the paper's own"));
        }
        Ok(Self { config, graph: None })
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Takes this graph, whose nodes are the rows that are fitted, for `ncut` and `rcut`. Without it, `graph:FILE` is read when
    /// rows are fitted.
    pub fn with_graph(mut self, graph: Option<Precomputed>) -> Self {
        self.graph = graph;
        self
    }

    /// Fits the rows `(n, d)`, telling `observer` how it goes. Feature steps are left to [`Job`](crate::job::Job).
    pub fn fit_observed(&self, rows: ArrayView2<f32>, observer: &mut dyn Observer) -> Result<RivalFitted> {
        let config = &self.config;
        check_rows(rows, config.clusters)?;
        if observer.interrupted() {
            return Err(Error::Interrupted);
        }
        match config.method {
            Method::Ensemble => ensemble(config, rows, observer),
            Method::SpectralNet => embedding_network::fit(config, EmbeddingLoss::Orthogonalized, rows, observer),
            Method::SpecNet2 => embedding_network::fit(config, EmbeddingLoss::OrthogonalizationFree, rows, observer),
            Method::Ncut | Method::Rcut | Method::EnSC | Method::SenetSc => {
                spectral::fit(config, self.graph.as_ref(), rows, observer)
            }
            Method::KMeans | Method::NeuNcut | Method::NeuRcut => {
                observer.stage("k-means");
                let representation = representation(config, rows)?;
                grouped::fit(config, representation, Pipeline::default(), rows, grouped::ROW_RESTARTS, Vec::new())
            }
        }
    }
}

/// The start of NeuNcut as a method of its own.
fn ensemble(config: &Config, rows: ArrayView2<f32>, observer: &mut dyn Observer) -> Result<RivalFitted> {
    let ensemble = Ensemble {
        n_clusters: config.clusters,
        representation: config.representation,
        landmarks: Some(config.landmarks()),
        seed: config.seed,
        options: config.ensemble.clone(),
    };
    let labels = ensemble.fit_observed(rows, observer)?.labels().to_vec();
    Ok(RivalFitted { model: None, graph: None, labels })
}

/// The steps before distances are taken: none unless a representation is asked for.
fn representation(config: &Config, rows: ArrayView2<f32>) -> Result<Pipeline> {
    match config.representation {
        Representation::Auto => Ok(Pipeline::default()),
        given => given.fit(rows),
    }
}

#[cfg(test)]
mod tests;
