//! Losses with their gradients in closed form.

mod contrastive;
mod cross_entropy;
mod cut;
#[cfg(test)]
mod deep_replay;
mod expected_cut;
mod information;
mod mixture_prior;
mod self_expression;
mod self_training;
mod spectral_embedding;
mod subspace;

pub use contrastive::{Pair, contrastive};
pub use cross_entropy::{cross_entropy, soft_cross_entropy};
pub use cut::{Cut, CutLoss, CutLossValue, Penalty, Volumes};
pub use expected_cut::{ExpectedCut, ExpectedCutValue};
pub use information::{InformationLoss, InformationLossValue};
pub use mixture_prior::{MixturePrior, MixturePriorValue, RandomCodes};
pub use self_expression::{Expressed, SelfExpression, SelfExpressionValue, soft_threshold};
pub use self_training::self_training_targets;
pub use spectral_embedding::{EmbeddingLoss, EmbeddingLossValue, Moments};
pub use subspace::SubspaceLoss;

use crate::vector::softmax_row;
use ndarray::{Array2, ArrayView2, Axis};
use rayon::prelude::*;

/// Rows a task at least.
const TASK_ROWS: usize = 32;

/// Row-wise softmax, Eq. (forward): logits to memberships, `(m, k)`.
pub fn softmax(mut logits: Array2<f32>) -> Array2<f32> {
    if !logits.is_standard_layout() {
        logits = logits.as_standard_layout().into_owned();
    }
    let rows = logits.axis_iter_mut(Axis(0)).into_par_iter().with_min_len(TASK_ROWS);
    rows.for_each(|mut row| softmax_row(row.as_slice_mut().expect("rows lie in one piece")));
    logits
}

/// The gradient with respect to the logits, given the memberships and the gradient with respect to them.
pub fn softmax_backward(memberships: ArrayView2<f32>, mut gradient: Array2<f32>) -> Array2<f32> {
    let rows = gradient.axis_iter_mut(Axis(0)).into_par_iter().zip(memberships.axis_iter(Axis(0)));
    rows.with_min_len(TASK_ROWS).for_each(|(mut grad, y)| {
        let mean = grad.dot(&y);
        grad.zip_mut_with(&y, |g, &y| *g = y * (*g - mean));
    });
    gradient
}
