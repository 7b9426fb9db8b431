//! Losses with their gradients in closed form.
//!
//! ```
//! use ndarray::array;
//! use neuncut::graph::{BatchGraph, Csr};
//! use neuncut::objective::{Cut, CutLoss, Penalty, Volumes};
//!
//! let graph = BatchGraph::Sparse(Csr::symmetrized(4, [(0, 1, 1.0), (2, 3, 1.0)].into_iter()));
//! let loss = CutLoss { cut: Cut::Ncut, penalty: Penalty::Normed, volumes: Volumes::Flow, gamma: 10.0 };
//! let apart = array![[1.0_f32, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]];
//! let across = array![[1.0_f32, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
//! assert!(loss.evaluate(&graph, apart.view()).total < loss.evaluate(&graph, across.view()).total);
//! ```

mod average;
mod balanced;
mod consistency;
mod contrastive;
mod cross_entropy;
mod cut;
#[cfg(test)]
mod deep_replay;
mod evenness;
mod expected_cut;
mod information;
mod kept_shares;
mod marginals;
mod mixture_prior;
mod neighbor_likelihood;
mod self_expression;
mod self_training;
mod spectral_embedding;
mod teacher_information;
#[cfg(test)]
mod testing;

pub(crate) use balanced::BalancedLoss;
pub(crate) use consistency::Consistency;
pub(crate) use contrastive::{Pair, contrastive};
pub use cross_entropy::cross_entropy;
pub(crate) use cross_entropy::{SoftTargets, soft_cross_entropy};
pub use cut::{Cut, CutLoss, CutLossValue, Penalty, Volumes};
pub(crate) use evenness::Evenness;
pub use information::{InformationLoss, InformationLossValue};
pub(crate) use kept_shares::{KeptCut, KeptCutLoss};
pub(crate) use neighbor_likelihood::{NeighborLikelihood, PairLossValue};
pub(crate) use self_expression::{Expressed, SelfExpression, soft_threshold};
pub(crate) use spectral_embedding::{EmbeddingLoss, Moments};
pub(crate) use teacher_information::{TeacherInformation, agreement_of_pairs};
mod subspace;
pub(crate) use expected_cut::ExpectedCut;
pub(crate) use mixture_prior::{MixturePrior, RandomCodes};
pub(crate) use self_training::self_training_targets;
pub(crate) use subspace::SubspaceLoss;

use crate::vector::softmax_row;
use ndarray::{Array2, ArrayView2, Axis};
use rayon::prelude::*;

/// Rows per task at least.
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
