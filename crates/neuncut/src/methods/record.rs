//! What is written down of a fit whose labels are those of its model.

use super::neural_cut::Diagnostics;
use super::{Fitted, Model, TrainingRecord, argmax_rows};
use crate::train::History;
use ndarray::ArrayView2;

/// Labels the rows `(n, d)` that were fitted, and completes the model's record.
pub(super) fn recorded(mut model: Model, rows: ArrayView2<f32>, history: Vec<History>) -> Fitted {
    let memberships = model.inference().memberships_of_encoded(rows);
    let labels = argmax_rows(memberships.view());
    let n = labels.len() as f64;
    let mut cluster_shares = vec![0.0; model.n_clusters()];
    labels.iter().for_each(|&label| cluster_shares[label as usize] += 1.0 / n);
    let largest = memberships.rows().into_iter().map(|row| f64::from(row.fold(0.0_f32, |a, &b| a.max(b))));
    let diagnostics = Diagnostics {
        representation: model.config.representation.to_string(),
        live_clusters: cluster_shares.iter().filter(|&&share| share > 0.0).count(),
        mean_confidence: largest.sum::<f64>() / n,
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
