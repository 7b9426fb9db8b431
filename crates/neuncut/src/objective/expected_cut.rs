//! The loss of CNC (Nazi et al. 2019): the expected normalized cut of random assignments, and equal sizes; its gradient in closed form.
//!
//! Legend: `m` rows, `k` clusters; `W` affinity `(m, m)` whose diagonal is one, as the authors' is; `d` its row sums; `Y` memberships
//! `(m, k)`; `v_c = sum_i d_i y_ic` volumes, `b_c = sum_i y_ic` sizes; `a_c = y_c' W y_c / v_c`, the share of a volume that stays
//! inside. The loss is `sum_ij w_ij sum_c y_ic (1 - y_jc) / v_c = sum_c (1 - a_c)`, and `balance` times the mean of `(b_c - m/k)^2`.

use crate::graph::BatchGraph;
use ndarray::{Array2, ArrayView2, Axis};

/// Keeps the volume of an empty cluster away from zero.
const LEAST_VOLUME: f64 = 1e-12;

/// The loss with the weight of its second part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedCut {
    /// What a squared difference in size counts; in rows of the batch, as the authors have it.
    pub balance: f64,
}

/// The loss on one batch.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedCutValue {
    /// The expected cut.
    pub cut: f64,
    /// The weighted differences in size.
    pub imbalance: f64,
    /// Gradient of their sum with respect to the memberships, `(m, k)`.
    pub gradient: Array2<f32>,
}

impl ExpectedCut {
    /// The loss of these memberships `(m, k)` on this graph, to which loops of weight one are added.
    pub fn evaluate(&self, graph: &BatchGraph, memberships: ArrayView2<f32>) -> ExpectedCutValue {
        let (m, k) = memberships.dim();
        let degrees = graph.degrees() + 1.0;
        let mut gradient = graph.multiply(memberships);
        gradient += &memberships; // W Y
        let (mut cut, mut imbalance) = (0.0, 0.0);
        for (mut own, y) in gradient.axis_iter_mut(Axis(1)).zip(memberships.columns()) {
            let dot = |a: &ndarray::ArrayView1<f32>| {
                a.iter().zip(&y).map(|(&a, &y)| f64::from(a) * f64::from(y)).sum::<f64>()
            };
            let volume = dot(&degrees.view()).max(LEAST_VOLUME);
            let inside = dot(&own.view()) / volume;
            let excess = y.iter().map(|&y| f64::from(y)).sum::<f64>() - m as f64 / k as f64;
            cut += 1.0 - inside;
            imbalance += self.balance / k as f64 * excess * excess;
            let through_size = 2.0 * self.balance / k as f64 * excess;
            own.zip_mut_with(&degrees, |w, &d| {
                let through_cut = (2.0 * f64::from(*w) - inside * f64::from(d)) / volume;
                *w = (through_size - through_cut) as f32;
            });
        }
        ExpectedCutValue { cut, imbalance, gradient }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::objective::softmax;
    use ndarray::array;
    use rand::RngExt;

    /// The double sum as it is written.
    fn plain_loss(weights: &Array2<f64>, memberships: &Array2<f64>, balance: f64) -> f64 {
        let (m, k) = memberships.dim();
        let degrees = weights.sum_axis(Axis(1));
        let mut loss = 0.0;
        for c in 0..k {
            let y = memberships.column(c);
            let volume = degrees.dot(&y);
            for i in 0..m {
                loss += (0..m).map(|j| weights[[i, j]] * y[i] * (1.0 - y[j]) / volume).sum::<f64>();
            }
            loss += balance / k as f64 * (y.sum() - m as f64 / k as f64).powi(2);
        }
        loss
    }

    fn example() -> (Array2<f32>, Array2<f32>) {
        let mut rng = Seed(3).stream("expected cut");
        let mut weights = Array2::zeros((7, 7));
        for i in 0..7 {
            for j in 0..i {
                let weight = rng.random::<f32>();
                (weights[[i, j]], weights[[j, i]]) = (weight, weight);
            }
        }
        (weights, softmax(Array2::from_shape_fn((7, 3), |_| 4.0 * rng.random::<f32>() - 2.0)))
    }

    #[test]
    fn two_pieces_by_hand() {
        // two pairs of rows, each pair joined by a weight of one: hard memberships cut nothing, even ones all
        let graph = BatchGraph::Dense(array![[0., 1., 0., 0.], [1., 0., 0., 0.], [0., 0., 0., 1.], [0., 0., 1., 0.]]);
        let loss = ExpectedCut { balance: 0.0 };
        let hard = array![[1., 0.], [1., 0.], [0., 1.], [0., 1.]];
        assert!(loss.evaluate(&graph, hard.view()).cut.abs() < 1e-12);
        assert!((loss.evaluate(&graph, Array2::from_elem((4, 2), 0.5).view()).cut - 1.0).abs() < 1e-12);
        let one_sided = array![[1., 0.], [1., 0.], [1., 0.], [1., 0.]];
        let value = ExpectedCut { balance: 0.5 }.evaluate(&graph, one_sided.view());
        assert!((value.imbalance - 0.5 / 2.0 * (4.0 + 4.0)).abs() < 1e-12);
        assert!(value.gradient.iter().all(|x| x.is_finite()));
    }

    #[test]
    fn loss_and_gradient_are_those_of_the_double_sum() {
        let (weights, memberships) = example();
        let value = ExpectedCut { balance: 0.3 }.evaluate(&BatchGraph::Dense(weights.clone()), memberships.view());
        let looped = weights.mapv(f64::from) + Array2::<f64>::eye(7);
        let plain = memberships.mapv(f64::from);
        assert!((value.cut + value.imbalance - plain_loss(&looped, &plain, 0.3)).abs() < 1e-5);
        for place in [(0, 0), (3, 1), (6, 2)] {
            let moved = |delta: f64| {
                let mut moved = plain.clone();
                moved[place] += delta;
                plain_loss(&looped, &moved, 0.3)
            };
            let numeric = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((numeric - f64::from(value.gradient[place])).abs() < 1e-5, "{numeric}");
        }
    }
}
