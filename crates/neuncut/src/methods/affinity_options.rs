//! How rows are joined: settings that several methods share.

use super::limits::{at_least_one, positive, positive_unless_auto, widths};
use super::{AffinityKind, Auto, Method};
use crate::affinity::{SenetOptions, SenetSize};
use crate::{Error, Result};
use serde::{Deserialize, Serialize, Serializer};
use std::str::FromStr;

/// What joins rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct AffinityOptions {
    /// What joins rows: heat, self-expressive, elastic-net, siamese, senet, or graph:FILE, a graph over the rows of DATA as an edge list
    /// (columns i,j,w; rows counted from 0; csv, tsv, parquet, arrow) or a scipy CSR matrix (npz); all rows are then fitted
    #[cfg_attr(feature = "clap", arg(long, value_name = "AFFINITY"))]
    pub affinity: AffinityKind,
    /// Bandwidth of the heat kernel; auto scales it around each row
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "auto|F"))]
    pub sigma: Auto<f32>,
    /// Affinities kept per row; all keeps every one in a batch; auto keeps 3 in a batch and 10 in other graphs
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N|all"))]
    pub neighbors: Neighborhood,
    /// Ridge of the self-expressive affinity, a share of the total variance
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "F"))]
    pub ridge: f32,
    /// How SENet is trained.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub senet: SenetSettings,
}

impl Default for AffinityOptions {
    fn default() -> Self {
        Self {
            affinity: AffinityKind::Heat,
            sigma: Auto::Auto,
            neighbors: Neighborhood::Auto,
            ridge: 1e-2,
            senet: SenetSettings::default(),
        }
    }
}

impl AffinityOptions {
    /// The defaults of this affinity.
    pub fn of(affinity: AffinityKind) -> Self {
        Self { affinity, ..Self::default() }
    }

    /// Checks every field.
    pub(super) fn check(&self) -> Result<()> {
        if let Neighborhood::Count(count) = self.neighbors {
            at_least_one("neighbors", count)?;
        }
        positive_unless_auto("sigma", self.sigma)?;
        positive("ridge", self.ridge.into())?;
        self.senet.check()
    }

    /// Refuses a graph of the user, for a method whose batches are drawn uniformly.
    pub(super) fn refuse_graph(&self, method: &Method) -> Result<()> {
        let AffinityKind::Graph(_) = self.affinity else { return Ok(()) };
        let must = format!(
            "another for {method}, whose batches are drawn uniformly and would hold next to none of the graph's edges: take ncut, \
             or neuncut for a model"
        );
        Err(Error::config("affinity", &self.affinity, must))
    }

    /// Refuses a graph that would not be sparse.
    pub(super) fn check_sparse(&self) -> Result<()> {
        match self.neighbors {
            Neighborhood::All => Err(Error::config("neighbors", "all", "a number: the graph of all rows is sparse")),
            _ => Ok(()),
        }
    }
}

/// How SENet is trained: its size, and what is to differ from it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct SenetSettings {
    /// Sizes of SENet: small trains in minutes with narrower networks, fewer steps and random blocks of keys; paper takes days on two
    /// cores
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    pub senet_size: SenetSize,
    /// Widths of SENet's layers, the last being that of its codes; unless given, 512,512,256, or 1024,1024,1024,1024 with the paper's
    /// sizes
    #[cfg_attr(feature = "clap", arg(long, value_delimiter = ',', value_name = "N,N"))]
    pub senet_layers: Vec<usize>,
    /// Training steps of SENet; auto is 2000, or 100000 with the paper's sizes
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub senet_steps: Auto<usize>,
    /// Keys in a step of SENet, drawn at random; auto is 2000, or all rows with the paper's sizes
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub senet_block: Auto<usize>,
}

impl SenetSettings {
    /// The size, with what was given in place of it.
    pub(super) fn options(&self) -> SenetOptions {
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

    pub(super) fn check(&self) -> Result<()> {
        widths("senet-layers", &self.senet_layers)?;
        at_least_one("senet-steps", self.senet_steps.unwrap_or(1))?;
        match self.senet_block {
            Auto::Given(block) if block < 2 => Err(Error::config("senet-block", block, "at least 2")),
            _ => Ok(()),
        }
    }
}

/// How many entries of an affinity are kept per row.
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
    /// Entries kept per row, so many unless told; none keeps all.
    pub(crate) fn kept(self, automatic: usize) -> Option<usize> {
        match self {
            Self::Auto => Some(automatic),
            Self::Count(count) => Some(count),
            Self::All => None,
        }
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

crate::words::read_as_word!(Neighborhood);
