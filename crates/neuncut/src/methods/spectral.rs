//! Ncut, Rcut, EnSC and SENet with spectral clustering: a graph of all rows, its eigenvectors, labels.

use super::affinity_choice::given_graph;
use super::kmeans::{EMBEDDING_RESTARTS, KMeansOptions};
use super::limits::at_least_clusters;
use super::method::Options;
use super::{
    AffinityKind, AffinityOptions, Auto, Config, Fitted, GraphFindings, Method, Prepared, SenetSettings, Task,
};
use crate::Result;
use crate::baselines::{Rounding, RowNorm, Spectral};
use crate::clustering::Clustering;
use crate::train::Observer;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Neighbours per row of the graph unless told.
const NEIGHBORS: usize = 10;

/// How eigenvectors become labels.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct RoundingOptions {
    /// Eigenvectors; auto is as many as clusters, and half as many again for ensc and senet-sc
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub eigenvectors: Auto<usize>,
    /// How the eigenvectors become labels
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    pub rounding: Rounding,
    /// How rows of the eigenvectors are scaled; auto keeps the labels of lower cut, and is unit for ensc and senet-sc
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    pub row_norm: RowNorm,
    /// k-means of the eigenvectors.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub k_means: KMeansOptions,
}

impl RoundingOptions {
    fn check(&self, clusters: usize) -> Result<()> {
        if let Auto::Given(count) = self.eigenvectors {
            at_least_clusters("eigenvectors", count, clusters)?;
        }
        self.k_means.check()
    }

    /// The same with what is usual in subspace clustering: more eigenvectors, of which SENet's authors take 15 for the ten classes of
    /// MNIST, and unit rows.
    fn of_subspaces(&self, clusters: usize, rows: usize) -> Self {
        let eigenvectors = self.eigenvectors.unwrap_or((clusters + clusters / 2).min(rows));
        let row_norm = if self.row_norm == RowNorm::Auto { RowNorm::Unit } else { self.row_norm };
        Self { eigenvectors: Auto::Given(eigenvectors), row_norm, ..self.clone() }
    }
}

/// The settings of Ncut and Rcut.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct SpectralOptions {
    /// What joins rows.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub affinity: AffinityOptions,
    /// How eigenvectors become labels.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub rounding: RoundingOptions,
}

impl Options for SpectralOptions {
    fn check(&self, config: &Config) -> Result<()> {
        self.affinity.check_sparse()?;
        self.affinity.check()?;
        self.rounding.check(config.clusters)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        fit(&self.affinity, &self.rounding, task, observer)
    }

    fn labels_new_rows(&self) -> bool {
        false
    }

    fn affinity(&self) -> Option<&AffinityOptions> {
        Some(&self.affinity)
    }
}

/// The settings of EnSC.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct EnscOptions {
    /// How eigenvectors become labels.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub rounding: RoundingOptions,
}

impl Options for EnscOptions {
    fn check(&self, config: &Config) -> Result<()> {
        self.rounding.check(config.clusters)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let rounding = self.rounding.of_subspaces(task.config.clusters, task.rows.nrows());
        fit(&AffinityOptions::of(AffinityKind::ElasticNet), &rounding, task, observer)
    }

    fn labels_new_rows(&self) -> bool {
        false
    }
}

/// The settings of SENet with spectral clustering.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct SenetScOptions {
    /// How SENet is trained.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub senet: SenetSettings,
    /// How eigenvectors become labels.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub rounding: RoundingOptions,
}

impl Options for SenetScOptions {
    fn check(&self, config: &Config) -> Result<()> {
        self.senet.check()?;
        self.rounding.check(config.clusters)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let affinity = AffinityOptions { senet: self.senet.clone(), ..AffinityOptions::of(AffinityKind::Senet) };
        let rounding = self.rounding.of_subspaces(task.config.clusters, task.rows.nrows());
        fit(&affinity, &rounding, task, observer)
    }

    fn labels_new_rows(&self) -> bool {
        false
    }
}

/// A graph of all rows, its eigenvectors, labels.
fn fit(
    affinity_options: &AffinityOptions,
    rounding: &RoundingOptions,
    task: Task,
    observer: &mut dyn Observer,
) -> Result<Fitted> {
    let Task { config, rows, .. } = task;
    let graph = given_graph(affinity_options, task.graph, rows.nrows())?;
    let prepared = Prepared::new(config, affinity_options, rows, graph, NEIGHBORS, observer)?;
    let represented = task.representation()?.transform(rows);
    let graph = match &prepared.graph {
        Some(graph) => Cow::Borrowed(&graph.graph),
        None => {
            observer.stage(match affinity_options.affinity {
                AffinityKind::ElasticNet => "elastic nets",
                _ => "nearest neighbours",
            });
            let (affinity, measured) = prepared.affinity(represented.view())?;
            Cow::Owned(affinity.of_batch(measured)?.into_sparse())
        }
    };
    observer.go_on()?;
    observer.stage("eigenvectors");
    let k = config.clusters;
    let spectral = Spectral {
        eigenvectors: match rounding.eigenvectors {
            Auto::Auto => None,
            Auto::Given(count) => Some(count),
        },
        rounding: rounding.rounding,
        row_norm: rounding.row_norm,
        restarts: rounding.k_means.restarts.unwrap_or(EMBEDDING_RESTARTS),
        seed: config.seed,
        ..if matches!(config.method, Method::Rcut(_)) { Spectral::rcut(k) } else { Spectral::ncut(k) }
    };
    let fitted = spectral.fit_rows_on(&graph, represented.view())?;
    let labels = fitted.labels().to_vec();
    let findings = GraphFindings {
        weights: graph.n_stored(),
        components: fitted.components,
        isolated: fitted.isolated.len(),
        eigenvalues: fitted.values,
        residual: fitted.residual,
        cut: fitted.cut,
        warnings: fitted.warnings,
    };
    Ok(Fitted { model: None, graph: Some(findings), labels })
}
