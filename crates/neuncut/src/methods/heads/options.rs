//! What the settings of all heads have in common.

use super::super::limits::{at_least_one, positive};
use super::super::{Auto, Neighborhood};
use crate::train::Trainer;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Rows per batch unless told otherwise.
const BATCH: usize = 1000;

/// How many heads there are and how they are trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct HeadOptions {
    /// Heads that are trained on the same rows; the one of lowest loss is kept
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub heads: Auto<usize>,
    /// Nearest rows of which a row's partner is drawn
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub neighbors: Neighborhood,
    /// Rows per batch; auto is 1000
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub batch: Auto<usize>,
    /// Passes over the training rows
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub epochs: Auto<usize>,
    /// Initial learning rate, annealed to zero
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "auto|F"))]
    pub lr: Auto<f64>,
}

impl Default for HeadOptions {
    fn default() -> Self {
        Self { heads: Auto::Auto, neighbors: Neighborhood::Auto, batch: Auto::Auto, epochs: Auto::Auto, lr: Auto::Auto }
    }
}

/// What is taken where a setting is `auto`.
pub(super) struct HeadDefaults {
    pub heads: usize,
    pub neighbors: usize,
    /// Training steps in all, which become whole passes over the rows.
    pub steps: usize,
    pub lr: f64,
}

impl HeadOptions {
    pub(super) fn check(&self) -> Result<()> {
        at_least_one("heads", self.heads.unwrap_or(1))?;
        match self.neighbors {
            Neighborhood::All => {
                return Err(Error::config("neighbors", "all", "a number or auto: partners are near rows"));
            }
            Neighborhood::Count(count) => at_least_one("neighbors", count)?,
            Neighborhood::Auto => {}
        }
        if self.rows_per_batch() < 2 {
            return Err(Error::config("batch", self.rows_per_batch(), "at least 2"));
        }
        at_least_one("epochs", self.epochs.unwrap_or(1))?;
        positive("lr", self.lr.unwrap_or(1.0))
    }

    pub(super) fn rows_per_batch(&self) -> usize {
        self.batch.unwrap_or(BATCH)
    }

    /// Nearest rows of which a partner is drawn.
    pub(super) fn neighbors(&self, automatic: &HeadDefaults) -> usize {
        self.neighbors.kept(automatic.neighbors).unwrap_or(automatic.neighbors)
    }

    /// The training run on so many rows.
    pub(super) fn trainer<'a>(&self, stage: &'a str, rows: usize, automatic: &HeadDefaults) -> Trainer<'a> {
        Trainer {
            stage,
            batch: self.rows_per_batch(),
            epochs: self.epochs.unwrap_or(automatic.steps.div_ceil(rows / self.rows_per_batch().min(rows))),
            learning_rate: self.lr.unwrap_or(automatic.lr),
            weight_decay: 0.0,
        }
    }
}
