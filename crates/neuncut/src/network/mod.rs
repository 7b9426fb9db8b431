//! Networks: the only owner of Burn's layers and optimisers, and of those for the CPU.

mod adam;
mod autoencoder;
mod burn_mlp;
mod clipping;
mod cpu_adam;
mod cpu_mlp;
mod device;
mod inference;
mod key_query;
mod mlp;
mod schedule;
mod screen;
mod tensors;
mod trainable;
mod weights;

pub use crate::tiles::TILE_ROWS;
use adam::Adam;
pub use autoencoder::Autoencoder;
pub(crate) use autoencoder::mean_square;
pub use burn_mlp::BurnMlp;
pub use device::Device;
pub(crate) use inference::PackedWeights;
pub use key_query::{KeyQuery, KeyQueryGradient, KeyQueryGradients, KeyQueryWeights};
pub use mlp::{Mlp, MlpGradients, MlpOptimizer};
pub use schedule::Schedule;
pub(crate) use screen::Screen;
pub(crate) use tensors::{matrix_of, tensor_of};
pub use trainable::Trainable;
pub use weights::{Layer, Weights};
