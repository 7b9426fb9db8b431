//! Other clustering methods, behind the same traits.

mod gaussian_mixture;
mod kmeans;
mod spectral;

pub use gaussian_mixture::{GaussianMixture, GaussianMixtureFitted};
pub use kmeans::{KMeans, KMeansFitted};
pub use spectral::{Laplacian, Rounding, RowNorm, Spectral, SpectralClustering, SpectralFitted};
