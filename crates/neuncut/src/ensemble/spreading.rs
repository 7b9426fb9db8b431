//! Labels of the landmarks, spread to all rows: each other row follows most of its nearest landmarks.

use crate::graph::knn::nearest_in;
use ndarray::{ArrayView1, ArrayView2, Axis};

/// Landmarks that a row asks.
const ASKED: usize = 10;

/// One label per row. `rows` are all rows as they enter the network; `landmarks` are those that have one of `labels`.
pub(crate) fn spread_labels(rows: ArrayView2<f32>, landmarks: &[usize], labels: &[u32]) -> Vec<u32> {
    let mut spread: Vec<Option<u32>> = vec![None; rows.nrows()];
    landmarks.iter().zip(labels).for_each(|(&row, &label)| spread[row] = Some(label));
    let open: Vec<usize> = (0..rows.nrows()).filter(|&row| spread[row].is_none()).collect();
    let asked = nearest_in(rows.select(Axis(0), &open).view(), rows.select(Axis(0), landmarks).view(), ASKED);
    for (&row, nearest) in open.iter().zip(asked.indices.rows()) {
        spread[row] = most_frequent(nearest, labels);
    }
    spread.into_iter().map(|label| label.expect("a row is a landmark, or asks some")).collect()
}

/// The most frequent label; of equally frequent ones that of the nearest.
fn most_frequent(nearest: ArrayView1<u32>, labels: &[u32]) -> Option<u32> {
    let of = |&landmark: &u32| labels[landmark as usize];
    let count = |label: u32| nearest.iter().filter(|&landmark| of(landmark) == label).count();
    nearest.iter().map(of).rev().max_by_key(|&label| count(label))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn rows_follow_most_of_their_nearest_landmarks() {
        // landmarks at 0, 1, ..., 19: label 0 up to 9, then 1, but for a stray 1 at 3
        let places: Vec<f32> = (0..20).map(|i| i as f32).chain([3.1, 16.2, 9.4]).collect();
        let rows = Array2::from_shape_vec((23, 1), places).unwrap();
        let labels: Vec<u32> = (0..20).map(|i| u32::from(i > 9 || i == 3)).collect();
        let landmarks: Vec<usize> = (0..20).collect();
        let spread = spread_labels(rows.view(), &landmarks, &labels);
        assert_eq!(spread[..20], labels, "landmarks keep theirs");
        // 9.4 asks 5 to 14, five of each: the nearest, 9, decides
        assert_eq!(spread[20..], [0, 1, 0]);
    }
}
