//! Neural normalized cut.

pub mod affinity;
pub mod baselines;
pub mod clustering;
pub mod data;
pub mod error;
pub mod features;
pub mod graph;
pub mod linalg;
pub mod metrics;
pub mod network;
pub mod neural_cut;
pub mod objective;
pub mod persist;
pub mod seed;
pub mod train;

pub use error::{Error, Result};
pub use seed::Seed;
