//! How good is a clustering? Agreement with known classes: accuracy, NMI, ARI and the confusion table. The cut of a partition is `graph::ncut`.
//!
//! Labels are `u32` of any value: only which rows share a label matters. [`encode`] turns anything hashable into such
//! labels.
//!
//! ```
//! use neuncut::metrics::{encode, scores};
//!
//! let truth = encode(&["cat", "cat", "dog", "dog"]);
//! let found = [7, 7, 3, 3];
//! assert_eq!(scores(&found, &truth)?.accuracy, 1.0);
//! # Ok::<(), neuncut::Error>(())
//! ```

mod accuracy;
mod ari;
mod assignment;
mod confusion;
mod contingency;
mod hungarian;
mod nmi;
mod purity;

pub use accuracy::accuracy;
pub use ari::ari;
pub use assignment::matching;
pub use confusion::{Confusion, confusion};
pub use contingency::{Cell, Contingency, contingency, encode};
pub use nmi::nmi;
pub use purity::purity;

use crate::Result;
use serde::Serialize;

/// The three scores the paper reports, each 1 for a clustering that equals the classes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Scores {
    /// Share of rows whose cluster is matched to their class by the best one-to-one matching; 0 to 1.
    pub accuracy: f64,
    /// Mutual information over the geometric mean of the entropies; 0 to 1.
    pub nmi: f64,
    /// Adjusted Rand index: 0 for a random clustering on average; -0.5 to 1.
    pub ari: f64,
}

/// Accuracy, NMI and ARI of predicted clusters against known classes, from one pass over the rows.
///
/// # Errors
/// When the two labellings are empty or differ in length, or [`accuracy`] cannot be computed.
pub fn scores(predicted: &[u32], truth: &[u32]) -> Result<Scores> {
    let table = contingency(predicted, truth)?;
    Ok(Scores { accuracy: accuracy::of_table(&table)?, nmi: nmi::of_table(&table), ari: ari::of_table(&table) })
}
