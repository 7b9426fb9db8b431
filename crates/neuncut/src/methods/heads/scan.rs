//! SCAN (Van Gansbeke et al., ECCV 2020) on fixed rows: linear heads by consistency of near rows and the entropy of the clusters' shares.

use super::super::limits::zero_or_positive;
use super::super::method::Options;
use super::super::{Config, Fitted, Task};
use super::linear::{HeadStart, LinearFit, PairLoss};
use super::options::{HeadDefaults, HeadOptions};
use crate::Result;
use crate::objective::Consistency;
use crate::train::Observer;
use serde::{Deserialize, Serialize};

/// What is taken where a setting is `auto`.
const DEFAULTS: HeadDefaults = HeadDefaults { heads: 10, neighbors: 20, steps: 1000, lr: 3e-3 };

/// The settings of SCAN.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct ScanOptions {
    /// How many heads there are and how they are trained.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub training: HeadOptions,
    /// Weight of the entropy of the clusters' shares: the larger, the more even they are
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "F"))]
    pub entropy_weight: f64,
}

impl Default for ScanOptions {
    fn default() -> Self {
        Self { training: HeadOptions::default(), entropy_weight: 5.0 }
    }
}

impl Options for ScanOptions {
    fn check(&self, _: &Config) -> Result<()> {
        zero_or_positive("entropy-weight", self.entropy_weight)?;
        self.training.check()
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let loss = || -> PairLoss {
            let mut loss = Consistency::new(self.entropy_weight);
            Box::new(move |memberships| loss.evaluate(memberships))
        };
        let (options, start) = (&self.training, HeadStart::Random);
        LinearFit { options, automatic: DEFAULTS, walk: 1, start }.run(task, loss, observer)
    }
}
