//! Graphs over rows: nearest neighbours, sparse symmetric affinities, connected components, eigenvectors.

pub mod batch_graph;
pub mod components;
pub mod csr;
pub mod eigen;
pub mod joint;
pub mod knn;
pub mod leiden;
pub mod linkage;
pub mod merge_tree;
pub mod merging;
pub mod min_max;
pub mod nonnegative;
pub mod partition;

pub use batch_graph::BatchGraph;
pub use components::{Components, connected_components};
pub use csr::Csr;
pub use eigen::{EigenOptions, Eigenpairs, lowest_laplacian_eigenpairs, top_eigenpairs};
pub use joint::Joint;
pub(crate) use knn::{DIRECT_WIDTH, nearest_of, squared_distances};
pub use knn::{EXACT_ROWS, Neighbors, near_neighbors, nearest_neighbors};
pub use leiden::{communities_at, leiden, natural_communities};
pub use linkage::{LongEdge, islands, linkage};
pub use merge_tree::{Merge, groups, merge_tree};
pub use merging::{Merged, merge_clusters};
pub use min_max::refine_min_max;
pub use nonnegative::{nonnegative_from, nonnegative_from_labels, nonnegative_start};
pub use partition::{ncut, rcut, refine};
