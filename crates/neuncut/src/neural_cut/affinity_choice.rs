//! The affinity that a configuration names.

use super::{AffinityKind, Auto, Config, Neighborhood};
use crate::Result;
use crate::affinity::{Affinity, Bandwidth, ElasticNet, HeatKernel, SelfExpressive};
use ndarray::ArrayView2;

/// The affinity among rows like these, fitted on them where it learns. `automatic` is how many entries a row keeps unless told.
pub(crate) fn affinity_of(config: &Config, rows: ArrayView2<f32>, automatic: usize) -> Result<Box<dyn Affinity>> {
    let neighbors = match config.neighbors {
        Neighborhood::Auto => Some(automatic),
        Neighborhood::Count(count) => Some(count),
        Neighborhood::All => None,
    };
    let bandwidth = match config.sigma {
        Auto::Auto => Bandwidth::Auto,
        Auto::Given(sigma) => Bandwidth::Sigma(sigma),
    };
    Ok(match config.affinity {
        AffinityKind::Heat => Box::new(HeatKernel { bandwidth, neighbors }),
        AffinityKind::SelfExpressive => Box::new(SelfExpressive::fit(rows, config.ridge, neighbors)?),
        AffinityKind::ElasticNet => Box::new(ElasticNet::default()),
    })
}
