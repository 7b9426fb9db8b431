//! Ward's hierarchical clustering; rows that were not fitted follow their nearest.

use super::method::Options;
use super::neighbor_vote::voted;
use super::{Config, Fitted, Task};
use crate::Result;
use crate::baselines::Ward;
use crate::clustering::Clustering;
use crate::train::Observer;
use serde::{Deserialize, Serialize};

/// Ward's method has no settings of its own.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct WardOptions {}

impl Options for WardOptions {
    fn check(&self, _: &Config) -> Result<()> {
        Ok(())
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let representation = task.representation()?;
        let represented = representation.transform(task.rows);
        observer.stage("merging");
        let found = Ward { n_clusters: task.config.clusters }.fit_observed(represented.view(), observer)?;
        Ok(voted(task.config.clone(), representation, represented, task.rows, found.labels()))
    }
}
