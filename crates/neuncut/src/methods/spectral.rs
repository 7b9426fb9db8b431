//! Ncut, Rcut and EnSC: a graph of all rows, its eigenvectors, labels.

use super::affinity_choice::RowGraph;
use super::kmeans::{EMBEDDING_RESTARTS, KMeansOptions};
use super::leiden::SMALL_PIECE;
use super::limits::at_least_clusters;
use super::method::Options;
use super::{AffinityKind, AffinityOptions, Auto, Config, Fitted, Method, SpectralFindings, Task};
use crate::baselines::{Rounding, RowNorm, Spectral, SpectralFitted};
use crate::clustering::Clustering;
use crate::ensemble::{Pieces, mean_distances};
use crate::graph::knn::nearest_in;
use crate::graph::{Csr, ncut};
use crate::train::Observer;
use crate::{Error, Result};
use ndarray::{Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Neighbours per row of the graph unless told.
pub(super) const NEIGHBORS: usize = 10;

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
    pub(super) fn check(&self, clusters: usize) -> Result<()> {
        if let Auto::Given(count) = self.eigenvectors {
            at_least_clusters("eigenvectors", count, clusters)?;
        }
        if (self.rounding, self.row_norm) == (Rounding::Rotation, RowNorm::Unit) {
            return Err(Error::config(
                "row-norm",
                "unit",
                "auto or none with the rounding rotation, which scales no row",
            ));
        }
        self.k_means.check()
    }

    /// The same with what is usual in subspace clustering: more eigenvectors, of which SENet's authors take 15 for the ten classes of
    /// MNIST, and unit rows.
    pub(super) fn of_subspaces(&self, clusters: usize, rows: usize) -> Self {
        let eigenvectors = self.eigenvectors.unwrap_or((clusters + clusters / 2).min(rows));
        Self { eigenvectors: Auto::Given(eigenvectors), ..self.of_units() }
    }

    /// The same with unit rows, unless told.
    pub(super) fn of_units(&self) -> Self {
        let open = self.row_norm == RowNorm::Auto && self.rounding != Rounding::Rotation;
        Self { row_norm: if open { RowNorm::Unit } else { self.row_norm }, ..self.clone() }
    }

    /// Spectral clustering by these settings.
    pub(super) fn spectral(&self, config: &Config) -> Spectral {
        let k = config.clusters;
        Spectral {
            eigenvectors: self.eigenvectors.given(),
            rounding: self.rounding,
            row_norm: self.row_norm,
            restarts: self.k_means.restarts.unwrap_or(EMBEDDING_RESTARTS),
            seed: config.seed,
            ..if matches!(config.method, Method::Rcut(_)) { Spectral::rcut(k) } else { Spectral::ncut(k) }
        }
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

/// A graph of all rows, its eigenvectors, labels.
pub(super) fn fit(
    affinity_options: &AffinityOptions,
    rounding: &RoundingOptions,
    task: Task,
    observer: &mut dyn Observer,
) -> Result<Fitted> {
    Ok(Solved::of(affinity_options, rounding, task, observer)?.unrefined())
}

/// A graph of all rows with its eigenvectors and the labels that they give.
pub(super) struct Solved<'a> {
    graph: Cow<'a, Csr>,
    represented: Array2<f32>,
    /// What spectral clustering found.
    pub fitted: SpectralFitted,
}

impl<'a> Solved<'a> {
    pub fn of(
        affinity_options: &AffinityOptions,
        rounding: &RoundingOptions,
        task: Task<'a>,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let RowGraph { graph, represented, .. } = RowGraph::of(affinity_options, task, NEIGHBORS, observer)?;
        observer.go_on()?;
        observer.stage("eigenvectors");
        let fitted = rounding.spectral(task.config).fit_rows_on(&graph, represented.view())?;
        Ok(Self { graph, represented, fitted })
    }

    /// The labels as they are.
    pub fn unrefined(self) -> Fitted {
        let (labels, cut) = (self.fitted.labels().to_vec(), self.fitted.cut);
        Fitted { model: None, graph: Some(findings(&self.graph, self.fitted, cut)), labels }
    }

    /// Labels that `refine` makes of the graph and the labels of the nodes that have edges; the others follow their nearest.
    pub fn refined(self, k: usize, refine: impl Fn(&Csr, &[u32], &SpectralFitted) -> Vec<u32>) -> Fitted {
        let Self { graph, represented, fitted } = self;
        let isolated = &fitted.isolated;
        let main: Vec<usize> = (0..graph.len()).filter(|i| isolated.binary_search(i).is_err()).collect();
        let start: Vec<u32> = main.iter().map(|&i| fitted.labels()[i]).collect();
        let found = match isolated.is_empty() {
            true => refine(&graph, &start, &fitted),
            false => refine(&graph.induced(&main), &start, &fitted),
        };
        let mut labels = vec![0; graph.len()];
        main.iter().zip(&found).for_each(|(&i, &label)| labels[i] = label);
        if !isolated.is_empty() {
            let (far, near) = (represented.select(Axis(0), isolated), represented.select(Axis(0), &main));
            let nearest = nearest_in(far.view(), near.view(), 1).indices;
            isolated.iter().zip(nearest.column(0)).for_each(|(&i, &near)| labels[i] = found[near as usize]);
        }
        let cut = ncut(&graph, &labels, k);
        Fitted { model: None, graph: Some(findings(&graph, fitted, cut)), labels }
    }
}

/// Groups the nodes of a graph of few neighbours, which falls into more pieces than there are clusters: stray pieces follow the nearest row, and
/// weak links join the others by the distances of rows `(n, d)`.
pub(super) fn fit_pieces(
    graph: &Csr,
    rows: ArrayView2<f32>,
    rounding: &RoundingOptions,
    config: &Config,
) -> Result<Fitted> {
    let pieces = Pieces::joined(graph, rows, &mean_distances(graph, rows), config.clusters, SMALL_PIECE);
    let fitted = rounding.spectral(config).fit_graph(&pieces.graph)?;
    let labels = pieces.spread(fitted.labels());
    let cut = ncut(graph, &labels, config.clusters);
    Ok(Fitted { model: None, graph: Some(findings(graph, fitted, cut)), labels })
}

/// What was seen of a graph.
fn findings(graph: &Csr, fitted: SpectralFitted, cut: f64) -> SpectralFindings {
    SpectralFindings {
        weights: graph.n_stored(),
        components: fitted.components,
        isolated: fitted.isolated.len(),
        eigenvalues: fitted.values,
        residual: fitted.residual,
        cut,
        warnings: fitted.warnings,
    }
}
