//! Networks: the only owner of Burn's layers and optimisers.

mod adam;
mod autoencoder;
mod clipping;
mod device;
mod inference;
mod key_query;
mod mlp;
mod schedule;
mod tensors;
mod weights;

pub use crate::tiles::TILE_ROWS;
pub use adam::Adam;
pub use autoencoder::Autoencoder;
pub use clipping::clip_to_norm;
pub use device::Device;
pub use key_query::{KeyQuery, KeyQueryGradient, KeyQueryWeights};
pub use mlp::Mlp;
pub use schedule::Schedule;
pub(crate) use tensors::{matrix_of, tensor_of};
pub use weights::{Layer, Weights};
