//! Losses with their gradients in closed form.

mod contrastive;
mod cross_entropy;
mod cut;
mod self_expression;
mod spectral_embedding;

pub use contrastive::{Pair, contrastive};
pub use cross_entropy::cross_entropy;
pub use cut::{Cut, CutLoss, CutLossValue, Penalty, Volumes};
pub use self_expression::{Expressed, SelfExpression, SelfExpressionValue, soft_threshold};
pub use spectral_embedding::{EmbeddingLoss, EmbeddingLossValue, Moments};

use ndarray::{Array2, ArrayView2, ArrayViewMut1, Axis, Zip};
use rayon::prelude::*;

/// Row-wise softmax, Eq. (forward): logits to memberships, `(m, k)`.
pub fn softmax(mut logits: Array2<f32>) -> Array2<f32> {
    logits.axis_iter_mut(Axis(0)).into_par_iter().for_each(softmax_row);
    logits
}

/// Softmax of one row in place.
pub(crate) fn softmax_row(mut row: ArrayViewMut1<f32>) {
    let largest = row.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
    row.mapv_inplace(|x| (x - largest).exp());
    let sum = row.sum();
    row.mapv_inplace(|x| x / sum);
}

/// The gradient with respect to the logits, given the memberships and the gradient with respect to them.
pub fn softmax_backward(memberships: ArrayView2<f32>, mut gradient: Array2<f32>) -> Array2<f32> {
    Zip::from(gradient.rows_mut()).and(memberships.rows()).par_for_each(|mut grad, y| {
        let mean = grad.dot(&y);
        grad.zip_mut_with(&y, |g, &y| *g = y * (*g - mean));
    });
    gradient
}
