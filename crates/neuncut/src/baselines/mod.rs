//! Other clustering methods, behind the same traits.

mod kmeans;
mod spectral;

pub use kmeans::{KMeans, KMeansFitted};
pub use spectral::{Laplacian, Rounding, RowNorm, Spectral, SpectralClustering, SpectralFitted};
