//! Everything that can be set about a fit: one struct for the library, the TOML file, the flags and the model's record.

use super::{AffinityKind, Auto, Gamma, GraphScope, Representation};
use crate::affinity::{SenetOptions, SenetSize};
use crate::baselines::{Rounding, RowNorm};
use crate::ensemble::{EnsembleOptions, LANDMARKS, LANDMARKS_PER_CLUSTER};
use crate::features::{Chain, ChainOptions, FittedChain, RowSource};
use crate::method::Method;
use crate::network::Device;
use crate::objective::{Cut, Penalty, Volumes};
use crate::train::Observer;
use crate::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::str::FromStr;

/// The widest hidden layer: a slip of the finger must not fill the memory.
const WIDEST: usize = 1 << 16;

/// Rows that are fitted, at least and per cluster: a cluster needs more rows than it has neighbours.
const TRAIN_ROWS: usize = 20_000;
const TRAIN_ROWS_A_CLUSTER: usize = 100;

/// How many entries of an affinity are kept a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Neighborhood {
    /// Ten in the landmark graph, three inside a batch.
    #[default]
    Auto,
    /// So many in both.
    Count(usize),
    /// All of them: a dense affinity inside a batch (the landmark graph keeps its ten).
    All,
}

impl Neighborhood {
    /// Entries kept a row, so many unless told; none keeps all.
    pub(crate) fn kept(self, automatic: usize) -> Option<usize> {
        match self {
            Self::Auto => Some(automatic),
            Self::Count(count) => Some(count),
            Self::All => None,
        }
    }
}

/// Where training starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Spectral clustering of landmark rows, which the network learns first.
    #[default]
    Spectral,
    /// Random weights: Algorithm 1 as written.
    Random,
    /// k-means on the representation, which the network learns first.
    KMeans,
    /// Many small clusters of landmark rows, merged by Ncut, which the network learns first: no eigenvectors.
    Overcluster,
    /// A clustering that the caller has, which the network learns first.
    Labels,
}

/// What a network is trained for on a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GraphObjective {
    /// The normalized cut for few columns, mutual information for many: what the judge of the start goes by.
    #[default]
    Auto,
    /// A low normalized cut, Eq. (ncut1): Algorithm 1.
    Ncut,
    /// A low ratio cut, Eq. (rcut).
    Rcut,
    /// Much mutual information of the clusters at the two ends of an edge, averaged over batches.
    MutualInformation,
}

/// The configuration of a fit. [`Config::new`] fills in the defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Config {
    /// Number of clusters, `k`.
    pub clusters: usize,
    /// What becomes of rows before anything else, such as `scattering,pca=500`; nothing unless given.
    pub features: Chain,
    /// Which clustering method.
    pub method: Method,
    /// What is trained on; the method `neurcut` is the ratio cut whatever this says.
    pub objective: GraphObjective,
    /// Eigenvectors of the spectral methods; automatic is as many as clusters, and half as many again for `ensc` and
    /// `senet-sc`.
    pub eigenvectors: Auto<usize>,
    /// How the eigenvectors of `ncut`, `rcut`, `ensc` and `senet-sc` become labels.
    pub rounding: Rounding,
    /// How rows of those eigenvectors are scaled first.
    pub row_norm: RowNorm,
    /// Restarts of k-means in the methods other than NeuNcut; automatic is 10 on rows, 20 on embeddings.
    pub restarts: Auto<usize>,
    /// Which affinity the cut is taken on; `ensc` and `senet-sc` have their own whatever this says.
    pub affinity: AffinityKind,
    /// Whether neighbours are those in a batch, or in a graph over all training rows.
    pub graph: GraphScope,
    /// The sizes of SENet.
    pub senet_size: SenetSize,
    /// Widths of SENet's layers, the last being that of its codes; those of its size unless given.
    pub senet_layers: Vec<usize>,
    /// Training steps of SENet; automatic is those of its size.
    pub senet_steps: Auto<usize>,
    /// Keys in one step of SENet, drawn at random, all rows where there are no more; automatic is those of its size.
    pub senet_block: Auto<usize>,
    /// Whether a trained Siamese network or SENet is saved in the model, which prediction does not need.
    pub keep_affinity: bool,
    /// The heat kernel's bandwidth in the representation; automatic is local scaling.
    pub sigma: Auto<f32>,
    /// Entries kept a row of the affinity.
    pub neighbors: Neighborhood,
    /// The ridge of the self-expressive affinity, a share of the total variance.
    pub ridge: f32,
    /// Weight of the orthogonality penalty; automatic is 80 for the normed form, 100 for the squared one; `search` is the paper's
    /// search without labels.
    pub gamma: Gamma,
    /// Form of the orthogonality penalty.
    pub penalty: Penalty,
    /// Whether gradients flow through the volumes.
    pub volumes: Volumes,
    /// How rows are represented before distances are taken.
    pub representation: Representation,
    /// Where training starts.
    pub init: Start,
    /// Most rows in the start; automatic is 10,000, or 40 a cluster if that is more.
    pub landmarks: Auto<usize>,
    /// The constants of the start, and of the method `ensemble`.
    pub ensemble: EnsembleOptions,
    /// Whether training may be undone where the judge of the start marks it lower on held-out rows.
    pub guard: bool,
    /// Most rows that the command line fits, a uniform sample where the data has more; the library fits the rows it is given.
    /// Automatic is 20,000, or 100 a cluster if that is more.
    pub train_rows: Auto<usize>,
    /// Rows a batch.
    pub batch: usize,
    /// Passes over the training rows; automatic makes about 300 steps after a warm start, 100 passes from random weights.
    pub epochs: Auto<usize>,
    /// Widths of the hidden layers.
    pub hidden: Vec<usize>,
    /// Initial learning rate; automatic is 3e-4 after a warm start, 5e-3 from random weights.
    pub lr: Auto<f64>,
    /// Coupled weight decay.
    pub weight_decay: f32,
    /// Share of each warm-start target that is spread over all clusters.
    pub label_smoothing: f32,
    /// Fits with other seeds whose agreement is measured, this one included; below two, none.
    pub stability: usize,
    /// Random seed.
    pub seed: u64,
    /// Where training runs.
    pub device: Device,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            clusters: 0,
            features: Chain::default(),
            method: Method::default(),
            objective: GraphObjective::default(),
            eigenvectors: Auto::Auto,
            rounding: Rounding::default(),
            row_norm: RowNorm::default(),
            restarts: Auto::Auto,
            affinity: AffinityKind::default(),
            graph: GraphScope::default(),
            senet_size: SenetSize::default(),
            senet_layers: Vec::new(),
            senet_steps: Auto::Auto,
            senet_block: Auto::Auto,
            keep_affinity: false,
            sigma: Auto::Auto,
            neighbors: Neighborhood::Auto,
            ridge: 1e-2,
            gamma: Gamma::Auto,
            penalty: Penalty::default(),
            volumes: Volumes::default(),
            representation: Representation::Auto,
            init: Start::default(),
            landmarks: Auto::Auto,
            ensemble: EnsembleOptions::default(),
            guard: true,
            train_rows: Auto::Auto,
            batch: 1000,
            epochs: Auto::Auto,
            hidden: vec![512, 512],
            lr: Auto::Auto,
            weight_decay: 1e-4,
            label_smoothing: 0.1,
            stability: 0,
            seed: 0,
            device: Device::Cpu,
        }
    }
}

impl Config {
    /// The defaults for this many clusters.
    pub fn new(clusters: usize) -> Self {
        Self { clusters, ..Self::default() }
    }

    /// The paper's settings: Algorithm 1 from random weights, a dense heat kernel of bandwidth 3, the squared penalty with gamma 100.
    pub fn paper(clusters: usize) -> Self {
        Self {
            graph: GraphScope::Batch,
            sigma: Auto::Given(3.0),
            neighbors: Neighborhood::All,
            gamma: Gamma::Given(100.0),
            penalty: Penalty::Squared,
            volumes: Volumes::Held,
            representation: Representation::Raw,
            init: Start::Random,
            epochs: Auto::Given(100),
            lr: Auto::Given(5e-3),
            ..Self::new(clusters)
        }
    }

    /// The cut by which labels are scored: the ratio cut where it is trained on, the normalized cut otherwise.
    pub fn cut(&self) -> Cut {
        match self.method == Method::NeuRcut || self.objective == GraphObjective::Rcut {
            true => Cut::Rcut,
            false => Cut::Ncut,
        }
    }

    /// Whether rows of so many columns are trained on mutual information in place of a cut. From random weights only where asked for.
    pub(super) fn trains_on_information(&self, columns: usize) -> bool {
        match self.objective {
            GraphObjective::MutualInformation => self.method != Method::NeuRcut,
            // who gives or looks for a gamma means the cut, which has one
            GraphObjective::Auto => {
                self.method == Method::NeuNcut
                    && self.init != Start::Random
                    && self.gamma == Gamma::Auto
                    && !self.ensemble.is_few(columns)
            }
            GraphObjective::Ncut | GraphObjective::Rcut => false,
        }
    }

    /// The penalty's weight; the automatic one where it is searched for.
    pub fn gamma(&self) -> f32 {
        match (self.gamma, self.penalty) {
            (Gamma::Given(gamma), _) => gamma,
            (_, Penalty::Normed) => 80.0,
            (_, Penalty::Squared) => 100.0,
        }
    }

    /// The affinity: that of the method where it has one of its own.
    pub fn affinity(&self) -> AffinityKind {
        match self.method {
            Method::EnSC => AffinityKind::ElasticNet,
            Method::SenetSc => AffinityKind::Senet,
            _ => self.affinity.clone(),
        }
    }

    /// Most rows in the start.
    pub fn landmarks(&self) -> usize {
        self.landmarks.unwrap_or(LANDMARKS.max(LANDMARKS_PER_CLUSTER * self.clusters))
    }

    /// Most rows that the command line fits; a graph has all of its rows.
    pub fn train_rows(&self) -> usize {
        match self.affinity() {
            AffinityKind::Graph(_) => usize::MAX,
            _ => self.train_rows.unwrap_or(TRAIN_ROWS.max(TRAIN_ROWS_A_CLUSTER * self.clusters)),
        }
    }

    /// How SENet is trained: its size, with what was given in place of it.
    pub fn senet(&self) -> SenetOptions {
        let mut options = SenetOptions::of(self.senet_size);
        if !self.senet_layers.is_empty() {
            options.layers = self.senet_layers.clone();
        }
        options.steps = self.senet_steps.unwrap_or(options.steps);
        if let Auto::Given(block) = self.senet_block {
            options.block = Some(block);
        }
        options
    }

    /// Fits the feature steps on all rows of a source.
    pub fn fit_chain(&self, source: &mut dyn RowSource, observer: &mut dyn Observer) -> Result<FittedChain> {
        let options = ChainOptions { seed: self.seed, device: self.device, ..Default::default() };
        self.features.fit(source, &options, observer)
    }

    /// Checks every field that can be checked without data.
    pub fn check(&self) -> Result<()> {
        let positive = |field, value: f64| {
            if value > 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(Error::config(field, value, "a positive number"))
            }
        };
        let at_least_one = |field, value: usize| {
            if value >= 1 { Ok(()) } else { Err(Error::config(field, value, "at least 1")) }
        };
        at_least_one("k", self.clusters)?;
        for (field, rows) in [("train-rows", self.train_rows()), ("landmarks", self.landmarks())] {
            if rows < self.clusters && (field == "train-rows" || self.init != Start::Random) {
                return Err(Error::config(
                    field,
                    rows,
                    format!("no smaller than the number of clusters, {}", self.clusters),
                ));
            }
        }
        for (field, widths) in [("hidden", &self.hidden), ("senet-layers", &self.senet_layers)] {
            if let Some(width) = widths.iter().find(|width| !(1..=WIDEST).contains(*width)) {
                return Err(Error::config(field, width, format!("from 1 to {WIDEST}")));
            }
        }
        at_least_one("senet-steps", self.senet_steps.unwrap_or(1))?;
        if let Auto::Given(block) = self.senet_block
            && block < 2
        {
            return Err(Error::config("senet-block", block, "at least 2"));
        }
        if self.graph == GraphScope::Global && self.neighbors == Neighborhood::All {
            let must = "a number with --graph global: every pair of the training rows would fill the memory";
            return Err(Error::config("neighbors", "all", must));
        }
        if self.batch < self.clusters.max(2) {
            let must = format!("at least 2 and no smaller than the number of clusters, {}", self.clusters);
            return Err(Error::config("batch", self.batch, must));
        }
        if let Neighborhood::Count(count) = self.neighbors {
            at_least_one("neighbors", count)?;
        }
        if let Auto::Given(sigma) = self.sigma {
            positive("sigma", sigma.into())?;
        }
        if let Gamma::Given(gamma) = self.gamma
            && !(gamma >= 0.0 && gamma.is_finite())
        {
            return Err(Error::config("gamma", gamma, "zero or a positive number"));
        }
        if self.gamma == Gamma::Search && self.objective == GraphObjective::MutualInformation {
            return Err(Error::config(
                "objective",
                "mutual-information",
                "ncut or rcut where gamma is looked for: it has none",
            ));
        }
        if let Auto::Given(lr) = self.lr {
            positive("lr", lr)?;
        }
        if let Auto::Given(epochs) = self.epochs {
            at_least_one("epochs", epochs)?;
        }
        if let Auto::Given(restarts) = self.restarts {
            at_least_one("restarts", restarts)?;
        }
        if let Auto::Given(count) = self.eigenvectors
            && count < self.clusters
        {
            let must = format!("no smaller than the number of clusters, {}", self.clusters);
            return Err(Error::config("eigenvectors", count, must));
        }
        if let Representation::Ridge(ridge) = self.representation {
            positive("representation ridge", ridge.into())?;
        }
        positive("ridge", self.ridge.into())?;
        self.ensemble.check()?;
        if !(self.weight_decay >= 0.0 && self.weight_decay.is_finite()) {
            return Err(Error::config("weight-decay", self.weight_decay, "zero or a positive number"));
        }
        if !(0.0..1.0).contains(&self.label_smoothing) {
            return Err(Error::config("label-smoothing", self.label_smoothing, "between 0 and 1"));
        }
        Ok(())
    }
}

impl FromStr for Neighborhood {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "all" => Ok(Self::All),
            _ => {
                text.parse().map(Self::Count).map_err(|_| format!("`{text}` is neither a number nor `auto` nor `all`"))
            }
        }
    }
}

impl Serialize for Neighborhood {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str("auto"),
            Self::All => serializer.serialize_str("all"),
            Self::Count(count) => serializer.serialize_u64(*count as u64),
        }
    }
}

impl<'de> Deserialize<'de> for Neighborhood {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Count(usize),
            Word(String),
        }
        match Either::deserialize(deserializer)? {
            Either::Count(count) => Ok(Self::Count(count)),
            Either::Word(word) => word.parse().map_err(de::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toml_round_trip_and_unknown_fields() {
        let mut config = Config::new(7);
        config.neighbors = Neighborhood::All;
        config.sigma = Auto::Given(0.5);
        config.representation = Representation::Ridge(0.001);
        config.affinity = AffinityKind::Graph("co-clicks.csv".into());
        config.senet_layers = vec![64, 32];
        let text = toml::to_string(&config).unwrap();
        assert_eq!(toml::from_str::<Config>(&text).unwrap(), config);
        assert_eq!(toml::from_str::<Config>("clusters = 3\ngamma = \"auto\"").unwrap(), Config::new(3));
        assert_eq!(toml::from_str::<Config>("gamma = \"search\"").unwrap().gamma, Gamma::Search);
        assert_eq!(toml::from_str::<Config>("gamma = 7").unwrap().gamma, Gamma::Given(7.0));
        assert!(toml::from_str::<Config>("clusterz = 3").is_err());
        assert!(toml::from_str::<Config>("gamma = \"many\"").is_err());
    }

    #[test]
    fn bad_values_are_named() {
        let broken = |change: fn(&mut Config)| {
            let mut config = Config::new(3);
            change(&mut config);
            config.check().unwrap_err().to_string()
        };
        assert!(broken(|c| c.clusters = 0).contains("k is 0"));
        assert!(broken(|c| c.batch = 2).contains("batch is 2"));
        assert!(broken(|c| c.sigma = Auto::Given(-1.0)).contains("sigma is -1"));
        assert!(broken(|c| c.lr = Auto::Given(f64::NAN)).contains("lr is NaN"));
        assert!(broken(|c| c.gamma = Gamma::Given(-1.0)).contains("gamma is -1"));
        assert!(broken(|c| c.hidden = vec![0]).contains("hidden is 0"));
        assert!(broken(|c| c.senet_layers = vec![8, 0]).contains("senet-layers is 0"));
        assert!(broken(|c| c.senet_block = Auto::Given(1)).contains("senet-block is 1"));
        let dense_graph = |c: &mut Config| (c.graph, c.neighbors) = (GraphScope::Global, Neighborhood::All);
        assert!(broken(dense_graph).contains("neighbors is all"));
    }
}
