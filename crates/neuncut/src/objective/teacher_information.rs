//! The loss of TEMI (Adaloglou et al., BMVC 2023): the pointwise mutual information of the clusters of near rows, one end seen by a student and the
//! other by a teacher, which is an average of students.
//!
//! Legend: `m` pairs of a row and a near row, `k` clusters; `s` memberships by the student, `t` by the teacher, `p` the teacher's shares of
//! clusters, averaged over batches and held fixed; `b` the exponent. `l(s, t) = -ln sum_c (s_c t_c)^b / p_c`, and the loss is
//! `mean_i w_i (l(s_i, t_near) + l(s_near, t_i)) / 2` with weights `w_i` of pairs. With `r` the shares of clusters in the sum of `l`, its gradient with
//! respect to the *logits* of `s` is `b (s - r)`, so that nothing is divided by a small membership.

use super::marginals::Marginals;
use super::neighbor_likelihood::paired_products;
use crate::vector::softmax_row;
use ndarray::{Array1, Array2, ArrayView2, Axis, s};

/// The loss with its running average.
#[derive(Debug, Clone)]
pub struct TeacherInformation {
    exponent: f32,
    marginals: Marginals,
}

/// Of pairs `(2 m, k)`, those in places `i` and `m + i`, how much a teacher finds both ends in the same cluster: `(m,)`.
pub fn agreement_of_pairs(memberships: ArrayView2<f32>) -> Array1<f32> {
    let (rows, near) = memberships.split_at(Axis(0), memberships.nrows() / 2);
    paired_products(rows, near).into()
}

impl TeacherInformation {
    /// The loss with this exponent, above 0 and up to 1: one is the pointwise mutual information itself, less asks clusters to be even.
    pub fn new(exponent: f32) -> Self {
        Self { exponent, marginals: Marginals::default() }
    }

    /// The loss of memberships `(2 m, k)` by student and teacher with weights `(m,)` of pairs, and its gradient with respect to the student's
    /// *logits*. The average moves towards the teacher's batch first.
    pub fn evaluate(
        &mut self,
        student: ArrayView2<f32>,
        teacher: ArrayView2<f32>,
        weights: &Array1<f32>,
    ) -> (f64, Array2<f32>) {
        let m = weights.len();
        let log_shares = self.marginals.with(teacher).mapv(|share| share.ln() as f32);
        let log = |y: f32| y.max(f32::MIN_POSITIVE).ln();
        let (mut loss, mut gradient) = (0.0, Array2::zeros(student.dim()));
        for i in 0..2 * m {
            let (own, other) = (student.row(i), teacher.row((i + m) % (2 * m)));
            let mut terms: Vec<f32> = own.iter().zip(other).map(|(&s, &t)| self.exponent * (log(s) + log(t))).collect();
            terms.iter_mut().zip(&log_shares).for_each(|(term, share)| *term -= share);
            let scale = weights[i % m] / (2 * m) as f32;
            let largest = terms.iter().fold(f32::NEG_INFINITY, |a, &b| a.max(b));
            let sum: f64 = terms.iter().map(|term| f64::from(term - largest).exp()).sum();
            loss -= f64::from(scale) * (f64::from(largest) + sum.ln());
            softmax_row(&mut terms);
            let places = gradient.slice_mut(s![i, ..]);
            places.into_iter().zip(own).zip(&terms).for_each(|((g, s), r)| *g = self.exponent * scale * (s - r));
        }
        (loss, gradient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::softmax;
    use crate::objective::testing::memberships;

    #[test]
    fn the_gradient_is_that_of_central_differences() {
        let logits = memberships(12, 4).mapv(|y| 3.0 * y);
        let (teacher, weights) = (memberships(12, 4), Array1::from_shape_fn(6, |i| 0.2 + 0.1 * i as f32));
        let value = |logits: &Array2<f32>| {
            let student = softmax(logits.clone());
            TeacherInformation::new(0.6).evaluate(student.view(), teacher.view(), &weights)
        };
        let gradient = value(&logits).1;
        for place in [(0, 0), (3, 2), (6, 1), (11, 3)] {
            let moved = |by: f32| {
                let mut logits = logits.clone();
                logits[place] += by;
                value(&logits).0
            };
            let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            assert!((slope - f64::from(gradient[place])).abs() < 1e-4, "{place:?}: {slope} {}", gradient[place]);
        }
    }

    #[test]
    fn with_exponent_one_it_is_the_pointwise_information() {
        // certain and even: ln k for every pair
        let y = Array2::from_shape_fn((8, 4), |(i, c)| if i % 4 == c { 1.0 } else { 0.0 });
        let weights = agreement_of_pairs(y.view());
        assert_eq!(weights, Array1::<f32>::ones(4));
        let (loss, _) = TeacherInformation::new(1.0).evaluate(y.view(), y.view(), &weights);
        assert!((loss + 4.0_f64.ln()).abs() < 1e-6);
    }
}
