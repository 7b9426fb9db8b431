//! Confidence that means the same in every model: the factor on the logits under which memberships best predict the clusters of a
//! row's neighbours.
//!
//! A network that was only warm-started has smoothed memberships, one that was trained on has hard ones, and neither says how sure a label
//! is. After calibration a membership of 0.8 reads: about 0.8 of the neighbours of rows like this one are in that cluster. One factor
//! for all logits changes no label.

use super::argmax_rows;
use crate::graph::Csr;
use crate::network::Weights;
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

/// The factor stays between one over this and this.
const LARGEST_FACTOR: f64 = 64.0;
/// Halvings of the range of its logarithm.
const HALVINGS: usize = 24;
/// Rows of one task; fixed, so that sums do not depend on the threads.
const TASK_ROWS: usize = 256;

/// The network with its last layer multiplied by the factor. `graph` joins the rows that enter the network as `inputs`.
pub(super) fn calibrated(mut weights: Weights, inputs: ArrayView2<f32>, graph: &Csr) -> Weights {
    let logits = weights.outputs(inputs);
    let factor = factor(&logits, graph) as f32;
    if let Some(last) = weights.layers.last_mut() {
        last.weight *= factor;
        last.bias *= factor;
    }
    weights
}

/// Where the slope of the cross-entropy of the neighbours' clusters is zero; it is convex in the factor, so that halving finds it.
fn factor(logits: &Array2<f32>, graph: &Csr) -> f64 {
    let labels = argmax_rows(logits.view());
    let reached = reached_logits(logits, graph, &labels);
    if reached.iter().all(Option::is_none) {
        return 1.0; // nobody has neighbours
    }
    let (mut low, mut high) = (-LARGEST_FACTOR.ln(), LARGEST_FACTOR.ln());
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if slope(logits, &reached, middle.exp()) < 0.0 { low = middle } else { high = middle }
    }
    (0.5 * (low + high)).exp()
}

/// For each row the mean of its logits at the clusters of its neighbours; none for a row without neighbours.
fn reached_logits(logits: &Array2<f32>, graph: &Csr, labels: &[u32]) -> Vec<Option<f64>> {
    let of_row = |i: usize| {
        let (mut sum, mut total) = (0.0, 0.0);
        for (j, w) in graph.neighbors(i) {
            sum += f64::from(w) * f64::from(logits[[i, labels[j] as usize]]);
            total += f64::from(w);
        }
        (total > 0.0).then(|| sum / total)
    };
    (0..labels.len()).into_par_iter().map(of_row).collect()
}

/// The derivative of the cross-entropy: what the memberships expect of the logits, less what the neighbours show.
fn slope(logits: &Array2<f32>, reached: &[Option<f64>], factor: f64) -> f64 {
    let of_row = |i: usize| {
        let Some(reached) = reached[i] else { return 0.0 };
        let row = logits.row(i);
        let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let (mut total, mut expected) = (0.0, 0.0);
        for &logit in row {
            let weight = (factor * f64::from(logit - largest)).exp();
            total += weight;
            expected += weight * f64::from(logit);
        }
        expected / total - reached
    };
    let rows: Vec<usize> = (0..reached.len()).collect();
    let sums: Vec<f64> = rows.par_chunks(TASK_ROWS).map(|task| task.iter().map(|&i| of_row(i)).sum()).collect();
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array1;

    /// A network without hidden layers whose logits are its inputs.
    fn identity(k: usize) -> Weights {
        let layer = crate::network::Layer { weight: Array2::eye(k), bias: Array1::zeros(k) };
        Weights { layers: vec![layer] }
    }

    /// Rows in two clusters with logits of one size; each row has four neighbours, of which `same` are of its own cluster.
    fn rows_with(same: usize, logit: f32) -> (Array2<f32>, Csr) {
        let n = 200;
        let rows = Array2::from_shape_fn((n, 2), |(i, c)| if i % 2 == c { logit } else { 0.0 });
        let edges = (0..n).flat_map(|i| {
            let own = (0..same).map(move |s| (i, (i + 2 * (s + 1)) % n));
            own.chain((same..4).map(move |s| (i, (i + 2 * s + 1) % n)))
        });
        let edges: Vec<(u32, u32, f32)> = edges.map(|(i, j)| (i as u32, j as u32, 1.0)).collect();
        (rows, Csr::symmetrized(n, edges.into_iter()))
    }

    #[test]
    fn a_membership_is_the_share_of_neighbours_in_the_cluster() {
        for logit in [0.3, 5.0] {
            let (rows, graph) = rows_with(3, logit);
            let weights = calibrated(identity(2), rows.view(), &graph);
            let memberships = crate::objective::softmax(weights.outputs(rows.view()));
            assert!((memberships[[0, 0]] - 0.75).abs() < 1e-3, "{logit}: {}", memberships[[0, 0]]);
        }
    }

    #[test]
    fn labels_stay_and_full_agreement_is_sure() {
        let (rows, graph) = rows_with(4, 1.0);
        let weights = calibrated(identity(2), rows.view(), &graph);
        let memberships = crate::objective::softmax(weights.outputs(rows.view()));
        assert!(memberships[[0, 0]] > 0.999 && memberships[[1, 1]] > 0.999);
        let apart = Csr::symmetrized(200, std::iter::empty());
        let untouched = calibrated(identity(2), rows.view(), &apart);
        assert_eq!(untouched, identity(2), "rows without neighbours");
    }
}
