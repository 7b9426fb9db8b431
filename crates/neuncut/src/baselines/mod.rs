//! Other clustering methods, behind the same traits.

mod kmeans;

pub use kmeans::{KMeans, KMeansFitted};
