//! The paper's method: its settings and the stages of a fit.
//!
//! A fit goes one way: [`representation`](super::Representation) of the rows, a nearest-neighbour graph, a spectral start on landmarks, a
//! warm start of the network on those labels, training on the cut loss, and a guard that keeps the better of the two networks.
//!
//! ```
//! use neuncut::methods::neural_cut::{Gamma, NeuralCutOptions, Start};
//! use neuncut::{Config, Method};
//!
//! // Algorithm 1 of the paper from random weights, with a penalty of its own
//! let options = NeuralCutOptions { init: Start::Random, gamma: Gamma::Given(80.0), ..Default::default() };
//! let config = Config::of(Method::NeuNcut(options), 10);
//! assert!(config.check().is_ok());
//! ```

mod agreement;
mod calibration;
mod cut_training;
mod diagnostics;
mod fit;
mod fit_start;
mod gamma;
mod guard;
mod input_encoding;
mod linking;
mod options;
mod random_start;
mod revival;
mod stability;
mod stages;
mod training_graph;
pub mod tune;
mod warm_start;
mod warnings;

#[cfg(test)]
mod replay;

pub use crate::ensemble::Candidate;
pub use diagnostics::{Diagnostics, StartFindings};
pub(crate) use fit_start::are_few;
pub use gamma::Gamma;
pub use options::{GraphObjective, GraphScope, NeuralCutOptions, Start, StartOptions};
pub use stability::Stability;
pub(super) use warm_start::WarmStart;
pub use warnings::Warning;

use super::affinity_choice::{Prepared, given_graph};
use super::{AffinityKind, Auto, Config, Fitted, Hidden, Model, Neighborhood, Task, TrainingRecord, argmax_rows};
