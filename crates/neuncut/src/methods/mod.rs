//! Clustering methods, each with its own settings, and the model that some of them leave.
//!
//! A [`Config`] is what all methods share and a [`Method`] with its settings; a [`Job`](crate::job::Job) fits it. [`neural_cut`] is the
//! paper's method. k-means, SpectralNet and SpecNet2 leave a [`Model`] too, in which k-means is one linear layer behind the embedding, and so
//! do the methods by [anchors](AnchorOptions), the deep ones ([`CncOptions`] and its neighbours), and Leiden and Ward, in which rows follow their nearest; the spectral methods and the ensemble leave labels alone.
//!
//! ```
//! use neuncut::methods::{Auto, Config, KMeansOptions, Method};
//!
//! let method = Method::KMeans(KMeansOptions { restarts: Auto::Given(3) });
//! let config = Config { seed: 7, ..Config::of(method, 5) };
//! assert!(config.check().is_ok() && config.method.labels_new_rows());
//! ```

mod affinity_choice;
mod affinity_kind;
mod affinity_options;
mod anchors;
mod auto;
mod basis;
mod config;
#[cfg(feature = "clap")]
mod constants_flag;
mod deep;
mod editing;
mod embedding_network;
mod exemplars;
mod heads;
mod hidden;
mod inference;
mod kmeans;
mod leiden;
mod levels;
mod limits;
mod method;
mod model;
mod neighbor_vote;
mod network_inputs;
mod network_options;
pub mod neural_cut;
mod reach;
mod record;
mod refined_cut;
mod regression;
mod rotation;
mod score;
mod senet_sc;
mod spectral;
mod splitting;
mod succession;
mod typical;
mod ward;

pub use crate::features::Representation;
pub use affinity_kind::AffinityKind;
pub use affinity_options::{AffinityOptions, Neighborhood, SenetSettings};
pub use anchors::{
    AnchorChoice, AnchorGraphOptions, AnchorOptions, AutoscOptions, BipartiteOptions, NystromOptions, Placement,
    UsencOptions,
};
pub use auto::Auto;
pub use basis::BasisOptions;
pub use config::Config;
pub use deep::{AutoencoderStart, CncOptions, DepictOptions, EdescOptions, FirstClusters, VadeOptions};
pub use embedding_network::EmbeddingOptions;
pub use exemplars::EscOptions;
pub use heads::{HeadOptions, HeadStart, IconOptions, ScanOptions, TemiOptions, TurtleOptions};
pub use hidden::Hidden;
pub use inference::Inference;
pub use kmeans::KMeansOptions;
pub use leiden::LeidenOptions;
pub use levels::{Level, joined};
pub use method::Method;
pub use model::{Model, TrainingRecord, argmax_rows};
pub use network_options::NetworkOptions;
pub(crate) use neural_cut::are_few;
pub use neural_cut::{Gamma, GraphObjective, GraphScope, NeuralCutOptions, Start, StartOptions};
pub use reach::Reach;
pub use refined_cut::{MinMaxCutOptions, NonnegativeStart, NscOptions};
pub use rotation::{RotationForm, RotationOptions};
pub use senet_sc::{CoefficientGraph, CoefficientSource, SenetScOptions};
pub use spectral::{EnscOptions, RoundingOptions, SpectralOptions};
pub use splitting::Split;
pub use succession::{Kept, Succession};
pub use typical::typical_rows;
pub use ward::WardOptions;

use crate::affinity::Precomputed;
use crate::clustering::Clustering;
use crate::features::{Pipeline, check_range};
use crate::links::Links;
use crate::train::Observer;
use crate::{Error, Result};
use affinity_choice::Prepared;
use ndarray::{Array1, ArrayView2};
use serde::Serialize;
use std::collections::HashSet;

/// Rows to be grouped, after the feature steps.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    /// The configuration, checked.
    pub config: &'a Config,
    /// The rows `(n, d)`, all of which are fitted.
    pub rows: ArrayView2<'a, f32>,
    /// A clustering of them to start from, one label below `k` per row or none.
    pub start: Option<&'a [Option<u32>]>,
    /// The user's graph, whose nodes are the rows.
    pub graph: Option<&'a Precomputed>,
    /// Pairs of rows that belong together or apart.
    pub links: Option<&'a Links>,
    /// What each row weighs, on average one; all the same where there are none.
    pub weights: Option<&'a [f32]>,
}

/// What a method found.
#[derive(Debug, Clone)]
pub(crate) struct Fitted {
    /// The model, where the method labels rows it has not seen.
    pub model: Option<Model>,
    /// What a spectral method saw of its graph.
    pub graph: Option<SpectralFindings>,
    /// The cluster of each row.
    pub labels: Vec<u32>,
}

/// What a spectral method saw of its graph.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpectralFindings {
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

impl Fitted {
    /// Labels alone.
    fn labels_of(found: &impl Clustering) -> Self {
        Self { model: None, graph: None, labels: found.labels().to_vec() }
    }
}

impl Task<'_> {
    /// Groups the rows by the method.
    pub fn fit(self, observer: &mut dyn Observer) -> Result<Fitted> {
        check_rows(self.rows, self.config.clusters)?;
        self.check_weights()?;
        observer.go_on()?;
        self.config.method.options().fit(self, observer)
    }

    /// Refuses weights that leave fewer rows than clusters.
    fn check_weights(&self) -> Result<()> {
        let Some(weights) = self.weights else { return Ok(()) };
        let (rows, k) = (weights.iter().filter(|&&weight| weight > 0.0).count(), self.config.clusters);
        let remedy = format!("{k} clusters need at least as many rows that weigh something; ask for fewer with -k");
        match rows >= k {
            true => Ok(()),
            false => Err(Error::TooFewRows { what: "the data".into(), rows: rows as u64, needed: k as u64, remedy }),
        }
    }

    /// The steps before distances are taken: none unless a representation is asked for. The distances of rows as they are must be
    /// numbers.
    fn representation(&self) -> Result<Pipeline> {
        match self.config.representation {
            Representation::Auto => {
                check_range(self.rows, &Array1::zeros(self.rows.ncols())).map(|()| Pipeline::default())
            }
            given => given.fit(self.rows),
        }
    }
}

/// Refuses rows that are too few, not finite or all equal.
pub(crate) fn check_rows(rows: ArrayView2<f32>, clusters: usize) -> Result<()> {
    if rows.nrows() < clusters {
        return Err(Error::too_few_rows("the data".into(), rows.nrows() as u64, clusters));
    }
    model::check_finite(rows)?;
    let first = rows.row(0);
    if clusters > 1 && rows.rows().into_iter().all(|row| row == first) {
        return Err(Error::Degenerate(
            "all rows are equal: there is nothing to cluster; check that the right columns were chosen".into(),
        ));
    }
    let different = different_rows(rows, clusters);
    if different < clusters {
        return Err(Error::Degenerate(format!(
            "there are only {different} different rows for {clusters} clusters: ask for fewer clusters with -k"
        )));
    }
    Ok(())
}

/// Rows that differ from each other, counted up to this many.
fn different_rows(rows: ArrayView2<f32>, most: usize) -> usize {
    let mut seen = HashSet::new();
    for row in rows.rows() {
        // adding zero makes -0 the same number as 0
        seen.insert(row.iter().map(|value| (value + 0.0).to_bits()).collect::<Vec<u32>>());
        if seen.len() == most {
            break;
        }
    }
    seen.len()
}

#[cfg(test)]
mod tests;
