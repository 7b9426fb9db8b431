//! What neighbours tell about each other where every output has as many rows, as a loss of logits: no output can die.
//!
//! Legend: a batch of `m` rows holds `m / 2` pairs of neighbours, row `t` and row `m / 2 + t`; `L` logits `(m, k)` of `k` outputs;
//! `Y = softmax(L)`; `t_i` the assignment of the neighbour of row `i`, which is `softmax(s L_j - b)` with `b` such that the assignments
//! of a batch fill all outputs alike. Assignments are held fixed in a step, and the loss is `-1/m sum_ic t_ic ln y_ic`. With equal
//! outputs the mutual information of those at the two ends of an edge is `ln k` less an entropy, which this bounds from above. The pull on
//! a logit is `t_ic - y_ic`: it does not vanish with the membership.

use super::softmax;
use crate::rows::column_sums;
use ndarray::{Array1, Array2, ArrayView2, Axis};

/// How much harder assignments are than memberships.
const SHARPNESS: f32 = 10.0;
/// Times in a step that outputs are brought closer to equal.
const ROUNDS: usize = 3;
/// With fewer rows in a batch than these for each output, outputs are brought closer by less at a time: a batch of few is noise.
const ROWS_PER_OUTPUT: f32 = 10.0;
/// Outputs without any row in a batch count as if they had this share of their due.
const LEAST_SHARE: f32 = 1e-6;

/// The loss with what balances the outputs, which is kept from batch to batch.
#[derive(Debug, Clone)]
pub struct BalancedLoss {
    /// `b`, one for each output.
    offsets: Array1<f32>,
}

impl BalancedLoss {
    /// That of so many outputs, before the first batch.
    pub fn new(outputs: usize) -> Self {
        Self { offsets: Array1::zeros(outputs) }
    }

    /// The loss of these logits `(m, k)`, with its gradient with respect to them.
    pub fn evaluate(&mut self, logits: ArrayView2<f32>) -> (f64, Array2<f32>) {
        let assignments = self.assignments(logits);
        cross_entropy_to_neighbors(softmax(logits.to_owned()), assignments.view())
    }

    /// `t` of every row itself, after outputs were brought closer to equal.
    fn assignments(&mut self, logits: ArrayView2<f32>) -> Array2<f32> {
        let (m, k) = (logits.nrows() as f32, logits.ncols() as f32);
        let rate = (m / (ROWS_PER_OUTPUT * k)).min(1.0);
        let sharp = &logits * SHARPNESS;
        for _ in 0..ROUNDS {
            let filled = column_sums(softmax(&sharp - &self.offsets).view());
            self.offsets
                .zip_mut_with(&filled, |offset, &filled| *offset += rate * (filled * k / m).max(LEAST_SHARE).ln());
        }
        softmax(&sharp - &self.offsets)
    }
}

/// The mean cross-entropy of each row's memberships to its neighbour's assignment, and its gradient with respect to the logits.
fn cross_entropy_to_neighbors(memberships: Array2<f32>, assignments: ArrayView2<f32>) -> (f64, Array2<f32>) {
    let (mut gradient, m) = (memberships, assignments.nrows().max(1));
    let mut loss = 0.0;
    for (i, mut row) in gradient.axis_iter_mut(Axis(0)).enumerate() {
        for (y, &target) in row.iter_mut().zip(assignments.row((i + m / 2) % m)) {
            loss -= f64::from(target) * f64::from(y.max(f32::MIN_POSITIVE)).ln();
            *y = (*y - target) / m as f32;
        }
    }
    (loss / m as f64, gradient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use rand::RngExt;

    fn logits(m: usize, k: usize) -> Array2<f32> {
        let mut rng = Seed(7).stream("balanced test");
        Array2::from_shape_fn((m, k), |_| 2.0 * rng.random::<f32>())
    }

    #[test]
    fn the_gradient_matches_central_differences_with_the_assignments_held() {
        let logits = logits(8, 3);
        let assignments = BalancedLoss::new(3).assignments(logits.view());
        let (loss, gradient) = BalancedLoss::new(3).evaluate(logits.view());
        let value = |logits: &Array2<f32>| cross_entropy_to_neighbors(softmax(logits.clone()), assignments.view()).0;
        assert!((loss - value(&logits)).abs() < 1e-9);
        for (place, &found) in gradient.indexed_iter() {
            let moved = |by: f32| {
                let mut logits = logits.clone();
                logits[place] += by;
                value(&logits)
            };
            let numeric = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            assert!((numeric - f64::from(found)).abs() < 1e-4, "{place:?}: {found} for {numeric}");
        }
    }

    #[test]
    fn outputs_are_filled_alike_and_a_dead_one_is_pulled_back() {
        let mut logits = logits(400, 4);
        logits.column_mut(3).fill(-20.0); // memberships of e^-20
        let mut loss = BalancedLoss::new(4);
        for _ in 0..10 {
            loss.evaluate(logits.view());
        }
        let filled = column_sums(loss.assignments(logits.view()).view());
        assert!(filled.iter().all(|filled| (filled - 100.0).abs() < 5.0), "{filled}");
        let pull = -loss.evaluate(logits.view()).1.column(3).sum();
        assert!((pull - 0.25).abs() < 0.02, "a quarter of all rows: {pull}");
    }

    #[test]
    fn rows_learn_what_their_neighbours_are_assigned() {
        // row 0 is sure of output 0; its neighbour, row 1, of nothing
        let logits = ndarray::array![[4.0_f32, 0.0], [0.0, 0.0]];
        let (_, gradient) = BalancedLoss::new(2).evaluate(logits.view());
        assert!(gradient[[1, 0]] < 0.0 && gradient[[1, 1]] > 0.0, "{gradient}");
    }
}
