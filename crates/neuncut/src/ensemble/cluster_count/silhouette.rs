//! The silhouette of partitions: how much nearer rows are to their own cluster than to the next.

use crate::vector::squared_distance;
use ndarray::ArrayView2;
use rayon::prelude::*;

/// Rows whose silhouettes are averaged, evenly spaced.
const SAMPLE: usize = 200;

/// The mean silhouette of some of the rows in each of the partitions.
pub(super) fn of(rows: ArrayView2<f32>, partitions: &[Vec<u32>]) -> Vec<f64> {
    let n = rows.nrows();
    let chosen: Vec<usize> = (0..n).step_by(n.div_ceil(SAMPLE).max(1)).collect();
    let rows = rows.as_standard_layout();
    let row = |i: usize| rows.row(i).to_slice().expect("rows lie in one piece");
    let distances = |&i: &usize| -> Vec<f64> {
        let own = row(i);
        (0..n).map(|j| f64::from(squared_distance(own, row(j))).sqrt()).collect()
    };
    let distances: Vec<Vec<f64>> = chosen.par_iter().map(distances).collect();
    let mean = |labels: &Vec<u32>| {
        let each =
            chosen.iter().zip(&distances).map(|(&i, distances)| silhouette(labels[i] as usize, labels, distances));
        each.sum::<f64>() / chosen.len().max(1) as f64
    };
    partitions.par_iter().map(mean).collect()
}

/// That of a row in the cluster `own` with these distances to all rows; zero where it is alone.
fn silhouette(own: usize, labels: &[u32], distances: &[f64]) -> f64 {
    let k = labels.iter().max().map_or(0, |&last| last as usize + 1);
    let (mut sums, mut sizes) = (vec![0.0; k], vec![0.0_f64; k]);
    for (&label, distance) in labels.iter().zip(distances) {
        sums[label as usize] += distance;
        sizes[label as usize] += 1.0;
    }
    let others = (0..k).filter(|&c| c != own && sizes[c] > 0.0).map(|c| sums[c] / sizes[c]);
    let next = others.fold(f64::INFINITY, f64::min);
    if sizes[own] < 2.0 || !next.is_finite() {
        return 0.0;
    }
    let inside = sums[own] / (sizes[own] - 1.0);
    (next - inside) / inside.max(next).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn by_hand() {
        let rows = array![[0.0_f32], [1.0], [5.0], [7.0]];
        // a row is 1 from its own pair and 6, 5, 4.5 or 6.5 from the other; the second pair are 2 apart
        let expected = [(6.0 - 1.0) / 6.0, (5.0 - 1.0) / 5.0, (4.5 - 2.0) / 4.5, (6.5 - 2.0) / 6.5];
        let found = of(rows.view(), &[vec![0, 0, 1, 1], vec![0, 0, 0, 0]]);
        assert!((found[0] - expected.iter().sum::<f64>() / 4.0).abs() < 1e-6, "{found:?}");
        assert_eq!(found[1], 0.0, "one cluster has no next");
    }
}
