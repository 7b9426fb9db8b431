//! I-Con (Alshammari et al., ICLR 2025): a linear head whose clusters say which rows are neighbours.

use super::super::limits::at_least_one;
use super::super::method::Options;
use super::super::{Config, Fitted, Task};
use super::linear::{HeadStart, LinearFit, PairLoss};
use super::options::{HeadDefaults, HeadOptions};
use crate::objective::NeighborLikelihood;
use crate::train::Observer;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What is taken where a setting is `auto`.
const DEFAULTS: HeadDefaults = HeadDefaults { heads: 3, neighbors: 3, steps: 1000, lr: 3e-3 };

/// The settings of I-Con.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct IconOptions {
    /// How many heads there are and how they are trained.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub training: HeadOptions,
    /// Share of any rows that is mixed into the neighbours, and into what clusters say of them; from 0 to below 1
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "F"))]
    pub debiasing: f32,
    /// Most steps on the graph of neighbours from a row to its partner
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub walk: usize,
    /// Where the head begins
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    pub head_start: HeadStart,
}

impl Default for IconOptions {
    fn default() -> Self {
        Self { training: HeadOptions::default(), debiasing: 0.4, walk: 2, head_start: HeadStart::Random }
    }
}

impl Options for IconOptions {
    fn check(&self, _: &Config) -> Result<()> {
        if !(0.0..1.0).contains(&self.debiasing) {
            return Err(Error::config("debiasing", self.debiasing, "from 0 to below 1"));
        }
        at_least_one("walk", self.walk)?;
        self.training.check()
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let loss = || -> PairLoss {
            let mut loss = NeighborLikelihood::new(self.debiasing);
            Box::new(move |memberships| loss.evaluate(memberships))
        };
        let (options, walk, start) = (&self.training, self.walk, self.head_start);
        LinearFit { options, automatic: DEFAULTS, walk, start }.run(task, loss, observer)
    }
}
