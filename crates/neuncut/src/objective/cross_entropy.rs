//! Cross-entropy to given labels, for warm starts, and to soft targets.

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

/// Mean cross-entropy of the memberships to soft targets `(m, k)`, rows of which sum to one, and its gradient with respect to the
/// *logits*, `(m, k)`.
pub fn soft_cross_entropy(memberships: ArrayView2<f32>, targets: ArrayView2<f32>) -> (f64, Array2<f32>) {
    let m = memberships.nrows().max(1);
    let mut loss = 0.0;
    let mut gradient = memberships.to_owned();
    gradient.zip_mut_with(&targets, |y, &target| {
        loss -= f64::from(target) * f64::from(y.max(f32::MIN_POSITIVE)).ln();
        *y = (*y - target) / m as f32;
    });
    (loss / m as f64, gradient)
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
    fn soft_targets_are_those_of_labels_that_are_spread() {
        let memberships = softmax(array![[0.3_f32, -1.0, 0.7], [1.2, 0.1, -0.4]]);
        let targets = array![[0.05_f32, 0.05, 0.9], [0.05, 0.9, 0.05]];
        let (hard, soft) =
            (cross_entropy(memberships.view(), &[2, 1], 0.15), soft_cross_entropy(memberships.view(), targets.view()));
        assert!((hard.0 - soft.0).abs() < 1e-6);
        assert!(hard.1.iter().zip(&soft.1).all(|(a, b)| (a - b).abs() < 1e-6));
    }
}
