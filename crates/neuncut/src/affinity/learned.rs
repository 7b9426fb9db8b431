//! An affinity whose network was trained, whichever it is: what a model may keep.

use super::{Affinity, Senet, Siamese};
use crate::Result;
use crate::graph::BatchGraph;
use ndarray::ArrayView2;

/// A trained affinity. It takes rows as they come out of the feature chain.
#[derive(Debug, Clone, PartialEq)]
pub enum LearnedAffinity {
    /// Of a Siamese network.
    Siamese(Siamese),
    /// Of SENet.
    Senet(Senet),
}

impl LearnedAffinity {
    /// Columns of the rows it takes.
    pub fn n_inputs(&self) -> usize {
        match self {
            Self::Siamese(siamese) => siamese.encoder.n_inputs(),
            Self::Senet(senet) => senet.networks.query.n_inputs(),
        }
    }

    /// What it is, in a few words.
    pub fn note(&self) -> String {
        let sizes = |weights: &crate::network::Weights| {
            weights.sizes().iter().map(usize::to_string).collect::<Vec<String>>().join("-")
        };
        match self {
            Self::Siamese(siamese) => format!("Siamese network {}", sizes(&siamese.encoder)),
            Self::Senet(senet) => {
                format!(
                    "SENet, two networks {}, threshold {:.4}",
                    sizes(&senet.networks.query),
                    senet.networks.threshold
                )
            }
        }
    }

    fn inner(&self) -> &dyn Affinity {
        match self {
            Self::Siamese(siamese) => siamese,
            Self::Senet(senet) => senet,
        }
    }
}

impl Affinity for LearnedAffinity {
    fn neighbors(&self) -> Option<usize> {
        self.inner().neighbors()
    }

    fn among(&self, rows: ArrayView2<f32>, neighbors: Option<usize>) -> Result<BatchGraph> {
        self.inner().among(rows, neighbors)
    }
}
