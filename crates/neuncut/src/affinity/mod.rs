//! A batch of rows becomes a graph.
//!
//! [`Affinity`] is the one trait; [`HeatKernel`], [`SelfExpressive`] and [`ElasticNet`] implement it. The diagonal of every affinity is zero.

mod bandwidth;
mod batch_graph;
mod elastic_net;
mod heat_kernel;
mod products;
mod self_expressive;

pub use bandwidth::{Bandwidth, LOCAL_NEIGHBOR};
pub use batch_graph::BatchGraph;
pub use elastic_net::ElasticNet;
pub use heat_kernel::HeatKernel;
pub use self_expressive::SelfExpressive;

use crate::Result;
use ndarray::ArrayView2;

/// Turns the rows of a batch into a symmetric non-negative affinity among them.
pub trait Affinity: Send + Sync {
    /// The affinity among these rows, `(m, d)` to `m x m`.
    fn of_batch(&self, rows: ArrayView2<f32>) -> Result<BatchGraph>;
}
