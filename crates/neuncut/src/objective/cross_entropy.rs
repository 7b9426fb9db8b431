//! Cross-entropy to given labels, for warm starts.

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
}
