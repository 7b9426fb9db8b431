//! The entropy of the clusters' shares: large where all clusters are in use, the largest where they are even.

use super::marginals::Marginals;
use ndarray::{Array1, ArrayView2};

/// The negative entropy times a weight, of shares that are averaged over batches.
#[derive(Debug, Clone)]
pub struct Evenness {
    weight: f64,
    marginals: Marginals,
}

impl Evenness {
    /// With this weight.
    pub fn new(weight: f64) -> Self {
        Self { weight, marginals: Marginals::default() }
    }

    /// Of memberships `(m, k)`: the entropy, and what the weighted negative entropy adds to the gradient of every row, `(k,)`, as if the average
    /// were the batch. The average moves towards this batch first.
    pub fn evaluate(&mut self, memberships: ArrayView2<f32>) -> (f64, Array1<f32>) {
        let shares = self.marginals.with(memberships);
        let entropy = -shares.iter().map(|share| share * share.ln()).sum::<f64>();
        let scale = self.weight / memberships.nrows().max(1) as f64;
        (entropy, shares.mapv(|share| (scale * (share.ln() + 1.0)) as f32))
    }

    /// The weight.
    pub fn weight(&self) -> f64 {
        self.weight
    }
}
