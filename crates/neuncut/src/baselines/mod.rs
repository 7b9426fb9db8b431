//! Other clustering methods, behind the same traits.
//!
//! ```
//! use ndarray::array;
//! use neuncut::baselines::KMeans;
//! use neuncut::clustering::{Clusterer, Clustering};
//!
//! let rows = array![[0.0_f32, 0.0], [0.1, 0.0], [4.0, 4.0], [4.1, 4.0]];
//! let found = KMeans::new(2).fit(rows.view())?;
//! assert_eq!(found.labels()[0], found.labels()[1]);
//! assert_ne!(found.labels()[1], found.labels()[2]);
//! # Ok::<(), neuncut::Error>(())
//! ```

mod gaussian_mixture;
mod kmeans;
mod spectral;
mod ward;

pub use gaussian_mixture::{GaussianMixture, GaussianMixtureFitted};
pub use kmeans::{KMeans, KMeansFitted};
pub use spectral::{Laplacian, Rounding, RowNorm, Spectral, SpectralClustering, SpectralFitted};
pub use ward::{Ward, WardFitted};
