//! The mutual information of the clusters at the two ends of an edge, as a loss, and its gradient with respect to the memberships.
//!
//! Legend: `m` rows, `k` clusters; `W` affinity `(m, m)`, total `w`; `Y` memberships `(m, k)`; `J = Y'WY / w` the joint distribution of
//! the clusters at both ends of an edge, `p` its row sums. The loss is `-sum_cd J_cd ln(A_cd / (a_c a_d))`, where `A` is an exponential
//! average of `J` over batches and `a` its row sums: a batch of a thousand rows holds a few of each of hundreds of clusters, and its own
//! joint would be noise. `A` is held fixed in a step. Where it equals `J` the gradient is that of the mutual information itself, because
//! the derivative of the logarithm sums to a constant.

use super::average::Average;
use crate::graph::BatchGraph;
use crate::linalg::matmul;
use ndarray::{Array1, Array2, ArrayView2, Axis};

/// Added to `A_cd / (a_c a_d)`: pairs of clusters that no edge joins repel one another by no more than this logarithm.
const LEAST_RATIO: f64 = 1e-3;

/// The loss with its running average.
#[derive(Debug, Clone, Default)]
pub struct InformationLoss {
    average: Average,
}

/// The loss on one batch.
#[derive(Debug, Clone, PartialEq)]
pub struct InformationLossValue {
    /// What is minimised.
    pub total: f64,
    /// Gradient with respect to the memberships, `(m, k)`.
    pub gradient: Array2<f32>,
}

impl InformationLoss {
    /// The loss of these memberships `(m, k)` on this graph, with its gradient. The average moves towards this batch first.
    pub fn evaluate(&mut self, graph: &BatchGraph, memberships: ArrayView2<f32>) -> InformationLossValue {
        let k = memberships.ncols();
        let weighted = graph.multiply(memberships); // W Y
        let total = graph.degrees().iter().map(|&d| f64::from(d)).sum::<f64>().max(f64::MIN_POSITIVE);
        let products = matmul(memberships.t(), weighted.view());
        let joint = Array2::from_shape_fn((k, k), |(a, b)| {
            0.5 * (f64::from(products[[a, b]]) + f64::from(products[[b, a]])) / total
        });
        let pointwise = pointwise_information(&self.average.with(&joint));
        let loss = -joint.iter().zip(&pointwise).map(|(j, r)| j * r).sum::<f64>();
        let slope = pointwise.mapv(|r| (-2.0 * r / total) as f32);
        InformationLossValue { total: loss, gradient: matmul(weighted.view(), slope.view()) }
    }
}

/// `ln(A_cd / (a_c a_d) + floor)`.
fn pointwise_information(joint: &Array2<f64>) -> Array2<f64> {
    let sums: Array1<f64> = joint.sum_axis(Axis(1)).mapv(|s| s.max(1e-12));
    Array2::from_shape_fn(joint.dim(), |(a, b)| (joint[[a, b]] / (sums[a] * sums[b]) + LEAST_RATIO).ln())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::graph::{Csr, Joint};
    use crate::objective::softmax;
    use rand::RngExt;

    fn graph() -> BatchGraph {
        let mut rng = Seed(5).stream("information test");
        let edges = (0..30_u32).flat_map(|i| (1..4).map(move |step| (i, (i + step * step) % 30)));
        BatchGraph::Sparse(Csr::symmetrized(30, edges.map(|(i, j)| (i, j, 0.2 + rng.random::<f32>()))))
    }

    fn memberships() -> Array2<f32> {
        let mut rng = Seed(6).stream("information test");
        softmax(Array2::from_shape_fn((30, 4), |_| 3.0 * rng.random::<f32>()))
    }

    /// On the first batch the average is the batch, so that the gradient is that of the mutual information: within each row up to a
    /// constant, which the softmax takes away.
    #[test]
    fn the_gradient_is_that_of_the_information_by_central_differences() {
        let (graph, y) = (graph(), memberships());
        let value = |y: &Array2<f32>| InformationLoss::default().evaluate(&graph, y.view());
        let gradient = value(&y).gradient;
        let step = 1e-2;
        for (i, a, b) in [(0, 0, 1), (7, 2, 3), (19, 3, 0), (29, 1, 2)] {
            let moved = |by: f32| {
                let mut y = y.clone();
                y[[i, a]] += by;
                y[[i, b]] -= by;
                value(&y).total
            };
            let slope = (moved(step) - moved(-step)) / (2.0 * f64::from(step));
            let expected = f64::from(gradient[[i, a]] - gradient[[i, b]]);
            assert!((slope - expected).abs() < 2e-3 * (1.0 + expected.abs()), "row {i}: {slope} and {expected}");
        }
    }

    #[test]
    fn hard_memberships_have_the_information_of_their_partition() {
        let labels: Vec<u32> = (0..30).map(|i| i / 8).collect();
        let y = Array2::from_shape_fn((30, 4), |(i, c)| if labels[i] == c as u32 { 1.0 } else { 0.0 });
        let graph = graph();
        let BatchGraph::Sparse(sparse) = &graph else { panic!("sparse") };
        let information = Joint::of(sparse, &labels, 4).information();
        let found = InformationLoss::default().evaluate(&graph, y.view()).total;
        assert!((found + information).abs() < 0.02, "{found} and {information}: apart from the floor under ratios");
    }

    #[test]
    fn the_average_forgets_slowly() {
        let (graph, y) = (graph(), memberships());
        let mut loss = InformationLoss::default();
        let first = loss.evaluate(&graph, y.view()).total;
        let other = Array2::from_elem((30, 4), 0.25);
        loss.evaluate(&graph, other.view());
        let third = loss.evaluate(&graph, y.view()).total;
        assert!(third > first && third < 0.0, "{first}, then {third}");
    }
}
