//! Cuts made of the shares of their volumes that clusters keep, with their gradients with respect to the memberships: they have no
//! weight to set, and their pull on a cluster that is dying does not vanish with it.
//!
//! Legend: `m` rows, `k` clusters; `W` affinity `(m, m)`, total `w`; `d` degrees; `Y` memberships `(m, k)`; `q_c = y_c' W y_c / w` the
//! weight inside a cluster, `v_c = d' y_c / w` its volume, `a_c = q_c / v_c` the share that it keeps. The loss is `sum_c f(a_c)`, and
//! `da_c / dy_ic = (2 (WY)_ic - a_c d_i) / (w v_c)`. As `q` and `v` of a batch are noise where it holds a few rows of each of hundreds of
//! clusters, exponential averages of both over batches take their places in `f` and under the fraction. In the first batch they are its
//! own, and the gradient is that of the loss itself.

use super::average::Average;
use crate::graph::BatchGraph;
use ndarray::{Array2, ArrayView2, Axis, Zip};

/// Below this share `f` goes on as a straight line, so that a cluster without rows has a finite loss and a force that revives it.
const LEAST_KEPT: f64 = 1e-3;
/// Volumes are at least this.
const LEAST_VOLUME: f64 = 1e-12;

/// How the shares make a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptCut {
    /// `-sum_c ln a_c`.
    Log,
    /// `sum_c (1 / a_c - 1)`, the min-max cut of Ding and others.
    MinMax,
}

impl KeptCut {
    /// `f(a)` and its slope.
    fn of(self, kept: f64) -> (f64, f64) {
        let from = kept.max(LEAST_KEPT);
        let (value, slope) = match self {
            Self::Log => (-from.ln(), -1.0 / from),
            Self::MinMax => (1.0 / from - 1.0, -1.0 / (from * from)),
        };
        (value + slope * (kept - from), slope)
    }
}

/// The loss with its running averages.
#[derive(Debug, Clone)]
pub struct KeptCutLoss {
    cut: KeptCut,
    /// Of `q` in the first row and `v` in the second.
    average: Average,
}

/// The loss on one batch.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptCutLossValue {
    /// What is minimised, of the averages.
    pub total: f64,
    /// Gradient with respect to the memberships, `(m, k)`.
    pub gradient: Array2<f32>,
}

impl KeptCutLoss {
    /// That of a cut, before the first batch.
    pub fn new(cut: KeptCut) -> Self {
        Self { cut, average: Average::default() }
    }

    /// The loss of these memberships `(m, k)` on this graph, with its gradient. The averages move towards this batch first.
    pub fn evaluate(&mut self, graph: &BatchGraph, memberships: ArrayView2<f32>) -> KeptCutLossValue {
        let k = memberships.ncols();
        let mut gradient = graph.multiply(memberships); // W Y
        let degrees = graph.degrees();
        let weight = degrees.iter().map(|&d| f64::from(d)).sum::<f64>().max(f64::MIN_POSITIVE);
        let mut parts = Array2::zeros((2, k));
        for ((y, weighted), &degree) in memberships.rows().into_iter().zip(gradient.rows()).zip(&degrees) {
            for (c, (&y, &weighted)) in y.iter().zip(weighted).enumerate() {
                parts[[0, c]] += f64::from(y) * f64::from(weighted) / weight;
                parts[[1, c]] += f64::from(y) * f64::from(degree) / weight;
            }
        }
        let averages = self.average.with(&parts);
        let (mut total, mut through_weight, mut through_volume) = (0.0, vec![0.0_f32; k], vec![0.0_f32; k]);
        for c in 0..k {
            let volume = averages[[1, c]].max(LEAST_VOLUME);
            let kept = averages[[0, c]] / volume;
            let (value, slope) = self.cut.of(kept);
            total += value;
            through_weight[c] = (2.0 * slope / (weight * volume)) as f32;
            through_volume[c] = (slope * kept / (weight * volume)) as f32;
        }
        Zip::from(gradient.axis_iter_mut(Axis(0))).and(&degrees).par_for_each(|mut row, &degree| {
            for (g, (inside, volume)) in row.iter_mut().zip(through_weight.iter().zip(&through_volume)) {
                *g = inside * *g - volume * degree;
            }
        });
        KeptCutLossValue { total, gradient }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::graph::{Csr, Joint};
    use crate::objective::softmax;
    use rand::RngExt;

    const CUTS: [KeptCut; 2] = [KeptCut::Log, KeptCut::MinMax];

    fn graph() -> Csr {
        let mut rng = Seed(5).stream("kept shares test");
        let edges = (0..30_u32).flat_map(|i| (1..4).map(move |step| (i, (i + step * step) % 30)));
        Csr::symmetrized(30, edges.map(|(i, j)| (i, j, 0.2 + rng.random::<f32>())))
    }

    /// The loss straight from its definition, in f64.
    fn naive(cut: KeptCut, graph: &Csr, y: &Array2<f64>) -> f64 {
        let of_cluster = |c: usize| {
            let (mut inside, mut volume) = (0.0, 0.0);
            for i in 0..graph.len() {
                for (j, w) in graph.neighbors(i) {
                    inside += f64::from(w) * y[[i, c]] * y[[j, c]];
                    volume += f64::from(w) * y[[i, c]];
                }
            }
            let kept: f64 = inside / volume;
            assert!(kept > LEAST_KEPT);
            match cut {
                KeptCut::Log => -kept.ln(),
                KeptCut::MinMax => 1.0 / kept - 1.0,
            }
        };
        (0..y.ncols()).map(of_cluster).sum()
    }

    #[test]
    fn value_and_gradient_of_the_first_batch_match_the_definition() {
        let mut rng = Seed(6).stream("kept shares test");
        let y = softmax(Array2::from_shape_fn((30, 4), |_| 3.0 * rng.random::<f32>()));
        let (graph, y64) = (graph(), y.mapv(f64::from));
        for cut in CUTS {
            let found = KeptCutLoss::new(cut).evaluate(&BatchGraph::Sparse(graph.clone()), y.view());
            let expected = naive(cut, &graph, &y64);
            assert!((found.total - expected).abs() < 1e-4 * expected, "{cut:?}: {} for {expected}", found.total);
            for (place, &gradient) in found.gradient.indexed_iter() {
                let at = |delta: f64| {
                    let mut moved = y64.clone();
                    moved[place] += delta;
                    naive(cut, &graph, &moved)
                };
                let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
                let gradient = f64::from(gradient);
                assert!((numeric - gradient).abs() < 2e-4 * (1.0 + numeric.abs()), "{cut:?}: {gradient} for {numeric}");
            }
        }
    }

    #[test]
    fn hard_memberships_have_the_cuts_of_their_partition() {
        let labels: Vec<u32> = (0..30).map(|i| i / 8).collect();
        let y = Array2::from_shape_fn((30, 4), |(i, c)| if labels[i] == c as u32 { 1.0 } else { 0.0 });
        let graph = graph();
        let joint = Joint::of(&graph, &labels, 4);
        for (cut, expected) in [(KeptCut::Log, joint.log_cut()), (KeptCut::MinMax, joint.min_max_cut())] {
            let found = KeptCutLoss::new(cut).evaluate(&BatchGraph::Sparse(graph.clone()), y.view()).total;
            assert!((found - expected).abs() < 1e-5 * expected, "{cut:?}: {found} and {expected}");
        }
    }

    /// One of two clusters has a share `size` of each row of its half: the pull on its logits, summed over those rows.
    fn pull(cut: KeptCut, size: f32) -> f32 {
        let graph = BatchGraph::Sparse(Csr::symmetrized(40, (0..20_u32).map(|p| (2 * p, 2 * p + 1, 1.0))));
        let y = Array2::from_shape_fn((40, 2), |(i, c)| {
            let second = if i < 20 { size } else { 0.01 * size };
            if c == 1 { second } else { 1.0 - second }
        });
        let gradient = KeptCutLoss::new(cut).evaluate(&graph, y.view()).gradient;
        let through_softmax = crate::objective::softmax_backward(y.view(), gradient);
        -(0..20).map(|i| through_softmax[[i, 1]]).sum::<f32>()
    }

    #[test]
    fn a_dying_cluster_is_pulled_back_as_hard_however_small_it_is() {
        let (larger, smaller) = (pull(KeptCut::Log, 5e-2), pull(KeptCut::Log, 5e-3));
        assert!(smaller > 0.5 && smaller > 0.8 * larger, "{larger}, then {smaller}");
        assert!(pull(KeptCut::MinMax, 5e-3) > 5.0 * pull(KeptCut::MinMax, 5e-2), "a barrier");
    }

    #[test]
    fn an_empty_cluster_costs_much_and_not_infinitely() {
        let y = Array2::from_shape_fn((30, 2), |(_, c)| if c == 0 { 1.0 } else { 0.0 });
        for cut in CUTS {
            let value = KeptCutLoss::new(cut).evaluate(&BatchGraph::Sparse(graph()), y.view());
            assert!(value.total > 6.0 && value.total.is_finite(), "{cut:?}: {}", value.total);
            assert!(value.gradient.iter().all(|g| g.is_finite()));
        }
    }
}
