//! Rows become features: steps that are fitted on the training rows, saved with the model and applied by `predict`.

mod fourier;
mod normalize;
mod pipeline;
mod ridge;

pub use fourier::FourierFeatures;
pub use normalize::{mean_square, unit_rows};
pub use pipeline::{Pipeline, Step};
pub use ridge::RidgeWhitening;
