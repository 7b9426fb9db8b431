//! The loss of SCAN (Van Gansbeke et al., ECCV 2020): neighbours in the same cluster with certainty, all clusters in use.
//!
//! Legend: `m` pairs of a row and a near row, `k` clusters, `y` memberships, `p` the clusters' shares at both ends, averaged over batches. The loss
//! is `-mean_i ln sum_c y_ic y_(m+i)c - entropy_weight * H(p)`. The gradient of the entropy is that of the average, taken as if it were the batch.

use super::evenness::Evenness;
use super::neighbor_likelihood::{PairLossValue, paired_products};
use ndarray::{Array2, ArrayView2, Axis, s};

/// Added to products before their logarithm, as the authors do.
const EPSILON: f32 = 1e-8;

/// The loss with its running average.
#[derive(Debug, Clone)]
pub struct Consistency {
    evenness: Evenness,
}

impl Consistency {
    /// The loss with this weight of the entropy of the clusters' shares.
    pub fn new(entropy_weight: f64) -> Self {
        Self { evenness: Evenness::new(entropy_weight) }
    }

    /// The loss of memberships `(2 m, k)`, of which those in places `i` and `m + i` are a pair. Heads are compared by the same with weight one.
    pub fn evaluate(&mut self, memberships: ArrayView2<f32>) -> PairLossValue {
        let m = memberships.nrows() / 2;
        let (rows, near) = memberships.split_at(Axis(0), m);
        let products = paired_products(rows, near);
        let consistency = products.iter().map(|p| -f64::from((p + EPSILON).ln())).sum::<f64>() / m as f64;
        let mut gradient = Array2::zeros(memberships.dim());
        for (i, product) in products.iter().enumerate() {
            let factor = -1.0 / (m as f32 * (product + EPSILON));
            gradient.slice_mut(s![i, ..]).scaled_add(factor, &near.row(i));
            gradient.slice_mut(s![m + i, ..]).scaled_add(factor, &rows.row(i));
        }
        let (entropy, of_shares) = self.evenness.evaluate(memberships);
        gradient += &of_shares;
        let (total, score) = (consistency - self.evenness.weight() * entropy, consistency - entropy);
        PairLossValue { total, score, gradient }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::testing::{assert_gradient, memberships};

    #[test]
    fn the_gradient_is_that_of_central_differences() {
        let value = |y: &Array2<f32>| Consistency::new(5.0).evaluate(y.view());
        let y = memberships(24, 5);
        assert_gradient(&y, &value(&y).gradient, |y| value(y).total);
    }

    #[test]
    fn certain_pairs_in_even_clusters_have_nothing_but_the_entropy() {
        let y = Array2::from_shape_fn((8, 4), |(i, c)| if i % 4 == c { 1.0 } else { 0.0 });
        let found = Consistency::new(5.0).evaluate(y.view());
        assert!((found.total + 5.0 * 4.0_f64.ln()).abs() < 1e-6 && (found.score + 4.0_f64.ln()).abs() < 1e-6);
    }
}
