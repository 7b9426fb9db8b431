//! Every constant of the ensemble.

use crate::features::Representation;
use crate::interrupt::Interrupt;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Neighbours per row that any number of rows, and of rows per cluster, may have.
const LEAST_BY_ROOT: usize = 10;
const LEAST_BY_SIZE: usize = 3;

/// The settings of an [`Ensemble`](super::Ensemble). DESIGN.md says on which data each was chosen and how wide its window is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct EnsembleOptions {
    /// Neighbours per row of the graphs that partitions are made from, one graph for each number.
    pub graph_neighbors: Vec<usize>,
    /// With many columns no graph has more neighbours per row than this times the square root of the rows, or than ten: few rows have no
    /// thirty near neighbours.
    pub neighbors_per_root: f64,
    /// Up to this many columns rows are taken for points of a space in which gaps between clusters can be seen; above it for
    /// directions among many, where neighbourhoods overlap.
    pub few_columns: usize,
    /// Neighbours per row of the graphs that judge partitions of few columns.
    pub judges_few_columns: Vec<usize>,
    /// The same for many columns.
    pub judges_many_columns: Vec<usize>,
    /// With many columns partitions whose marks are lower than the best by no more than this share are about as good; the one that agrees
    /// most with the others is taken.
    pub near_best: f64,
    /// With few columns partitions whose mean rank, between 0 and 1, is higher than the best by no more than this are about as good.
    pub near_best_rank: f64,
    /// Columns are taken for measurements in different units, which are standardised, where so few carry the variance that there seem to be
    /// at most this many (the square of the sum of variances over the sum of their squares) ...
    pub unit_columns: f64,
    /// ... and at most this share of all columns. Principal components have unequal scales too, but no correlation; they are left as they
    /// are.
    pub unit_share: f64,
    /// Whether eigenvectors are used: `false` merges small clusters in their place.
    pub eigenvectors: bool,
    /// Eigenvectors are left out where `2 k` of them would have more entries than this.
    pub eigenvector_entries: usize,
    /// Beyond the k-th eigenvector, coordinates fade where `1 - lambda` exceeds this many times that of the k-th.
    pub fade: f64,
    /// Restarts of k-means on eigenvectors; fewer as clusters grow in number.
    pub embedding_restarts: usize,
    /// Restarts of k-means on rows; fewer as clusters grow in number.
    pub row_restarts: usize,
    /// Up to this many clusters of rows with few columns a mixture of Gaussians is tried.
    pub mixture_clusters: usize,
    /// Single linkage, for few columns: the neighbour whose distance says how dense it is around a row.
    pub linkage_core: usize,
    /// A cluster of single linkage has at least this share of the mean cluster's rows.
    pub linkage_least_share: f64,
    /// Centred rows of few columns are islands where clusters are this many times as far from one another as any row is from the rest of
    /// its own.
    pub islands_gap: f64,
    /// Whitened rows are left out where they keep a smaller share than this of the triads that centred rows have.
    pub least_triads: f64,
    /// Rows are left out where a larger share than this, and than of centred rows, are nobody's neighbours.
    pub most_orphans: f64,
    /// A piece of a graph below this share of the mean cluster is set aside, and its rows follow their nearest neighbour.
    pub small_piece: f64,
}

impl Default for EnsembleOptions {
    fn default() -> Self {
        Self {
            graph_neighbors: vec![10, 20, 30],
            neighbors_per_root: 0.4,
            few_columns: 15,
            judges_few_columns: vec![10, 20],
            judges_many_columns: vec![20],
            near_best: 0.006,
            near_best_rank: 0.1,
            unit_columns: 5.0,
            unit_share: 0.3,
            eigenvectors: true,
            eigenvector_entries: 600_000,
            fade: 4.0,
            embedding_restarts: 20,
            row_restarts: 10,
            mixture_clusters: 40,
            linkage_core: 5,
            linkage_least_share: 0.1,
            islands_gap: 1.0,
            least_triads: 0.89,
            most_orphans: 1.0 / 3.0,
            small_piece: 0.02,
        }
    }
}

impl EnsembleOptions {
    /// Checks every field.
    ///
    /// # Errors
    /// Names the first field that no fit could use.
    pub fn check(&self) -> Result<()> {
        let lists = [
            ("ensemble.graph-neighbors", &self.graph_neighbors),
            ("ensemble.judges-few-columns", &self.judges_few_columns),
            ("ensemble.judges-many-columns", &self.judges_many_columns),
        ];
        for (field, neighbors) in lists {
            if neighbors.is_empty() || neighbors.contains(&0) {
                return Err(Error::config(field, format!("{neighbors:?}"), "one or more numbers of at least 1"));
            }
        }
        let counts = [
            ("ensemble.embedding-restarts", self.embedding_restarts),
            ("ensemble.row-restarts", self.row_restarts),
            ("ensemble.linkage-core", self.linkage_core),
        ];
        for (field, count) in counts {
            if count == 0 {
                return Err(Error::config(field, count, "at least 1"));
            }
        }
        let shares = [
            ("ensemble.near-best", self.near_best),
            ("ensemble.near-best-rank", self.near_best_rank),
            ("ensemble.unit-columns", self.unit_columns),
            ("ensemble.unit-share", self.unit_share),
            ("ensemble.neighbors-per-root", self.neighbors_per_root),
            ("ensemble.fade", self.fade),
            ("ensemble.linkage-least-share", self.linkage_least_share),
            ("ensemble.islands-gap", self.islands_gap),
            ("ensemble.least-triads", self.least_triads),
            ("ensemble.most-orphans", self.most_orphans),
            ("ensemble.small-piece", self.small_piece),
        ];
        for (field, share) in shares {
            if !(share >= 0.0 && share.is_finite()) {
                return Err(Error::config(field, share, "zero or a positive number"));
            }
        }
        Ok(())
    }

    /// Whether rows of this many columns are points among which gaps can be seen.
    pub(crate) fn is_few(&self, columns: usize) -> bool {
        columns <= self.few_columns
    }

    /// Neighbours that any graph over so many nodes with so many columns asks for.
    pub(crate) fn most_neighbors(&self, nodes: usize, columns: usize, k: usize) -> usize {
        let (graphs, judges) = (self.graphs(nodes, columns, k), self.judges(nodes, columns, k));
        graphs.into_iter().chain(judges).chain([self.linkage_core]).max().unwrap_or(1)
    }

    /// Neighbours per row of the graphs that are partitioned.
    pub(super) fn graphs(&self, nodes: usize, columns: usize, k: usize) -> Vec<usize> {
        self.limited(&self.graph_neighbors, nodes, columns, k)
    }

    /// Neighbours per row of the judging graphs.
    pub(super) fn judges(&self, nodes: usize, columns: usize, k: usize) -> Vec<usize> {
        let judges = if self.is_few(columns) { &self.judges_few_columns } else { &self.judges_many_columns };
        self.limited(judges, nodes, columns, k)
    }

    /// No more than half of the mean of `k` clusters, whose other rows would have to be neighbours too.
    fn limited(&self, neighbors: &[usize], nodes: usize, columns: usize, k: usize) -> Vec<usize> {
        let by_root = match self.is_few(columns) {
            true => usize::MAX,
            false => ((self.neighbors_per_root * (nodes as f64).sqrt()).round() as usize).max(LEAST_BY_ROOT),
        };
        let most = by_root.min((nodes / (2 * k).max(1)).max(LEAST_BY_SIZE));
        let mut limited: Vec<usize> = neighbors.iter().map(|&count| count.min(most)).collect();
        limited.dedup();
        limited
    }
}

/// What an ensemble is asked for beside its constants.
#[derive(Debug, Clone)]
pub(crate) struct EnsembleTask<'a> {
    pub clusters: usize,
    pub representation: Representation,
    /// A given bandwidth makes the heat kernel the only weight of an edge.
    pub sigma: Option<f32>,
    pub seed: u64,
    pub options: &'a EnsembleOptions,
    /// What each of the landmarks weighs, in their order; all the same where there are none.
    pub weights: Option<Vec<f32>>,
    /// Ends what is tried on other threads.
    pub interrupt: Interrupt,
}
