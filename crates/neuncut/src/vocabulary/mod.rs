//! The words that set clusters of texts apart, and names made of them.
//!
//! ```
//! use neuncut::vocabulary::cluster_words;
//!
//! let rows = [("lost my card", 0), ("card is lost", 0), ("what is the rate", 1), ("exchange rate today", 1)];
//! let found = cluster_words(rows, 2);
//! assert!(found.words[0].contains(&"card".to_owned()) && found.words[1].contains(&"rate".to_owned()));
//! ```

mod cluster_words;
mod tokens;

pub use cluster_words::{ClusterWords, cluster_words};
pub(crate) use tokens::tokens;
