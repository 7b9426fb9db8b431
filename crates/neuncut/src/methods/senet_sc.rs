//! Spectral clustering of self-expressive coefficients, which SENet learns or which have a closed form.

use super::affinity_choice::Prepared;
use super::limits::positive;
use super::method::Options;
use super::spectral::{self, NEIGHBORS};
use super::{AffinityKind, AffinityOptions, Config, Fitted, RoundingOptions, SenetSettings, Task};
use crate::Result;
use crate::affinity::second_order_graph;
use crate::features::unit_rows;
use crate::train::Observer;
use serde::{Deserialize, Serialize};

/// Coefficients kept per row, and neighbours by them, in the graph of SENet's authors.
const KEPT: usize = 1000;
const COEFFICIENT_NEIGHBORS: usize = 3;

/// What writes each row as a combination of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum CoefficientSource {
    /// A SENet that is trained on the rows
    #[default]
    Senet,
    /// Ridge regression on all rows
    ClosedForm,
}

/// Which rows coefficients join.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum CoefficientGraph {
    /// A row and those that express it, by the magnitude of coefficients
    #[default]
    FirstOrder,
    /// Rows that are expressed alike: the 3 nearest unit coefficient vectors, as SENet's authors do
    SecondOrder,
}

/// The settings of SENet with spectral clustering.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct SenetScOptions {
    /// What writes each row as a combination of others
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    pub coefficients: CoefficientSource,
    /// Which rows coefficients join
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    pub coefficient_graph: CoefficientGraph,
    /// Ridge of the self-expressive affinity, a share of the total variance
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "F"))]
    pub ridge: f32,
    /// How SENet is trained.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub senet: SenetSettings,
    /// How eigenvectors become labels.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub rounding: RoundingOptions,
}

impl Default for SenetScOptions {
    fn default() -> Self {
        Self {
            coefficients: CoefficientSource::default(),
            coefficient_graph: CoefficientGraph::default(),
            ridge: AffinityOptions::default().ridge,
            senet: SenetSettings::default(),
            rounding: RoundingOptions::default(),
        }
    }
}

impl Options for SenetScOptions {
    fn check(&self, config: &Config) -> Result<()> {
        positive("ridge", self.ridge.into())?;
        self.senet.check()?;
        self.rounding.check(config.clusters)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let kind = match self.coefficients {
            CoefficientSource::Senet => AffinityKind::Senet,
            CoefficientSource::ClosedForm => AffinityKind::SelfExpressive,
        };
        let affinity = AffinityOptions { ridge: self.ridge, senet: self.senet.clone(), ..AffinityOptions::of(kind) };
        let rounding = self.rounding.of_subspaces(task.config.clusters, task.rows.nrows());
        // one cluster needs no coefficients, and no network is trained for it
        if self.coefficient_graph == CoefficientGraph::FirstOrder || task.config.clusters == 1 {
            return spectral::fit(&affinity, &rounding, task, observer);
        }
        second_order(&affinity, &rounding, task, observer)
    }

    fn labels_new_rows(&self) -> bool {
        false
    }
}

/// Groups rows on the graph of those that are expressed alike. Where it falls into too many pieces, unit rows say which are near.
fn second_order(
    options: &AffinityOptions,
    rounding: &RoundingOptions,
    task: Task,
    observer: &mut dyn Observer,
) -> Result<Fitted> {
    let mut units = task.representation()?.transform(task.rows);
    let prepared = Prepared::new(task.config, options, task.rows, None, NEIGHBORS, observer)?;
    observer.stage("coefficients");
    let coefficients = prepared.coefficients(units.view(), KEPT)?;
    observer.go_on()?;
    observer.stage("nearest coefficients");
    let graph = second_order_graph(&coefficients, task.rows.nrows(), COEFFICIENT_NEIGHBORS);
    observer.go_on()?;
    observer.stage("eigenvectors");
    unit_rows(&mut units);
    spectral::fit_pieces(&graph, units.view(), rounding, task.config)
}
