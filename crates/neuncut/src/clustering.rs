//! What a clustering method is, said by types.
//!
//! `fit` takes rows only, so labels cannot reach a trainer. Spectral clustering by eigenvectors is a [`Clusterer`] whose result is
//! not [`Inductive`]: it knows its own rows alone. That is the paper's argument for a network.
//!
//! ```
//! use ndarray::array;
//! use neuncut::baselines::KMeans;
//! use neuncut::clustering::{Clusterer, Clustering};
//!
//! /// Groups rows by any method.
//! fn first_label(method: &impl Clusterer) -> neuncut::Result<u32> {
//!     Ok(method.fit(array![[0.0_f32], [0.1], [9.0], [9.1]].view())?.labels()[0])
//! }
//!
//! assert!(first_label(&KMeans::new(2))? < 2);
//! # Ok::<(), neuncut::Error>(())
//! ```

use crate::Result;
use ndarray::ArrayView2;

/// A method that groups rows.
pub trait Clusterer {
    /// What it learns.
    type Fitted: Clustering;

    /// Groups the rows `(n, d)`.
    ///
    /// # Errors
    /// When the rows cannot be clustered, or a setting cannot be used.
    fn fit(&self, rows: ArrayView2<f32>) -> Result<Self::Fitted>;
}

/// A finished grouping.
pub trait Clustering {
    /// The cluster of each row that was fitted.
    fn labels(&self) -> &[u32];
}

/// A grouping that also labels rows it has not seen.
pub trait Inductive: Clustering {
    /// The cluster of each row `(n, d)`.
    ///
    /// # Errors
    /// When the rows have other columns than those that were fitted, or are not finite.
    fn predict(&self, rows: ArrayView2<f32>) -> Result<Vec<u32>>;
}
