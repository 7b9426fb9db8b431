//! Graphs over rows: nearest neighbours, sparse symmetric affinities, connected components, eigenvectors.
//!
//! ```
//! use neuncut::graph::{Csr, ncut};
//!
//! // two pairs of nodes and a weak edge between them
//! let edges = [(0, 1, 1.0), (2, 3, 1.0), (1, 2, 0.1)];
//! let graph = Csr::symmetrized(4, edges.into_iter());
//! assert!(ncut(&graph, &[0, 0, 1, 1], 2) < ncut(&graph, &[0, 1, 0, 1], 2));
//! ```

pub(crate) mod batch_graph;
mod coding_length;
pub(crate) mod components;
pub(crate) mod csr;
pub(crate) mod eigen;
pub(crate) mod joint;
pub(crate) mod knn;
pub(crate) mod leiden;
pub(crate) mod linkage;
pub(crate) mod merge_tree;
pub(crate) mod merging;
pub(crate) mod min_max;
pub(crate) mod nonnegative;
pub(crate) mod partition;

pub use batch_graph::BatchGraph;
pub(crate) use components::{Components, connected_components};
pub use csr::Csr;
pub(crate) use eigen::top_eigenpairs_until;
pub use eigen::{EigenOptions, Eigenpairs, lowest_laplacian_eigenpairs, top_eigenpairs};
pub use joint::Joint;
pub(crate) use knn::{DIRECT_WIDTH, EXACT_ROWS, near_neighbors, nearest_of, squared_distances};
pub use knn::{Neighbors, nearest_neighbors};
pub(crate) use leiden::leiden_until;
pub(crate) use leiden::natural_communities;
pub use leiden::{communities_at, leiden};
pub(crate) use linkage::LongEdge;
pub use linkage::{islands, linkage};
pub use merge_tree::Merge;
pub(crate) use merge_tree::{groups, merge_tree};
pub(crate) use merging::merge_clusters;
pub(crate) use min_max::refine_min_max;
pub(crate) use nonnegative::{nonnegative_from, nonnegative_from_labels, nonnegative_start};
pub use partition::{ncut, rcut, refine};
