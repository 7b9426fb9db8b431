//! Networks in training, on the CPU and on GPUs, and their use. The only module that knows Burn.
//!
//! ```
//! use ndarray::array;
//! use neuncut::Seed;
//! use neuncut::network::{Device, Mlp, Weights};
//!
//! let weights = Weights::random(&[2, 8, 3], &mut Seed(0).stream("example"));
//! let rows = array![[0.5_f32, -1.0]];
//! // in training, and with packed weights
//! let outputs = Mlp::new(&weights, Device::Cpu)?.forward(rows.view())?;
//! assert!((&outputs - &weights.outputs(rows.view())).iter().all(|x| x.abs() < 1e-5));
//! # Ok::<(), neuncut::Error>(())
//! ```

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
mod parameters;
mod schedule;
mod screen;
mod segment;
mod trainable;
mod weights;

pub use crate::tiles::TILE_ROWS;
pub(crate) use autoencoder::{Autoencoder, mean_square};
pub(crate) use cosine_head::{CosineHead, CosineWeights};
pub use device::Device;
#[cfg(all(test, feature = "burn"))]
pub(crate) use gpu::{BurnLayers, matrix_of, tensor_of};
pub(crate) use inference::PackedWeights;
pub(crate) use key_query::{KeyQuery, KeyQueryGradient, KeyQueryWeights};
pub use mlp::Mlp;
pub(crate) use normed_layer::NormedLayer;
pub(crate) use parameters::Parameters;
pub(crate) use schedule::Schedule;
pub(crate) use screen::Screen;
pub(crate) use segment::Segment;
pub use trainable::Trainable;
pub use weights::{Layer, Weights};
