//! Spectral rotation: labels are where rotated eigenvectors come nearest to indicators of clusters. No k-means.

use super::method::Options;
use super::{AffinityOptions, Config, Fitted, RoundingOptions, Task, spectral};
use crate::Result;
use crate::baselines::Rounding;
use crate::train::Observer;
use serde::{Deserialize, Serialize};

/// What the rotated eigenvectors come near to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum RotationForm {
    /// Indicators scaled by the volumes of clusters, which eigenvectors relax (Chen, Nie, Huang and Yang 2017)
    #[default]
    Improved,
    /// Indicators, from rows made unit (Yu and Shi 2003)
    Discretize,
}

/// The settings of spectral rotation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct RotationOptions {
    /// What joins rows.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub affinity: AffinityOptions,
    /// What the rotated eigenvectors come near to
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    pub rotation: RotationForm,
}

impl Options for RotationOptions {
    fn check(&self, _: &Config) -> Result<()> {
        self.affinity.check_sparse()?;
        self.affinity.check()
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let rounding = match self.rotation {
            RotationForm::Improved => Rounding::Rotation,
            RotationForm::Discretize => Rounding::Discretize,
        };
        spectral::fit(&self.affinity, &RoundingOptions { rounding, ..Default::default() }, task, observer)
    }

    fn labels_new_rows(&self) -> bool {
        false
    }

    fn affinity(&self) -> Option<&AffinityOptions> {
        Some(&self.affinity)
    }
}
