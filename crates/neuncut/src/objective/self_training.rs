//! Targets that memberships set themselves (Xie, Girshick and Farhadi 2016): sharper, and divided by the sizes of clusters.

use ndarray::{Array2, ArrayView2, Axis};

/// Keeps the size of an empty cluster away from zero.
const LEAST_SIZE: f64 = 1e-12;

/// `q_ic ~ p_ic^2 / sum_i p_ic`, each row of which sums to one, for memberships `(n, k)`.
pub fn self_training_targets(memberships: ArrayView2<f32>) -> Array2<f32> {
    let sizes: Vec<f64> = memberships.axis_iter(Axis(1)).map(|column| sum(column).max(LEAST_SIZE)).collect();
    let mut targets = memberships.to_owned();
    for mut row in targets.rows_mut() {
        let weights: Vec<f64> = row.iter().zip(&sizes).map(|(&p, size)| f64::from(p) * f64::from(p) / size).collect();
        let total: f64 = weights.iter().sum();
        if total > 0.0 {
            row.iter_mut().zip(weights).for_each(|(target, weight)| *target = (weight / total) as f32);
        }
    }
    targets
}

fn sum(column: ndarray::ArrayView1<f32>) -> f64 {
    column.iter().map(|&p| f64::from(p)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn targets_by_hand() {
        // sizes 1.5 and 0.5: the second row is pulled to the small cluster, the first sharpened
        let targets = self_training_targets(array![[0.9_f32, 0.1], [0.6, 0.4]].view());
        let by_hand = |p: f64, q: f64| (p * p / 1.5) / (p * p / 1.5 + q * q / 0.5);
        assert!((f64::from(targets[[0, 0]]) - by_hand(0.9, 0.1)).abs() < 1e-6);
        assert!((f64::from(targets[[1, 0]]) - by_hand(0.6, 0.4)).abs() < 1e-6);
        assert!(targets[[1, 0]] < 0.6 && targets[[0, 0]] > 0.9);
        assert_eq!(self_training_targets(array![[1.0_f32, 0.0]].view()), array![[1.0, 0.0]]);
    }
}
