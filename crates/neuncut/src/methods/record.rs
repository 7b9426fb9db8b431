//! What is written down of a fit whose labels are those of its model.

use super::neural_cut::Diagnostics;
use super::{Fitted, Model, TrainingRecord, argmax_rows};
use crate::train::History;
use ndarray::ArrayView2;

/// Labels the rows `(n, d)` that were fitted, and completes the model's record.
pub(super) fn recorded(model: Model, rows: ArrayView2<f32>, history: Vec<History>) -> Fitted {
    recorded_by(model, rows, None, history)
}

/// The same where each row weighs something.
pub(super) fn recorded_by(
    mut model: Model,
    rows: ArrayView2<f32>,
    weights: Option<&[f32]>,
    history: Vec<History>,
) -> Fitted {
    let memberships = model.inference().memberships_of_encoded(rows);
    let labels = argmax_rows(memberships.view());
    let cluster_shares = shares(&labels, model.n_clusters(), weights);
    let diagnostics = Diagnostics {
        representation: model.config.representation.to_string(),
        live_clusters: live_clusters(&labels, model.n_clusters()),
        mean_confidence: mean_confidence(memberships.view(), weights),
        ..Default::default()
    };
    model.record = TrainingRecord {
        version: env!("CARGO_PKG_VERSION").into(),
        rows: rows.nrows() as u64,
        trained_rows: rows.nrows() as u64,
        columns: rows.ncols(),
        cluster_shares,
        history,
        diagnostics,
        ..Default::default()
    };
    Fitted { model: Some(model), graph: None, labels }
}

/// The share of the rows in each of `k` clusters, by weight where rows have one.
pub(super) fn shares(labels: &[u32], k: usize, weights: Option<&[f32]>) -> Vec<f64> {
    let total = total(labels.len(), weights);
    let mut shares = vec![0.0; k];
    for (row, &label) in labels.iter().enumerate() {
        shares[label as usize] += weight(weights, row) / total;
    }
    shares
}

/// Clusters that have rows, whatever these weigh.
pub(super) fn live_clusters(labels: &[u32], k: usize) -> usize {
    let mut live = vec![false; k];
    labels.iter().for_each(|&label| live[label as usize] = true);
    live.into_iter().filter(|&live| live).count()
}

/// The mean of the largest membership of each row, by weight where rows have one.
pub(super) fn mean_confidence(memberships: ArrayView2<f32>, weights: Option<&[f32]>) -> f64 {
    let largest = memberships.rows().into_iter().map(|row| f64::from(row.fold(0.0_f32, |a, &b| a.max(b))));
    let weighed = largest.enumerate().map(|(row, largest)| largest * weight(weights, row));
    weighed.sum::<f64>() / total(memberships.nrows(), weights)
}

fn weight(weights: Option<&[f32]>, row: usize) -> f64 {
    weights.map_or(1.0, |weights| f64::from(weights[row]))
}

fn total(rows: usize, weights: Option<&[f32]>) -> f64 {
    weights.map_or(rows as f64, |weights| weights.iter().copied().map(f64::from).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn shares_and_confidence_are_by_weight() {
        let (labels, weights) = ([0, 1, 1, 2], [3.0, 1.0, 0.0, 4.0]);
        assert_eq!(shares(&labels, 4, Some(&weights)), [0.375, 0.125, 0.5, 0.0]);
        assert_eq!(shares(&labels, 3, None), [0.25, 0.5, 0.25]);
        assert_eq!(live_clusters(&labels, 4), 3);
        let memberships = array![[1.0, 0.0], [0.25, 0.75]];
        assert_eq!(mean_confidence(memberships.view(), Some(&[3.0, 1.0])), 0.9375);
        assert_eq!(mean_confidence(memberships.view(), None), 0.875);
    }
}
