//! Spectral clustering by anchors: rows are joined to a few anchors and not to one another, so that the eigenproblem is as small as there are
//! anchors, and a row that was not fitted has a place in the embedding like any other.
//!
//! `selection` chooses anchors, `transfer` makes the embedding of a graph between rows and anchors, and `nystrom` that of an affinity of all
//! pairs. The embedding is a feature step of the model, k-means of its unit rows the head.

mod autosc;
mod bipartite;
mod leverage;
mod nystrom;
mod options;
mod selection;
mod transfer;
mod usenc;

pub use autosc::{AutoscOptions, Placement};
pub use bipartite::BipartiteOptions;
pub use nystrom::NystromOptions;
pub use options::{AnchorGraphOptions, AnchorOptions};
pub use selection::AnchorChoice;
pub use usenc::UsencOptions;

#[cfg(test)]
mod tests;
