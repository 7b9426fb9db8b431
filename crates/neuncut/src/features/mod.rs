//! Rows become features: steps that are fitted on the training rows, saved with the model and applied by `predict`.

mod autoencoder;
mod chain;
mod fit;
mod fourier;
mod landmarks;
mod moments;
mod normalize;
mod pipeline;
mod representation;
mod ridge;
mod row_space;
pub mod scattering;
mod source;

pub use crate::data::Resize;
pub use autoencoder::AutoencoderOptions;
pub(crate) use autoencoder::{TrainedAutoencoder, train_autoencoder};
pub use chain::{Chain, STEPS, StepSpec};
pub use fit::ChainOptions;
pub use fourier::FourierFeatures;
pub use landmarks::{Closeness, LandmarkMap};
pub(crate) use landmarks::{shares_of_nearest, squared_distances_to};
pub use normalize::{mean_square, unit_rows};
pub(crate) use pipeline::MOST_SQUARED;
pub use pipeline::{FittedChain, Pipeline, Route, Step};
pub use representation::Representation;
pub(crate) use representation::{deviations, dominant_column, means, variances};
pub use ridge::RidgeWhitening;
pub use scattering::Scattering;
pub use source::{ArrayRows, RowSource};
