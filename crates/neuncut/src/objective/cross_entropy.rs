//! Cross-entropy to given labels, for warm starts, and to memberships that are learnt as well.

use ndarray::{Array2, ArrayView2};

/// Mean cross-entropy of the memberships to the labels, and its gradient with respect to the *logits*, `(m, k)`.
///
/// `smoothing` spreads that share of each target over all clusters.
pub fn cross_entropy(memberships: ArrayView2<f32>, labels: &[u32], smoothing: f32) -> (f64, Array2<f32>) {
    let (m, k) = memberships.dim();
    let mut gradient = memberships.to_owned();
    let mut loss = 0.0;
    let spread = smoothing / k as f32;
    for ((mut row, y), &label) in gradient.rows_mut().into_iter().zip(memberships.rows()).zip(labels) {
        for (cluster, (g, &y)) in row.iter_mut().zip(y).enumerate() {
            let target = spread + if cluster == label as usize { 1.0 - smoothing } else { 0.0 };
            loss -= f64::from(target) * f64::from(y.max(f32::MIN_POSITIVE)).ln();
            *g = (*g - target) / m as f32;
        }
    }
    (loss / m as f64, gradient)
}

/// The cross-entropy to targets that are memberships themselves.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftTargets {
    /// The mean over rows.
    pub loss: f64,
    /// Its gradient with respect to the *logits* of the memberships, `(m, k)`.
    pub of_logits: Array2<f32>,
    /// Its gradient with respect to the targets, `(m, k)`.
    pub of_targets: Array2<f32>,
}

/// Mean cross-entropy of memberships `(m, k)` to targets `(m, k)`, whose rows sum to one.
pub fn soft_cross_entropy(memberships: ArrayView2<f32>, targets: ArrayView2<f32>) -> SoftTargets {
    let m = memberships.nrows().max(1) as f32;
    let of_targets = memberships.mapv(|y| -y.max(f32::MIN_POSITIVE).ln() / m);
    let loss = of_targets.iter().zip(targets).map(|(&slope, &target)| f64::from(slope) * f64::from(target)).sum();
    SoftTargets { loss, of_logits: (&memberships - &targets) / m, of_targets }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::softmax;
    use ndarray::array;

    #[test]
    fn gradient_matches_central_differences() {
        let logits = array![[0.3_f32, -1.0, 0.7], [1.2, 0.1, -0.4]];
        let labels = [2, 1];
        let (_, gradient) = cross_entropy(softmax(logits.clone()).view(), &labels, 0.1);
        for i in 0..2 {
            for j in 0..3 {
                let shifted = |delta: f32| {
                    let mut moved = logits.clone();
                    moved[[i, j]] += delta;
                    cross_entropy(softmax(moved).view(), &labels, 0.1).0
                };
                let numeric = (shifted(1e-2) - shifted(-1e-2)) / 2e-2;
                assert!((numeric - f64::from(gradient[[i, j]])).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn gradients_of_soft_targets_match_central_differences() {
        let (logits, targets) =
            (array![[0.3_f32, -1.0, 0.7], [1.2, 0.1, -0.4]], array![[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]]);
        let loss = |logits: &Array2<f32>, targets: &Array2<f32>| {
            soft_cross_entropy(softmax(logits.clone()).view(), targets.view()).loss
        };
        let found = soft_cross_entropy(softmax(logits.clone()).view(), targets.view());
        for i in 0..2 {
            for j in 0..3 {
                let shifted = |matrix: &Array2<f32>, by: f32| {
                    let mut moved = matrix.clone();
                    moved[[i, j]] += by;
                    moved
                };
                let of_logits = loss(&shifted(&logits, 1e-2), &targets) - loss(&shifted(&logits, -1e-2), &targets);
                let of_targets = loss(&logits, &shifted(&targets, 1e-2)) - loss(&logits, &shifted(&targets, -1e-2));
                assert!((of_logits / 2e-2 - f64::from(found.of_logits[[i, j]])).abs() < 1e-4);
                assert!((of_targets / 2e-2 - f64::from(found.of_targets[[i, j]])).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn soft_targets_are_those_of_labels_that_are_spread() {
        let memberships = softmax(array![[0.3_f32, -1.0, 0.7], [1.2, 0.1, -0.4]]);
        let targets = array![[0.05_f32, 0.05, 0.9], [0.05, 0.9, 0.05]];
        let (hard, soft) =
            (cross_entropy(memberships.view(), &[2, 1], 0.15), soft_cross_entropy(memberships.view(), targets.view()));
        assert!((hard.0 - soft.loss).abs() < 1e-6);
        assert!(hard.1.iter().zip(&soft.of_logits).all(|(a, b)| (a - b).abs() < 1e-6));
    }
}
