//! The loss of I-Con (Alshammari et al., ICLR 2025): how well clusters say which rows are neighbours, in the form whose limit is the normalized cut.
//!
//! Legend: `m` pairs of a row `i` and a near row drawn from its neighbours; `k` clusters; `y` memberships; `p` the clusters' shares, averaged
//! over batches. Clusters say of a row `j` that it is near `i` with `q(j|i) = sum_c y_ic y_jc / (n p_c)`. With `a` the debiasing, both the
//! neighbours and `q` are mixed with a uniform choice of any row, and the loss is the cross-entropy less a constant,
//! `-(1 - a) mean_i ln s_ii - a mean_ij ln s_ij` with `s_ij = (1 - a) sum_c y_ic y_jc / p_c + a`, where `i` runs over rows and `j` over near rows.
//! Shares are those of both ends of pairs, so that a row counts in them by its degree: theorem 14 of the paper, the normalized cut.
//!
//! The gradient through `p` is taken as if the average were the batch: on the first batch it is, and without it nothing would keep clusters
//! from growing.

use super::marginals::Marginals;
use crate::linalg::matmul;
use crate::rows::column_sums;
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

/// Where there is no debiasing the logarithm must not be that of zero.
const LEAST: f32 = 1e-12;

/// A loss of pairs of rows on one batch.
#[derive(Debug, Clone, PartialEq)]
pub struct PairLossValue {
    /// What is minimised.
    pub total: f64,
    /// By which heads are compared.
    pub score: f64,
    /// Gradient with respect to the memberships, `(2 m, k)`.
    pub gradient: Array2<f32>,
}

/// The loss with its running average.
#[derive(Debug, Clone)]
pub struct NeighborLikelihood {
    /// Share of a uniform choice that is mixed into neighbours and into what clusters say of them.
    debiasing: f32,
    marginals: Marginals,
}

impl NeighborLikelihood {
    /// The loss with this debiasing, from 0 to 1.
    pub fn new(debiasing: f32) -> Self {
        Self { debiasing, marginals: Marginals::default() }
    }

    /// The loss of memberships `(2 m, k)`, of which those in places `i` and `m + i` are a pair. The average moves towards this batch first.
    pub fn evaluate(&mut self, memberships: ArrayView2<f32>) -> PairLossValue {
        let m = memberships.nrows() / 2;
        let (rows, near) = memberships.split_at(Axis(0), m);
        let shares = self.marginals.with(memberships).mapv(|share| share as f32);
        let scaled = &rows / &shares;
        let mut slopes = matmul(scaled.view(), near.t());
        let total = self.slopes(&mut slopes);
        let mut of_rows = matmul(slopes.view(), near) / &shares;
        let mut of_near = matmul(slopes.t(), scaled.view());
        // what the shares, which are means over all 2 m rows, add to the gradient of every row
        let of_shares = column_sums((&of_rows * &rows).view()) / &shares * (-0.5 / m as f32);
        of_rows += &of_shares;
        of_near += &of_shares;
        let gradient = ndarray::concatenate![Axis(0), of_rows, of_near];
        PairLossValue { total, score: total, gradient }
    }

    /// The loss of `sum_c y_ic y_jc / p_c` for rows and near rows `(m, m)`, which its derivatives take the place of.
    fn slopes(&self, ratios: &mut Array2<f32>) -> f64 {
        let m = ratios.nrows() as f32;
        let (kept, any) = (1.0 - self.debiasing, self.debiasing);
        let (per_pair, per_any) = (kept / m, any / (m * m));
        let row = |(i, mut ratios): (usize, ndarray::ArrayViewMut1<f32>)| {
            let mut sum = 0.0;
            for (j, ratio) in ratios.iter_mut().enumerate() {
                let mixed = (kept * *ratio + any).max(LEAST);
                let weight = if i == j { per_any + per_pair } else { per_any };
                sum -= f64::from(weight) * f64::from(mixed.ln());
                *ratio = -weight * kept / mixed;
            }
            sum
        };
        let sums: Vec<f64> = ratios.axis_iter_mut(Axis(0)).into_par_iter().enumerate().map(row).collect();
        sums.iter().sum()
    }
}

/// Cosines or other products of paired rows, `sum_c a_ic b_ic`.
pub(super) fn paired_products(left: ArrayView2<f32>, right: ArrayView2<f32>) -> Vec<f32> {
    let product = |(a, b): (ArrayView1<f32>, ArrayView1<f32>)| a.dot(&b);
    left.axis_iter(Axis(0)).zip(right.axis_iter(Axis(0))).map(product).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::testing::{assert_gradient, memberships};

    #[test]
    fn the_gradient_is_that_of_central_differences() {
        for debiasing in [0.0, 0.4, 0.9] {
            let value = |y: &Array2<f32>| NeighborLikelihood::new(debiasing).evaluate(y.view());
            let y = memberships(24, 5);
            assert_gradient(&y, &value(&y).gradient, |y| value(y).total);
        }
    }

    #[test]
    fn hard_clusters_have_the_loss_of_their_shares() {
        // two clusters of three rows and one; every near row is in the cluster of its row
        let labels = [0, 0, 0, 1, 0, 0, 0, 1];
        let y = Array2::from_shape_fn((8, 2), |(i, c)| if labels[i] == c { 1.0 } else { 0.0 });
        let found = NeighborLikelihood::new(0.0).evaluate(y.view()).total;
        let expected = -(0.75 * (1.0_f64 / 0.75).ln() + 0.25 * (1.0_f64 / 0.25).ln());
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        // with debiasing, by hand: ratios 4/3 and 4 inside clusters, 0 between
        let found = NeighborLikelihood::new(0.5).evaluate(y.view()).total;
        let ln = |ratio: f64| (0.5 * ratio + 0.5).ln();
        let inside = 0.75 * ln(4.0 / 3.0) + 0.25 * ln(4.0);
        let any = (9.0 * ln(4.0 / 3.0) + ln(4.0) + 6.0 * ln(0.0)) / 16.0;
        assert!((found + 0.5 * inside + 0.5 * any).abs() < 1e-6, "{found}");
    }
}
