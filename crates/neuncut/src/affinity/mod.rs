//! Rows become a graph.
//!
//! [`Affinity`] is the one trait. [`HeatKernel`] and [`ElasticNet`] need no training; [`SelfExpressive`], [`Siamese`] and
//! [`Senet`] are fitted on rows first. [`Precomputed`] is a graph that a user brings: it knows row numbers, not rows. The diagonal
//! of every affinity is zero.
//!
//! ```
//! use ndarray::array;
//! use neuncut::affinity::{Affinity, Bandwidth, HeatKernel};
//!
//! let rows = array![[0.0_f32], [1.0], [5.0], [6.0]];
//! let kernel = HeatKernel { bandwidth: Bandwidth::Sigma(1.0), neighbors: Some(1) };
//! let graph = kernel.graph(rows.view(), 1)?; // each row and its nearest
//! assert_eq!(graph.row(0).0, [1]);
//! assert!((graph.row(0).1[0] - (-0.5_f32).exp()).abs() < 1e-6);
//! # Ok::<(), neuncut::Error>(())
//! ```

mod bandwidth;
mod elastic_net;
mod furthest_first;
mod heat_kernel;
mod learned;
mod neighborhoods;
mod precomputed;
mod products;
mod second_order;
mod self_expressive;
mod senet;
mod siamese;

pub use bandwidth::Bandwidth;
pub(crate) use bandwidth::LOCAL_NEIGHBOR;
pub use elastic_net::ElasticNet;
pub(crate) use furthest_first::furthest_first;
pub use heat_kernel::HeatKernel;
pub use learned::LearnedAffinity;
pub(crate) use neighborhoods::{graph_of_pairs, neighborhood_batch, pair_batch};
pub use precomputed::Precomputed;
pub(crate) use second_order::second_order_graph;
pub use self_expressive::SelfExpressive;
pub use senet::{Senet, SenetOptions, SenetSize};
pub use siamese::{Siamese, SiameseOptions};

use crate::Result;
use crate::graph::{BatchGraph, Csr};
use ndarray::ArrayView2;

/// Turns rows into a symmetric non-negative affinity among them.
pub trait Affinity: Send + Sync {
    /// The affinity among these rows, `(m, d)` to `m x m`, with the `neighbors` largest entries per row, symmetrised; `None` keeps
    /// all. With a number, memory grows with the rows and not with their square.
    ///
    /// # Errors
    /// When the affinity cannot be computed, as with rows that are not finite.
    fn among(&self, rows: ArrayView2<f32>, neighbors: Option<usize>) -> Result<BatchGraph>;

    /// Entries kept per row inside a batch.
    fn neighbors(&self) -> Option<usize>;

    /// The affinity among the rows of a batch.
    ///
    /// # Errors
    /// As [`Affinity::among`].
    fn of_batch(&self, rows: ArrayView2<f32>) -> Result<BatchGraph> {
        self.among(rows, self.neighbors())
    }

    /// The sparse graph over all of these rows.
    ///
    /// # Errors
    /// As [`Affinity::among`].
    fn graph(&self, rows: ArrayView2<f32>, neighbors: usize) -> Result<Csr> {
        Ok(self.among(rows, Some(neighbors))?.into_sparse())
    }
}

impl<A: Affinity + ?Sized> Affinity for &A {
    fn among(&self, rows: ArrayView2<f32>, neighbors: Option<usize>) -> Result<BatchGraph> {
        (**self).among(rows, neighbors)
    }

    fn neighbors(&self) -> Option<usize> {
        (**self).neighbors()
    }
}
