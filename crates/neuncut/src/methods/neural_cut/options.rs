//! The settings of NeuNcut and NeuRcut.

use super::{Gamma, fit};
use crate::clustering::Clustering;
use crate::ensemble::{Ensemble, EnsembleOptions, LANDMARKS, LANDMARKS_PER_CLUSTER};
use crate::methods::limits::{at_least_clusters, zero_or_positive};
use crate::methods::method::Options;
use crate::methods::{AffinityOptions, Auto, Config, Fitted, Method, Neighborhood, NetworkOptions, Task};
use crate::objective::{Penalty, Volumes};
use crate::train::Observer;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The settings of the paper's method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct NeuralCutOptions {
    /// What is trained on: normalized cut (NeuNcut), ratio cut (NeuRcut), log cut, min-max cut, or mutual information of the clusters at
    /// the two ends of an edge; auto is ncut up to 15 columns, mutual-information above. Only ncut and rcut have a gamma
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    pub objective: GraphObjective,
    /// What joins rows.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub affinity: AffinityOptions,
    /// Save the trained Siamese network or SENet in the model too; prediction does not need it
    #[cfg_attr(feature = "clap", arg(long, action = clap::ArgAction::Set, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL"))]
    pub keep_affinity: bool,
    /// Whether neighbours are those in a batch, or in one graph over all fitted rows, with batches of neighbourhoods (global) or of pairs
    /// of neighbours (pairs); auto is global after a start (of self-expression and elastic nets up to 50000 rows)
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    pub graph: GraphScope,
    /// Weight of the orthogonality penalty; auto is 80 for the normed form and 100 for the squared one; search looks for it without
    /// labels, as `neuncut tune` does, which takes some ten times as long
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "auto|search|F"))]
    pub gamma: Gamma,
    /// Form of the orthogonality penalty: the paper's |R|^2 or the published code's |R|/k
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    pub penalty: Penalty,
    /// Whether gradients flow through the volumes or they are held fixed in a step
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    pub volumes: Volumes,
    /// Where training starts: spectral, overcluster (small clusters merged by Ncut; no eigenvectors), k-means, random (many outputs from
    /// random weights, merged; with an objective or a gamma given Algorithm 1 as written), or labels:FILE, a clustering of DATA that is to have a predict (one label per row, -1 for none)
    #[cfg_attr(feature = "clap", arg(long, value_name = "START"))]
    pub init: Start,
    /// How the start is found.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub start: StartOptions,
    /// Keep the trained network even where the judge of the start marks it lower
    #[cfg_attr(feature = "clap", arg(long = "no-guard", action = clap::ArgAction::Set, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = negated, value_name = "BOOL"))]
    pub guard: bool,
    /// Fit with N seeds, this one and the next, and report how much they agree; the model is that of this one
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub stability: usize,
    /// Share of each target of the warm start that is spread over all clusters
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "F"))]
    pub label_smoothing: f32,
    /// How the network is trained.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub network: NetworkOptions,
}

#[cfg(feature = "clap")]
fn negated(text: &str) -> Result<bool, std::str::ParseBoolError> {
    text.parse::<bool>().map(|given| !given)
}

impl Default for NeuralCutOptions {
    fn default() -> Self {
        Self {
            objective: GraphObjective::default(),
            affinity: AffinityOptions::default(),
            keep_affinity: false,
            graph: GraphScope::default(),
            gamma: Gamma::Auto,
            penalty: Penalty::default(),
            volumes: Volumes::default(),
            init: Start::default(),
            start: StartOptions::default(),
            guard: true,
            stability: 0,
            label_smoothing: 0.1,
            network: NetworkOptions::default(),
        }
    }
}

impl NeuralCutOptions {
    /// The penalty's weight; the automatic one where it is searched for.
    pub fn gamma(&self) -> f32 {
        match (self.gamma, self.penalty) {
            (Gamma::Given(gamma), _) => gamma,
            (_, Penalty::Normed) => 80.0,
            (_, Penalty::Squared) => 100.0,
        }
    }

    /// Whether the network itself begins with random weights, as in Algorithm 1: it is what a named objective or gamma means there.
    pub(super) fn is_algorithm_1(&self) -> bool {
        self.init == Start::Random && (self.objective != GraphObjective::Auto || self.gamma != Gamma::Auto)
    }
}

impl Config {
    /// What rows of so many columns are trained on: never `Auto`.
    pub(super) fn objective(&self, columns: usize) -> GraphObjective {
        let Method::NeuNcut(options) = &self.method else { return GraphObjective::Rcut };
        match options.objective {
            // who gives or looks for a gamma means the cut, which has one
            GraphObjective::Auto if options.gamma == Gamma::Auto && !options.start.ensemble.is_few(columns) => {
                GraphObjective::MutualInformation
            }
            GraphObjective::Auto => GraphObjective::Ncut,
            given => given,
        }
    }
}

impl Options for NeuralCutOptions {
    fn check(&self, config: &Config) -> Result<()> {
        let is_ratio = matches!(config.method, Method::NeuRcut(_));
        if is_ratio && !matches!(self.objective, GraphObjective::Auto | GraphObjective::Rcut) {
            return Err(Error::config("objective", self.objective.word(), "left out: neurcut trains on the ratio cut"));
        }
        if !self.is_algorithm_1() {
            self.start.check(config.clusters)?;
        }
        self.affinity.check()?;
        self.network.check(config.clusters)?;
        let is_global = matches!(self.graph, GraphScope::Global | GraphScope::Pairs);
        if is_global && self.affinity.neighbors == Neighborhood::All {
            let must = "a number with --graph global or pairs: every pair of the training rows would fill the memory";
            return Err(Error::config("neighbors", "all", must));
        }
        if let Gamma::Given(gamma) = self.gamma {
            zero_or_positive("gamma", gamma.into())?;
        }
        if self.gamma != Gamma::Auto && !self.objective.may_have_gamma() {
            let must =
                "ncut or rcut where there is a gamma to give or to look for: the others have no penalty to weigh";
            return Err(Error::config("objective", self.objective.word(), must));
        }
        if self.stability == 1 {
            return Err(Error::config("stability", 1, "at least 2: one fit has none to agree with"));
        }
        match (0.0..1.0).contains(&self.label_smoothing) {
            true => Ok(()),
            false => Err(Error::config("label-smoothing", self.label_smoothing, "between 0 and 1")),
        }
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        fit::fit(self, task, observer)
    }

    fn takes_links(&self) -> bool {
        true
    }

    fn takes_weights(&self) -> bool {
        true
    }

    fn affinity(&self) -> Option<&AffinityOptions> {
        Some(&self.affinity)
    }

    fn network(&self) -> Option<&NetworkOptions> {
        Some(&self.network)
    }
}

/// The settings of the start, which is also the method `ensemble`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct StartOptions {
    /// Most rows in the start, which the others follow; auto is 10000, or 40 per cluster if that is more
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub landmarks: Auto<usize>,
    /// Its constants.
    #[cfg_attr(feature = "clap", command(flatten))]
    pub ensemble: EnsembleOptions,
}

impl StartOptions {
    /// Most rows in the start.
    pub fn landmarks(&self, clusters: usize) -> usize {
        self.landmarks.unwrap_or(LANDMARKS.max(LANDMARKS_PER_CLUSTER * clusters))
    }

    fn check(&self, clusters: usize) -> Result<()> {
        at_least_clusters("landmarks", self.landmarks(clusters), clusters)?;
        self.ensemble.check()
    }
}

impl Options for StartOptions {
    fn check(&self, config: &Config) -> Result<()> {
        Self::check(self, config.clusters)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let ensemble = Ensemble {
            n_clusters: task.config.clusters,
            representation: task.config.representation,
            landmarks: Some(self.landmarks(task.config.clusters)),
            seed: task.config.seed,
            options: self.ensemble.clone(),
        };
        let found = ensemble.fit_weighed(task.rows, task.weights, observer)?;
        let Some(links) = task.links else { return Ok(Fitted::labels_of(&found)) };
        let represented = found.representation.fit(task.rows)?.transform(task.rows);
        let mut labels: Vec<Option<u32>> = found.labels().iter().copied().map(Some).collect();
        links.obey(&mut labels, &links.near(represented.view()), task.config.clusters);
        Ok(Fitted { model: None, graph: None, labels: labels.into_iter().flatten().collect() })
    }

    fn takes_links(&self) -> bool {
        true
    }

    fn takes_weights(&self) -> bool {
        true
    }

    fn labels_new_rows(&self) -> bool {
        false
    }
}

/// What a network is trained for on a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum GraphObjective {
    /// The normalized cut for few columns, mutual information for many: what the judge of the start goes by.
    #[default]
    Auto,
    /// A low normalized cut, Eq. (ncut1): Algorithm 1.
    Ncut,
    /// A low ratio cut, Eq. (rcut).
    Rcut,
    /// A low log cut, the sum of `-ln` of the share of its volume that each cluster keeps, averaged over batches.
    Log,
    /// A low min-max cut, the sum of what clusters lose over what they keep, averaged over batches.
    MinMax,
    /// High mutual information of the clusters at the two ends of an edge, averaged over batches.
    MutualInformation,
}

impl GraphObjective {
    /// Whether it has an orthogonality penalty, or `Auto` can be told to have one.
    fn may_have_gamma(self) -> bool {
        matches!(self, Self::Auto | Self::Ncut | Self::Rcut)
    }

    /// What reports call it.
    pub(super) fn spoken(self) -> &'static str {
        match self {
            Self::Auto | Self::Ncut | Self::Rcut => "cut",
            Self::Log => "log cut",
            Self::MinMax => "min-max cut",
            Self::MutualInformation => "mutual information",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Ncut => "ncut",
            Self::Rcut => "rcut",
            Self::Log => "log",
            Self::MinMax => "min-max",
            Self::MutualInformation => "mutual-information",
        }
    }
}

/// Where the neighbours of a row are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum GraphScope {
    /// Among all training rows after a warm start, where there are at most 50,000 or rows are joined by distances; in the batch
    /// otherwise, and where every affinity is kept.
    #[default]
    Auto,
    /// Among the rows of its batch, which are drawn uniformly.
    Batch,
    /// Among all training rows, in one graph; batches are seed rows with their neighbours.
    Global,
    /// The same; batches are pairs of neighbours, drawn by the weight that joins them.
    Pairs,
}

/// Where training starts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Start {
    /// Spectral clustering of landmark rows, which the network learns first.
    #[default]
    Spectral,
    /// Networks of many outputs from random weights, which are merged; with an objective or a gamma given Algorithm 1 as written.
    Random,
    /// k-means on the representation, which the network learns first.
    KMeans,
    /// Many small clusters of landmark rows, merged by Ncut, which the network learns first: no eigenvectors.
    Overcluster,
    /// A clustering that the caller has, which the network learns first: the file it is in, or none where it is in memory.
    Labels(Option<PathBuf>),
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Spectral => f.write_str("spectral"),
            Self::Random => f.write_str("random"),
            Self::KMeans => f.write_str("k-means"),
            Self::Overcluster => f.write_str("overcluster"),
            Self::Labels(None) => f.write_str("labels"),
            Self::Labels(Some(path)) => write!(f, "labels:{}", path.display()),
        }
    }
}

impl FromStr for Start {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "spectral" => Ok(Self::Spectral),
            "random" => Ok(Self::Random),
            "k-means" => Ok(Self::KMeans),
            "overcluster" => Ok(Self::Overcluster),
            "labels" => Ok(Self::Labels(None)),
            _ => match text.strip_prefix("labels:") {
                Some(path) if !path.is_empty() => Ok(Self::Labels(Some(path.into()))),
                _ => Err("possible values: spectral, overcluster, k-means, random, labels:FILE".into()),
            },
        }
    }
}

crate::words::as_words!(Start);
