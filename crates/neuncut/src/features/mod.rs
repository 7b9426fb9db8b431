//! Rows become features: steps that are fitted on the training rows, saved with the model and applied by `predict`.
//!
//! ```
//! use ndarray::array;
//! use neuncut::features::{ArrayRows, Chain, ChainOptions};
//! use neuncut::train::Silent;
//!
//! let rows = array![[1.0_f32, 10.0], [2.0, 30.0], [3.0, 50.0]];
//! let chain: Chain = "standardize".parse()?;
//! let fitted = chain.fit(&mut ArrayRows::new(rows.view(), None), &ChainOptions::default(), &mut Silent)?;
//! let features = fitted.pipeline.transform(rows.view());
//! assert!((features[[0, 0]] - features[[0, 1]]).abs() < 1e-6 && features[[1, 1]].abs() < 1e-6);
//! # Ok::<(), neuncut::Error>(())
//! ```

mod autoencoder;
mod chain;
mod elastic_descent;
mod encoder;
mod exemplars;
mod fit;
mod fourier;
mod landmarks;
mod moments;
mod normalize;
mod pipeline;
mod representation;
mod ridge;
mod row_space;
mod scattering;
mod source;

pub use crate::data::Resize;
pub use autoencoder::AutoencoderOptions;
pub(crate) use autoencoder::{TrainedAutoencoder, train_autoencoder};
pub use chain::{Chain, STEPS, StepSpec};
pub(crate) use elastic_descent::ElasticDescent;
pub use encoder::{Encoder, EncoderSpec, Layout, Pixels};
pub(crate) use encoder::{EncoderFile, Place};
pub use exemplars::ExemplarCode;
pub(crate) use exemplars::lasso;
pub use fit::ChainOptions;
pub use fourier::FourierFeatures;
pub use landmarks::{Closeness, LandmarkMap};
pub(crate) use landmarks::{shares_of_nearest, squared_distances_to};
pub(crate) use normalize::mean_square;
pub use normalize::unit_rows;
pub(crate) use pipeline::MOST_SQUARED;
pub(crate) use pipeline::Route;
pub use pipeline::{FittedChain, Pipeline, Step};
pub use representation::Representation;
pub(crate) use representation::{check_range, deviations, dominant_column, means, variances};
pub use ridge::RidgeWhitening;
pub use scattering::Scattering;
pub use source::{ArrayRows, RowSource};
