//! Networks in training, on the CPU and on GPUs, and their use. The only module that knows Burn.

mod autoencoder;
mod cpu_adam;
mod cpu_mlp;
mod device;
#[cfg(feature = "burn")]
mod gpu;
mod inference;
mod key_query;
mod mlp;
mod parameters;
mod schedule;
mod screen;
mod segment;
mod trainable;
mod weights;

pub use crate::tiles::TILE_ROWS;
pub use autoencoder::Autoencoder;
pub(crate) use autoencoder::mean_square;
pub use device::Device;
#[cfg(all(test, feature = "burn"))]
pub(crate) use gpu::{BurnLayers, matrix_of, tensor_of};
pub(crate) use inference::PackedWeights;
pub use key_query::{KeyQuery, KeyQueryCodes, KeyQueryGradient, KeyQueryWeights};
pub use mlp::Mlp;
pub use parameters::Parameters;
pub use schedule::Schedule;
pub(crate) use screen::Screen;
pub use segment::Segment;
pub use trainable::Trainable;
pub use weights::{Layer, Weights};
