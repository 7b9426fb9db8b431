//! The elastic-net self-expression loss, Eq. (senet), and its gradient in closed form.
//!
//! Legend: `m` rows `X` `(m, d)` are written as combinations of `b` keys `Z` `(b, d)`; `Q` `(m, p)` and `K` `(b, p)` are what the
//! networks make of them; `t` threshold; `S = Q K'`; `C = soft(S, t) / p`, where `soft` takes `t` off the magnitude; `E = X - C Z`.

use crate::linalg::product;
use ndarray::{Array2, ArrayView2, Axis, Zip};
use rayon::prelude::*;

/// The loss with its weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SelfExpression {
    /// `eta`, the weight of the reconstruction.
    pub reconstruction: f32,
    /// `lambda`, the share of the absolute values in the elastic net.
    pub sparsity: f32,
}

/// Rows, keys and what the networks make of them.
#[derive(Debug, Clone, Copy)]
pub struct Expressed<'a> {
    /// `X`, the rows that are expressed.
    pub rows: ArrayView2<'a, f32>,
    /// `Z`, the rows that express them.
    pub keys: ArrayView2<'a, f32>,
    /// The place of each row among the keys, which may not express itself.
    pub own: &'a [Option<usize>],
    /// `Q`.
    pub query_codes: ArrayView2<'a, f32>,
    /// `K`.
    pub key_codes: ArrayView2<'a, f32>,
    /// `t`.
    pub threshold: f32,
}

/// The loss on one batch, the mean over its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct SelfExpressionValue {
    /// `|E|^2 / m`, without its weight.
    pub reconstruction: f64,
    /// The elastic net.
    pub penalty: f64,
    /// The sum that is minimised.
    pub total: f64,
    /// Gradient with respect to `Q`.
    pub queries: Array2<f32>,
    /// Gradient with respect to `K`.
    pub keys: Array2<f32>,
    /// Gradient with respect to `t`.
    pub threshold: f32,
}

/// `sign(s) max(|s| - t, 0)`.
pub fn soft_threshold(product: f32, threshold: f32) -> f32 {
    sign(product) * (product.abs() - threshold).max(0.0)
}

/// The sign, zero for zero (`f32::signum` has none).
fn sign(x: f32) -> f32 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}

impl SelfExpression {
    /// The loss and its gradients.
    pub fn evaluate(&self, given: &Expressed) -> SelfExpressionValue {
        let m = given.rows.nrows() as f32;
        let shrink = 1.0 / given.query_codes.ncols() as f32;
        let products = product(given.query_codes, given.key_codes.t()); // S, (m, b)
        let mut coefficients = products.clone();
        Zip::from(coefficients.rows_mut()).and(given.own).par_for_each(|mut row, own| {
            row.mapv_inplace(|s| shrink * soft_threshold(s, given.threshold));
            if let Some(own) = own {
                row[*own] = 0.0;
            }
        });
        let mut residual = product(coefficients.view(), given.keys);
        residual.zip_mut_with(&given.rows, |made, &x| *made = x - *made); // E
        let reconstruction = sum_of(&residual, |e| e * e) / f64::from(m);
        let lambda = f64::from(self.sparsity);
        let penalty = sum_of(&coefficients, |c| lambda * c.abs() + 0.5 * (1.0 - lambda) * c * c) / f64::from(m);
        let total = 0.5 * f64::from(self.reconstruction) * reconstruction + penalty;

        // d loss / d C = (-eta E Z' + lambda sign(C) + (1 - lambda) C) / m; then through the threshold, where it lets through
        let mut slope = product(residual.view(), given.keys.t());
        let threshold: f64 = slope
            .axis_iter_mut(Axis(0))
            .into_par_iter()
            .zip(products.axis_iter(Axis(0)))
            .zip(coefficients.axis_iter(Axis(0)))
            .zip(given.own)
            .map(|(((mut slope, products), coefficients), own)| {
                let mut through_threshold = 0.0;
                for (j, ((g, &s), &c)) in slope.iter_mut().zip(products).zip(coefficients).enumerate() {
                    let open = s.abs() > given.threshold && Some(j) != *own;
                    let d_coefficient =
                        (-self.reconstruction * *g + self.sparsity * sign(c) + (1.0 - self.sparsity) * c) / m;
                    *g = if open { shrink * d_coefficient } else { 0.0 };
                    through_threshold -= f64::from(*g * sign(s));
                }
                through_threshold
            })
            .collect::<Vec<f64>>() // summed in the order of rows, whatever the threads
            .iter()
            .sum();
        SelfExpressionValue {
            reconstruction,
            penalty,
            total,
            queries: product(slope.view(), given.key_codes),
            keys: product(slope.t(), given.query_codes),
            threshold: threshold as f32,
        }
    }
}

/// The sum of a function of all entries, in the order of rows.
fn sum_of(matrix: &Array2<f32>, of: impl Fn(f64) -> f64 + Sync) -> f64 {
    let rows = matrix.axis_iter(Axis(0)).into_par_iter();
    let sums: Vec<f64> = rows.map(|row| row.iter().map(|&x| of(f64::from(x))).sum()).collect();
    sums.iter().sum()
}

#[cfg(test)]
mod tests;
