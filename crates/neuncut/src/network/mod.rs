//! Networks in training, on the CPU and on GPUs, and their use. The only module that knows Burn.

mod autoencoder;
mod cosine_head;
mod cpu_adam;
mod cpu_mlp;
mod device;
#[cfg(feature = "burn")]
mod gpu;
mod inference;
mod key_query;
mod mlp;
mod normed_layer;
mod schedule;
mod screen;
mod trainable;
mod weights;

pub use crate::tiles::TILE_ROWS;
pub use autoencoder::Autoencoder;
pub(crate) use autoencoder::mean_square;
pub use cosine_head::{CosineHead, CosineWeights};
pub use device::Device;
#[cfg(all(test, feature = "burn"))]
pub(crate) use gpu::{BurnLayers, matrix_of, tensor_of};
pub(crate) use inference::PackedWeights;
pub use key_query::{KeyQuery, KeyQueryCodes, KeyQueryGradient, KeyQueryWeights};
pub use mlp::Mlp;
pub use normed_layer::NormedLayer;
pub use schedule::Schedule;
pub(crate) use screen::Screen;
pub use trainable::Trainable;
pub use weights::{Layer, Weights};
