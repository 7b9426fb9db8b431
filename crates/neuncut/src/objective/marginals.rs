//! Shares of the clusters, averaged over batches: a batch of a thousand rows holds a few of each of hundreds of clusters, and its own shares
//! would be noise.

use crate::rows::column_sums;
use ndarray::{Array1, ArrayView2};

/// What the average keeps of itself in each step.
const DECAY: f64 = 0.9;
/// Shares are no smaller: a cluster that nothing is in must not divide by zero.
const LEAST_SHARE: f64 = 1e-8;

/// An exponential average of the mean memberships of batches.
#[derive(Debug, Clone, Default)]
pub(super) struct Marginals {
    average: Option<Array1<f64>>,
    /// What the average would be of shares that are always one: less than one in the first steps.
    mass: f64,
}

impl Marginals {
    /// The average with this batch of memberships `(m, k)` in it; that of the first batch is the batch's own.
    pub fn with(&mut self, memberships: ArrayView2<f32>) -> Array1<f64> {
        let m = memberships.nrows().max(1) as f64;
        let shares = column_sums(memberships).mapv(|sum| f64::from(sum) / m);
        let average = self.average.get_or_insert_with(|| Array1::zeros(shares.len()));
        average.zip_mut_with(&shares, |kept, &new| *kept = DECAY * *kept + (1.0 - DECAY) * new);
        self.mass = DECAY * self.mass + (1.0 - DECAY);
        (&*average / self.mass).mapv(|share| share.max(LEAST_SHARE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_first_average_is_the_batch_and_later_ones_forget() {
        let mut marginals = Marginals::default();
        let first = marginals.with(array![[1.0, 0.0], [0.5, 0.5]].view());
        assert!((first[0] - 0.75).abs() < 1e-12 && (first[1] - 0.25).abs() < 1e-12);
        let second = marginals.with(array![[0.0, 1.0]].view());
        // 0.75 with weight 0.09, 0 with weight 0.1
        assert!((second[0] - 0.75 * 0.09 / 0.19).abs() < 1e-12 && (second.sum() - 1.0).abs() < 1e-12);
        let dead = Marginals::default().with(array![[1.0, 0.0]].view());
        assert_eq!(dead[1], LEAST_SHARE);
    }
}
