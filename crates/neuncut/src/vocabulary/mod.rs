//! The words that set clusters of texts apart, and names made of them.

mod cluster_words;
mod tokens;

pub use cluster_words::{ClusterWords, cluster_words};
pub use tokens::tokens;
