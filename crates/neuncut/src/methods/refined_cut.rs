//! Methods that begin with spectral clustering of a graph and improve its labels on the graph itself.

use super::method::Options;
use super::spectral::{Solved, SpectralOptions};
use super::{AffinityOptions, Config, Fitted, Task};
use crate::graph::{Csr, nonnegative_from, nonnegative_from_labels, nonnegative_start, refine_min_max};
use crate::train::Observer;
use crate::{Result, Seed};
use ndarray::Array2;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Where the updates of nonnegative spectral clustering begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum NonnegativeStart {
    /// At the labels of spectral clustering
    #[default]
    Labels,
    /// At the nonnegative parts of the eigenvectors (NNDSVD)
    Nndsvd,
    /// At random memberships
    Random,
}

/// The settings of nonnegative spectral clustering.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct NscOptions {
    /// The graph, and spectral clustering of it.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub spectral: SpectralOptions,
    /// Where the nonnegative updates begin
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    pub nonnegative_start: NonnegativeStart,
}

impl Options for NscOptions {
    fn check(&self, config: &Config) -> Result<()> {
        self.spectral.check(config)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let (k, seed) = (task.config.clusters, Seed(task.config.seed));
        let solved = Solved::of(&self.spectral.affinity, &self.spectral.rounding, task, observer)?;
        observer.go_on()?;
        observer.stage("nonnegative updates");
        Ok(solved.refined(k, |graph, labels, fitted| match self.nonnegative_start {
            NonnegativeStart::Labels => nonnegative_from_labels(graph, labels, k),
            NonnegativeStart::Random => {
                let mut rng = seed.stream("nonnegative");
                nonnegative_from(graph, Array2::from_shape_fn((graph.len(), k), |_| 0.1 + rng.random::<f32>()))
            }
            NonnegativeStart::Nndsvd => {
                // those of the affinity, which is the identity less the Laplacian
                let values: Vec<f64> = fitted.values.iter().take(k).map(|value| 1.0 - value).collect();
                let vectors = fitted.vectors.slice(ndarray::s![.., ..k]);
                nonnegative_from(graph, nonnegative_start(graph, &values, vectors))
            }
        }))
    }

    fn labels_new_rows(&self) -> bool {
        false
    }

    fn affinity(&self) -> Option<&AffinityOptions> {
        Some(&self.spectral.affinity)
    }
}

/// The settings of the min-max cut: those of the spectral clustering before it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct MinMaxCutOptions {
    /// The graph, and spectral clustering of it.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub spectral: SpectralOptions,
}

impl Options for MinMaxCutOptions {
    fn check(&self, config: &Config) -> Result<()> {
        self.spectral.check(config)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let k = task.config.clusters;
        let solved = Solved::of(&self.spectral.affinity, &self.spectral.rounding, task, observer)?;
        observer.go_on()?;
        observer.stage("linkage refinement");
        Ok(solved.refined(k, |graph: &Csr, labels: &[u32], _| refine_min_max(graph, labels, k)))
    }

    fn labels_new_rows(&self) -> bool {
        false
    }

    fn affinity(&self) -> Option<&AffinityOptions> {
        Some(&self.spectral.affinity)
    }
}
