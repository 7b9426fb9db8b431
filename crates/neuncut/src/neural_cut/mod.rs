//! The paper's method: configuration, the stages of a fit, and the model it leaves.
//!
//! A fit goes one way: [`representation`](Representation) of the rows, a nearest-neighbour graph, a spectral start on landmarks, a
//! warm start of the network on those labels, training on the cut loss, and a guard that keeps the better of the two networks.

mod affinity_choice;
mod affinity_kind;
mod agreement;
mod auto;
mod calibration;
mod config;
mod cut_training;
mod diagnostics;
mod fit;
mod gamma;
mod guard;
mod inference;
mod input_encoding;
mod joining;
mod model;
mod revival;
mod score;
mod stability;
mod stages;
pub mod tune;
mod warm_start;
mod warnings;

#[cfg(test)]
mod replay;

pub use crate::ensemble::Candidate;
pub use crate::features::Representation;
pub(crate) use affinity_choice::{Prepared, given_graph};
pub use affinity_kind::{AffinityKind, GraphScope};
pub use auto::Auto;
pub use config::{Config, GraphObjective, Neighborhood, Start};
pub use diagnostics::Diagnostics;
pub(crate) use fit::check_rows;
pub use fit::{Fitted, NeuralCut};
pub use gamma::Gamma;
pub use inference::Inference;
pub use model::{Model, TrainingRecord, argmax_rows};
pub use stability::Stability;
pub use warnings::Warning;
