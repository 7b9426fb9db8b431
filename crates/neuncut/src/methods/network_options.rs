//! How a network is trained: settings that several methods share.

use super::limits::{at_least_one, positive_unless_auto, zero_or_positive};
use super::{Auto, Hidden};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Passes over the rows: a slip of the finger must not run for ever.
const MOST_EPOCHS: usize = 1_000_000;
/// Rows per batch unless told otherwise.
const BATCH: usize = 1000;

/// How a network is trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), command(next_help_heading = "Training"))]
#[serde(default, rename_all = "kebab-case")]
pub struct NetworkOptions {
    /// Rows per batch; auto is 1000, and 500 for training on information, which averages over batches
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub batch: Auto<usize>,
    /// Passes over the training rows; auto makes about 300 steps after a start, 100 passes from random weights, 2000 steps for a spectral
    /// embedding (300 for basis), 60 passes for cnc and 50 for edesc, depict and vade
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub epochs: Auto<usize>,
    /// Widths of the hidden layers; auto is 64,64 where rows have at most 15 columns and that is enough to learn the start, else
    /// 512,512 (512,256 for temi)
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N,N"))]
    pub hidden: Hidden,
    /// Initial learning rate, annealed to zero; auto is 3e-4 after a start, 5e-3 from random weights, 1e-3 for a spectral embedding, cnc, edesc and
    /// vade, 1e-4 for depict
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "auto|F"))]
    pub lr: Auto<f64>,
    /// Coupled weight decay
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "F"))]
    pub weight_decay: f32,
}

impl Default for NetworkOptions {
    fn default() -> Self {
        Self { batch: Auto::Auto, epochs: Auto::Auto, hidden: Hidden::Auto, lr: Auto::Auto, weight_decay: 1e-4 }
    }
}

impl NetworkOptions {
    /// Rows per batch, where a loss does not average over batches.
    pub fn rows_per_batch(&self) -> usize {
        self.batch.unwrap_or(BATCH)
    }

    /// Checks every field.
    pub(super) fn check(&self, clusters: usize) -> Result<()> {
        self.hidden.check()?;
        if self.rows_per_batch() < clusters.max(2) {
            let must = format!("at least 2 and no smaller than the number of clusters, {clusters}");
            return Err(Error::config("batch", self.rows_per_batch(), must));
        }
        positive_unless_auto("lr", self.lr)?;
        if let Auto::Given(epochs) = self.epochs {
            at_least_one("epochs", epochs)?;
            if epochs > MOST_EPOCHS {
                return Err(Error::config("epochs", epochs, format!("at most {MOST_EPOCHS}: no fit needs so many")));
            }
        }
        zero_or_positive("weight-decay", self.weight_decay.into())
    }
}
